// SPDX-License-Identifier: GPL-3.0-or-later
#include <geodesic.h>
#include <gtest/gtest.h>

#include <chrono>
#include <cmath>
#include <string>

#include "core/io/readers/readers.h"
#include "core/io/sources/crs.h"
#include "tests/support/kept_warnings.h"
#include "tests/unit/io/gis_files.h"

namespace tesseray {
namespace {

using testing::point;
using testing::proj_transform;
using testing::TemporaryFolder;
using testing::TestLayer;
using testing::write_layer;
using testing::write_text;

LocalFrame frame_of(const std::string& crs, Vec2 origin = {}) {
  return {.origin = origin, .crs_wkt = Crs::from_text(crs).wkt(), .crs_name = crs};
}

std::vector<RawTransmitter> transmitters(const TransmitterInput& input,
                                         const LocalFrame& frame = frame_of("EPSG:32632")) {
  return read_transmitters(input, frame, no_progress());
}

class Points : public ::testing::Test {
 protected:
  std::string csv(const std::string& text) {
    return write_text(folder_ / ("t" + std::to_string(files_++) + ".csv"), text);
  }
  TemporaryFolder folder_;
  int files_ = 0;
};

TEST_F(Points, TransmittersFromATable) {
  const auto found = transmitters(
      {.source =
           csv("\xEF\xBB\xBFName,Lat,Lon,Height (m),Freq_MHz,ERP,Azimuth,Tilt,Antenna,Polarisation,height_reference\n"
               "\"Mill, old\",48.1,9.2,25,3600,46,120,3,sector_3gpp,slant+45,roof\n"
               "Hill,48.2,9.3,\"12,5\",850 MHz,20 W,-10,,,,\n")});
  ASSERT_EQ(found.size(), 2u);
  EXPECT_EQ(found[0].name, "Mill, old");
  EXPECT_LT(norm(found[0].position - proj_transform("EPSG:4326", "EPSG:32632", {9.2, 48.1})), 1e-3);
  EXPECT_EQ(found[0].height_m, 25);
  EXPECT_EQ(found[0].reference, HeightReference::roof);
  EXPECT_DOUBLE_EQ(found[0].frequency_hz, 3.6e9);
  EXPECT_EQ(found[0].erp_dbm, 46);
  EXPECT_EQ(found[0].azimuth_deg, 120);
  EXPECT_EQ(found[0].downtilt_deg, 3);
  EXPECT_EQ(found[0].antenna, AntennaKind::sector_3gpp);
  EXPECT_EQ(found[0].polarization, Polarization::slant_plus_45);
  EXPECT_EQ(found[1].height_m, 12.5);
  EXPECT_EQ(found[1].reference, HeightReference::ground);
  EXPECT_DOUBLE_EQ(found[1].frequency_hz, 8.5e8);
  EXPECT_NEAR(found[1].erp_dbm, 43.0103, 1e-4);
  EXPECT_EQ(found[1].azimuth_deg, 350);
  EXPECT_EQ(found[1].antenna, AntennaKind::isotropic);
  EXPECT_EQ(found[1].polarization, Polarization::vertical);
}

TEST_F(Points, TransmittersFromGermanAndFrenchTables) {
  const auto german =
      transmitters({.source = csv("Standort;Sektor;Länge;Breite;Höhe;Frequenz;Azimut;Leistung_W;Antenne\n"
                                  "Markt;Markt_1;9,2;48,1;25,5;758,3;120;20;sector_3gpp\n")});
  ASSERT_EQ(german.size(), 1u);
  EXPECT_EQ(german[0].name, "Markt_1");
  EXPECT_LT(norm(german[0].position - proj_transform("EPSG:4326", "EPSG:32632", {9.2, 48.1})), 1e-3);
  EXPECT_EQ(german[0].height_m, 25.5);
  EXPECT_DOUBLE_EQ(german[0].frequency_hz, 758.3e6);
  EXPECT_EQ(german[0].azimuth_deg, 120);
  EXPECT_NEAR(german[0].erp_dbm, 43.0103, 1e-4);
  EXPECT_EQ(german[0].antenna, AntennaKind::sector_3gpp);
  const auto french =
      transmitters({.source = csv("site,longitude,latitude,hauteur,fréquence (MHz),puissance_dbm,antenne\n"
                                  "A,9.2,48.1,30,947.4,46,omni\n")});
  EXPECT_EQ(french[0].height_m, 30);
  EXPECT_DOUBLE_EQ(french[0].frequency_hz, 947.4e6);
  EXPECT_EQ(french[0].erp_dbm, 46);
}

// As spreadsheets head their columns.
TEST_F(Points, UnitsOfAnglesMayStandBehindTheirNamesAsSigns) {
  for (const char* header : {"Azimut [°],Downtilt (°)", "Azimuth (º),Tilt °", "Az,mech_tilt_deg", "AntennaAzimuth,tilt",
                             "Richtung [°],Tilt", "Acimut (°),Downtilt"}) {
    const auto found = transmitters(
        {.source = csv(std::string("Name,Lat,Lon,Height,MHz,ERP,") + header + "\nA,48.1,9.2,25,3600,46,120,3\n"),
         .frequency_field = "MHz"});
    EXPECT_EQ(found[0].azimuth_deg, 120) << header;
    EXPECT_EQ(found[0].downtilt_deg, 3) << header;
  }
}

TEST_F(Points, RowsOfEmptyCellsAreNone) {
  const std::string table = csv("name;lat;lon;rsrp\nA;48,1;9,2;-90\n;;;\n; ;;\nB;48,1;9,2;-91\n;;;\n");
  const auto found = transmitters({.source = table, .frequency_mhz = 900, .antenna_height_m = 10, .erp_dbm = 30});
  ASSERT_EQ(found.size(), 2u);
  EXPECT_EQ(found[1].name, "B");
  EXPECT_EQ(found[1].feature_id, 4);
  EXPECT_EQ(read_drive_test({.source = table}, frame_of("EPSG:32632"), no_progress()).size(), 2u);
  EXPECT_THROW(read_receivers({.source = csv("lat;lon\n;\n")}, frame_of("EPSG:32632"), no_progress()), Error);
}

// GDAL by itself tells a spreadsheet's header by the numbers below it.
TEST_F(Points, TheFirstRowOfASpreadsheetIsItsHeader) {
  for (const char* driver : {"XLSX", "ODS"}) {
    TestLayer layer{.driver = driver,
                    .crs = "",
                    .geometry = "NONE",
                    .fields = {{"name", 's'}, {"lat", 's'}, {"lon", 's'}, {"erp", 's'}},
                    .features = {{"", {"A", "48.1", "9.2", "20 W"}}}};
    const std::string file =
        write_layer(folder_ / ("t." + std::string(driver == std::string("ODS") ? "ods" : "xlsx")), layer);
    try {
      const auto found = transmitters({.source = file, .frequency_mhz = 900, .antenna_height_m = 10});
      EXPECT_EQ(found[0].name, "A");
      EXPECT_NEAR(found[0].erp_dbm, 43.0103, 1e-4);
    } catch (const Error& error) {
      EXPECT_EQ(error.what(), std::string()) << driver;
    }
  }
}

// As QGIS exports a text file that was added without geometry.
TEST_F(Points, NamesThatShapefilesCutAreUnderstood) {
  TestLayer layer{
      .geometry = "POINT",
      .fields = {{"name", 's'},
                 {"height_m", 'r'},
                 {"height_reference", 's'},
                 {"frequency_mhz", 'r'},
                 {"erp_dbm", 'r'},
                 {"antenna", 's'},
                 {"azimuth_deg", 'r'},
                 {"downtilt_deg", 'r'},
                 {"polarization", 's'}},
      .features = {{point(500000, 5000000), {"A", 30.0, "sea", 1800.0, 43.0, "sector_3gpp", 230.0, 8.0, "slant+45"}}}};
  layer.driver = "ESRI Shapefile";
  const auto found = transmitters({.source = write_layer(folder_ / "cut.shp", layer)});
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].azimuth_deg, 230);
  EXPECT_EQ(found[0].downtilt_deg, 8);
  EXPECT_EQ(found[0].polarization, Polarization::slant_plus_45);
  EXPECT_EQ(found[0].reference, HeightReference::sea);

