// SPDX-License-Identifier: GPL-3.0-or-later
// Antennas of transmitters: words, beams, and pattern files beside the table or in a folder of their own.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>

#include "core/base/error.h"
#include "core/io/readers/readers.h"
#include "core/io/sources/crs.h"
#include "tests/support/kept_warnings.h"
#include "tests/unit/io/gis_files.h"

namespace tesseray {
namespace {

using testing::TemporaryFolder;
using testing::write_text;

// A pattern with its vertical maximum at 4°, which it calls its electrical tilt.
std::string panel() {
  std::string text = "NAME P\nFREQUENCY 900\nGAIN 15 dBi\nELECTRICAL_TILT 4\nHORIZONTAL 8\n";
  for (const char* point : {"0 0", "45 5", "90 10", "135 15", "180 20", "225 15", "270 10", "315 5"}) {
    text += std::string(point) + "\n";
  }
  text += "VERTICAL 45\n";
  for (int angle = 4; angle < 360; angle += 8) {
    text += std::to_string(angle) + " " + std::to_string(std::min(angle - 4, 364 - angle) / 10.0) + "\n";
  }
  return text;
}

class Antennas : public ::testing::Test {
 protected:
  void SetUp() override {
    std::filesystem::create_directory(folder_ / "antennas");
    write_text(folder_ / "beside.msi", panel());
    write_text(folder_ / "antennas/there.MSI", panel());
  }
  std::vector<RawTransmitter> read(const std::string& antenna_and_more, TransmitterInput input = {},
                                   const std::string& more_fields = "") {
    input.source = write_text(folder_ / "sites.csv",
                              "name,x,y,height,frequency,erp,antenna" + more_fields + "\n" + antenna_and_more);
    input.crs = "EPSG:32632";
    const LocalFrame frame{.crs_wkt = Crs::from_text(input.crs).wkt(), .crs_name = input.crs};
    return read_transmitters(input, frame, warnings_);
  }
  TemporaryFolder folder_;
  testing::KeptWarnings warnings_;
};

TEST_F(Antennas, FieldsThatAreNotReadThoughTheyTellOfTheAntennaAreNamed) {
  const std::string row = "a,500000,5000000,10,900,40,";
  read(row + "sector_3gpp,1,2,3,4\n", {}, ",Azimuth (°),downtilt,etilt,gain");
  EXPECT_EQ(warnings_.count("fields_not_read"), 0);
  warnings_.all.clear();
  read(row + "sector_3gpp,1,2,3,4,5,6\n", {}, ",azim_geo,downtilt,RET_tilt,Polarity,pattern_id,Höhenbezug_Text");
  ASSERT_EQ(warnings_.count("fields_not_read"), 1);
  const std::string& message = warnings_.all[0].message;
  for (const char* named : {"azim_geo", "RET_tilt", "Polarity", "Höhenbezug_Text", "AZIMUTH_FIELD", "sites.csv"}) {
    EXPECT_NE(message.find(named), message.npos) << message;
  }
  for (const char* read : {"downtilt,", "pattern_id"}) EXPECT_EQ(message.find(read), message.npos) << message;
}

TEST_F(Antennas, FieldsOfOtherLanguagesThatAreNotReadAreNamed) {
  for (const char* field : {"Hauptstrahlrichtung", "Ausrichtung", "Orientation", "Absenkung", "Kippung", "Inclinaison",
                            "Inclinación", "Antennenrichtung", "Orientación", "Orientamento", "acimut_grados"}) {
    warnings_.all.clear();
    read("a,500000,5000000,10,900,40,sector_3gpp,120\n", {}, std::string(",") + field);
    ASSERT_EQ(warnings_.count("fields_not_read"), 1) << field;
    EXPECT_NE(warnings_.all[0].message.find(field), std::string::npos) << warnings_.all[0].message;
  }
  warnings_.all.clear();
  read("a,500000,5000000,10,900,40,sector_3gpp,120,mall\n", {}, ",azimuth,Einrichtung");
  EXPECT_EQ(warnings_.count("fields_not_read"), 0);
}

// A default for those that have none would hide them.
TEST_F(Antennas, FieldsBehindDefaultsAreNamed) {
  const auto named_beside = [&](const std::string& fields, const TransmitterInput& defaults) {
    TransmitterInput input = defaults;
    input.source = write_text(folder_ / "plan.csv", "name,x,y," + fields + "\na,500000,5000000,10,20,30\n");
    input.crs = "EPSG:32632";
    warnings_.all.clear();
    read_transmitters(input, {.crs_wkt = Crs::from_text(input.crs).wkt(), .crs_name = input.crs}, warnings_);
    std::string messages;
    for (const Warning& warning : warnings_.all) {
      if (warning.code == "fields_not_read") messages += warning.message;
    }
    return messages;
  };
  const TransmitterInput all{.frequency_mhz = 900, .antenna_height_m = 10, .erp_dbm = 30};
  const std::string message = named_beside("height_asl,Freq_DL,PowerMax", all);
  for (const char* field : {"height_asl", "Freq_DL", "PowerMax", "ANTENNA_HEIGHT_FIELD"}) {
    EXPECT_NE(message.find(field), message.npos) << message;
  }
  EXPECT_EQ(named_beside("height,freq,power", all), "");
  for (const char* fields :
       {"Band,ERP_max,altura_antena", "EARFCN,TxPwr,altezza antenna", "lte_band,max dBm,Hauteur_HBA"}) {
    const std::string others = named_beside(fields, all);
    EXPECT_NE(others.find(std::string("nothing is read from ") + std::string(fields).substr(0, 4)), others.npos)
        << fields;
    EXPECT_NE(others.find(", which"), others.npos);
    EXPECT_EQ(std::count(others.begin(), others.begin() + static_cast<long>(others.find(", which")), ','), 2) << others;
  }
  EXPECT_EQ(named_beside("height,Bandbreite,enterprise", {.frequency_mhz = 900, .erp_dbm = 30}), "");
  EXPECT_EQ(named_beside("height,ground_height,freq", all), "");
}

// The power of the transmitter itself is not what the antenna radiates.
TEST_F(Antennas, GainsAndLossesBesideAPowerAreNamed) {
  const auto told_of = [&](const std::string& fields, const TransmitterInput& named = {}) {
    TransmitterInput input = named;
    input.source =
        write_text(folder_ / "link.csv", "name,x,y,height,frequency," + fields + "\na,500000,5000000,10,900,40,17,2\n");
    input.crs = "EPSG:32632";
    warnings_.all.clear();
    read_transmitters(input, {.crs_wkt = Crs::from_text(input.crs).wkt(), .crs_name = input.crs}, warnings_);
    return warnings_.count("gains_not_read");
  };
  ASSERT_EQ(told_of("tx_power,antenna_gain,cable_loss"), 1);
  for (const char* word : {"tx_power", "antenna_gain", "cable_loss", "ERP"}) {
    EXPECT_NE(warnings_.all.back().message.find(word), std::string::npos) << warnings_.all.back().message;
  }
  EXPECT_EQ(told_of("Leistung,Gewinn,Kabelverlust"), 1);
  EXPECT_EQ(told_of("erp,antenna_gain,cable_loss"), 0);
  EXPECT_EQ(told_of("eirp_dbm,antenna_gain,cable_loss"), 0);
  EXPECT_EQ(told_of("tx_power,azimuth,tilt"), 0);
  EXPECT_EQ(told_of("tx_power,antenna_gain,cable_loss", {.erp_field = "tx_power"}), 0) << "the user knows";
}

TEST_F(Antennas, WordsBeamsAndFiles) {
  const auto found = read(
      "a,500000,5000000,10,900,40,sector_3gpp\nb,500000,5000000,10,900,40,Beam 80\nc,500000,5000000,10,900,40,\n"
      "d,500000,5000000,10,900,40,beside.msi\ne,500000,5000000,10,900,40,there\n",
      {.antenna_folder = folder_ / "antennas"});
  EXPECT_EQ(found[0].antenna, AntennaKind::sector_3gpp);
  EXPECT_EQ(found[1].antenna, AntennaKind::beam);
  EXPECT_EQ(found[1].antenna_details.beamwidth_deg, 80);
  EXPECT_EQ(found[1].antenna_details.name, "Beam 80");
  EXPECT_EQ(found[2].antenna, AntennaKind::isotropic);
  for (const std::size_t i : {3u, 4u}) {
    EXPECT_EQ(found[i].antenna, AntennaKind::pattern_file);
    ASSERT_TRUE(found[i].antenna_details.pattern);
    EXPECT_EQ(attenuation_db(found[i].antenna_details.pattern->horizontal, 45), 5);
    EXPECT_EQ(found[i].antenna_details.pattern->tilt_shift_deg, 0);
  }
  EXPECT_EQ(found[4].antenna_details.name, "there");
  EXPECT_EQ(warnings_.count("antenna_gain_not_used"), 1);
}

TEST_F(Antennas, SeveralFoldersAndOneWithASemicolonInItsName) {
  for (const char* folder : {"omni", "old;new"}) std::filesystem::create_directory(folder_ / folder);
  write_text(folder_ / "omni/round.msi", panel());
  write_text(folder_ / "old;new/same.msi", panel());
  write_text(folder_ / "antennas/round.msi", panel());
  const std::string both = (folder_ / "omni") + "; " + (folder_ / "antennas") + ";";
  const auto found = read(
      "a,500000,5000000,10,900,40,round\nb,500000,5000000,10,900,40,there\n"
      "c,500000,5000000,10,900,40,beside\n",
      {.antenna_folder = both});
  EXPECT_EQ(found[0].antenna_details.file, folder_ / "omni/round.msi") << "the first folder counts";
  EXPECT_EQ(found[1].antenna_details.file, folder_ / "antennas/there.MSI");
  EXPECT_EQ(found[2].antenna_details.file, folder_ / "beside.msi");
  EXPECT_EQ(read("a,500000,5000000,10,900,40,same\n", {.antenna_folder = folder_ / "old;new"})[0].antenna,
            AntennaKind::pattern_file);
}

TEST_F(Antennas, ThePolarizationIsTheFilesWhereTheRowHasNone) {
  const auto found_with = [&](const std::string& of_file, const std::string& of_row) {
    write_text(folder_ / "polarised.msi", "POLARIZATION " + of_file + "\n" + panel());
    warnings_.all.clear();
    return read("a,500000,5000000,10,900,40,polarised," + of_row + "\n", {}, ",pol").at(0).polarization;
  };
  for (const auto& [of_file, expected] : {std::pair{"HORIZONTAL", Polarization::horizontal},
                                          {"H", Polarization::horizontal},
                                          {"V", Polarization::vertical},
                                          {"H/H", Polarization::horizontal},
                                          {"+45", Polarization::slant_plus_45},
                                          {"Slant -45°", Polarization::slant_minus_45}}) {
    EXPECT_EQ(found_with(of_file, ""), expected) << of_file;
    EXPECT_EQ(warnings_.count("antenna_polarization"), 0) << of_file;
    EXPECT_EQ(found_with(of_file, "-45"), Polarization::slant_minus_45) << "the row's own";
  }
  for (const std::string of_file : {"X", "xpol", "±45", "+-45", "+45/-45", "V/H", "H+V", "slant", "RHCP"}) {
    EXPECT_EQ(found_with(of_file, ""), Polarization::vertical) << of_file;
    ASSERT_EQ(warnings_.count("antenna_polarization"), 1) << of_file;
    EXPECT_EQ(found_with(of_file, "h"), Polarization::horizontal) << of_file;
    EXPECT_EQ(warnings_.count("antenna_polarization"), 0) << of_file << ": the row says";
  }
  EXPECT_EQ(found_with("", ""), Polarization::vertical);
  EXPECT_EQ(warnings_.count("antenna_polarization"), 0) << "nothing is said";
}

TEST_F(Antennas, TheElectricalTiltInUseIsTold) {
  const auto found = read(
      "a,500000,5000000,10,900,40,beside.msi,7.3\nb,500000,5000000,10,900,40,beside.msi,\n"
      "c,500000,5000000,10,900,40,dipole,\n",
      {}, ",electrical_tilt");
  EXPECT_EQ(found[0].antenna_details.electrical_tilt_deg, 7.3);
  EXPECT_EQ(found[1].antenna_details.electrical_tilt_deg, 4);
  EXPECT_FALSE(found[2].antenna_details.electrical_tilt_deg);
}

TEST_F(Antennas, NamesAsWindowsHasThem) {
  const auto found = read(
      "a,500000,5000000,10,900,40,BESIDE.MSI\nb,500000,5000000,10,900,40,Beside\n"
      "c,500000,5000000,10,900,40,antennas\\THERE\n");
  for (const RawTransmitter& each : found) EXPECT_EQ(each.antenna, AntennaKind::pattern_file) << each.name;
  EXPECT_EQ(found[2].antenna_details.file, (folder_ / "antennas/there.MSI"));
  write_text(folder_ / "Süd.msi", panel());
  EXPECT_EQ(read("a,500000,5000000,10,900,40,SÜD.MSI\n")[0].antenna_details.file, folder_ / "Süd.msi");
  // A name that fits to the letter comes first.
  write_text(folder_ / "BESIDE.MSI", panel());
  EXPECT_EQ(read("a,500000,5000000,10,900,40,beside.msi\n")[0].antenna_details.file, folder_ / "beside.msi");
}

TEST_F(Antennas, OneForAllWhereNoFieldSays) {
  const auto found = read("a,500000,5000000,10,900,40,\nb,500000,5000000,10,900,40,dipole\n",
                          {.antenna_name = "beside", .synthesis = CutSynthesis::sum});
  EXPECT_EQ(found[0].antenna, AntennaKind::pattern_file);
  EXPECT_EQ(found[0].antenna_details.pattern->synthesis, CutSynthesis::sum);
  EXPECT_EQ(found[1].antenna, AntennaKind::half_wave_dipole);
}

TEST_F(Antennas, ElectricalTiltsShiftThePattern) {
  const auto found = read(
      "a,500000,5000000,10,900,40,beside.msi,7\nb,500000,5000000,10,900,40,beside.msi,\n"
      "c,500000,5000000,10,900,40,sector,2\n",
      {}, ",electrical_tilt");
  EXPECT_NEAR(found[0].antenna_details.pattern->tilt_shift_deg, 3, 1e-12);
  EXPECT_EQ(found[1].antenna_details.pattern->tilt_shift_deg, 0);
  EXPECT_NEAR(attenuation_db(found[0].antenna_details.pattern->view(), PatternAngles{0, 7}), 0, 1e-12);
  EXPECT_EQ(warnings_.count("antenna_electrical_tilt"), 1);
}

TEST_F(Antennas, ATotalTiltContainsTheElectricalOne) {
  const auto downtilt = [&](const std::string& cells, const std::string& fields) {
    return read("a,500000,5000000,10,900,40," + cells + "\n", {}, fields)[0].downtilt_deg;
  };
  EXPECT_EQ(downtilt("beside.msi,6", ",total_tilt"), 2) << "the file has 4 degrees";
  EXPECT_EQ(downtilt("beside.msi,6,5", ",TiltTotal,etilt"), 0) << "no field that is found without its name";
  EXPECT_EQ(downtilt("beside.msi,6,5", ",total tilt,etilt"), 1);
  EXPECT_EQ(downtilt("sector_3gpp,6", ",total_tilt"), 6);
  EXPECT_EQ(downtilt("beside.msi,0", ",total_tilt"), -4) << "tilted up by hand, to the horizon";
  EXPECT_EQ(downtilt("beside.msi,", ",total_tilt"), 0) << "no total one, no mechanical one";
  EXPECT_EQ(downtilt("beside.msi,n/a,5", ",total_tilt,etilt"), 0);
  EXPECT_EQ(downtilt("beside.msi,6,5", ",tilt,etilt"), 6);
}

TEST_F(Antennas, HeightsWhoseNameSaysAnotherReferenceAreTold) {
  const auto told = [&](const std::string& fields, HeightReference taken) -> std::string {
    TransmitterInput input{.frequency_mhz = 900, .erp_dbm = 30, .height_reference = taken};
    input.source = write_text(folder_ / "plan.csv", "name,x,y," + fields + "\na,500000,5000000,75,sea\n");
    input.crs = "EPSG:32632";
    input.height_field = fields.substr(0, fields.find(','));
    warnings_.all.clear();
    read_transmitters(input, {.crs_wkt = Crs::from_text(input.crs).wkt(), .crs_name = input.crs}, warnings_);
    const bool is_told = warnings_.count("other_height_reference") > 0;
    return is_told ? warnings_.all[0].message.substr(warnings_.all[0].message.find("the heights")) : "";
  };
  using enum HeightReference;
  EXPECT_EQ(told("height_asl,note", ground),
            "the heights in height_asl are taken as above the ground; if they are above the sea, as its name says, "
            "give ANTENNA_HEIGHT_REFERENCE sea");
  EXPECT_EQ(told("AMSL_m,note", roof),
            "the heights in AMSL_m are taken as above the roof; if they are above the sea, as its name says, give "
            "ANTENNA_HEIGHT_REFERENCE sea");
  EXPECT_EQ(told("agl,note", sea),
            "the heights in agl are taken as above the sea; if they are above the ground, as its name says, give "
            "ANTENNA_HEIGHT_REFERENCE ground");
  EXPECT_EQ(told("height_asl,note", sea), "");
  EXPECT_EQ(told("height_above_ground,note", ground), "");
  EXPECT_EQ(told("height_asl,height_reference", ground), "") << "each row says so itself";
}

TEST_F(Antennas, TiltsThatMostlyLookUpAreTold) {
  const auto told_of = [&](const std::vector<const char*>& tilts, const std::string& antenna = "sector_3gpp") {
    std::string rows;
    for (std::size_t i = 0; i < tilts.size(); ++i) {
      rows += "abcd"[i] + std::string(",500000,5000000,10,900,40,") + antenna + "," + tilts[i] + "\n";
    }
    warnings_.all.clear();
    read(rows, {}, ",tilt");
    return warnings_.count("tilts_upwards");
  };
  EXPECT_EQ(told_of({"-6", "-4", "0"}), 1);
  EXPECT_NE(warnings_.all[0].message.find("2 of 2 antennas with a tilt look up"), std::string::npos);
  EXPECT_EQ(told_of({"6", "-4", "0"}), 0);
  EXPECT_EQ(told_of({"0", "0"}), 0);
  EXPECT_EQ(told_of({"-2"}, "beside.msi"), 0) << "with its electrical tilt of 4 degrees it looks down";
}

// Three sectors of a mast would be one cell, without a word.
TEST_F(Antennas, AzimuthsAndTiltsOfRoundOnesAreTold) {
  const auto told_of = [&](const std::vector<const char*>& antennas_and_directions, TransmitterInput input = {}) {
    std::string rows;
    for (std::size_t i = 0; i < antennas_and_directions.size(); ++i) {
      rows += "abcd"[i] + std::string(",500000,5000000,10,900,40,") + antennas_and_directions[i] + "\n";
    }
    warnings_.all.clear();
    read(rows, input, ",azimuth,downtilt");
    return warnings_.count("directions_without_effect");
  };
  ASSERT_EQ(told_of({",0,0", ",120,", ",240,0"}), 1);
  const std::string& message = warnings_.all[0].message;
  for (const char* part : {"sites.csv 2 of 3 transmitters have", "ANTENNA isotropic is taken", "sector_3gpp"}) {
    EXPECT_NE(message.find(part), message.npos) << message;
  }
  EXPECT_EQ(told_of({",,6"}), 1);
  EXPECT_EQ(told_of({",-240,0"}, {.antenna_name = "dipole"}), 1);
  EXPECT_EQ(told_of({",120,6"}, {.antenna_name = "dipole"}), 0) << "leans to one side";
  EXPECT_EQ(told_of({",120,6"}, {.antenna = AntennaKind::short_dipole}), 0) << "leans to one side";
  EXPECT_EQ(told_of({",120,0"}, {.antenna = AntennaKind::short_dipole}), 1);
  EXPECT_EQ(told_of({",0,0", ",360,", ",-360,0"}), 0);
  EXPECT_EQ(told_of({"omni,120,6", "sector,120,6", "beam_80,120,6", "beside.msi,120,6"}), 0) << "the table says so";
  EXPECT_EQ(told_of({",120,6", "omni,0,0"}, {.antenna_name = "beam 80"}), 0);
}

TEST_F(Antennas, WarnsOncePerFileOfAnotherFrequency) {
  read("a,500000,5000000,10,1800,40,beside.msi\nb,500000,5000000,10,1800,40,beside.msi\n");
  EXPECT_EQ(warnings_.count("antenna_frequency"), 1);
}

TEST_F(Antennas, UnknownOnesAreRefused) {
  for (const std::string name : {"panel.msi", "beam_0", "beam_180", "beam_wide", "yagi"}) {
    try {
      read("a,500000,5000000,10,900,40," + name + "\n");
      ADD_FAILURE() << name;
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), "bad_value");
      EXPECT_NE(error.message().find("\"" + name + "\" is neither a built-in antenna nor a pattern file in "),
                std::string::npos)
          << error.what();
      EXPECT_EQ(error.place().line, 2);
      EXPECT_NE(error.hint().find("ANTENNA_FOLDER"), std::string::npos);
    }
    EXPECT_THROW(read("a,500000,5000000,10,900,40,\n", {.antenna_name = name}), Error);
  }
}

TEST_F(Antennas, OfACopyTheFolderIsNotLookedInto) {
  try {
    read("a,500000,5000000,10,900,40,beside.msi\n", {.is_copy = true});
    ADD_FAILURE();
  } catch (const Error& error) {
    EXPECT_TRUE(error.message().ends_with("nor a pattern file in any folder (ANTENNA_FOLDER is not given)"))
        << error.what();
  }
}

TEST_F(Antennas, BrokenFilesNameTheirLine) {
  write_text(folder_ / "broken.msi", "HORIZONTAL 2\n0 0\n90 x\n");
  try {
    read("a,500000,5000000,10,900,40,broken.msi\n");
    ADD_FAILURE();
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), "bad_point");
    EXPECT_EQ(error.place().line, 3);
    EXPECT_TRUE(error.place().file.ends_with("broken.msi"));
  }
}

}  // namespace
}  // namespace tesseray
