// SPDX-License-Identifier: GPL-3.0-or-later
// Inputs that cannot be used, and what is said about each: a code for programs, and a message that says what is
// wrong, where, and what to do.
#include <cpl_vsi.h>
#include <gdal_priv.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <functional>
#include <iterator>
#include <optional>
#include <ostream>
#include <string>
#include <utility>
#include <vector>

#include "core/io/readers/readers.h"
#include "core/io/results/sqlite_database.h"
#include "core/io/sources/crs.h"
#include "core/io/sources/vector_source.h"
#include "tests/unit/io/gis_files.h"

namespace tesseray {
namespace {

using testing::box;
using testing::point;
using testing::TemporaryFolder;
using testing::TestLayer;
using testing::TestRaster;
using testing::write_layer;
using testing::write_raster;
using testing::write_text;

// Short ways to make inputs in a folder of their own, and to run the readers on them.
class Inputs {
 public:
  std::string layer(const TestLayer& content) { return write_layer(file(".gpkg"), content); }
  std::string boxes() {
    return layer({.fields = {{"height_m", 'r'}}, .features = {{box(500190, 5000190, 20, 20), {9.0}}}});
  }
  std::string web_boxes(const std::string& crs) {
    return layer({.crs = crs, .fields = {{"height_m", 'r'}}, .features = {{box(1e6, 6e6, 20, 20), {9.0}}}});
  }
  std::string masts() { return layer({.geometry = "POINT", .features = {{point(500000, 5000000)}}}); }
  std::string raster(const TestRaster& content) { return write_raster(file(".tif"), content); }
  std::string text(const std::string& ending, const std::string& content) { return write_text(file(ending), content); }
  std::string csv(const std::string& content) { return text(".csv", content); }
  std::string zip(const std::vector<std::string>& names) {
    const std::string path = file(".zip");
    for (const std::string& name : names) {
      VSILFILE* packed = VSIFOpenL(("/vsizip/" + path + "/" + name).c_str(), "wb");
      VSIFWriteL("text", 1, 4, packed);
      VSIFCloseL(packed);
    }
    return path;
  }
  std::string missing(const std::string& name) const { return folder_ / name; }
  std::string file(const std::string& ending) { return folder_ / ("input" + std::to_string(count_++) + ending); }

  void environment(EnvironmentInput input) {
    if (input.buildings.empty()) input.buildings = boxes();
    read_environment_input(input, no_progress());
  }
  void buildings(const std::string& source) { environment({.buildings = source}); }
  void dem(const TestRaster& content) { environment({.dem = raster(content)}); }
  // A table whose columns lat and lon are there already, with a default for everything that is not in `header`.
  void transmitters(const std::string& header, const std::string& row, TransmitterInput input = defaults()) {
    input.source = csv("lat,lon," + header + "\n48,9," + row + "\n");
    transmitters(input);
  }
  void transmitters(const TransmitterInput& input) { read_transmitters(input, frame, no_progress()); }
  void drive_test(DriveTestInput input) { read_drive_test(input, frame, no_progress()); }

  static TransmitterInput defaults() { return {.frequency_mhz = 900, .antenna_height_m = 10, .erp_dbm = 30}; }
  static TransmitterInput defaults(const std::string& source) {
    TransmitterInput input = defaults();
    input.source = source;
    return input;
  }

  LocalFrame frame{.crs_wkt = Crs::from_text("EPSG:32632").wkt(), .crs_name = "EPSG:32632"};

 private:
  TemporaryFolder folder_;
  int count_ = 0;
};

// ASCII as little-endian UTF-16.
std::string utf16(const std::string& ascii, bool with_mark) {
  std::string text = with_mark ? "\xFF\xFE" : "";
  for (const char c : ascii) text.append({c, '\0'});
  return text;
}

// Of fifty buildings, to be damaged.
std::string shapefile(const Inputs& inputs) {
  TestLayer layer{.driver = "ESRI Shapefile", .name = "roofs", .fields = {{"height_m", 'r'}}};
  for (int i = 0; i < 50; ++i) layer.features.push_back({box(500000 + 20 * i, 5000000, 10, 10), {9.0}});
  return write_layer(inputs.missing("roofs.shp"), layer);
}

// Of three buildings; the second one's height becomes a text in the field of numbers.
std::string geopackage_with_height(Inputs& inputs, const std::string& text) {
  TestLayer layer{.fields = {{"height_m", 'r'}}};
  for (int i = 0; i < 3; ++i) layer.features.push_back({box(500000 + 20 * i, 5000000, 10, 10), {9.0}});
  const std::string file = inputs.layer(layer);
  const GDALDatasetUniquePtr opened(GDALDataset::Open(file.c_str(), GDAL_OF_VECTOR | GDAL_OF_UPDATE));
  opened->ExecuteSQL(("UPDATE layer SET height_m = '" + text + "' WHERE fid = 2").c_str(), nullptr, nullptr);
  return file;
}

// The same in one of a shapefile, of the second one of its fifty. REQUIRES: a text no longer than the height there.
std::string shapefile_with_height(const Inputs& inputs, std::string text) {
  const std::string file = shapefile(inputs), height = "9.000000000000000";
  std::fstream table(inputs.missing("roofs.dbf"), std::ios::in | std::ios::out | std::ios::binary);
  const std::string bytes{std::istreambuf_iterator<char>(table), {}};
  const std::size_t second = bytes.find(height, bytes.find(height) + height.size());
  text.resize(height.size(), ' ');
  table.seekp(static_cast<std::streamoff>(second));
  table << text;
  return file;
}

// GDAL reads the beginning of a text as a number where the field is of numbers.
TEST(TextAmongNumbers, OfFeaturesThatAreReadIsAnError) {
  Inputs inputs;
  const auto heights = [](const std::string& source) {
    std::vector<std::optional<double>> all;
    for (const RawBuilding& building : read_environment_input({.buildings = source}, no_progress()).buildings)
      all.push_back(building.height_m);
    return all;
  };
  EXPECT_EQ(heights(geopackage_with_height(inputs, "12.5")), (std::vector<std::optional<double>>{9.0, 12.5, 9.0}));
  EXPECT_THROW(heights(geopackage_with_height(inputs, "")), Error);
  EXPECT_EQ(heights(geopackage_with_height(inputs, "40 ft") + "|subset=fid <> 2").size(), 2u);
  for (const auto& [text, height] : {std::pair{"12", std::optional(12.0)}, {"12,0", 12.0}, {"n/a", std::nullopt}}) {
    Inputs other;
    EXPECT_EQ(heights(shapefile_with_height(other, text)).at(1), height) << text;
  }
}

// Three buildings, the second of which reaches to this x.
std::string with_one_at(Inputs& inputs, const std::string& x) {
  const std::string far = "POLYGON ((500000 5000000, " + x + " 5000000, " + x + " 5000010, 500000 5000000))";
  return inputs.layer({.features = {{box(500000, 5000000, 9, 9)}, {far}, {box(500020, 5000000, 9, 9)}}});
}

TEST(FeatureOffTheEarth, IsNamed) {
  for (const char* x : {"1e15", "1e30"}) {
    Inputs inputs;
    const std::string file = with_one_at(inputs, x);
    try {
      inputs.buildings(file);
      ADD_FAILURE() << "was read";
    } catch (const Error& error) {
      EXPECT_EQ(error.place().file, file) << error.what();
      EXPECT_EQ(error.place().layer, "layer");
      EXPECT_EQ(error.place().feature_id, 2);
    }
  }
}

// Also where the bounds that the file tells of reach as far. No double is as great as 1e400.
TEST(FeatureAtInfinity, IsLeftOutAlone) {
  Inputs inputs;
  const std::string file = with_one_at(inputs, "1e400");
  for (const char* crs : {"", "EPSG:25832"}) {
    const RawScene scene = read_environment_input({.buildings = file, .crs = crs}, no_progress());
    EXPECT_EQ(scene.buildings.size(), 2u);
    EXPECT_EQ(testing::count(scene.issues, "bad_coordinate"), 1u);
  }
}

// Another program begins to write between two looks at the file.
TEST(LockedWhileItIsRead, IsCalledSo) {
  Inputs inputs;
  const std::string file = inputs.boxes();
  VectorSource source(file, VectorSource::Content::polygons, "BUILDINGS");
  SqliteDatabase other(file, SqliteDatabase::Access::shared);
  other.execute("BEGIN EXCLUSIVE");
  try {
    source.next();
    ADD_FAILURE() << "was read";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), "file_locked") << error.what();
    EXPECT_EQ(error.place().file, file);
  }
}