  TestLayer of_receivers{
      .geometry = "POINT", .fields = {{"receiver_height_m", 'r'}}, .features = {{point(500000, 5000000), {30.0}}}};
  of_receivers.driver = "ESRI Shapefile";
  const auto receivers = read_receivers({.source = write_layer(folder_ / "r.shp", of_receivers), .height_m = 1.5},
                                        frame_of("EPSG:32632"), no_progress());
  EXPECT_EQ(receivers.at(0).height_m, 30);
}

TEST_F(Points, FewLettersAreNoCutName) {
  const auto found = transmitters({.source = csv("name,lat,lon,height,frequency,erp,a_________,----------\n"
                                                 "A,48.1,9.2,25,900,40,77,78\n")});
  EXPECT_EQ(found.at(0).azimuth_deg, 0);
  EXPECT_EQ(found.at(0).downtilt_deg, 0);
}

TEST_F(Points, ATiltCalledMechanicalIsTheDowntilt) {
  const auto found = transmitters({.source = csv("name,lat,lon,height,mhz,frequency,erp,mechanical_tilt\n"
                                                 "A,48.1,9.2,25,,900,40,6\n")});
  EXPECT_EQ(found.at(0).downtilt_deg, 6);
}

TEST_F(Points, HeadingsInLatin1AndInLettersWithLooseMarks) {
  const std::string row = "A;48.1;9.2;40;900;40\n";
  EXPECT_EQ(transmitters({.source = csv("Standort;Lat;Lon;H\xF6he;Frequenz;Leistung\n" + row)}).at(0).height_m, 40);
  EXPECT_EQ(transmitters({.source = csv("Standort;Lat;Lon;Ho\u0308he;Frequenz;Leistung\n" + row)}).at(0).height_m, 40);
  EXPECT_EQ(
      transmitters({.source = csv("Standort;Lat;Lon;Mast\xF6he;Frequenz;Leistung\n" + row), .height_field = "Mastöhe"})
          .at(0)
          .height_m,
      40);
}

TEST_F(Points, TransmittersFromATableOfAGeoPackage) {
  const std::string table = write_layer(folder_ / "sites.gpkg", {.crs = "",
                                                                 .geometry = "NONE",
                                                                 .fields = {{"site", 's'}, {"x", 'r'}, {"y", 's'}},
                                                                 .features = {{"", {"Mill", 500100.5, "5000200,25"}}}});
  const auto found =
      transmitters({.source = table, .crs = "EPSG:32632", .frequency_mhz = 900, .antenna_height_m = 10, .erp_dbm = 30});
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].name, "Mill");
  EXPECT_EQ(found[0].position, (Vec2{500100.5, 5000200.25}));
}

struct PowerCase {
  const char* field;
  const char* value;
  double erp_dbm;
};
class Powers : public Points, public ::testing::WithParamInterface<PowerCase> {};

TEST_P(Powers, BecomeErpInDbm) {
  const auto [field, value, erp_dbm] = GetParam();
  const auto found = transmitters({.source = csv(std::string("lat,lon,") + field + "\n48,9," + value + "\n"),
                                   .frequency_mhz = 900,
                                   .antenna_height_m = 10});
  EXPECT_NEAR(found.at(0).erp_dbm, erp_dbm, 1e-3);
}

INSTANTIATE_TEST_SUITE_P(Fields, Powers,
                         ::testing::Values(PowerCase{"erp", "40", 40}, PowerCase{"erp_dbm", "40", 40},
                                           PowerCase{"eirp_dbm", "40", 37.85}, PowerCase{"EIRP (W)", "10", 37.85},
                                           PowerCase{"PIRE (dBm)", "40", 37.85}, PowerCase{"power_w", "20", 43.0103},
                                           PowerCase{"power", "1 kW", 60}, PowerCase{"erp_kw", "1", 60},
                                           PowerCase{"txPowerDbm", "33", 33}, PowerCase{"erp", "500mW", 26.9897},
                                           PowerCase{"erp_dbw", "10", 40}, PowerCase{"power", "46 dBm", 46},
                                           PowerCase{"erp", "1 MW", 90}, PowerCase{"erp", "0.5 KW", 56.9897},
                                           PowerCase{"erp_MW", "1", 90}, PowerCase{"Erp [MW]", "0.1", 80},
                                           PowerCase{"erp_mw", "100", 20}, PowerCase{"ERP_mW", "100", 20},
                                           PowerCase{"puissanceM", "1", 90}, PowerCase{"erp,erp_unit", "2,MW", 93.0103},
                                           PowerCase{"erp,erp_unit", "2,mW", 3.0103}));

struct FrequencyCase {
  const char* field;
  const char* value;
  double mhz;
};
class Frequencies : public Points, public ::testing::WithParamInterface<FrequencyCase> {};

TEST_P(Frequencies, GoByTheUnitInNameOrText) {
  const auto [field, value, mhz] = GetParam();
  const auto found = transmitters({.source = csv(std::string("lat,lon,") + field + "\n48,9," + value + "\n"),
                                   .antenna_height_m = 10,
                                   .erp_dbm = 30});
  EXPECT_NEAR(found.at(0).frequency_hz, mhz * 1e6, 1);
}

