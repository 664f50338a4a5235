// SPDX-License-Identifier: GPL-3.0-or-later
#include <gtest/gtest.h>
#include <ogrsf_frmts.h>

#include <algorithm>
#include <filesystem>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "core/io/readers/readers.h"
#include "tests/unit/io/gis_files.h"

namespace tesseray {
namespace {

using testing::box;
using testing::count;
using testing::proj_transform;
using testing::TemporaryFolder;
using testing::TestFeature;
using testing::TestLayer;
using testing::write_layer;
using testing::write_text;

constexpr double foot_m = 0.3048;

RawScene read(const EnvironmentInput& input) { return read_environment_input(input, no_progress()); }
RawScene read(const std::string& path) { return read(EnvironmentInput{.buildings = path}); }

const Issue& only(const std::vector<Issue>& issues, const std::string& code) {
  EXPECT_EQ(count(issues, code), 1u) << code;
  return *std::find_if(issues.begin(), issues.end(), [&](const Issue& issue) { return issue.code == code; });
}

double area(const Ring& ring) {
  double twice = 0;
  for (std::size_t i = 0; i < ring.size(); ++i) twice += cross(ring[i], ring[(i + 1) % ring.size()]);
  return std::abs(twice) / 2;
}

class Buildings : public ::testing::Test {
 protected:
  // A GeoPackage in UTM 32N with one field called `field` and a box for each value.
  std::string with_values(const std::string& field, char type, const std::vector<testing::FieldValue>& values) {
    TestLayer layer{.fields = {{field, type}}};
    double x = 500000;
    for (const testing::FieldValue& value : values) {
      layer.features.push_back({box(x, 5000000, 10, 10), {value}});
      x += 20;
    }
    return write_layer(folder_ / (field + type + std::to_string(files_++) + ".gpkg"), layer);
  }