struct BadInput {
  std::string name;
  std::function<void(Inputs&)> run;
  std::string code;
  std::string says;  // a part of the message and the hint
};
void PrintTo(const BadInput& input, std::ostream* out) { *out << input.name; }

class Bad : public ::testing::TestWithParam<BadInput> {};

TEST_P(Bad, InputIsRefusedWithAReason) {
  const BadInput& bad = GetParam();
  Inputs inputs;
  ::testing::internal::CaptureStderr();
  try {
    bad.run(inputs);
    ADD_FAILURE() << "nothing was said";
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::invalid_input);
    EXPECT_EQ(error.code(), bad.code) << error.what();
    EXPECT_NE((error.message() + ". " + error.hint()).find(bad.says), std::string::npos) << error.what();
    EXPECT_FALSE(error.hint().empty()) << error.what();
  }
  EXPECT_EQ(::testing::internal::GetCapturedStderr(), "");
}

std::string name_of(const ::testing::TestParamInfo<BadInput>& info) { return info.param.name; }

INSTANTIATE_TEST_SUITE_P(
    Source, Bad,
    ::testing::Values(
        BadInput{"NotGiven", [](Inputs&) { read_environment_input({}, no_progress()); }, "missing_parameter",
                 "BUILDINGS is not given"},
        BadInput{"NoSuchFile", [](Inputs& in) { in.buildings(in.missing("roofs.shp")); }, "file_not_found",
                 "roofs.shp: there is no such file"},
        BadInput{"MisspeltFile",
                 [](Inputs& in) {
                   write_text(in.missing("roofs_2024.gpkg"), "");
                   in.buildings(in.missing("roofs_2023.gpkg"));
                 },
                 "file_not_found", "did you mean roofs_2024.gpkg?"},
        BadInput{"Zipped",
                 [](Inputs& in) {
                   in.buildings(in.zip({"roofs.shp", "roofs.dbf"}));
                 },
                 "unreadable_file", ".zip/NAME; there are roofs.shp, roofs.dbf"},
        BadInput{"ZippedInAFolder", [](Inputs& in) { in.environment({.dem = in.zip({"city/dem.tif"})}); },
                 "unreadable_file", ".zip/city/dem.tif"},
        BadInput{"ZippedRaster", [](Inputs& in) { in.environment({.dem = in.zip({"dem.tif"})}); }, "unreadable_file",
                 ".zip/dem.tif"},
        BadInput{"NoBytes", [](Inputs& in) { in.buildings(in.text(".gpkg", "")); }, "unreadable_file",
                 "the file is empty, of 0 bytes. make or copy it anew"},
        BadInput{"NoBytesOfRaster", [](Inputs& in) { in.environment({.dem = in.text(".tif", "")}); }, "unreadable_file",
                 "the file is empty"},
        BadInput{"Utf16Table",
                 [](Inputs& in) { in.transmitters(Inputs::defaults(in.csv(utf16("name,lat,lon\nA,48,9\n", true)))); },
                 "unreadable_file", "text in UTF-16, as Windows calls “Unicode”. save it as UTF-8"},
        BadInput{"Utf16TableOfAnotherEnding",
                 [](Inputs& in) {
                   in.transmitters(Inputs::defaults(in.text(".txt", utf16("name,lat,lon\nA,48,9\n", false))));
                 },
                 "unreadable_file", "text in UTF-16"},
        BadInput{"Utf16GeoJson",
                 [](Inputs& in) {
                   in.buildings(in.text(".geojson", utf16(R"({"type":"FeatureCollection","features":[]})", true)));
                 },
                 "unreadable_file", "text in UTF-16"},
        BadInput{"NotADatabase", [](Inputs& in) { in.buildings(in.text(".gpkg", "SQLite format 3, or so it says")); },
                 "unreadable_file", "cannot be read"},
        BadInput{"NotAShapefile", [](Inputs& in) { in.buildings(in.text(".shp", "not a shapefile")); },
                 "unreadable_file", "cannot be read"},
        BadInput{"NoLayers",
                 [](Inputs& in) {
                   const std::string path = in.missing("bare.gpkg");
                   GDALAllRegister();
                   GDALClose(
                       GetGDALDriverManager()->GetDriverByName("GPKG")->Create(path.c_str(), 0, 0, 0, GDT_Unknown, {}));
                   in.buildings(path);
                 },
                 "unreadable_file", "cannot be read as a vector layer"},
        BadInput{"FilterThatLeavesNothing",
                 [](Inputs& in) {
                   const TestLayer layer{
                       .driver = "SQLite", .fields = {{"h", 'r'}}, .features = {{box(500000, 5000000, 9, 9), {3.0}}}};
                   in.buildings(write_layer(in.file(".sqlite"), layer) + "|subset=h > 5");
                 },
                 "empty_layer", "the filter \"h > 5\" leaves none of the layer's features"},
        BadInput{"SomeDocument", [](Inputs& in) { in.buildings(in.text(".docx", "Dear planner,")); }, "unreadable_file",
                 "that QGIS can open it"},
        BadInput{"BrokenGeoJson",
                 [](Inputs& in) { in.buildings(in.text(".geojson", R"({"type":"FeatureCollection","features":[{)")); },
                 "unreadable_file", "cannot be read"},
        BadInput{"BreaksOffWhileReading",
                 [](Inputs& in) {
                   in.buildings(
                       in.text(".osm", R"(<osm version="0.6"><node id="1" lat="48" lon="9"/><way id="1"><nd ref=)"));
                 },
                 "unreadable_file", "cannot be read to its end"},
        BadInput{"ShapefileThatBreaksOff",
                 [](Inputs& in) {
                   const std::string path = shapefile(in);
                   std::filesystem::resize_file(path, 2000);
                   in.buildings(path);
                 },
                 "unreadable_file", "cannot be read to its end"},
        BadInput{"ShapefileThatBreaksOffInAnExtent",
                 [](Inputs& in) {
                   const std::string path = shapefile(in);
                   std::filesystem::resize_file(path, 2000);
                   in.environment({.buildings = path, .extent = Rectangle{{500000, 5000000}, {500100, 5000100}}});
                 },
                 "unreadable_file", "cannot be read to its end"},
        BadInput{"ShapefileWithADamagedIndex",
                 [](Inputs& in) {
                   const std::string path = shapefile(in);
                   constexpr int header_bytes = 100, bytes_per_record = 8, damaged = 3;
                   std::fstream index(in.missing("roofs.shx"), std::ios::in | std::ios::out | std::ios::binary);
                   index.seekp(header_bytes + damaged * bytes_per_record).write("\x01\xFF\xFF\xFF", 4);
                   index.close();
                   in.buildings(path);
                 },
                 "unreadable_file", "cannot be read to its end"},
        BadInput{"ShapefileWithoutItsTable",
                 [](Inputs& in) {
                   const std::string path = shapefile(in);
                   std::filesystem::remove(in.missing("roofs.dbf"));
                   in.buildings(path);
                 },
                 "missing_dbf", "the shapefile's table, roofs.dbf, is missing. copy it along"},
        BadInput{"TextInANumberOfAGeoPackage", [](Inputs& in) { in.buildings(geopackage_with_height(in, "40 ft")); },
                 "text_among_numbers",
                 "layer layer, field height_m, feature 2: \"40 ft\" is a text in a field of numbers"},
        BadInput{"TextInANumberOfAShapefile", [](Inputs& in) { in.buildings(shapefile_with_height(in, "12,5")); },
                 "text_among_numbers",
                 "layer roofs, field height_m, feature 1: \"12,5\" is a text in a field of numbers"},
        BadInput{"Raster", [](Inputs& in) { in.buildings(in.raster({})); }, "not_a_vector_layer", "this is a raster"},
        BadInput{"UnknownLayer", [](Inputs& in) { in.buildings(in.boxes() + "|layername=layers"); }, "unknown_layer",
                 "did you mean \"layer\"?"},
        BadInput{"UnknownLayerIndex", [](Inputs& in) { in.buildings(in.boxes() + "|layerid=7"); }, "unknown_layer",
                 "Its layers: layer"},
        BadInput{"UnknownOption", [](Inputs& in) { in.buildings(in.boxes() + "|colour=red"); }, "unknown_source_option",
                 "\"|colour=red\" is not understood"},
        BadInput{"BadFilter", [](Inputs& in) { in.buildings(in.boxes() + "|subset=height_m >"); }, "bad_filter",
                 "the filter \"height_m >\" is not valid"},
        BadInput{"SeveralLayers",
                 [](Inputs& in) {
                   const std::string path = in.boxes();
                   write_layer(path, {.name = "annexes", .features = {{box(500000, 5000000, 1, 1)}}});
                   in.buildings(path);
                 },
                 "ambiguous_layer", "say which with |layername=NAME. Its layers: layer, annexes"},
        BadInput{"NoneOfSeveralLayers",
                 [](Inputs& in) {
                   const std::string path = in.masts();
                   write_layer(path, {.name = "roads", .geometry = "LINESTRING"});
                   in.buildings(path);
                 },
                 "ambiguous_layer", "none of its 2 layers holds polygons"},
        BadInput{"Points", [](Inputs& in) { in.buildings(in.masts()); }, "wrong_geometry",
                 "of type Point, not polygons"},
        BadInput{"Lines", [](Inputs& in) { in.buildings(in.layer({.geometry = "MULTILINESTRING"})); }, "wrong_geometry",
                 "Multi Line String"},
        BadInput{"Table", [](Inputs& in) { in.buildings(in.layer({.geometry = "NONE"})); }, "no_geometry",
                 "a table without geometry"},
        BadInput{"CsvOfPoints", [](Inputs& in) { in.buildings(in.csv("lat,lon\n48,9\n")); }, "no_geometry",
                 "give a layer of polygons as BUILDINGS"},
        BadInput{"PasswordIsNotRepeated",
                 [](Inputs& in) { in.buildings("PG:dbname=city password=secret host=/nowhere"); }, "unreadable_file",
                 "password=… host"}),
    name_of);