INSTANTIATE_TEST_SUITE_P(
    Fields, Frequencies,
    ::testing::Values(FrequencyCase{"frequency", "3500", 3500}, FrequencyCase{"freq_MHz", "3690", 3690},
                      FrequencyCase{"frequency_hz", "9e8", 900}, FrequencyCase{"FreqGHz", "3.5", 3500},
                      FrequencyCase{"frequency", "3.5 GHz", 3500}, FrequencyCase{"f", "450000 kHz", 450}));

TEST_F(Points, FieldsMayBeNamedAndDefaultsFillGaps) {
  const std::string path =
      write_layer(folder_ / "masts.gpkg", {.geometry = "MULTIPOINT",
                                           .fields = {{"label", 's'}, {"carrier_ghz", 'r'}, {"mast", 'r'}},
                                           .features = {{"MULTIPOINT ((500000 5000000))", {"a", 2.1, {}}},
                                                        {"MULTIPOINT ((500010 5000000))", {{}, 2.6, 30.0}}}});
  const auto found = transmitters({.source = path,
                                   .name_field = "label",
                                   .frequency_field = "carrier_ghz",
                                   .height_field = "MAST",
                                   .antenna_height_m = 24.0,
                                   .erp_dbm = 30.0,
                                   .antenna = AntennaKind::half_wave_dipole});
  EXPECT_EQ(found.at(0).name, "a");
  EXPECT_DOUBLE_EQ(found[0].frequency_hz, 2.1e9);
  EXPECT_EQ(found[0].height_m, 24);
  EXPECT_EQ(found[0].position, (Vec2{500000, 5000000}));
  EXPECT_EQ(found[0].antenna, AntennaKind::half_wave_dipole);
  EXPECT_EQ(found.at(1).name, "transmitter 2") << "no name: from the feature's number";
  EXPECT_EQ(found[1].height_m, 30);
}

TEST_F(Points, NumbersOfRowsAreAFieldWhereTheyAreNamed) {
  const std::string path =
      write_layer(folder_ / "masts.gpkg",
                  {.geometry = "POINT",
                   .fields = {{"site", 's'}, {"note", 's'}},
                   .features = {{point(500000, 5000000), {"a", "x"}}, {point(500010, 5000000), {"b", {}}}}});
  const TransmitterInput input{.source = path, .frequency_mhz = 900, .antenna_height_m = 24.0, .erp_dbm = 30.0};
  TransmitterInput named = input;
  named.name_field = "FID";
  named.height_field = "fid";
  const auto found = transmitters(named);
  EXPECT_EQ(found.at(1).name, "2") << "as a text";
  EXPECT_EQ(found[1].height_m, 2) << "as a number";
  EXPECT_EQ(transmitters(input).at(1).name, "b") << "searched for by no alias";

  named.name_field = "fib";
  try {
    transmitters(named);
    ADD_FAILURE() << "there is no such field";
  } catch (const Error& error) {
    EXPECT_EQ(error.hint(), "did you mean \"fid\"? Its fields: site, note, fid");
  }
}

TEST_F(Points, CapitalLettersWithinUnitsBeginNoWord) {
  const std::pair<const char*, double> powers[] = {{"TX_mW", 10}, {"max_kW", 70}, {"max_dBW", 40}, {"TX [W]", 40}};
  for (const auto& [field, erp_dbm] : powers) {
    const std::string table = csv(std::string("lat,lon,f kHz,\"") + field + "\"\n48,9,900000,10\n");
    const RawTransmitter found =
        transmitters({.source = table, .frequency_field = "f kHz", .erp_field = field, .antenna_height_m = 10}).at(0);
    EXPECT_NEAR(found.erp_dbm, erp_dbm, 1e-9) << field;
    EXPECT_NEAR(found.frequency_hz, 900e6, 1e-3);
  }
}

TEST_F(Points, GridNorthIsAsFarFromTrueNorthAsAGeodesicSays) {
  const auto found = transmitters(
      {.source = csv("lat,lon\n60.5,11.9\n-33.9,6.1\n"), .frequency_mhz = 900, .antenna_height_m = 10, .erp_dbm = 30});
  geod_geodesic wgs84{};
  geod_init(&wgs84, 6378137, 1 / 298.257223563);
  for (const RawTransmitter& transmitter : found) {
    // The azimuth of the way to a point 100 m up the grid.
    const Vec2 here = proj_transform("EPSG:32632", "EPSG:4326", transmitter.position);
    const Vec2 north = proj_transform("EPSG:32632", "EPSG:4326", transmitter.position + Vec2{0, 100});
    double azimuth = 0;
    geod_inverse(&wgs84, here.y, here.x, north.y, north.x, nullptr, &azimuth, nullptr);
    EXPECT_NEAR(transmitter.meridian_convergence_deg, azimuth, 1e-4);
  }
  EXPECT_GT(found[0].meridian_convergence_deg, 2.5) << "east of 9°, in the north";
  EXPECT_GT(found[1].meridian_convergence_deg, 1.5) << "west of 9°, in the south";
}

TEST_F(Points, LocalMetresHaveNoConvergence) {
  const auto found = transmitters(
      {.source = csv("name,x,y\nT,1281.36,1381.27\n"), .frequency_mhz = 947, .antenna_height_m = 13, .erp_dbm = 30},
      LocalFrame{.crs_name = "local metres"});
  EXPECT_EQ(found.at(0).position, (Vec2{1281.36, 1381.27}));
  EXPECT_EQ(found[0].meridian_convergence_deg, 0);
}

TEST_F(Points, TablesMayUseSemicolonsCommasAndTabs) {
  const TransmitterInput defaults{.frequency_mhz = 900, .antenna_height_m = 10, .erp_dbm = 30};
  TransmitterInput input = defaults;
  input.source = csv("name;lat;lon\nA;48,25;9,5\n");
  EXPECT_LT(norm(transmitters(input).at(0).position - proj_transform("EPSG:4326", "EPSG:32632", {9.5, 48.25})), 1e-3);
  input.source = write_text(folder_ / "tabs.txt", "name\teasting\tnorthing\nA\t500000\t5000000\n");
  input.crs = "EPSG:32632";
  EXPECT_EQ(transmitters(input).at(0).position, (Vec2{500000, 5000000}));
}