  TemporaryFolder folder_;
  int files_ = 0;
};

TEST_F(Buildings, AreTheSameFromEveryFormat) {
  for (const auto& [driver, file] : {std::pair{"ESRI Shapefile", "a.shp"}, std::pair{"GPKG", "a.gpkg"},
                                     std::pair{"FlatGeobuf", "a.fgb"}, std::pair{"GML", "a.gml"}}) {
    const std::string path = write_layer(
        folder_ / file, {.driver = driver,
                         .name = "a",
                         .fields = {{"height", 'r'}},
                         .features = {{box(500000, 5000000, 10, 20), {12.5}}, {box(500030, 5000000, 10, 20), {7.0}}}});
    const RawScene scene = read(path);
    ASSERT_EQ(scene.buildings.size(), 2u) << driver;
    EXPECT_EQ(scene.crs_name, "EPSG:32632") << driver;
    std::vector<double> heights = {*scene.buildings[0].height_m, *scene.buildings[1].height_m};
    std::sort(heights.begin(), heights.end());  // FlatGeobuf sorts its features by place
    EXPECT_EQ(heights, (std::vector<double>{7.0, 12.5})) << driver;
    EXPECT_DOUBLE_EQ(area(scene.buildings[0].parts.at(0).at(0)), 200) << driver;
  }
}

TEST_F(Buildings, TagsOfOsmMayBeFieldsOfTheirOwn) {
  const auto bases = [&](const std::string& first_field, const std::string& file) {
    const RawScene scene =
        read(write_layer(folder_ / file, {.fields = {{first_field, 's'}, {"height", 'r'}, {"min_height", 'r'}},
                                          .features = {{box(500000, 5000000, 10, 10), {"yes", 20.0, 12.0}}}}));
    return scene.buildings.at(0).base_m;
  };
  EXPECT_EQ(bases("building", "tags.gpkg"), 12.0);
  // Elsewhere it may be the lowest height of a roof.
  EXPECT_FALSE(bases("use", "roofs.gpkg"));
}

TEST_F(Buildings, KeepHolesPartsAndLoseZAndCurves) {
  const std::string path = write_layer(
      folder_ / "shapes.gpkg",
      {.geometry = "GEOMETRY",
       .fields = {{"height", 'r'}},
       .features = {
           {"POLYGON ((500000 5000000, 500030 5000000, 500030 5000030, 500000 5000030, 500000 5000000), "
            "(500010 5000010, 500010 5000020, 500020 5000020, 500020 5000010, 500010 5000010))",
            {10.0}},
           {"MULTIPOLYGON (((500100 5000000, 500110 5000000, 500110 5000010, 500100 5000000)), "
            "((500120 5000000, 500130 5000000, 500130 5000010, 500120 5000000)))",
            {11.0}},
           {"POLYGON Z ((500200 5000000 170, 500210 5000000 171, 500210 5000010 172, 500200 5000000 170))", {12.0}},
           {"CURVEPOLYGON (CIRCULARSTRING (500300 5000000, 500320 5000000, 500300 5000000))", {13.0}},
           {"GEOMETRYCOLLECTION (POINT (500400 5000000), POLYGON ((500400 5000000, 500410 5000000, 500410 5000010, "
            "500400 5000000)))",
            {14.0}}}});
  const RawScene scene = read(path);
  ASSERT_EQ(scene.buildings.size(), 5u);
  ASSERT_EQ(scene.buildings[0].parts.size(), 1u);
  EXPECT_EQ(scene.buildings[0].parts[0].size(), 2u);
  EXPECT_DOUBLE_EQ(area(scene.buildings[0].parts[0][1]), 100);
  EXPECT_EQ(scene.buildings[1].parts.size(), 2u);
  EXPECT_DOUBLE_EQ(area(scene.buildings[2].parts[0][0]), 50);
  EXPECT_GT(scene.buildings[3].parts[0][0].size(), 30u);
  EXPECT_NEAR(area(scene.buildings[3].parts[0][0]), 100 * 3.14159265, 1);
  EXPECT_EQ(scene.buildings[4].parts.size(), 1u);
  EXPECT_EQ(only(scene.issues, "not_a_polygon").feature_id, 5);
}

TEST_F(Buildings, ThatCannotBeReadAreIssues) {
  const std::string path = write_layer(folder_ / "odd.gpkg", {.geometry = "GEOMETRY",
                                                              .features = {{box(500000, 5000000, 10, 10)},
                                                                           {""},
                                                                           {"POLYGON EMPTY"},
                                                                           {"POINT (500000 5000000)"},
                                                                           {"LINESTRING (0 0, 1 1)"}}});
  const RawScene scene = read(path);
  EXPECT_EQ(scene.buildings.size(), 1u);
  EXPECT_EQ(count(scene.issues, "empty_geometry"), 2u);
  EXPECT_EQ(count(scene.issues, "not_a_polygon"), 2u);
  for (const Issue& issue : scene.issues) {
    if (issue.code != "not_a_polygon") continue;
    EXPECT_EQ(issue.action, Issue::Action::dropped);
    EXPECT_EQ(issue.layer, "layer");
    EXPECT_GE(issue.feature_id, 4);
  }
}

TEST_F(Buildings, HeightsAreFoundByAlias) {
  for (const std::string field :
       {"height", "HEIGHT_M", "Building:Height", "htotale", "hauteur", "hauteur_bâtiment", "Hauteur du bâtiment",
        "building_h", "Bldg_Height", "WYSOKOŚĆ", "Výška", "Höjd", "Yükseklik", "HØYDE_M"}) {
    const RawScene scene = read(with_values(field, 'r', {9.5}));
    EXPECT_EQ(scene.buildings.at(0).height_m, 9.5) << field;
  }
}

TEST_F(Buildings, TextsOfHeightsAreUnderstood) {
  const RawScene scene = read(with_values("height", 's', {"12 m", "40'", "12,5", "tall", "", std::monostate{}}));
  EXPECT_EQ(scene.buildings[0].height_m, 12.0);
  EXPECT_DOUBLE_EQ(*scene.buildings[1].height_m, 40 * foot_m);
  EXPECT_EQ(scene.buildings[2].height_m, 12.5);
  for (std::size_t i = 3; i < 6; ++i) EXPECT_FALSE(scene.buildings[i].height_m) << i;
  const Issue& issue = only(scene.issues, "unreadable_height");
  EXPECT_EQ(issue.feature_id, 4);
  EXPECT_NE(issue.message.find("\"tall\""), std::string::npos);
  EXPECT_EQ(issue.outline.at(0).size(), 5u);
}

TEST_F(Buildings, HeightsBeyondReasonAreMissing) {
  const RawScene scene = read(with_values("height", 'r', {0.0, -9999.0, 1e6, 3.0}));
  EXPECT_EQ(count(scene.issues, "implausible_height"), 3u);
  EXPECT_FALSE(scene.buildings[0].height_m);
  EXPECT_EQ(scene.buildings[3].height_m, 3.0);
}

TEST_F(Buildings, FeetByOptionAndByName) {
  const std::string height = with_values("height", 'r', {100.0});
  EXPECT_DOUBLE_EQ(*read(EnvironmentInput{.buildings = height, .height_unit = LengthUnit::foot}).buildings[0].height_m,
                   100 * foot_m);
  const RawScene named = read(with_values("height_ft", 'i', {100}));
  EXPECT_DOUBLE_EQ(*named.buildings[0].height_m, 100 * foot_m);
  EXPECT_EQ(count(named.issues, "unit_from_name"), 1u);
  const RawScene metres =
      read(EnvironmentInput{.buildings = with_values("height_m", 'r', {100.0}), .height_unit = LengthUnit::foot});
  EXPECT_EQ(metres.buildings[0].height_m, 100.0);
}

TEST_F(Buildings, PartsOfAMetreByName) {
  for (const auto& [name, metres] : {std::pair{"height_cm", 0.01}, {"Höhe [dm]", 0.1}, {"h_mm", 0.001}}) {
    const std::string buildings = with_values(name, 'r', {250.0});
    for (const char* field : {"", name}) {
      const RawScene scene = read(EnvironmentInput{.buildings = buildings, .height_field = field});
      EXPECT_DOUBLE_EQ(scene.buildings.at(0).height_m.value_or(0), 250 * metres) << name;
      EXPECT_NE(only(scene.issues, "unit_from_name").message.find("metres, as the name"), std::string::npos) << name;
    }
  }
  EXPECT_DOUBLE_EQ(*read(with_values("height", 's', {"250 dm"})).buildings[0].height_m, 25);
}

// Some heights say that they are feet, the others nothing: they are hardly metres.
TEST_F(Buildings, UnitsThatDifferWithinAFieldAreToldOf) {
  const std::string feet = with_values("Höhe", 's', {"70.5", "40 ft", "12'", "33,1", ""});
  const RawScene scene = read(feet);
  EXPECT_EQ(scene.buildings[0].height_m, 70.5);
  EXPECT_DOUBLE_EQ(*scene.buildings[1].height_m, 40 * foot_m);
  const auto mixed = std::find_if(scene.issues.begin(), scene.issues.end(),
                                  [](const Issue& issue) { return issue.code == "mixed_units"; });
  ASSERT_NE(mixed, scene.issues.end());
  for (const char* part : {"Höhe", "2 heights say that they are feet", "the 2 without", "HEIGHT_UNIT ft"}) {
    EXPECT_NE(mixed->message.find(part), std::string::npos) << mixed->message;
  }
  const std::vector<Issue> of_two = read(with_values("height", 's', {"70.5", "40 ft"})).issues;
  EXPECT_TRUE(std::any_of(of_two.begin(), of_two.end(), [](const Issue& issue) {
    return issue.message.find("1 height says that it is feet, and the 1 without a unit is taken") != std::string::npos;
  }));
  EXPECT_EQ(count(read(EnvironmentInput{.buildings = feet, .height_unit = LengthUnit::foot}).issues, "mixed_units"),
            0u);
  EXPECT_EQ(count(read(with_values("height", 's', {"70.5 ft", "40 ft"})).issues, "mixed_units"), 0u);
  EXPECT_EQ(count(read(with_values("height", 's', {"70.5 m", "40"})).issues, "mixed_units"), 0u);
  EXPECT_EQ(count(read(EnvironmentInput{.buildings = with_values("height", 's', {"70.5 m", "40"}),
                                        .height_unit = LengthUnit::foot})
                      .issues,
                  "mixed_units"),
            1u);
}

// Those around the extent are read, too, and are left out when the scene is made.
TEST_F(Buildings, OnlyThoseWithinTheExtentCountInWhatIsSummedUp) {
  const Rectangle extent{{499990, 4999990}, {500035, 5000020}};
  const std::string heights = with_values("height", 's', {"70.5", "40 ft", "12", "12 ft", "9"});
  const RawScene scene = read(EnvironmentInput{.buildings = heights, .extent = extent});
  EXPECT_EQ(scene.buildings.size(), 5u);
  const std::string mixed = only(scene.issues, "mixed_units").message;
  EXPECT_NE(mixed.find("1 height says that it is feet, and the 1 without a unit is"), std::string::npos) << mixed;
  const std::string alike = with_values("height", 's', {"70.5", "40", "12", "12 ft", "9"});
  EXPECT_EQ(count(read(EnvironmentInput{.buildings = alike, .extent = extent}).issues, "mixed_units"), 0u);

  const std::string material = with_values("material", 's', {"brick", "straw", "straw", "hay", "hay"});
  const RawScene walls = read(EnvironmentInput{.buildings = material, .extent = extent});
  const std::string unknown = only(walls.issues, "unknown_material").message;
  EXPECT_NE(unknown.find("\"straw\" of 1 building (feature 2)"), std::string::npos) << unknown;
  EXPECT_EQ(walls.buildings[4].material, "");
}

TEST_F(Buildings, RoofElevationsStayAbsolute) {
  const RawScene scene = read(EnvironmentInput{.buildings = with_values("zmaxi", 'r', {212.5, -9999.0}),
                                               .height_kind = HeightKind::roof_elevation});
  EXPECT_EQ(scene.buildings[0].roof_elevation_m, 212.5);
  EXPECT_FALSE(scene.buildings[0].height_m);
  EXPECT_FALSE(scene.buildings[1].roof_elevation_m);
  EXPECT_EQ(count(scene.issues, "implausible_height"), 1u);
}

TEST_F(Buildings, StoreysTimesTheirHeight) {
  const RawScene scene =
      read(EnvironmentInput{.buildings = with_values("levels", 's', {"4", "2,5", "0", "1987", "few"}),
                            .height_kind = HeightKind::storeys,
                            .storey_height_m = 3.2});
  EXPECT_DOUBLE_EQ(*scene.buildings[0].height_m, 12.8);
  EXPECT_DOUBLE_EQ(*scene.buildings[1].height_m, 8.0);
  EXPECT_DOUBLE_EQ(*scene.buildings[2].height_m, 3.2);
  EXPECT_FALSE(scene.buildings[3].height_m);
  EXPECT_FALSE(scene.buildings[4].height_m);
  EXPECT_EQ(count(scene.issues, "clamped_storeys"), 1u);
  EXPECT_EQ(count(scene.issues, "implausible_storeys"), 1u);
  EXPECT_EQ(count(scene.issues, "unreadable_storeys"), 1u);
}

TEST_F(Buildings, StoreysStandInForMissingHeights) {
  const std::string path = write_layer(folder_ / "both.gpkg", {.fields = {{"height", 'r'}, {"levels", 'i'}},
                                                               .features = {{box(500000, 5000000, 10, 10), {20.0, 3}},
                                                                            {box(500020, 5000000, 10, 10), {{}, 3}},
                                                                            {box(500040, 5000000, 10, 10), {}}}});
  const RawScene scene = read(path);
  EXPECT_EQ(scene.buildings[0].height_m, 20.0);
  EXPECT_EQ(scene.buildings[1].height_m, 9.0);
  EXPECT_FALSE(scene.buildings[2].height_m);
  EXPECT_EQ(only(scene.issues, "height_from_storeys").feature_id, 2);
}

TEST_F(Buildings, WithoutAHeightFieldAreAllMissing) {
  const RawScene scene = read(with_values("colour", 's', {"red"}));
  EXPECT_FALSE(scene.buildings[0].height_m);
  EXPECT_NE(only(scene.issues, "no_height_field").message.find("colour"), std::string::npos);
}

// roof_z is what an environment calls it.
TEST_F(Buildings, WithRoofElevationsAloneSayHowToGiveThem) {
  for (const std::string field : {"z_roof", "roof_z", "roof_elevation_m"}) {
    const RawScene scene = read(with_values(field, 'r', {230.0}));
    EXPECT_FALSE(scene.buildings[0].height_m);
    EXPECT_NE(
        only(scene.issues, "no_height_field").message.find("give HEIGHT_KIND roof_elevation and HEIGHT_FIELD " + field),
        std::string::npos);
  }
  const RawScene scene = read(with_values("colour", 's', {"red"}));
  EXPECT_EQ(only(scene.issues, "no_height_field").message.find("HEIGHT_KIND"), std::string::npos);
}

// Houses of 200 m in the median, or of 4, would be made of it in silence.
TEST_F(Buildings, AFieldThatIsNamedAsOneOfAnotherKindIsToldOf) {
  const auto told = [&](const std::string& field, HeightKind kind) {
    const RawScene scene =
        read(EnvironmentInput{.buildings = with_values(field, 'r', {4.0}), .height_field = field, .height_kind = kind});
    EXPECT_TRUE(scene.buildings[0].height_m || scene.buildings[0].roof_elevation_m) << "taken as told";
    return count(scene.issues, "height_field_of_another_kind") == 0
               ? ""
               : only(scene.issues, "height_field_of_another_kind").message;
  };
  EXPECT_EQ(told("zmaxi", HeightKind::above_ground),
            "zmaxi is taken as heights above the ground; if it holds elevations of roofs, as its name says, give "
            "HEIGHT_KIND roof_elevation");
  EXPECT_EQ(told("levels", HeightKind::above_ground),
            "levels is taken as heights above the ground; if it holds numbers of storeys, as its name says, give "
            "HEIGHT_KIND storeys");
  EXPECT_EQ(told("height_m", HeightKind::roof_elevation),
            "height_m is taken as elevations of roofs; if it holds heights above the ground, as its name says, give "
            "HEIGHT_KIND above_ground");
  EXPECT_NE(told("hauteur", HeightKind::storeys), "");
  EXPECT_EQ(told("zmaxi", HeightKind::roof_elevation), "");
  EXPECT_EQ(told("levels", HeightKind::storeys), "");
  EXPECT_EQ(told("height", HeightKind::above_ground), "");
  EXPECT_EQ(told("colour", HeightKind::roof_elevation), "");
}

TEST_F(Buildings, BasesAndMaterials) {
  const std::string path =
      write_layer(folder_ / "m.gpkg", {.fields = {{"height", 'r'}, {"base_m", 'r'}, {"material", 's'}},
                                       .features = {{box(500000, 5000000, 10, 10), {20.0, 5.0, "Brick"}},
                                                    {box(500020, 5000000, 10, 10), {20.0, 20.0, "steel"}},
                                                    {box(500040, 5000000, 10, 10), {20.0, 0.0, "gingerbread"}},
                                                    {box(500060, 5000000, 10, 10), {20.0, {}, {}}}}});
  const RawScene scene = read(path);
  EXPECT_EQ(scene.buildings[0].base_m, 5.0);
  EXPECT_EQ(scene.buildings[0].material, "brick");
  EXPECT_FALSE(scene.buildings[1].base_m);
  EXPECT_EQ(only(scene.issues, "unusable_base").feature_id, 2);
  EXPECT_EQ(scene.buildings[1].material, "steel");
  EXPECT_EQ(scene.buildings[2].material, "");
  EXPECT_NE(only(scene.issues, "unknown_material").message.find("gingerbread"), std::string::npos);
  ASSERT_EQ(scene.materials.size(), 2u);
  EXPECT_EQ(scene.materials[0].name, "brick");
  EXPECT_DOUBLE_EQ(scene.materials[0].a, 3.91);  // ITU-R P.2040-3, Table 3
  EXPECT_DOUBLE_EQ(scene.materials[1].c, 1e7);
}

TEST_F(Buildings, OfOpenStreetMapComeFromTheirTags) {
  const std::string path = write_text(folder_ / "map.osm", R"(<?xml version="1.0" encoding="UTF-8"?>
<osm version="0.6" generator="test">
 <node id="1" lat="48.0000" lon="9.0000"/><node id="2" lat="48.0000" lon="9.0002"/>
 <node id="3" lat="48.0002" lon="9.0002"/><node id="4" lat="48.0002" lon="9.0000"/>
 <node id="5" lat="48.0010" lon="9.0000"/><node id="6" lat="48.0010" lon="9.0002"/>
 <node id="7" lat="48.0012" lon="9.0002"/><node id="8" lat="48.0012" lon="9.0000"/>
 <way id="11"><nd ref="1"/><nd ref="2"/><nd ref="3"/><nd ref="4"/><nd ref="1"/>
  <tag k="building" v="yes"/><tag k="height" v="40'"/><tag k="building:material" v="brick"/></way>
 <way id="12"><nd ref="5"/><nd ref="6"/><nd ref="7"/><nd ref="8"/><nd ref="5"/>
  <tag k="building" v="house"/><tag k="building:levels" v="2"/></way>
 <way id="13"><nd ref="1"/><nd ref="2"/><nd ref="7"/><nd ref="8"/><nd ref="1"/><tag k="landuse" v="grass"/></way>
 <way id="15"><nd ref="5"/><nd ref="6"/><nd ref="7"/><nd ref="8"/><nd ref="5"/></way>
 <relation id="12"><member type="way" ref="15" role="outer"/>
  <tag k="type" v="multipolygon"/><tag k="building" v="tower"/><tag k="height" v="30"/><tag k="min_height" v="4 m"/></relation>
</osm>)");
  const RawScene scene = read(path);
  ASSERT_EQ(scene.buildings.size(), 3u);
  EXPECT_EQ(scene.crs_name, "EPSG:32632");
  EXPECT_EQ(scene.buildings[0].feature_id, -12) << "a relation";
  EXPECT_EQ(scene.buildings[0].height_m, 30.0);
  EXPECT_EQ(scene.buildings[0].base_m, 4.0);
  EXPECT_EQ(scene.buildings[1].feature_id, 11);
  EXPECT_DOUBLE_EQ(*scene.buildings[1].height_m, 40 * foot_m);
  EXPECT_EQ(scene.buildings[1].material, "brick");
  EXPECT_EQ(scene.buildings[2].height_m, 6.0);
  EXPECT_EQ(only(scene.issues, "height_from_storeys").feature_id, -1);
  const Vec2 corner = proj_transform("EPSG:4326", "EPSG:32632", {9.0, 48.0});
  EXPECT_NEAR(norm(scene.buildings[1].parts[0][0][0] - corner), 0, 20);
}

TEST_F(Buildings, OfAConvertedExtractComeFromOtherTags) {
  const std::string path =
      write_layer(folder_ / "quick.gpkg",
                  {.fields = {{"building", 's'}, {"other_tags", 's'}},
                   .features = {{box(500000, 5000000, 10, 10), {"yes", R"("height"=>"8,5","building:levels"=>"9")"}},
                                {box(500020, 5000000, 10, 10), {{}, R"("landuse"=>"forest")"}},
                                {box(500040, 5000000, 10, 10), {{}, R"("building:part"=>"yes","height"=>"20")"}}}});
  const RawScene scene = read(path);
  ASSERT_EQ(scene.buildings.size(), 1u);
  EXPECT_EQ(count(scene.issues, "building_parts"), 1u);
  EXPECT_EQ(scene.buildings[0].height_m, 8.5);
}

TEST_F(Buildings, AreTransformedToTheChosenCrs) {
  const Vec2 corner{4.8400, 45.7600};
  const std::string path =
      write_layer(folder_ / "degrees.geojson",
                  {.driver = "GeoJSON", .crs = "EPSG:4326", .features = {{box(corner.x, corner.y, 0.001, 0.001)}}});
  const RawScene utm = read(path);
  EXPECT_EQ(utm.crs_name, "EPSG:32631");
  EXPECT_LT(norm(utm.buildings[0].parts[0][0][0] - proj_transform("EPSG:4326", "EPSG:32631", corner)), 1e-3);
  const RawScene given = read(EnvironmentInput{.buildings = path, .crs = "EPSG:3946"});
  EXPECT_EQ(given.crs_name, "EPSG:3946");
  EXPECT_LT(norm(given.buildings[0].parts[0][0][0] - proj_transform("EPSG:4326", "EPSG:3946", corner)), 1e-3);
}

TEST_F(Buildings, InFeetBecomeMetresOfUtm) {
  const Vec2 corner = proj_transform("EPSG:4269", "EPSG:2263", {-74.0, 40.7});
  const std::string path = write_layer(
      folder_ / "ny.gpkg", {.crs = "EPSG:2263", .features = {{box(corner.x, corner.y, 100 / foot_m, 100 / foot_m)}}});
  const RawScene scene = read(path);
  EXPECT_EQ(scene.crs_name, "EPSG:32618");
  EXPECT_NEAR(area(scene.buildings[0].parts[0][0]), 10000, 10);
}

// 600 km beside the zone's middle its metres are 0.4 % too long.
TEST_F(Buildings, MayHaveACrsOfTrueMetresInLocalMetres) {
  for (const auto& [x, issues] : {std::pair{500200, 0u}, std::pair{1100000, 1u}}) {
    const std::string path =
        write_layer(folder_ / "zone.gpkg", {.name = std::to_string(x), .features = {{box(x, 5000200, 10, 10)}}});
    const RawScene local =
        read(EnvironmentInput{.buildings = path + "|layername=" + std::to_string(x), .local_metres = true});
    EXPECT_EQ(local.crs_wkt, "");
    EXPECT_EQ(count(local.issues, "scale_of_crs"), issues) << x;
  }
}

TEST_F(Buildings, MayHaveNoCrsWhenTheUserSaysWhichOrThatNoneIsNeeded) {
  const std::string path =
      write_layer(folder_ / "none.shp",
                  {.driver = "ESRI Shapefile", .name = "none", .crs = "", .features = {{box(100, 200, 10, 10)}}});
  const RawScene local = read(EnvironmentInput{.buildings = path, .local_metres = true});
  EXPECT_EQ(local.crs_wkt, "");
  EXPECT_EQ(local.crs_name, "local metres");
  const Ring& ring = local.buildings[0].parts[0][0];
  EXPECT_NE(std::find(ring.begin(), ring.end(), Vec2{100, 200}), ring.end());
  const std::string utm =
      write_layer(folder_ / "utm.shp",
                  {.driver = "ESRI Shapefile", .name = "utm", .crs = "", .features = {{box(500000, 5000000, 10, 10)}}});
  const RawScene given = read(EnvironmentInput{.buildings = utm, .crs = "EPSG:32632"});
  EXPECT_EQ(given.crs_name, "EPSG:32632");
  EXPECT_EQ(count(given.issues, "missing_crs"), 1u);
}

TEST_F(Buildings, OutsideOfTheExtentAreNotRead) {
  TestLayer layer{.fields = {{"height", 'r'}}};
  for (int i = 0; i < 100; ++i) layer.features.push_back({box(500000 + 100 * i, 5000000, 10, 10), {5.0}});
  const std::string path = write_layer(folder_ / "row.gpkg", layer);
  const RawScene scene =
      read(EnvironmentInput{.buildings = path, .extent = Rectangle{{501005, 4999000}, {502000, 5001000}}});
  ASSERT_FALSE(scene.buildings.empty());
  // A margin of 100 m on both sides.
  EXPECT_EQ(scene.buildings.front().feature_id, 10);
  EXPECT_EQ(scene.buildings.back().feature_id, 22);
  EXPECT_EQ(scene.buildings_not_read, 87u);
}

TEST_F(Buildings, ExtentHoldsForOtherCrssToo) {
  TestLayer layer{.crs = "EPSG:4326"};
  for (int i = 0; i < 100; ++i) layer.features.push_back({box(9.0 + 0.001 * i, 48.0, 0.0001, 0.0001)});
  const std::string path = write_layer(folder_ / "row.gpkg", layer);
  const Vec2 west = proj_transform("EPSG:4326", "EPSG:32632", {9.02, 48.0});
  const Vec2 east = proj_transform("EPSG:4326", "EPSG:32632", {9.03, 48.0});
  const RawScene scene = read(EnvironmentInput{
      .buildings = path, .crs = "EPSG:32632", .extent = Rectangle{{west.x, west.y - 50}, {east.x, east.y + 50}}});
  EXPECT_GE(scene.buildings.size(), 11u);
  EXPECT_LE(scene.buildings.size(), 15u);
}

TEST_F(Buildings, ExtentMayBeInAnyCrs) {
  TestLayer layer;
  for (int i = 0; i < 100; ++i) layer.features.push_back({box(500000 + 100 * i, 5000000, 10, 10)});
  const std::string path = write_layer(folder_ / "row.gpkg", layer);
  const Rectangle extent{{501005, 4999000}, {502000, 5001000}};
  const Vec2 low = proj_transform("EPSG:32632", "EPSG:4326", extent.min);
  const Vec2 high = proj_transform("EPSG:32632", "EPSG:4326", extent.max);
  const RawScene scene =
      read(EnvironmentInput{.buildings = path, .extent = Rectangle{low, high}, .extent_crs = "EPSG:4326"});
  EXPECT_EQ(scene.crs_name, "EPSG:32632");
  EXPECT_EQ(scene.buildings.size(), 13u);
  ASSERT_TRUE(scene.extent);
  EXPECT_NEAR(scene.extent->min.x, extent.min.x, 2);
  EXPECT_NEAR(scene.extent->max.y, extent.max.y, 2);
}

// What is drawn on a map is in the map's CRS or the buildings'. The environment is then in the UTM zone, as without an
// extent.
TEST_F(Buildings, ExtentInACrsThatCountsToTheWestAndSouth) {
  constexpr const char* lo19 = "EPSG:2048";
  const Vec2 cape_town = proj_transform("EPSG:4326", lo19, {18.42, -33.92});
  TestLayer layer{.crs = lo19};
  for (int i = 0; i < 100; ++i) layer.features.push_back({box(cape_town.x + 100 * i, cape_town.y, 10, 10)});
  const std::string path = write_layer(folder_ / "cape_town.gpkg", layer);
  const Rectangle extent{cape_town - Vec2{500, 500}, cape_town + Vec2{500, 500}};
  EXPECT_EQ(read(EnvironmentInput{.buildings = path}).crs_name, "EPSG:32734");
  const RawScene scene = read(EnvironmentInput{.buildings = path, .extent = extent, .extent_crs = lo19});
  EXPECT_EQ(scene.crs_name, "EPSG:32734");
  EXPECT_GE(scene.buildings.size(), 6u);
  EXPECT_LE(scene.buildings.size(), 9u);
}

// A country's buildings are worked on in the zone of the part that is wanted.
TEST_F(Buildings, ExtentWithItsCrsTellsTheZone) {
  const std::string path = write_layer(
      folder_ / "far.gpkg",
      {.crs = "EPSG:4326", .features = {{box(9.0, 48.0, 0.0001, 0.0001)}, {box(21.0, 48.0, 0.0001, 0.0001)}}});
  const RawScene scene = read(EnvironmentInput{
      .buildings = path, .extent = Rectangle{{20.99, 47.99}, {21.01, 48.01}}, .extent_crs = "EPSG:4326"});
  EXPECT_EQ(scene.crs_name, "EPSG:32634");
  EXPECT_EQ(scene.buildings.size(), 1u);
}

TEST_F(Buildings, ExtentInTheirCompoundCrs) {
  constexpr const char* compound = "EPSG:5555";  // EPSG:25832 and heights
  const std::string path =
      write_layer(folder_ / "compound.gpkg", {.crs = compound, .features = {{box(500000, 5000000, 10, 10)}}});
  const Rectangle extent{{499900, 4999900}, {500100, 5000100}};
  const RawScene scene = read(EnvironmentInput{.buildings = path, .extent = extent, .extent_crs = compound});
  EXPECT_EQ(scene.crs_name, "EPSG:25832");
  EXPECT_EQ(scene.buildings.size(), 1u);
}

TEST_F(Buildings, ExtentWithoutAnyIsAnIssue) {
  const std::string path =
      write_layer(folder_ / "two.gpkg", {.features = {{box(500000, 5000000, 10, 10)}, {box(509000, 5000000, 10, 10)}}});
  const RawScene scene =
      read(EnvironmentInput{.buildings = path, .extent = Rectangle{{504000, 4999000}, {505000, 5001000}}});
  EXPECT_TRUE(scene.buildings.empty());
  EXPECT_EQ(count(scene.issues, "no_buildings_in_extent"), 1u);
}

// Its middle lies thousands of kilometres away.
TEST_F(Buildings, AnExtentThatReachesFarBeyondThemLeavesTheirCrs) {
  const std::string path = write_layer(folder_ / "one.gpkg", {.features = {{box(500050, 5000050, 10, 10)}}});
  const Rectangle extent{{500000, 5000000}, {5000000, 5000100}};
  EXPECT_EQ(read(EnvironmentInput{.buildings = path, .extent = extent}).crs_name, "EPSG:32632");
}

// The unit in a name is that field's alone.
TEST_F(Buildings, AUnitInTheNameOfHeightsSaysNothingOfOtherFields) {
  const std::string path =
      write_layer(folder_ / "units.gpkg", {.fields = {{"height_ft", 'r'}, {"base", 'r'}, {"entrance", 'r'}},
                                           .features = {{box(500000, 5000000, 10, 10), {30 / foot_m, 4.0, 20.5}}}});
  const RawScene in_feet = read({.buildings = path, .base_field = "base", .entrance_field = "entrance"});
  EXPECT_NEAR(in_feet.buildings[0].height_m.value(), 30, 1e-9);
  EXPECT_EQ(in_feet.buildings[0].base_m, 4);
  EXPECT_EQ(in_feet.buildings[0].entrance_elevation_m, 20.5);
  EXPECT_EQ(only(in_feet.issues, "unit_from_name").message,
            "heights are in feet, as the name of field height_ft says; those in base are in metres");
  // HEIGHT_UNIT is of heights and bases, and an entrance's elevation is no height.
  const RawScene said =
      read({.buildings = path, .height_unit = LengthUnit::foot, .base_field = "base", .entrance_field = "entrance"});
  EXPECT_NEAR(said.buildings[0].base_m.value(), 4 * foot_m, 1e-12);
  EXPECT_EQ(said.buildings[0].entrance_elevation_m, 20.5);
}

// What a filter leaves out, or has been deleted, has no say where the city is.
TEST_F(Buildings, TheZoneIsThatOfTheBuildingsThatAreRead) {
  const auto at = [](double longitude, double latitude) {
    return TestFeature{box(longitude, latitude, 1e-4, 1e-4), {10.0, std::string(longitude < -100 ? "SF" : "NY")}};
  };
  const std::string path = write_layer(
      folder_ / "country.gpkg",
      {.crs = "EPSG:4326", .fields = {{"height", 'r'}, {"city", 's'}}, .features = {at(-122.4, 37.7), at(-74, 40.7)}});
  EXPECT_EQ(read(path + "|subset=city='NY'").crs_name, "EPSG:32618");
  EXPECT_EQ(read({.buildings = path + "|subset=city='NY'", .crs = "EPSG:32618"}).buildings.size(), 1u);
  EXPECT_EQ(read(path + "|subset=city='SF'").crs_name, "EPSG:32610");
  const GDALDatasetUniquePtr opened(GDALDataset::Open(path.c_str(), GDAL_OF_VECTOR | GDAL_OF_UPDATE));
  ASSERT_EQ(opened->GetLayer(0)->DeleteFeature(1), OGRERR_NONE);
  opened->FlushCache();
  EXPECT_EQ(read(path).crs_name, "EPSG:32618");
}

TEST_F(Buildings, UnitsOfHeightsMayHaveAFieldOfTheirOwn) {
  const auto of = [](int i, double height, const std::string& unit) {
    return testing::TestFeature{box(500000 + 20 * i, 5000000, 10, 10), {height, unit}};
  };
  for (const auto& [driver, file] : {std::pair{"GPKG", "units.gpkg"}, std::pair{"ESRI Shapefile", "units.shp"}}) {
    const RawScene scene =
        read(write_layer(folder_ / file, {.driver = driver,
                                          .name = "units",
                                          .fields = {{"height", 'r'}, {"height_unit", 's'}},
                                          .features = {of(0, 60, "ft"), of(1, 12.5, "m"), of(2, 12.5, "ells")}}));
    ASSERT_EQ(scene.buildings.size(), 3u);
    EXPECT_DOUBLE_EQ(*scene.buildings[0].height_m, 60 * 0.3048) << driver;
    EXPECT_EQ(scene.buildings[1].height_m, 12.5);
    EXPECT_FALSE(scene.buildings[2].height_m);
    EXPECT_NE(only(scene.issues, "unreadable_height").message.find("\"12.5 ells\""), std::string::npos);
  }
}

// GDAL gives all rows of a view in SpatiaLite the number 0.
TEST_F(Buildings, RowsOfAViewAreNumberedAsTheyCome) {
  const std::string path = folder_ / "views.sqlite";
  GDALAllRegister();
  const char* const options[] = {"SPATIALITE=YES", nullptr};
  GDALDatasetUniquePtr made(GetGDALDriverManager()->GetDriverByName("SQLite")->Create(
      path.c_str(), 0, 0, 0, GDT_Unknown, const_cast<char**>(options)));
  if (made == nullptr) GTEST_SKIP() << "GDAL has no SpatiaLite here";
  made.reset();
  write_layer(path, {.name = "houses",
                     .fields = {{"height", 'r'}},
                     .features = {{box(500000, 5000000, 10, 10), {10.0}},
                                  {box(500020, 5000000, 10, 10), {11.0}},
                                  {box(500040, 5000000, 10, 10), {12.0}}}});
  const GDALDatasetUniquePtr opened(GDALDataset::Open(path.c_str(), GDAL_OF_VECTOR | GDAL_OF_UPDATE));
  for (const char* sql :
       {"CREATE VIEW seen AS SELECT geometry, height FROM houses",
        "INSERT INTO views_geometry_columns (view_name, view_geometry, view_rowid, f_table_name, f_geometry_column, "
        "read_only) VALUES ('seen', 'geometry', 'rowid', 'houses', 'geometry', 1)"}) {
    opened->ExecuteSQL(sql, nullptr, nullptr);
  }
  const RawScene scene = read(path + "|layername=seen");
  ASSERT_EQ(scene.buildings.size(), 3u);
  for (int i = 0; i < 3; ++i) {
    EXPECT_EQ(scene.buildings[i].feature_id, i);
    EXPECT_EQ(scene.buildings[i].height_m, 10.0 + i);
  }
}

TEST_F(Buildings, LayersAreChosenByNameOrBeingTheOnlyOneThatFits) {
  const std::string path = folder_ / "many.gpkg";
  write_layer(path, {.name = "roofs", .features = {{box(500000, 5000000, 10, 10)}}});
  write_layer(path, {.name = "masts", .geometry = "POINT", .features = {{"POINT (500000 5000000)"}}});
  EXPECT_EQ(read(path).buildings_layer, "roofs");
  write_layer(path, {.name = "more", .features = {{box(500000, 5000000, 10, 10)}, {box(500020, 5000000, 10, 10)}}});
  EXPECT_EQ(read(path + "|layername=more").buildings.size(), 2u);
  EXPECT_EQ(read(path + "|layerid=2").buildings.size(), 2u);
  EXPECT_EQ(read(path + "|layername=more|subset=fid = 1").buildings.size(), 1u);
  EXPECT_EQ(read(path + "|subset=fid || '|' = '2|'|layername=more").buildings.size(), 1u);
}

TEST_F(Buildings, PathsMayBeInAnyScriptAndFoldersReadOnly) {
  const std::string path = write_layer(folder_ / "Gebäude 建物.gpkg", {.features = {{box(500000, 5000000, 10, 10)}}});
  const std::filesystem::path sub = std::filesystem::path(path).parent_path();
  std::filesystem::permissions(sub, std::filesystem::perms::owner_read | std::filesystem::perms::owner_exec);
  EXPECT_EQ(read(path).buildings.size(), 1u);
  std::filesystem::permissions(sub, std::filesystem::perms::owner_all);
  std::size_t files = 0;
  for ([[maybe_unused]] const auto& entry : std::filesystem::directory_iterator(sub)) ++files;
  EXPECT_EQ(files, 1u) << "nothing is written beside an input";
}

TEST_F(Buildings, NothingIsPrinted) {
  ::testing::internal::CaptureStderr();
  const std::string broken = write_text(folder_ / "broken.gpkg", "SQLite format 3 but not really");
  EXPECT_THROW(read(broken), Error);
  EXPECT_EQ(::testing::internal::GetCapturedStderr(), "");
}

TEST_F(Buildings, VegetationComesAlong) {
  const std::string buildings = with_values("height", 'r', {10.0});
  const Vec2 near = proj_transform("EPSG:32632", "EPSG:4326", {500050, 5000050});
  const std::string trees =
      write_layer(folder_ / "trees.gpkg", {.crs = "EPSG:4326",
                                           .fields = {{"height", 's'}},
                                           .features = {{box(near.x, near.y, 1e-4, 1e-4), {"12 m"}},
                                                        {box(near.x + 2e-4, near.y, 1e-4, 1e-4), {"bushy"}},
                                                        {box(near.x + 1, near.y, 1e-4, 1e-4), {"9"}}}});
  const RawScene scene = read(EnvironmentInput{.buildings = buildings, .vegetation = trees});
  ASSERT_EQ(scene.vegetation.size(), 2u) << "the third is a degree away";
  EXPECT_EQ(scene.vegetation[0].height_m, 12.0);
  EXPECT_FALSE(scene.vegetation[1].height_m);
  EXPECT_EQ(only(scene.issues, "unreadable_height").layer, "layer (VEGETATION)");
  EXPECT_NEAR(area(scene.vegetation[0].parts[0][0]), 7.9 * 11.1, 3);
}

TEST_F(Buildings, LayersOfOneNameAreToldApart) {
  const auto layer = [&](const std::string& file, const std::string& name) {
    return write_layer(folder_ / file, {.name = name,
                                        .fields = {{"height", 's'}, {"class", 's'}},
                                        .features = {{box(500000, 5000000, 10, 10), {"tall", "wood"}}, {""}}});
  };
  const auto layers_of_issues = [](const RawScene& scene) {
    std::set<std::string> layers;
    for (const Issue& issue : scene.issues) layers.insert(issue.layer);
    return layers;
  };
  const EnvironmentInput input{.buildings = layer("a.gpkg", "poly"),
                               .vegetation = layer("b.gpkg", "poly"),
                               .clutter_areas = layer("c.gpkg", "cover")};
  const RawScene two = read(input);
  EXPECT_EQ(two.buildings_layer, "poly (BUILDINGS)");
  EXPECT_EQ(two.vegetation_layer, "poly (VEGETATION)");
  EXPECT_EQ(layers_of_issues(two), (std::set<std::string>{"poly (BUILDINGS)", "poly (VEGETATION)", "cover"}));
  const RawScene all = read(EnvironmentInput{
      .buildings = input.buildings, .vegetation = input.vegetation, .clutter_areas = layer("d.gpkg", "poly")});
  EXPECT_EQ(layers_of_issues(all),
            (std::set<std::string>{"poly (BUILDINGS)", "poly (VEGETATION)", "poly (CLUTTER_AREAS)"}));
  const RawScene none = read(EnvironmentInput{.buildings = input.buildings, .vegetation = layer("e.gpkg", "trees")});
  EXPECT_EQ(layers_of_issues(none), (std::set<std::string>{"poly", "trees"}));
}

TEST_F(Buildings, VegetationOfOpenStreetMapComesFromItsTags) {
  const std::string buildings =
      write_layer(folder_ / "a.gpkg", {.crs = "EPSG:4326", .features = {{box(9, 48, 0.0002, 0.0002)}}});
  const std::string nodes = R"(<node id="1" lat="48" lon="9"/><node id="2" lat="48" lon="9.001"/>
    <node id="3" lat="48.001" lon="9.001"/>)";
  std::string ways;
  auto way = [&ways, id = 10](const std::string& tags) mutable {
    ways += "<way id=\"" + std::to_string(++id) + R"("><nd ref="1"/><nd ref="2"/><nd ref="3"/><nd ref="1"/>)" + tags +
            R"(<tag k="area" v="yes"/></way>)";
  };
  const auto map = [&](const std::string& name) {
    return write_text(folder_ / name, "<osm version=\"0.6\">" + nodes + ways + "</osm>");
  };
  way(R"(<tag k="building" v="yes"/>)");
  way(R"(<tag k="landuse" v="residential"/>)");
  way(R"(<tag k="leisure" v="park"/>)");
  way(R"(<tag k="boundary" v="administrative"/>)");
  way(R"(<tag k="natural" v="water"/>)");
  const std::string without = map("without.osm");
  const auto vegetation_of = [&](const std::string& path) {
    return read(EnvironmentInput{.buildings = buildings, .vegetation = path});
  };
  try {
    vegetation_of(without);
    FAIL() << "nothing in it is vegetation";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), "no_vegetation");
    EXPECT_NE(error.hint().find("natural=wood"), std::string::npos) << error.what();
  }
  way(R"(<tag k="natural" v="wood"/><tag k="height" v="21"/>)");
  way(R"(<tag k="landuse" v="orchard"/>)");
  way(R"(<tag k="landcover" v="trees"/>)");
  way(R"(<tag k="natural" v="wetland"/><tag k="wetland" v="swamp"/>)");
  const RawScene scene = vegetation_of(map("with.osm"));
  ASSERT_EQ(scene.vegetation.size(), 4u);
  EXPECT_EQ(scene.vegetation[0].feature_id, 16);
  EXPECT_EQ(scene.vegetation[0].height_m, 21.0);
  EXPECT_TRUE(only(scene.issues, "not_vegetation").message.starts_with("5 features are left out"));

  const std::string converted =
      write_layer(folder_ / "converted.gpkg",
                  {.crs = "EPSG:4326",
                   .fields = {{"natural", 's'}, {"other_tags", 's'}},
                   .features = {{box(9, 48, 0.001, 0.001), {"scrub", {}}},
                                {box(9, 48, 0.001, 0.001), {{}, R"("landuse"=>"forest")"}},
                                {box(9, 48, 0.001, 0.001), {{}, R"("landuse"=>"farmland","building"=>"barn")"}}}});
  const RawScene of_converted = vegetation_of(converted);
  EXPECT_EQ(of_converted.vegetation.size(), 2u);
  EXPECT_TRUE(only(of_converted.issues, "not_vegetation").message.starts_with("1 feature is left out"));
}