INSTANTIATE_TEST_SUITE_P(
    Buildings, Bad,
    ::testing::Values(
        BadInput{"Empty", [](Inputs& in) { in.buildings(in.layer({})); }, "empty_layer",
                 "layer layer: the layer has no features"},
        BadInput{"EmptyGeoJson",
                 [](Inputs& in) {
                   in.buildings(in.text(".geojson", R"({"type": "FeatureCollection", "features": [],
                     "crs": {"type": "name", "properties": {"name": "EPSG:32632"}}})"));
                 },
                 "empty_layer", "the layer has no features"},
        BadInput{"WithoutGeometry",
                 [](Inputs& in) {
                   in.buildings(in.layer({.features = {{""}, {""}}}));
                 },
                 "no_geometry", "no feature of the layer has a geometry"},
        BadInput{
            "OnlyLines",
            [](Inputs& in) {
              in.buildings(
                  in.layer({.geometry = "GEOMETRY", .features = {{"LINESTRING (500000 5000000, 500010 5000000)"}}}));
            },
            "no_buildings", "none of its 1 features can be used as a building (the first: the geometry is no polygon"},
        BadInput{"MapWithoutBuildings",
                 [](Inputs& in) {
                   in.buildings(in.text(
                       ".osm", R"(<osm version="0.6"><node id="1" lat="48" lon="9"/><node id="2" lat="48.1" lon="9"/>
                     <node id="3" lat="48.1" lon="9.1"/><way id="1"><nd ref="1"/><nd ref="2"/><nd ref="3"/><nd ref="1"/>
                     <tag k="landuse" v="forest"/></way></osm>)"));
                 },
                 "no_buildings", "only features tagged building are read"},
        BadInput{"OneOffTheEarth", [](Inputs& in) { in.buildings(with_one_at(in, "1e15")); }, "feature_off_the_earth",
                 "it reaches to 1e+15, 5000010, where EPSG:32632 is not defined. correct or remove it"},
        BadInput{"OneOffTheEarthWithAChosenCrs",
                 [](Inputs& in) { in.environment({.buildings = with_one_at(in, "1e15"), .crs = "EPSG:25832"}); },
                 "feature_off_the_earth", "where EPSG:32632 is not defined"},
        BadInput{"UnknownHeightField", [](Inputs& in) { in.environment({.height_field = "heigth_m"}); },
                 "unknown_field", "there is no field \"heigth_m\" (given as HEIGHT_FIELD). did you mean \"height_m\"?"},
        BadInput{"UnknownFieldWithoutANearOne", [](Inputs& in) { in.environment({.height_field = "Stockwerke"}); },
                 "unknown_field", "its fields: height_m"},
        BadInput{"NoStoreys", [](Inputs& in) { in.environment({.height_kind = HeightKind::storeys}); }, "missing_field",
                 "there is no field with storeys: looked for buildinglevels, levels"},
        BadInput{"NoRoofElevations", [](Inputs& in) { in.environment({.height_kind = HeightKind::roof_elevation}); },
                 "missing_field", "choose another HEIGHT_KIND"},
        BadInput{"UnknownBaseField", [](Inputs& in) { in.environment({.base_field = "bottom"}); }, "unknown_field",
                 "given as BASE_FIELD"},
        BadInput{"UnknownEntranceField", [](Inputs& in) { in.environment({.entrance_field = "door"}); },
                 "unknown_field", "given as ENTRANCE_FIELD"},
        BadInput{"UnknownMaterialField", [](Inputs& in) { in.environment({.material_field = "stuff"}); },
                 "unknown_field", "given as MATERIAL_FIELD"},
        BadInput{"NoStoreyHeight", [](Inputs& in) { in.environment({.storey_height_m = 0}); }, "bad_parameter",
                 "STOREY_HEIGHT"},
        BadInput{"ExtentWithoutArea",
                 [](Inputs& in) {
                   in.environment({.extent = Rectangle{{5, 5}, {1, 9}}});
                 },
                 "bad_parameter", "EXTENT has no area"},
        BadInput{"ExtentBeyondAllMaps",
                 [](Inputs& in) {
                   in.environment({.extent = Rectangle{{-1e12, -1e12}, {1e12, 1e12}}});
                 },
                 "bad_parameter", "EXTENT has a coordinate beyond 100,000 km"},
        BadInput{"ExtentElsewhere",
                 [](Inputs& in) {
                   in.environment({.extent = Rectangle{{9.0, 48.0}, {9.1, 48.1}}});
                 },
                 "extent_elsewhere", "its numbers count in the environment's CRS, EPSG:32632"},
        BadInput{"ExtentInDegrees",
                 [](Inputs& in) {
                   in.environment({.extent = Rectangle{{9.0025, 48.1}, {9.012345678, 48.2}}});
                 },
                 "extent_elsewhere", "EXTENT (9.0025, 48.1 … 9.01235, 48.2)"},
        BadInput{"ExtentWithACrsInLocalMetres",
                 [](Inputs& in) {
                   in.environment({.local_metres = true,
                                   .extent = Rectangle{{500000, 5000000}, {500100, 5000100}},
                                   .extent_crs = "EPSG:32632"});
                 },
                 "extent_in_local_metres", "EXTENT is in EPSG:32632"},
        BadInput{"ExtentInAnUnknownCrs",
                 [](Inputs& in) {
                   in.environment({.extent = Rectangle{{9.0, 48.0}, {9.1, 48.1}}, .extent_crs = "EPSG:999999"});
                 },
                 "unknown_crs", "EPSG:999999"},
        BadInput{"ExtentBeyondItsCrs",
                 [](Inputs& in) {
                   in.environment({.extent = Rectangle{{9.0, 95.0}, {9.1, 96.0}}, .extent_crs = "EPSG:4326"});
                 },
                 "no_transformation", "EXTENT cannot be transformed from EPSG:4326 to EPSG:32632"},
        BadInput{"ExtentInDegreesAsCorners",
                 [](Inputs& in) {
                   in.environment({.extent = Rectangle{{8.95, 9.05}, {45.1, 45.2}}, .extent_crs = "EPSG:4326"});
                 },
                 "extent_order", "xmin,xmax,ymin,ymax: 8.95,9.05,45.1,45.2"},
        BadInput{"ExtentAsCorners",
                 [](Inputs& in) {
                   in.environment({.extent = Rectangle{{500150, 500250}, {5000150, 5000250}}});
                 },
                 "extent_order", "xmin,xmax,ymin,ymax: 500150,500250,5000150,5000250"},
        // Where x and y are alike, the corners make a small area that is elsewhere.
        BadInput{"ExtentAsCornersElsewhere",
                 [](Inputs& in) {
                   in.environment({.buildings = in.layer({.crs = "", .features = {{box(200, 100, 9, 9)}}}),
                                   .local_metres = true,
                                   .extent = Rectangle{{0, 300}, {20, 600}}});
                 },
                 "extent_order", "xmin,xmax,ymin,ymax: 0,300,20,600"},
        // The corners that its numbers would make enclose the buildings, and half the globe with them.
        BadInput{"ExtentBeside",
                 [](Inputs& in) {
                   in.environment({.extent = Rectangle{{500150, 5001150}, {500250, 5001250}}});
                 },
                 "extent_elsewhere", "is nowhere near the buildings"},
        BadInput{"VegetationMissing", [](Inputs& in) { in.environment({.vegetation = in.missing("trees.shp")}); },
                 "file_not_found", "VEGETATION"},
        BadInput{"VegetationOfPoints", [](Inputs& in) { in.environment({.vegetation = in.masts()}); }, "wrong_geometry",
                 "give a layer of polygons as VEGETATION"},
        BadInput{"VegetationField",
                 [](Inputs& in) { in.environment({.vegetation = in.boxes(), .vegetation_height_field = "crown"}); },
                 "unknown_field", "VEGETATION_HEIGHT_FIELD"},
        BadInput{"VegetationWithoutCrs",
                 [](Inputs& in) {
                   in.environment({.vegetation = in.layer({.crs = "", .features = {{box(500190, 5000190, 9, 9)}}})});
                 },
                 "missing_crs", "there is no CRS with it"}),
    name_of);

const char* const engineering = R"(LOCAL_CS["Site grid",UNIT["metre",1],AXIS["E",EAST],AXIS["N",NORTH]])";

INSTANTIATE_TEST_SUITE_P(
    Crs, Bad,
    ::testing::Values(
        BadInput{"Missing",
                 [](Inputs& in) { in.buildings(in.layer({.crs = "", .features = {{box(100, 100, 9, 9)}}})); },
                 "missing_crs", "assign one in QGIS (Layer > Set CRS) or give CRS, or LOCAL_METRES"},
        BadInput{"Engineering",
                 [](Inputs& in) { in.buildings(in.layer({.crs = engineering, .features = {{box(100, 100, 9, 9)}}})); },
                 "engineering_crs", "give LOCAL_METRES to compute in its metres"},
        BadInput{"Geocentric",
                 [](Inputs& in) {
                   in.buildings(in.layer({.crs = "EPSG:4978", .features = {{box(4150000, 660000, 9, 9)}}}));
                 },
                 "geocentric_crs", "the CRS EPSG:4978 is geocentric"},
        BadInput{"GeocentricVegetation",
                 [](Inputs& in) {
                   in.environment(
                       {.vegetation = in.layer({.crs = "EPSG:4978", .features = {{box(4150000, 660000, 9, 9)}}})});
                 },
                 "geocentric_crs", "reproject it in QGIS"},
        BadInput{"GeocentricTable",
                 [](Inputs& in) {
                   TransmitterInput input = Inputs::defaults(in.csv("x,y\n4150000,660000\n"));
                   input.crs = "EPSG:4978";
                   in.transmitters(input);
                 },
                 "geocentric_crs", "count from the middle of the Earth"},
        BadInput{"GeocentricByItsParameter",
                 [](Inputs& in) {
                   in.environment({.buildings = in.layer({.crs = "", .features = {{box(4150000, 660000, 9, 9)}}}),
                                   .crs = "EPSG:4978"});
                 },
                 "geocentric_crs", "CRS: the CRS EPSG:4978"},
        BadInput{"DegreesInAProjectedOne",
                 [](Inputs& in) { in.buildings(in.layer({.features = {{box(9, 48, 0.001, 0.001)}}})); },
                 "degrees_as_metres", "the coordinates look like degrees, but the CRS EPSG:32632"},
        BadInput{"MetresInAGeographicOne",
                 [](Inputs& in) {
                   in.buildings(in.layer({.crs = "EPSG:4326", .features = {{box(500000, 5000000, 9, 9)}}}));
                 },
                 "metres_as_degrees", "assign the projected CRS"},
        BadInput{"Nonsense", [](Inputs& in) { in.environment({.crs = "EPSG:99999999"}); }, "unknown_crs",
                 "CRS: \"EPSG:99999999\" is not a CRS"},
        BadInput{"GivenInDegrees", [](Inputs& in) { in.environment({.crs = "EPSG:4326"}); }, "unsuitable_crs",
                 "is not a projected one, and tiles need metres. leave CRS empty, or choose EPSG:32632"},
        BadInput{"GivenInFeet", [](Inputs& in) { in.environment({.crs = "EPSG:2263"}); }, "unsuitable_crs",
                 "does not count in metres"},
        BadInput{"GivenWebMercator", [](Inputs& in) { in.environment({.crs = "EPSG:3857"}); }, "unsuitable_crs",
                 "off true scale by 42"},
        BadInput{"GivenForAnotherPlace", [](Inputs& in) { in.environment({.crs = "EPSG:32640"}); }, "unsuitable_crs",
                 "or choose EPSG:32632"},
        BadInput{"GivenEngineering", [](Inputs& in) { in.environment({.crs = engineering}); }, "engineering_crs",
                 "nobody knows where on Earth"},
        BadInput{"GivenAndLocalMetres", [](Inputs& in) { in.environment({.crs = "EPSG:32632", .local_metres = true}); },
                 "bad_parameter", "contradict each other"},
        BadInput{"LocalMetresOfDegrees",
                 [](Inputs& in) {
                   in.environment({.buildings = in.layer({.crs = "EPSG:4326", .features = {{box(9, 48, 1, 1)}}}),
                                   .local_metres = true});
                 },
                 "degrees_in_local_metres", "which LOCAL_METRES would take for metres"},
        BadInput{"LocalMetresOfFeet",
                 [](Inputs& in) {
                   in.environment(
                       {.buildings = in.layer({.crs = "EPSG:2263", .features = {{box(980000, 195000, 9, 9)}}}),
                        .local_metres = true});
                 },
                 "feet_in_local_metres", "leave LOCAL_METRES out"},
        BadInput{"WithAGridThatIsNotInstalled",
                 [](Inputs& in) {
                   in.buildings(in.text(
                       ".vrt",
                       "<OGRVRTDataSource><OGRVRTLayer name=\"layer\"><SrcDataSource>" + in.boxes() +
                           "</SrcDataSource><LayerSRS>+proj=tmerc +lat_0=0 +lon_0=6 +k=1 +x_0=2500000 +ellps=bessel "
                           "+nadgrids=nowhere.gsb +units=m +type=crs</LayerSRS></OGRVRTLayer></OGRVRTDataSource>"));
                 },
                 "missing_grid", "needs the grid nowhere.gsb, which is not installed"},
        BadInput{"LocalMetresOfWebMercator",
                 [](Inputs& in) { in.environment({.buildings = in.web_boxes("EPSG:3857"), .local_metres = true}); },
                 "false_local_metres", "their CRS EPSG:3857 is off true scale by 47.80 % where the buildings are"},
        BadInput{"LocalMetresOfWorldMercator",
                 [](Inputs& in) { in.environment({.buildings = in.web_boxes("EPSG:3395"), .local_metres = true}); },
                 "false_local_metres",
                 "leave LOCAL_METRES out: the coordinates are transformed then; or take the CRS off"},
        BadInput{"LocalMetresOfAWebMercatorDem",
                 [](Inputs& in) {
                   const std::string dem =
                       in.raster({.crs = "EPSG:3857", .geo_transform = {999800, 10, 0, 6000200, 0, -10}});
                   in.environment({.buildings = in.web_boxes(""), .dem = dem, .local_metres = true});
                 },
                 "false_local_metres", "their CRS EPSG:3857"},
        BadInput{"LocalMetresOfWebMercatorClutter",
                 [](Inputs& in) {
                   const std::string clutter =
                       in.raster({.crs = "EPSG:3857", .geo_transform = {999800, 10, 0, 6000200, 0, -10}});
                   in.environment({.buildings = in.web_boxes(""), .clutter = clutter, .local_metres = true});
                 },
                 "false_local_metres", "their CRS EPSG:3857"},
        BadInput{"LocalMetresOfWebMercatorVegetation",
                 [](Inputs& in) {
                   in.environment(
                       {.buildings = in.web_boxes(""), .vegetation = in.web_boxes("EPSG:3857"), .local_metres = true});
                 },
                 "false_local_metres", "their CRS EPSG:3857"},
        BadInput{"LocalMetresOfAFeatureOffTheEarth",
                 [](Inputs& in) { in.environment({.buildings = with_one_at(in, "1e15"), .local_metres = true}); },
                 "feature_off_the_earth", "where EPSG:32632 is not defined"},
        BadInput{"GivenWithAnExtentElsewhere",
                 [](Inputs& in) {
                   in.environment({.crs = "EPSG:32632", .extent = Rectangle{{9.0, 48.0}, {9.1, 48.1}}});
                 },
                 "extent_elsewhere", "is nowhere near the buildings"}),
    name_of);

INSTANTIATE_TEST_SUITE_P(
    Dem, Bad,
    ::testing::Values(
        BadInput{"Missing", [](Inputs& in) { in.environment({.dem = in.missing("dem.tif")}); }, "file_not_found",
                 "dem.tif: there is no such file"},
        BadInput{"NotARaster", [](Inputs& in) { in.environment({.dem = in.text(".tif", "no raster")}); },
                 "unreadable_file", "cannot be read as a raster"},
        BadInput{"VectorLayer", [](Inputs& in) { in.environment({.dem = in.csv("a,b\n1,2\n")}); }, "unreadable_file",
                 "give a raster as DEM"},
        BadInput{"WithoutCrs", [](Inputs& in) { in.dem({.crs = ""}); }, "missing_crs", "there is no CRS with it"},
        BadInput{"DegreesInAProjectedCrs",
                 [](Inputs& in) {
                   in.dem({.geo_transform = {9, 0.001, 0, 48, 0, -0.001}});
                 },
                 "degrees_as_metres", "look like degrees"},
        BadInput{"ComplexNumbers", [](Inputs& in) { in.dem({.type = "CFloat32"}); }, "not_heights", "complex numbers"},
        BadInput{"Elsewhere",
                 [](Inputs& in) {
                   in.dem({.geo_transform = {600000, 10, 0, 5000400, 0, -10}});
                 },
                 "dem_elsewhere", "the DEM has no height where the buildings are"},
        BadInput{"ElsewhereInDegrees",
                 [](Inputs& in) {
                   in.dem({.crs = "EPSG:4326", .geo_transform = {20, 0.001, 0, 48, 0, -0.001}});
                 },
                 "dem_elsewhere", "check the CRS of both"},
        BadInput{"NoDataHere", [](Inputs& in) { in.dem({.no_data = 100.0}); }, "dem_elsewhere", "no height where"},
        BadInput{"ImplausibleHeights", [](Inputs& in) { in.dem({.value = [](int, int) { return -999.0; }}); },
                 "implausible_terrain", "beyond any of land (−500 to 9,000 m), and there are no others"},
        BadInput{"OneRow",
                 [](Inputs& in) {
                   in.dem({.geo_transform = {500000, 10, 0, 5000400, 0, -400}, .rows = 1});
                 },
                 "dem_too_small", "less than 2 × 2"},
        BadInput{"CutOff",
                 [](Inputs& in) {
                   const std::string path = in.raster({.columns = 400, .rows = 400});
                   std::filesystem::resize_file(path, std::filesystem::file_size(path) / 50);
                   in.environment({.dem = path});
                 },
                 "unreadable_file", "check that the file is complete"},
        BadInput{"Engineering", [](Inputs& in) { in.dem({.crs = engineering}); }, "engineering_crs",
                 "engineering CRS"}),
    name_of);

INSTANTIATE_TEST_SUITE_P(
    Transmitters, Bad,
    ::testing::Values(
        BadInput{"NotGiven", [](Inputs& in) { in.transmitters(Inputs::defaults("")); }, "missing_parameter", "TRANSMITTERS is not given"},
        BadInput{"Missing", [](Inputs& in) { in.transmitters(Inputs::defaults(in.missing("t.csv"))); }, "file_not_found", "t.csv"},
        BadInput{"WithoutHeader", [](Inputs& in) { in.transmitters(Inputs::defaults(in.csv("1,48.1,9.2\n2,48.2,9.3\n"))); }, "no_coordinates", "its columns: field_1, field_2, field_3"},
        BadInput{"WithoutCoordinates", [](Inputs& in) { in.transmitters(Inputs::defaults(in.csv("name,street\nA,Main St\n"))); }, "no_coordinates", "looked for lat and lon"},
        BadInput{"TableWithoutCoordinates", [](Inputs& in) { in.transmitters(Inputs::defaults(in.layer({.geometry = "NONE", .fields = {{"name", 's'}}, .features = {{"", {"A"}}}}))); }, "no_coordinates", "its columns: name"},
        BadInput{"OnlyAHeader", [](Inputs& in) { in.transmitters(Inputs::defaults(in.csv("name,lat,lon\n"))); }, "empty_layer", "the layer has no features"},
        BadInput{"MetresWithoutCrs", [](Inputs& in) { in.transmitters(Inputs::defaults(in.csv("name,x,y\nA,500000,5000000\n"))); }, "missing_crs", "give TRANSMITTERS_CRS, which may be the environment's own CRS, or"},
        BadInput{"UnknownCrs",
                 [](Inputs& in) {
                   TransmitterInput input = Inputs::defaults(in.csv("x,y\n1,2\n"));
                   input.crs = "Gauss";
                   in.transmitters(input);
                 },
                 "unknown_crs", "TRANSMITTERS_CRS: \"Gauss\" is not a CRS"},
        BadInput{"DegreesOfAProjectedCrs",
                 [](Inputs& in) {
                   TransmitterInput input = Inputs::defaults(in.csv("lat,lon\n48,9\n"));
                   input.crs = "EPSG:32632";
                   in.transmitters(input);
                 },
                 "degrees_as_metres", "its columns lon and lat are degrees"},
        BadInput{"DegreesCalledXAndY",
                 [](Inputs& in) {
                   TransmitterInput input = Inputs::defaults(in.csv("x,y\n9,48\n"));
                   input.crs = "EPSG:32632";
                   in.transmitters(input);
                 },
                 "degrees_as_metres", "look like degrees"},
        BadInput{"DegreesInLocalMetres",
                 [](Inputs& in) {
                   in.frame = LocalFrame{.crs_name = "local metres"};
                   in.transmitters(Inputs::defaults(in.csv("lat,lon\n48,9\n")));
                 },
                 "degrees_in_local_metres", "degrees of EPSG:4326"},
        BadInput{"WebMercatorInLocalMetres",
                 [](Inputs& in) {
                   in.frame = LocalFrame{.crs_name = "local metres"};
                   in.transmitters(Inputs::defaults(in.layer({.crs = "EPSG:3857", .geometry = "POINT", .features = {{point(1e6, 6e6)}}})));
                 },
                 "false_local_metres", "their CRS EPSG:3857"},
        BadInput{"LatitudeNoNumber", [](Inputs& in) { in.transmitters(Inputs::defaults(in.csv("name,lat,lon\nA,48,9\nB,north,9\n"))); }, "bad_position", "line 3: lat \"north\" is not a number"},
        BadInput{"LatitudeNan", [](Inputs& in) { in.transmitters(Inputs::defaults(in.csv("name,lat,lon\nA,48,9\nB,nan,9\n"))); }, "bad_position", "line 3: lat \"nan\" is not a number"},
        BadInput{"LatitudeBehindBlankLines", [](Inputs& in) { in.transmitters(Inputs::defaults(in.csv("name,lat,lon\n\n\"A,\nold\",48,9\n\nB,north,9\n"))); }, "bad_position", "line 6: lat \"north\" is not a number"},
        BadInput{"QuoteNotClosed", [](Inputs& in) { in.transmitters(Inputs::defaults(in.csv("name,lat,lon\n\"A,\nold\",48,9\nB 12\" mast,48,9\nC,48,9\n"))); }, "unclosed_quote", "line 4: a quotation mark in this row is not closed"},
        BadInput{"QuoteNotClosedInTheLastColumn", [](Inputs& in) { in.transmitters(Inputs::defaults(in.csv("lat,lon,name\n48,9,\"A\n48,9,B\n48,9,C\n"))); }, "unclosed_quote", "line 2: a quotation mark in this row is not closed"},
        BadInput{"QuoteNotClosedInTheHeader", [](Inputs& in) { in.transmitters(Inputs::defaults(in.csv("\"name,lat,lon\nA,48,9\n"))); }, "unclosed_quote", "line 1: a quotation mark"},
        BadInput{"NulInATable", [](Inputs& in) { in.transmitters(Inputs::defaults(in.csv(std::string("name,lat,lon\nA,48,9\nB") + '\0' + ",48,9\n"))); }, "nul_character", "line 3: there is a NUL character"},
        BadInput{"LatitudeBehindAHintOfTheSeparator", [](Inputs& in) { in.transmitters(Inputs::defaults(in.csv("sep=;\nname;lat;lon\nA;48;9\nB;north;9\n"))); }, "bad_position", "line 4: lat \"north\" is not a number"},
        BadInput{"TitleOfOneWord", [](Inputs& in) { in.transmitters(Inputs::defaults(in.csv("Sites\nname,lat,lon\nA,48,9\n"))); }, "title_above_header", "line 1: this line has one cell and the next 3: it is a title, not the header. remove it"},
        BadInput{"TitleOfSeveralWords", [](Inputs& in) { in.transmitters(Inputs::defaults(in.csv("\nSites of 2024\n\nname;lat;lon\nA;48;9\n"))); }, "title_above_header", "line 2: this line has one cell and the next 3"},
        BadInput{"TitleOfASpreadsheet", [](Inputs& in) { in.transmitters(Inputs::defaults(in.csv("Sites of 2024;;\nname;lat;lon\nA;48;9\n"))); }, "title_above_header", "line 1: this line has one cell and the next 3"},
        BadInput{"TitleBehindAHintOfTheSeparator", [](Inputs& in) { in.transmitters(Inputs::defaults(in.csv("sep=;\nSites\nname;lat;lon\nA;48;9\n"))); }, "title_above_header", "line 2: this line has one cell and the next 3"},
        BadInput{"LatitudeEmpty", [](Inputs& in) { in.transmitters(Inputs::defaults(in.csv("name,lat,lon\nA,,9\n"))); }, "bad_position", "line 2: lat is empty"},
        BadInput{"CoordinatesSwapped", [](Inputs& in) { in.transmitters(Inputs::defaults(in.csv("name,lat,lon\nA,139.7,35.6\n"))); }, "bad_position", "are the columns swapped?"},
        BadInput{"SeveralPoints", [](Inputs& in) { in.transmitters(Inputs::defaults(in.layer({.geometry = "MULTIPOINT", .features = {{"MULTIPOINT ((500000 5000000), (500001 5000000))"}}}))); }, "bad_position", "feature 1: the feature has 2 points"},
        BadInput{"WithoutGeometry", [](Inputs& in) { in.transmitters(Inputs::defaults(in.layer({.geometry = "POINT", .features = {{""}}}))); }, "bad_position", "there is no geometry"},
        BadInput{"Polygons", [](Inputs& in) { in.transmitters(Inputs::defaults(in.boxes())); }, "wrong_geometry", "not points"},
        BadInput{"NoFrequency", [](Inputs& in) { in.transmitters("carrier", "900", {.antenna_height_m = 10, .erp_dbm = 30}); }, "missing_field", "there is no field with frequencies: looked for frequency, freq"},
        BadInput{"NoFrequencyHere", [](Inputs& in) { in.transmitters("freq", "", {.antenna_height_m = 10, .erp_dbm = 30}); }, "missing_value", "field freq, line 2: there is no value"},
        BadInput{"BadFrequency", [](Inputs& in) { in.transmitters("freq", "high"); }, "bad_value", "\"high\" is not a frequency. write MHz"},
        BadInput{"FrequencyInHz", [](Inputs& in) { in.transmitters("freq", "3690000000"); }, "bad_value", "for others name the field frequency_hz"},
        BadInput{"BadDefaultFrequency", [](Inputs& in) { in.transmitters("a", "1", {.frequency_mhz = 9e8, .antenna_height_m = 10, .erp_dbm = 30}); }, "bad_parameter", "FREQUENCY is not a frequency"},
        BadInput{"NoHeight", [](Inputs& in) { in.transmitters("a", "1", {.frequency_mhz = 900, .erp_dbm = 30}); }, "missing_field", "name it with ANTENNA_HEIGHT_FIELD, or give ANTENNA_HEIGHT for all"},
        BadInput{"BadHeight", [](Inputs& in) { in.transmitters("height", "rooftop"); }, "bad_value", "\"rooftop\" is not a height"},
        BadInput{"NegativeHeight", [](Inputs& in) { in.transmitters("height", "-5"); }, "bad_value", "\"-5\" is not a height of an antenna above ground or roof from 0 to 10,000 m"},
        BadInput{"HeightInCentimetres", [](Inputs& in) { in.transmitters("height", "10001"); }, "bad_value", "\"10001\" is not a height of an antenna above ground or roof from 0 to 10,000 m"},
        BadInput{"HeightBelowTheSea", [](Inputs& in) { in.transmitters("height,height_reference", "-501,sea"); }, "bad_value", "above the sea from −500 to 10,000 m"},
        BadInput{"BadDefaultHeight", [](Inputs& in) { in.transmitters("a", "1", {.frequency_mhz = 900, .antenna_height_m = 10001, .erp_dbm = 30}); }, "bad_parameter", "ANTENNA_HEIGHT is not a height from −500 to 10,000 m"},
        BadInput{"BadHeightReference", [](Inputs& in) { in.transmitters("height_reference", "moon"); }, "bad_value", "write ground, roof or sea"},
        BadInput{"NoPower", [](Inputs& in) { in.transmitters("a", "1", {.frequency_mhz = 900, .antenna_height_m = 10}); }, "missing_field", "radiated powers: looked for erp, eirp, power"},
        BadInput{"BadPower", [](Inputs& in) { in.transmitters("erp", "loud"); }, "bad_value", "\"loud\" is not a radiated power"},
        BadInput{"MegawattsOrMilliwatts", [](Inputs& in) { in.transmitters("ERP_MW", "1"); }, "ambiguous_unit", "field ERP_MW: the unit that its name ends with may be megawatts or milliwatts. name it erp_MW for megawatts"},
        BadInput{"MegawattsOrMilliwattsByWords", [](Inputs& in) { in.transmitters("Erp_Mw", "1"); }, "ambiguous_unit", "field Erp_Mw: the unit"},
        BadInput{"NeitherMegawattsNorMilliwatts", [](Inputs& in) { in.transmitters("erp", "1 Mw"); }, "bad_value", "\"1 Mw\" is not a radiated power"},
        BadInput{"NoWatts", [](Inputs& in) { in.transmitters("power_w", "0"); }, "bad_value", "\"0\" is not a radiated power"},
        BadInput{"BadAzimuth", [](Inputs& in) { in.transmitters("azimuth", "NE"); }, "bad_value", "\"NE\" is not an angle from -360° to 360°"},
        BadInput{"AzimuthBeyondTheCircle", [](Inputs& in) { in.transmitters("azimuth_deg", "400"); }, "bad_value", "azimuths clockwise from true north"},
        BadInput{"DowntiltBeyondTheVertical", [](Inputs& in) { in.transmitters("tilt", "120"); }, "bad_value", "\"120\" is not an angle from -90° to 90°"},
        BadInput{"UnknownAntenna", [](Inputs& in) { in.transmitters("antenna", "dish"); }, "bad_value", "write isotropic, half_wave_dipole"},
        BadInput{"UnknownPolarization", [](Inputs& in) { in.transmitters("polarization", "wavy"); }, "bad_value", "\"wavy\" is not a polarisation"},
        BadInput{"SameNameTwice", [](Inputs& in) { in.transmitters(Inputs::defaults(in.csv("name,lat,lon\nA,48,9\nB,48,9\nA,48,9\n"))); }, "duplicate_name", "two transmitters are called \"A\", this one and that of line 2"},
        BadInput{"UnknownField",
                 [](Inputs& in) {
                   TransmitterInput input = Inputs::defaults();
                   input.name_field = "site_name";
                   in.transmitters("sitename", "A", input);
                 },
                 "unknown_field", "did you mean \"sitename\"?"},
        BadInput{"CannotBeTransformed", [](Inputs& in) { in.transmitters(Inputs::defaults(in.csv("name,lat,lon\nFar,0,99\n"))); }, "no_transformation", "the place of \"Far\" cannot be transformed to EPSG:32632"}),
    name_of);

INSTANTIATE_TEST_SUITE_P(
    Receivers, Bad,
    ::testing::Values(
        BadInput{"BadHeight",
                 [](Inputs& in) {
                   read_receivers({.source = in.csv("lat,lon,height\n48,9,up\n")}, in.frame, no_progress());
                 },
                 "bad_value", "field height, line 2: \"up\" is not a height above the ground"},
        BadInput{"HeightOfACloud",
                 [](Inputs& in) {
                   read_receivers({.source = in.csv("lat,lon,height\n48,9,2001\n")}, in.frame, no_progress());
                 },
                 "bad_value", "\"2001\" is not a height above the ground of up to 2,000 m"},
        BadInput{"HeightBelowTheGround",
                 [](Inputs& in) {
                   read_receivers({.source = in.csv("lat,lon,height\n48,9,-3\n")}, in.frame, no_progress());
                 },
                 "bad_value", "\"-3\" is not a height above the ground of up to 2,000 m"},
        BadInput{"NoPlace",
                 [](Inputs& in) { read_receivers({.source = in.csv("lat,lon\n48,\n")}, in.frame, no_progress()); },
                 "bad_position", "lon is empty. every receiver needs one point"},
        BadInput{"UnknownHeightField",
                 [](Inputs& in) {
                   read_receivers({.source = in.csv("lat,lon\n48,9\n"), .height_field = "z"}, in.frame, no_progress());
                 },
                 "unknown_field", "given as RECEIVER_HEIGHT_FIELD"},
        BadInput{"HeightInInches",
                 [](Inputs& in) {
                   read_receivers({.source = in.csv("lat,lon,h_in\n48,9,59\n"), .height_field = "h_in"}, in.frame,
                                  no_progress());
                 },
                 "unread_unit", "field h_in: its name says \"in\", in which no values are read"}),
    name_of);

INSTANTIATE_TEST_SUITE_P(
    DriveTest, Bad,
    ::testing::Values(
        BadInput{"Missing", [](Inputs& in) { in.drive_test({.source = in.missing("drive.csv")}); }, "file_not_found",
                 "DRIVE_TEST"},
        BadInput{"TimingAdvanceInMicroseconds",
                 [](Inputs& in) {
                   in.drive_test({.source = in.csv("lat,lon,ta_us\n48,9,2\n"),
                                  .value_field = "ta_us",
                                  .value_kind = ValueKind::timing_advance});
                 },
                 "unread_unit",
                 "field ta_us: its name says \"us\", in which no values are read (given as VALUE_FIELD)"},
        BadInput{"NoValues", [](Inputs& in) { in.drive_test({.source = in.csv("lat,lon,speed\n48,9,3\n")}); },
                 "missing_field", "name it with VALUE_FIELD"},
        BadInput{"NoNumbers",
                 [](Inputs& in) { in.drive_test({.source = in.csv("lat,lon,rsrp\n48,9,good\n48,9,bad\n")}); },
                 "no_values", "none of the 2 values is a number"},
        BadInput{"NoPlaces", [](Inputs& in) { in.drive_test({.source = in.csv("lat,lon,rsrp\n,,-90\n")}); },
                 "no_positions", "no measurement has a place that can be used (the first: lon is empty)"},
        BadInput{"Lines",
                 [](Inputs& in) {
                   in.drive_test(
                       {.source = in.layer({.geometry = "GEOMETRY",
                                            .fields = {{"rsrp", 'r'}},
                                            .features = {{"LINESTRING (500000 5000000, 500010 5000000)", {-90.0}}}})});
                 },
                 "no_positions", "(the first: the geometry is no point but a Line String). give points"},
        BadInput{"UnknownTransmitterField",
                 [](Inputs& in) {
                   in.drive_test({.source = in.csv("lat,lon,rsrp\n48,9,-90\n"), .transmitter_field = "cell"});
                 },
                 "unknown_field", "given as TRANSMITTER_FIELD"},
        BadInput{
            "UnknownValueField",
            [](Inputs& in) { in.drive_test({.source = in.csv("lat,lon,rsrp\n48,9,-90\n"), .value_field = "rspr"}); },
            "unknown_field", "did you mean \"rsrp\"?"},
        BadInput{"Empty", [](Inputs& in) { in.drive_test({.source = in.csv("lat,lon,rsrp\n")}); }, "empty_layer",
                 "DRIVE_TEST"}),
    name_of);

}  // namespace
}  // namespace tesseray