// QGIS and ogr2ogr write a .csvt, by whose types GDAL would cut "-27.1" to -27 and leave out "20 ft".
TEST_F(Points, CellsAreTextsWhateverACsvtSays) {
  const auto with_types = [&](const std::string& table, const std::string& types) {
    const std::string file = csv(table);
    write_text(file + "t", types + "\n");
    return file;
  };
  const auto sites = transmitters({.source = with_types("name,x,y,height,erp\n"
                                                        "A,500000.5,5000000.25,20 ft,\"40,5\"\n"
                                                        "B,500000,5000000,20.7,40.5 dBm\n",
                                                        "String,Real,Real,Integer,Real"),
                                   .crs = "EPSG:32632",
                                   .frequency_mhz = 900});
  ASSERT_EQ(sites.size(), 2u);
  EXPECT_DOUBLE_EQ(sites[0].position.x, 500000.5);
  EXPECT_DOUBLE_EQ(sites[0].height_m, 20 * 0.3048);
  EXPECT_EQ(sites[0].erp_dbm, 40.5);
  EXPECT_EQ(sites[1].height_m, 20.7);
  EXPECT_EQ(sites[1].erp_dbm, 40.5);
  const auto values = [&](const std::string& filter) {
    std::vector<double> all;
    const std::string file = with_types(
        "place;east;north;rsrp\nA;500000,5;5000000;-27.1\nB;500001;5000000;\n"
        "C;500002;5000000;-30.5 dBm\n",
        "String,CoordX,CoordY,Real");
    for (const Measurement& row :
         read_drive_test({.source = file + filter, .crs = "EPSG:32632"}, frame_of("EPSG:32632"), no_progress())) {
      if (all.empty()) EXPECT_DOUBLE_EQ(row.position.x, 500000.5);
      if (std::isfinite(row.value)) all.push_back(row.value);
    }
    return all;
  };
  EXPECT_EQ(values(""), (std::vector{-27.1, -30.5}));
  // Filters are written for the types that the file says.
  EXPECT_EQ(values("|subset=rsrp < -20"), std::vector{-27.1});
  EXPECT_EQ(values("|subset=place = 'A' OR rsrp IS NULL"), (std::vector{-27.1, -30.5}));
  const std::string none = with_types("x,y,rsrp\n500000,5000000,-30\n", "Real,Real,Real") + "|subset=rsrp > 0";
  EXPECT_THROW(read_drive_test({.source = none, .crs = "EPSG:32632"}, frame_of("EPSG:32632"), no_progress()), Error);
}

TEST_F(Points, Receivers) {
  const std::string path =
      write_layer(folder_ / "r.gpkg", {.geometry = "POINT",
                                       .fields = {{"height_m", 'r'}},
                                       .features = {{point(500000, 5000000), {21.5}}, {point(500001, 5000000), {}}}});
  const auto found = read_receivers({.source = path, .height_m = 1.7}, frame_of("EPSG:32632"), no_progress());
  ASSERT_EQ(found.size(), 2u);
  EXPECT_EQ(found[0].height_m, 21.5);
  EXPECT_EQ(found[0].position, (Vec2{500000, 5000000}));
  EXPECT_EQ(found[1].height_m, 1.7);
  EXPECT_EQ(found[1].feature_id, 2);
  EXPECT_EQ(found[1].source.layer, "layer");
}

TEST_F(Points, DatumsAreNotTakenAsOneInSilence) {
  const auto codes_of = [&](const std::string& crs) {
    testing::KeptWarnings codes;
    read_receivers({.source = csv("x,y\n500000,5316000\n"), .crs = crs, .height_m = 1.5}, frame_of("EPSG:25832"),
                   codes);
    return codes.codes();
  };
  EXPECT_EQ(codes_of("+proj=utm +zone=32 +ellps=bessel"), std::vector<std::string>{"unknown_datum_shift"});
  EXPECT_TRUE(codes_of("EPSG:23032").empty());
}

// "None" is a town. Where several rows say the same, it is their table's word for no name.
TEST_F(Points, WordsForNothingAreNamesOfTheirOwn) {
  testing::KeptWarnings warnings;
  const auto found = read_transmitters({.source = csv("name,lat,lon\nNone,48.1,9.2\nNULL,48.1,9.3\n-,48.1,9.4\n"
                                                      "null,48.1,9.5\n-,48.1,9.6\n,48.1,9.7\n"),
                                        .frequency_mhz = 900,
                                        .antenna_height_m = 10,
                                        .erp_dbm = 40},
                                       frame_of("EPSG:32632"), warnings);
  std::vector<std::string> names;
  for (const RawTransmitter& transmitter : found) names.push_back(transmitter.name);
  EXPECT_EQ(names,
            (std::vector<std::string>{"None", "NULL", "transmitter 3", "null", "transmitter 5", "transmitter 6"}));
  ASSERT_EQ(warnings.all.size(), 1u);
  EXPECT_NE(warnings.all[0].message.find("2 transmitters are named \"-\""), std::string::npos)
      << warnings.all[0].message;
  EXPECT_EQ(
      read_drive_test({.source = csv("cell,lat,lon,rsrp\nNone,48.1,9.2,-90\n")}, frame_of("EPSG:32632"), no_progress())
          .at(0)
          .transmitter,
      "None");
}

// As programs write for Excel.
TEST_F(Points, AFirstLineThatNamesTheSeparatorIsNoHeader) {
  const auto expect_both = [&](const std::string& file, const std::string& text) {
    const auto found = read_receivers({.source = write_text(folder_ / file, text), .height_m = 1.5},
                                      frame_of("EPSG:32632"), no_progress());
    ASSERT_EQ(found.size(), 2u) << text;
    EXPECT_EQ(found[0].source.line, 3) << text;
    EXPECT_EQ(found[1].source.line, 4) << text;
  };
  expect_both("a.csv", "sep=;\nname;lat;lon\nA;48,1;9,2\nB;48,2;9,2\n");
  expect_both("a, b.csv", "sep=,\r\nname,lat,lon\r\nA,48.1,9.2\r\nB,48.2,9.2\r\n");
  expect_both("c.txt", "\xEF\xBB\xBFSEP=\t\nname\tlat\tlon\nA\t48.1\t9.2\nB\t48.2\t9.2\n");
}

TEST_F(Points, HeadersOfOneCellByAnotherSeparatorAreNoTitles) {
  const auto count_of = [&](const std::string& text) {
    return read_receivers({.source = csv(text), .height_m = 1.5}, frame_of("EPSG:32632"), no_progress()).size();
  };
  EXPECT_EQ(count_of("name lat lon\nA;a 48.1 9.2\nB;b 48.2 9.2\n"), 2u);
  EXPECT_EQ(count_of("lat lon\n48,1 9,2\n"), 1u);
  EXPECT_EQ(count_of("name;lat;lon\nMain Street, north;48.1;9.2\nMain Street, south;48.2;9.2\n"), 2u);
}

TEST_F(Points, TheZOfReceiversIsNotUsedInSilence) {
  const auto codes_of = [&](const std::string& file, const std::string& wkt, const std::string& field) {
    testing::KeptWarnings codes;
    const std::string path = write_layer(
        folder_ / file, {.geometry = "POINT Z", .fields = {{field, 'r'}}, .features = {{wkt, {3.0}}, {wkt, {3.0}}}});
    read_receivers({.source = path, .height_m = 1.5}, frame_of("EPSG:32632"), codes);
    return codes.codes();
  };
  const std::string flat = "POINT Z (500000 5000000 0)", high = "POINT Z (500000 5000000 87)";
  EXPECT_EQ(codes_of("z.gpkg", high, "level"), std::vector<std::string>{"z_not_used"});
  EXPECT_TRUE(codes_of("height.gpkg", high, "height_m").empty());
  EXPECT_TRUE(codes_of("flat.gpkg", flat, "level").empty());
}