// Filters by place pass over them: vegetation is always read with one, buildings with an extent.
TEST_F(Buildings, FeaturesWithoutGeometryAreIssuesOfEveryLayer) {
  const std::string buildings = with_values("height", 'r', {10.0});
  for (const auto& [driver, file] : {std::pair{"GPKG", "trees.gpkg"}, std::pair{"ESRI Shapefile", "trees.shp"}}) {
    const TestLayer layer{.driver = driver, .features = {{box(500020, 5000000, 9, 9)}, {""}, {""}}};
    const std::string trees = write_layer(folder_ / file, layer);
    const RawScene scene = read(EnvironmentInput{.buildings = buildings, .vegetation = trees});
    EXPECT_EQ(scene.vegetation.size(), 1u);
    EXPECT_EQ(count(scene.issues, "empty_geometry"), 2u) << driver;
    const RawScene part =
        read(EnvironmentInput{.buildings = trees, .extent = Rectangle{{500000, 4999900}, {500100, 5000100}}});
    EXPECT_EQ(part.buildings.size(), 1u);
    EXPECT_EQ(count(part.issues, "empty_geometry"), 2u) << driver;
    EXPECT_EQ(part.buildings_not_read, 0u) << driver;
    for (const Issue& issue : part.issues) {
      if (issue.code == "empty_geometry") {
        EXPECT_GE(issue.feature_id, 1);
      }
    }
  }
}

TEST_F(Buildings, ReadingCanBeCancelled) {
  class Cancelled : public Progress {
   public:
    bool is_cancelled() const override { return true; }
  } cancelled;
  TestLayer layer;
  for (int i = 0; i < 3000; ++i) layer.features.push_back({box(500000 + i, 5000000, 0.5, 0.5)});
  const EnvironmentInput input{.buildings = write_layer(folder_ / "many.gpkg", layer)};
  try {
    read_environment_input(input, cancelled);
    FAIL() << "not cancelled";
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::cancelled);
  }
}

}  // namespace
}  // namespace tesseray