TEST_F(Points, ReceiversThatCannotBeAnywhereAreHandedOnToBeDropped) {
  const auto problem_of = [&](const std::string& row, MisplacedReceivers misplaced = MisplacedReceivers::drop) {
    const ReceiverInput input{
        .source = csv("x,y,height\n500000,5000000,1.5\n" + row + "\n"), .crs = "EPSG:32632", .misplaced = misplaced};
    const auto found = read_receivers(input, frame_of("EPSG:32632"), no_progress());
    EXPECT_EQ(found.at(0).problem, "") << row;
    return found.at(1).problem;
  };
  for (const auto& [row, problem] : {std::pair<std::string, std::string>{"500001,5000000,0", ""},
                                     {"500001,5000000,", ""},
                                     {"500001,5000000,-1", "height \"-1\" is not a height above the ground"},
                                     {"500001,5000000,2500", "height \"2500\" is not a height above the ground"},
                                     {",,1.5", "x is empty"},
                                     {"500001,,-1", "y is empty"}}) {
    const std::string found = problem_of(row);
    EXPECT_EQ(found.empty(), problem.empty()) << row << found;
    EXPECT_TRUE(found.starts_with(problem)) << found;
    if (problem.empty()) continue;
    EXPECT_THROW(problem_of(row, MisplacedReceivers::fail), Error) << row;
  }
  EXPECT_THROW(problem_of("500001,5000000,roof"), Error) << "no number at all";
  const std::string path =
      write_layer(folder_ / "empty.gpkg", {.geometry = "POINT", .features = {{""}, {"POINT (500000 5000000)"}}});
  const auto found =
      read_receivers({.source = path, .misplaced = MisplacedReceivers::drop}, frame_of("EPSG:32632"), no_progress());
  EXPECT_EQ(found.at(0).problem, "there is no geometry");
  EXPECT_EQ(found.at(1).problem, "");
}

TEST_F(Points, HeightsOfMeasurementsAreNotUnusedInSilence) {
  const auto told_of = [&](const std::string& file, const std::string& wkt, const std::string& field,
                           const std::string& height_field) {
    testing::KeptWarnings warnings;
    const std::string path = write_layer(
        folder_ / file,
        {.geometry = "POINT Z", .fields = {{field, 'r'}, {"rsrp", 'r'}}, .features = {{wkt, {12.0, -90.0}}}});
    read_drive_test({.source = path, .height_field = height_field}, frame_of("EPSG:32632"), warnings);
    return warnings.all;
  };
  const std::string flat = "POINT Z (500000 5000000 0)", high = "POINT Z (500000 5000000 87)";
  EXPECT_EQ(told_of("z.gpkg", high, "floor", "").at(0).code, "z_not_used");
  EXPECT_TRUE(told_of("flat.gpkg", flat, "floor", "").empty());
  const std::vector<Warning> of_field = told_of("height.gpkg", high, "height_m", "");
  ASSERT_EQ(of_field.size(), 1u);
  EXPECT_EQ(of_field[0].code, "heights_not_used");
  EXPECT_NE(of_field[0].message.find("\"height_m\""), std::string::npos) << of_field[0].message;
  EXPECT_NE(of_field[0].message.find("MEASUREMENT_HEIGHT_FIELD"), std::string::npos) << of_field[0].message;
  EXPECT_TRUE(told_of("given.gpkg", high, "height_m", "height_m").empty());
}

// By every name by which a transmitter's height is found, unless it is a transmitter's alone.
TEST_F(Points, HeightsOfReceiversAreFoundByTheNamesOfThoseOfTransmitters) {
  for (const std::string name : {"Höhe", "hoehe", "hauteur", "altura", "altezza", "ant_height", "height_above_ground",
                                 "Antennenhöhe", "rx_height", "ue_height", "agl_m"}) {
    testing::KeptWarnings warnings;
    const auto found =
        read_receivers({.source = csv("x,y," + name + "\n500000,5000000,30\n"), .crs = "EPSG:32632", .height_m = 1.5},
                       frame_of("EPSG:32632"), warnings);
    EXPECT_EQ(found.at(0).height_m, 30) << name;
    EXPECT_TRUE(warnings.all.empty()) << name << ": " << warnings.all.at(0).message;
    read_drive_test({.source = csv("x,y,rsrp," + name + "\n500000,5000000,-90,30\n"), .crs = "EPSG:32632"},
                    frame_of("EPSG:32632"), warnings);
    ASSERT_EQ(warnings.count("heights_not_used"), 1) << name;
    EXPECT_NE(warnings.all[0].message.find("the field \"" + name + "\""), std::string::npos) << warnings.all[0].message;
  }
  const auto by_two = read_receivers(
      {.source = csv("x,y,Höhe,rx_height\n500000,5000000,300,2\n"), .crs = "EPSG:32632", .height_m = 1.5},
      frame_of("EPSG:32632"), no_progress());
  EXPECT_EQ(by_two.at(0).height_m, 2) << "the receiver's own";
}

// Nobody can tell what these count from.
TEST_F(Points, FieldsThatSoundLikeHeightsAreNotUnreadInSilence) {
  for (const std::string name :
       {"H", "z", "Z [m]", "h_ft", "alt", "altitude", "height_asl", "Höhe über NN", "tx_height"}) {
    testing::KeptWarnings of_receivers, of_measurements;
    const auto found =
        read_receivers({.source = csv("x,y," + name + "\n500000,5000000,30\n"), .crs = "EPSG:32632", .height_m = 1.5},
                       frame_of("EPSG:32632"), of_receivers);
    EXPECT_EQ(found.at(0).height_m, 1.5) << name;
    ASSERT_EQ(of_receivers.codes(), std::vector<std::string>{"fields_not_read"}) << name;
    for (const std::string& text : {"from " + name + ",", std::string("RECEIVER_HEIGHT_FIELD")}) {
      EXPECT_NE(of_receivers.all[0].message.find(text), std::string::npos) << of_receivers.all[0].message;
    }
    read_drive_test({.source = csv("x,y,rsrp," + name + "\n500000,5000000,-90,30\n"), .crs = "EPSG:32632"},
                    frame_of("EPSG:32632"), of_measurements);
    ASSERT_EQ(of_measurements.codes(), std::vector<std::string>{"heights_not_used"}) << name;
    EXPECT_NE(of_measurements.all[0].message.find("from " + name + ","), std::string::npos)
        << of_measurements.all[0].message;
  }
  const auto codes_beside = [&](const std::string& fields) {
    testing::KeptWarnings warnings;
    read_receivers({.source = csv("x,y," + fields + "\n500000,5000000,30,2\n"), .crs = "EPSG:32632", .height_m = 1.5},
                   frame_of("EPSG:32632"), warnings);
    return warnings.codes();
  };
  EXPECT_TRUE(codes_beside("altitude,agl").empty()) << "one is read";
  EXPECT_TRUE(codes_beside("hm,azimuth").empty()) << "neither is one";
}

TEST_F(Points, DriveTestsKeepEveryRow) {
  const LocalFrame frame = frame_of("EPSG:32632", {499712, 4999168});
  const auto found = read_drive_test({.source = csv("PCI,latitude,longitude,device,rsrp,floor\n"
                                                    "C,48.1,9.2,Phone,-124,\n"
                                                    "D,48.1,9.3,Phone,-99.5 dBm,12 m\n"
                                                    "D,48.1,,Phone,-100,\n"
                                                    "D,48.1,9.4,Phone,n/a,\n"
                                                    "D,48.1,9.4,Phone,weak,\n"),
                                      .height_field = "floor"},
                                     frame, no_progress());
  ASSERT_EQ(found.size(), 5u);
  EXPECT_EQ(found[0].measurement_id, 1);
  EXPECT_EQ(found[0].transmitter, "C");
  EXPECT_EQ(found[0].value, -124);
  EXPECT_FALSE(found[0].height_m);
  EXPECT_LT(norm(found[0].position + frame.origin - proj_transform("EPSG:4326", "EPSG:32632", {9.2, 48.1})), 1e-3);
  EXPECT_EQ(found[1].value, -99.5);
  EXPECT_EQ(found[1].height_m, 12.0);
  EXPECT_TRUE(std::isnan(found[2].position.x));
  EXPECT_EQ(found[2].value, -100);
  EXPECT_TRUE(std::isnan(found[3].value));
  EXPECT_TRUE(std::isnan(found[4].value));
}

// A decimal comma outside of quotes makes one cell more. GDAL leaves out the last one.
TEST_F(Points, RowsWithMoreCellsThanTheHeaderAreTold) {
  const auto told_of = [&](const std::string& text) {
    testing::KeptWarnings warnings;
    read_drive_test({.source = csv(text)}, frame_of("EPSG:32632"), warnings);
    return warnings.messages();
  };
  const std::vector<std::string> cut =
      told_of("cell,lat,lon,rsrp\nA,48.1,9.2,-90\nA,48.1,9.2,-90,5\nA,48.1,9.2,-91,25\n");
  ASSERT_EQ(cut.size(), 1u);
  EXPECT_NE(cut[0].find("2 rows have more cells than the header"), std::string::npos) << cut[0];
  EXPECT_NE(cut[0].find("line 3 has 5 and the header 4"), std::string::npos) << cut[0];
  EXPECT_EQ(told_of("cell\tlat\tlon\trsrp\nA\t48.1\t9.2\t-90\t5\n").size(), 1u);
  for (const char* whole :
       {"cell,lat,lon,rsrp\nA,48.1,9.2,\"-90,5\"\n", "cell;lat;lon;rsrp\nA;48,1;9,2;-90,5\n",
        "cell,lat,lon,rsrp\nA,48.1,9.2,-90,,\n", "cell,note,lat,lon,rsrp\nA,\"one, \"\"two\"\"\n,\",48.1,9.2,-90\n",
        "cell,lat,lon,rsrp\nA,48.1,9.2,-90\n\n", "cell,lat,lon,rsrp,\r\nA,48.1,9.2,-90,\r\n"}) {
    EXPECT_TRUE(told_of(whole).empty()) << whole;
  }
}

// "28,000" is 28000 beside "48.1", and 28 beside "48,1"; where nothing tells, the sign is the decimal one.
TEST_F(Points, NumbersWithThousandsAreNotTakenForDecimals) {
  const auto site = [&](const char* header, const char* row) {
    return transmitters({.source = csv(std::string(header) + "\n" + row + "\n"),
                         .frequency_mhz = 900,
                         .antenna_height_m = 10,
                         .erp_dbm = 30,
                         .height_reference = HeightReference::sea})
        .at(0);
  };
  EXPECT_THROW(site("lat,lon,height", "48.1,9.2,\"1,250\""), Error);
  EXPECT_THROW(site("lat,lon,height", "48.1,9.2,\"1,250 m\""), Error);
  EXPECT_THROW(site("lat,lon,frequency", "48.1,9.2,\"28,000\""), Error);
  EXPECT_THROW(site("lat,lon,erp_w", "48.1,9.2,\"1,000\""), Error);
  EXPECT_THROW(site("lat;lon;frequency", "48,1;9,2;28.000"), Error);
  EXPECT_EQ(site("lat;lon;height", "48,1;9,2;12,500").height_m, 12.5);
  EXPECT_EQ(site("lat,lon,height", "48.1,9.2,12.500").height_m, 12.5);
  EXPECT_EQ(site("lat,lon,height", "48.1,9.2,\"0,250\"").height_m, 0.25);
  EXPECT_EQ(site("lat;lon;height", "48;9;12,500").height_m, 12.5);
  EXPECT_EQ(site("lat;lon;height;note", "48,1;9,2;12,500;3.10").height_m, 12.5);
  const auto row = read_drive_test(
      {.source = csv("lat,lon,toa_ns\n48.1,9.2,\"1,250\"\n48.1,9.2,800\n"), .value_kind = ValueKind::time_of_arrival},
      frame_of("EPSG:32632"), no_progress());
  EXPECT_TRUE(std::isnan(row.at(0).value));
  EXPECT_EQ(row.at(1).value, 800);
}

TEST_F(Points, MeasuredPowersAreFoundByTheirUsualNames) {
  for (const std::string field : {"rx_level", "Signal Strength", "Signal strength [dBm]", "RxLev", "RSRP"}) {
    const auto found = read_drive_test({.source = csv("lat,lon," + field + "\n48.1,9.2,-60\n")}, frame_of("EPSG:32632"),
                                       no_progress());
    EXPECT_EQ(found.at(0).value, -60) << field;
  }
}

// What a table of transmitters names them by, measurements name them by as well, but for names and numbers of their
// own.
TEST_F(Points, MeasurementsNameTransmittersAsTheirTablesDo) {
  for (const std::string field : {"transmitter", "Transmitter Name", "cell", "CellName", "cell_id", "sector", "PCI",
                                  "site", "sitename", "SiteID", "Zelle", "Sektor", "Standort"}) {
    const auto sites = transmitters({.source = csv(field + ",lat,lon\nMill,48.1,9.2\n"),
                                     .frequency_mhz = 900,
                                     .antenna_height_m = 10,
                                     .erp_dbm = 30});
    EXPECT_EQ(sites.at(0).name, "Mill") << field;
    const auto found = read_drive_test({.source = csv(field + ",lat,lon,rsrp\nMill,48.1,9.2,-60\n")},
                                       frame_of("EPSG:32632"), no_progress());
    EXPECT_EQ(found.at(0).transmitter, "Mill") << field;
  }
}

TEST_F(Points, NumbersOfANetworkAreNoTransmitterIds) {
  const auto may_be_id = [&](const std::string& field) {
    return read_drive_test({.source = csv(field + ",lat,lon,rsrp\n2,48.1,9.2,-60\n")}, frame_of("EPSG:32632"),
                           no_progress())
        .at(0)
        .transmitter_may_be_id;
  };
  for (const std::string field : {"PCI", "cell_id", "site id"}) EXPECT_FALSE(may_be_id(field)) << field;
  for (const std::string field : {"transmitter_id", "transmitter", "cell"}) EXPECT_TRUE(may_be_id(field)) << field;
}

TEST_F(Points, HeightsOfAntennasAndReceiversMayBeFeet) {
  const auto sites = transmitters({.source = csv("name,lat,lon,height_ft,frequency,erp\nA,48.1,9.2,100,900,40\n")});
  EXPECT_DOUBLE_EQ(sites.at(0).height_m, 100 * 0.3048);
  const auto receivers = read_receivers({.source = csv("lat,lon,height_ft\n48.1,9.2,30\n"), .height_m = 1.5},
                                        frame_of("EPSG:32632"), no_progress());
  EXPECT_DOUBLE_EQ(receivers.at(0).height_m, 30 * 0.3048);
}

// One carrier is the same in whatever unit: transmitters on it interfere.
TEST_F(Points, UnitsMayHaveAFieldOfTheirOwn) {
  const auto sites =
      transmitters({.source = csv("x,y,height,height_unit,power,power_unit,freq_mhz,freq_uom,tilt,tilt_unit\n"
                                  "500000,5000000,60,ft,20,W,3.5,GHz,4,deg\n"
                                  "500001,5000000,60,m,43,dBm,900,,4,\n"
                                  "500002,5000000,60 m,ft,20 W,dBm,900,-,,\n"),
                    .crs = "EPSG:32632"});
  EXPECT_DOUBLE_EQ(sites[0].height_m, 60 * 0.3048);
  EXPECT_NEAR(sites[0].erp_dbm, 43.0103, 1e-4);
  EXPECT_DOUBLE_EQ(sites[0].frequency_hz, 3.5e9);
  EXPECT_EQ(sites[0].downtilt_deg, 4);
  EXPECT_EQ(sites[1].height_m, 60);
  EXPECT_EQ(sites[1].erp_dbm, 43);
  EXPECT_EQ(sites[2].height_m, 60);
  EXPECT_NEAR(sites[2].erp_dbm, 43.0103, 1e-4);
  EXPECT_THROW(transmitters({.source = csv("x,y,height,height_unit\n500000,5000000,20,fathoms\n"),
                             .crs = "EPSG:32632",
                             .frequency_mhz = 900,
                             .erp_dbm = 30}),
               Error);
  const auto rows = read_drive_test({.source = csv("x,y,Pegel,pegel_einheit,h,h_unit\n500000,5000000,1,nW,,\n"
                                                   "500000,5000000,0.001,mW,10,ft\n"),
                                     .crs = "EPSG:32632",
                                     .value_field = "Pegel",
                                     .height_field = "h"},
                                    frame_of("EPSG:32632"), no_progress());
  EXPECT_TRUE(std::isnan(rows[0].value));
  EXPECT_NEAR(rows[1].value, -30, 1e-9);
  EXPECT_DOUBLE_EQ(*rows[1].height_m, 3.048);
}

TEST_F(Points, ColumnsOfOneNameAreNotChosenFromInSilence) {
  const auto of = [&](const char* header) {
    return transmitters({.source = csv(std::string(header) + "\nA,500000,5000000,20,30\n"),
                         .crs = "EPSG:32632",
                         .frequency_mhz = 900,
                         .antenna_height_m = 10,
                         .erp_dbm = 30});
  };
  for (const char* twice : {"x,x,y,height,erp", "name,x,y,height,height", "name,x,y,name,height"}) {
    try {
      of(twice);
      ADD_FAILURE() << twice << " was read";
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), "name_of_two_fields") << error.what();
    }
  }
  EXPECT_EQ(of("name,x,y,note,note").size(), 1u);
}

TEST_F(Points, FrequenciesAreWholeHertz) {
  for (const char* const text : {"2002 MHz", "2.002 GHz", "2002000 kHz", "2002000000 Hz"}) {
    const auto found = transmitters(
        {.source = csv("name,lat,lon,height,frequency,erp\nA,48.1,9.2,20," + std::string(text) + ",40\n")});
    EXPECT_EQ(found.at(0).frequency_hz, 2.002e9) << text;
  }
}

TEST_F(Points, ArrivalTimesHaveTheUnitOfTheirField) {
  const auto value = [&](const std::string& field, const std::string& text) {
    return read_drive_test({.source = csv("cell,lat,lon," + field + "\nA,48.1,9.2," + text + "\n"),
                            .value_field = field,
                            .value_kind = ValueKind::time_of_arrival},
                           frame_of("EPSG:32632"), no_progress())
        .at(0)
        .value;
  };
  EXPECT_DOUBLE_EQ(value("toa", "900"), 900);
  EXPECT_DOUBLE_EQ(value("toa_us", "0.9"), 900);
  EXPECT_DOUBLE_EQ(value("toa_µs", "0.9"), 900);
  EXPECT_DOUBLE_EQ(value("toa_\u03bcs", "0.9"), 900);
  EXPECT_DOUBLE_EQ(value("toa_ms", "0.0009"), 900);
  EXPECT_DOUBLE_EQ(value("toa_s", "9e-7"), 900);
  EXPECT_DOUBLE_EQ(value("toa", "0.0009 ms"), 900);
  EXPECT_DOUBLE_EQ(value("delays", "900"), 900);
}

TEST_F(Points, ArrivalTimesInSecondsAreFoundByTheirUsualNames) {
  const auto value = [&](const std::string& field) {
    return read_drive_test(
               {.source = csv("lat,lon," + field + "\n48.1,9.2,9e-7\n"), .value_kind = ValueKind::time_of_arrival},
               frame_of("EPSG:32632"), no_progress())
        .at(0)
        .value;
  };
  for (const std::string field : {"toa_s", "TOA [s]", "first_delay (s)"}) EXPECT_DOUBLE_EQ(value(field), 900) << field;
  EXPECT_THROW(value("toas"), Error);
}

TEST_F(Points, HeightsOfMeasurementsMayBeFeet) {
  const auto found =
      read_drive_test({.source = csv("cell,lat,lon,rsrp,height_ft\nA,48.1,9.2,-60,60\nA,48.1,9.2,-60,9 m\n"),
                       .height_field = "height_ft"},
                      frame_of("EPSG:32632"), no_progress());
  EXPECT_DOUBLE_EQ(found.at(0).height_m.value(), 60 * 0.3048);
  EXPECT_EQ(found.at(1).height_m, 9.0);
}

// None is street level, which a text that is no height is not.
TEST_F(Points, HeightsOfMeasurementsThatAreNoNumbersAreNone) {
  const auto found = read_drive_test(
      {.source = csv("cell,lat,lon,rsrp,height\nA,48.1,9.2,-60,roof\nA,48.1,9.2,-60,\n"), .height_field = "height"},
      frame_of("EPSG:32632"), no_progress());
  EXPECT_TRUE(std::isnan(found.at(0).height_m.value()));
  EXPECT_FALSE(found.at(1).height_m.has_value());
}

TEST_F(Points, ValuesOfDriveTestsAreFoundByAlias) {
  for (const std::string field :
       {"RSRP", "rssi_dBm", "received_power_dbm", "path_loss_db", "Pathloss", "field_dbuvm", "value"}) {
    const auto found =
        read_drive_test({.source = csv("lat,lon," + field + "\n48,9,77\n")}, frame_of("EPSG:32632"), no_progress());
    EXPECT_EQ(found.at(0).value, 77) << field;
    EXPECT_EQ(found[0].transmitter, "");
  }
}

struct LevelCase {
  ValueKind kind;
  const char *name, *cell;
  double level;
};
void PrintTo(const LevelCase& level, std::ostream* out) { *out << level.name << ' ' << level.cell; }
class Levels : public Points, public ::testing::WithParamInterface<LevelCase> {};

TEST_P(Levels, AreInTheUnitOfNameOrText) {
  const auto [kind, name, cell, level] = GetParam();
  const std::string table = csv(std::string("lat,lon,\"") + name + "\"\n48.1,9.2,\"" + cell + "\"\n");
  const auto found = read_drive_test({.source = table, .value_field = name, .value_kind = kind}, frame_of("EPSG:32632"),
                                     no_progress());
  EXPECT_NEAR(found.at(0).value, level, 1e-9);
}

constexpr auto power = ValueKind::received_power, field = ValueKind::field_strength;
INSTANTIATE_TEST_SUITE_P(
    Units, Levels,
    ::testing::Values(LevelCase{power, "rsrp", "-90", -90}, LevelCase{power, "rx_dbw", "-120", -90},
                      LevelCase{power, "rx [dBW]", "-120", -90}, LevelCase{power, "rx", "-120 dBW", -90},
                      LevelCase{power, "rx_dbw", "-90 dBm", -90}, LevelCase{power, "Power (mW)", "1e-9", -90},
                      LevelCase{power, "system_w", "1e-12", -90}, LevelCase{power, "rx", "1e-9 mW", -90},
                      LevelCase{power, "rsrp_new", "-90", -90}, LevelCase{power, "rsrp_NW", "-90", -90},
                      LevelCase{field, "field_dbuvm", "60", 60}, LevelCase{field, "E [V/m]", "0.001", 60},
                      LevelCase{field, "e_mv_m", "1", 60}, LevelCase{field, "E (µV/m)", "1000", 60},
                      LevelCase{field, "E_dBmV_m", "0", 60}, LevelCase{field, "e", "60 dBµV/m", 60},
                      LevelCase{field, "e", "60 dB\u03bcV/m", 60}, LevelCase{field, "E [dB\u03bcV/m]", "60", 60},
                      LevelCase{field, "E [\u03bcV/m]", "1000", 60}, LevelCase{power, "rsrp_\u03bcW", "1e-6", -90},
                      LevelCase{field, "e", "1 mV/m", 60}, LevelCase{field, "e", "60", 60},
                      LevelCase{ValueKind::path_loss, "pl_db", "120", 120}));

TEST_F(Points, APowerOfNothingIsNoLevel) {
  const auto found = read_drive_test({.source = csv("lat,lon,rx_mw\n48.1,9.2,0\n48.1,9.2,1\n"), .value_field = "rx_mw"},
                                     frame_of("EPSG:32632"), no_progress());
  EXPECT_TRUE(std::isnan(found.at(0).value));
  EXPECT_EQ(found.at(1).value, 0);
}

TEST_F(Points, ValuesOfDriveTestsAreThoseOfTheirKind) {
  const std::string all = csv("lat,lon,rsrp,path_loss_db,basic_loss,field_dbuvm,TA,toa_ns\n48,9,1,2,3,4,5,6\n");
  const std::pair<ValueKind, double> cases[] = {{ValueKind::received_power, 1}, {ValueKind::path_loss, 2},
                                                {ValueKind::basic_loss, 3},     {ValueKind::field_strength, 4},
                                                {ValueKind::timing_advance, 5}, {ValueKind::time_of_arrival, 6}};
  for (const auto& [kind, expected] : cases) {
    const auto found = read_drive_test({.source = all, .value_kind = kind}, frame_of("EPSG:32632"), no_progress());
    EXPECT_EQ(found.at(0).value, expected);
  }
  // Levels are no times.
  EXPECT_THROW(read_drive_test({.source = csv("lat,lon,rsrp\n48,9,-90\n"), .value_kind = ValueKind::timing_advance},
                               frame_of("EPSG:32632"), no_progress()),
               Error);
}

TEST_F(Points, HeightsCountFromWhatTheirTableCalls) {
  const std::pair<const char*, HeightReference> words[] = {{"AGL", HeightReference::ground},
                                                           {"above roof", HeightReference::roof},
                                                           {"Rooftop", HeightReference::roof},
                                                           {"AMSL", HeightReference::sea},
                                                           {"above sea level", HeightReference::sea}};
  for (const auto& [word, expected] : words) {
    const std::string table = csv(std::string("lat,lon,height,height_reference\n48,9,10,") + word + "\n");
    EXPECT_EQ(transmitters({.source = table, .frequency_mhz = 900, .erp_dbm = 30}).at(0).reference, expected) << word;
  }
}

TEST_F(Points, ALongDriveTestIsReadAtOnce) {
  std::string text = "PCI,latitude,longitude,rsrp\n";
  constexpr int rows = 46655;
  for (int i = 0; i < rows; ++i)
    text += "A," + std::to_string(48 + i * 1e-6) + "," + std::to_string(9 + i * 1e-6) + ",-99\n";
  const std::string path = csv(text);
  const auto start = std::chrono::steady_clock::now();
  EXPECT_EQ(read_drive_test({.source = path}, frame_of("EPSG:32632"), no_progress()).size(), std::size_t{rows});
  EXPECT_LT(std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count(), 5.0);
}

}  // namespace
}  // namespace tesseray
