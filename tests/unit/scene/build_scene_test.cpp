// SPDX-License-Identifier: GPL-3.0-or-later
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <set>

#include "core/base/error.h"
#include "core/base/units.h"
#include "core/scene/ground_plan/polygon.h"
#include "core/scene/landscape/terrain_surface.h"
#include "core/scene/raw_scene.h"

namespace tesseray {
namespace {

constexpr Vec2 corner{650'000, 6'860'000};

Ring moved(Ring ring) {
  for (Vec2& p : ring) p = p + corner;
  return ring;
}

Ring square(double x, double y, double side) { return {{x, y}, {x + side, y}, {x + side, y + side}, {x, y + side}}; }

RawBuilding building(std::int64_t id, Ring ring, double height_m) {
  RawBuilding raw;
  raw.feature_id = id;
  raw.parts = {{moved(std::move(ring))}};
  raw.height_m = height_m;
  return raw;
}

RawScene city(std::vector<RawBuilding> buildings) {
  RawScene raw;
  raw.crs_name = "EPSG:2154";
  raw.buildings_layer = "roofs";
  raw.vegetation_layer = "trees";
  raw.buildings = std::move(buildings);
  return raw;
}

// Ground that rises 1 m per 10 m to the east: height (x − corner.x)/10.
RawTerrain slope() {
  RawTerrain raw;
  raw.south_west = corner + Vec2{-200, -200};
  raw.step_x = raw.step_y = 50;
  raw.columns = raw.rows = 13;
  for (int row = 0; row < 13; ++row) {
    for (int column = 0; column < 13; ++column) raw.height_m.push_back(static_cast<float>(-20 + 5 * column));
  }
  return raw;
}

CleanScene build(RawScene raw, const SceneOptions& options = {}) {
  return build_scene(std::move(raw), options, no_progress());
}

std::int64_t count_issues(const CleanScene& clean, const std::string& code) {
  return std::count_if(clean.issues.begin(), clean.issues.end(),
                       [&](const Issue& issue) { return issue.code == code; });
}

const Issue& issue_of(const CleanScene& clean, const std::string& code) {
  return *std::find_if(clean.issues.begin(), clean.issues.end(),
                       [&](const Issue& issue) { return issue.code == code; });
}

TEST(BuildScene, FrameAndCoordinatesLoseNoBit) {
  const CleanScene clean = build(city({building(5, {{0.1, 0.2}, {20.3, 0.4}, {20.5, 10.6}, {0.7, 10.8}}, 12.345)}));
  const LocalFrame& frame = clean.scene.frame;
  EXPECT_EQ(std::fmod(frame.origin.x, 1024), 0);
  EXPECT_EQ(std::fmod(frame.origin.y, 1024), 0);
  ASSERT_EQ(clean.scene.prisms.size(), 1u);
  const Prism& prism = clean.scene.prisms[0];
  for (const Vec2 p : prism.rings[0]) {
    EXPECT_EQ(p.x, snapped(p.x));
    const double crs_x = frame.origin.x + p.x;
    EXPECT_EQ(crs_x - frame.origin.x, p.x);
  }
  EXPECT_NEAR(prism.rings[0][0].x + frame.origin.x, corner.x + 0.1, coordinate_step_m);
  EXPECT_EQ(prism.building_id, 5);
  EXPECT_EQ(prism.top_z, snapped(12.345));
  EXPECT_EQ(prism.bottom_z, 0);
  EXPECT_EQ(count_issues(clean, "flat_ground"), 1);
  EXPECT_EQ(clean.issues.size(), 1u);
}

// Buildings that were dissolved into one feature: each polygon is numbered by itself and keeps its number when another
// one comes or goes; a building of a few wings stays one.
TEST(BuildScene, PolygonsOfADissolvedFeatureAreBuildings) {
  const auto dissolved = [](int polygons, int first = 0) {
    RawBuilding raw = building(7, square(0, 0, 10), 10);
    raw.parts.clear();
    for (int i = first; i < polygons; ++i) raw.parts.push_back({moved(square(20 * (i % 40), 20 * (i / 40), 10))});
    return raw;
  };
  const auto ids = [](const CleanScene& clean) {
    std::set<std::int64_t> found;
    for (const Prism& prism : clean.scene.prisms) {
      EXPECT_EQ(prism.source_feature, 7);
      EXPECT_EQ(prism.part, 0u);
      found.insert(prism.building_id);
    }
    return found;
  };
  const CleanScene many = build(city({dissolved(3000)}));
  EXPECT_EQ(ids(many).size(), 3000u);
  EXPECT_EQ(count_issues(many, "dissolved_buildings"), 1);
  const std::set<std::int64_t> all = ids(many), fewer = ids(build(city({dissolved(3000, 900)})));
  EXPECT_EQ(fewer.size(), 2100u);
  EXPECT_TRUE(std::ranges::includes(all, fewer));
  EXPECT_LT(*all.rbegin(), std::int64_t{1} << 32);
  const CleanScene wings = build(city({dissolved(64)}));
  EXPECT_EQ(count_issues(wings, "dissolved_buildings"), 0);
  for (const Prism& prism : wings.scene.prisms) EXPECT_EQ(prism.building_id, 7);
}

TEST(BuildScene, ClockwiseClosedRingsAndHolesAreOriented) {
  Ring outer = square(0, 0, 30), yard = square(10, 10, 10);
  std::reverse(outer.begin(), outer.end());
  outer.push_back(outer.front());
  yard.push_back(yard.front());
  RawBuilding raw = building(1, outer, 10);
  raw.parts[0].push_back(moved(yard));
  const CleanScene clean = build(city({raw}));
  ASSERT_EQ(clean.scene.prisms.size(), 1u);
  const Rings& rings = clean.scene.prisms[0].rings;
  ASSERT_EQ(rings.size(), 2u);
  EXPECT_EQ(rings[0].size(), 4u);
  EXPECT_DOUBLE_EQ(signed_area(rings[0]), 900);
  EXPECT_DOUBLE_EQ(signed_area(rings[1]), -100);
}

TEST(BuildScene, RoofsAreAboveMeanOrLowestGroundAndWallsReachTheLowest) {
  RawScene raw = city({building(1, square(20, 20, 40), 10)});
  raw.terrain = slope();
  SceneOptions options;
  const Prism mean = build(raw, options).scene.prisms.at(0);
  EXPECT_NEAR(mean.bottom_z, 2, 2 * coordinate_step_m);  // at x = 20
  EXPECT_LE(mean.bottom_z, 2);
  EXPECT_NEAR(mean.top_z, 4 + 10, 2 * coordinate_step_m);  // mean at x = 40
  options.ground_reference = SceneOptions::GroundReference::lowest;
  EXPECT_NEAR(build(raw, options).scene.prisms.at(0).top_z, 2 + 10, 2 * coordinate_step_m);
}

TEST(BuildScene, RoofsAreAboveTheEntranceWhereItIsKnown) {
  RawBuilding known = building(1, square(20, 20, 40), 10);
  known.entrance_elevation_m = 5.5;
  RawScene raw = city({known, building(2, square(120, 20, 40), 10)});
  raw.terrain = slope();
  SceneOptions options;
  const double mean_of_second = build(raw, options).scene.prisms.at(1).top_z;
  options.ground_reference = SceneOptions::GroundReference::entrance;
  const CleanScene clean = build(raw, options);
  EXPECT_EQ(clean.scene.prisms.at(0).top_z, 5.5 + 10);
  EXPECT_EQ(clean.scene.prisms.at(1).top_z, mean_of_second);
  const auto missing = std::count_if(clean.issues.begin(), clean.issues.end(), [](const Issue& issue) {
    return issue.code == "missing_entrance" && issue.feature_id == 2;
  });
  EXPECT_EQ(missing, 1);
}

TEST(BuildScene, RoofElevationIsAbsolute) {
  RawBuilding raw = building(1, square(20, 20, 40), 10);
  raw.height_m.reset();
  raw.roof_elevation_m = 31.5;
  RawScene scene = city({raw});
  scene.terrain = slope();
  EXPECT_EQ(build(scene).scene.prisms.at(0).top_z, 31.5);
}

TEST(BuildScene, RaisedPartStandsExactlyOnThePartBelow) {
  // On a slope the mean ground under the tower differs from that under the podium: the podium's counts.
  RawBuilding tower = building(2, square(45, 45, 10), 40);
  tower.base_m = 12;
  RawScene raw = city({tower, building(1, square(20, 20, 40), 12)});
  raw.terrain = slope();
  const CleanScene clean = build(raw);
  ASSERT_EQ(clean.scene.prisms.size(), 2u);
  EXPECT_EQ(clean.scene.prisms[1].bottom_z, clean.scene.prisms[0].top_z);
  EXPECT_NEAR(clean.scene.prisms[1].top_z - clean.scene.prisms[0].top_z, 28, 2 * coordinate_step_m);
  EXPECT_FALSE(clean.scene.prisms[1].on_ground);
  EXPECT_EQ(count_issues(clean, "overlap"), 0);
}

TEST(BuildScene, MissingHeightsAreAssumedDroppedOrRefused) {
  RawBuilding missing = building(8, square(0, 0, 20), 0);
  missing.height_m.reset();
  const RawScene raw = city({missing, building(9, square(50, 0, 20), 10)});
  SceneOptions options;
  options.default_height_m = 7;
  const CleanScene assumed = build(raw, options);
  EXPECT_EQ(assumed.scene.prisms.at(0).top_z, 7);
  ASSERT_EQ(count_issues(assumed, "missing_height"), 1);
  EXPECT_EQ(issue_of(assumed, "missing_height").feature_id, 8);
  EXPECT_EQ(issue_of(assumed, "missing_height").layer, "roofs");
  EXPECT_FALSE(issue_of(assumed, "missing_height").outline.empty());

  options.missing_height = SceneOptions::MissingHeight::drop;
  const CleanScene dropped = build(raw, options);
  EXPECT_EQ(dropped.scene.prisms.size(), 1u);
  EXPECT_EQ(issue_of(dropped, "missing_height").action, Issue::Action::dropped);

  options.missing_height = SceneOptions::MissingHeight::fail;
  try {
    build(raw, options);
    FAIL() << "no error";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), "missing_height");
    EXPECT_NE(error.message().find("1 building has no height (feature 8)"), std::string::npos) << error.message();
  }
}

TEST(BuildScene, HeightsThatAreNoneAreMissing) {
  for (const double bad : {0.0, -5.0, std::numeric_limits<double>::quiet_NaN()}) {
    const CleanScene clean = build(city({building(8, square(0, 0, 20), bad)}));
    EXPECT_EQ(clean.scene.prisms.at(0).top_z, 9);
    EXPECT_EQ(count_issues(clean, "missing_height"), 1);
  }
}

TEST(BuildScene, BaseAboveTheRoofIsTakenAsGround) {
  RawBuilding raw = building(8, square(0, 0, 20), 10);
  raw.base_m = 12;
  const CleanScene clean = build(city({raw}));
  EXPECT_TRUE(clean.scene.prisms.at(0).on_ground);
  EXPECT_EQ(count_issues(clean, "base_above_roof"), 1);
}

TEST(BuildScene, SuspiciousHeightsAreKeptAndSaid) {
  const CleanScene clean = build(city({building(8, square(0, 0, 20), 3500)}));
  EXPECT_EQ(clean.scene.prisms.at(0).top_z, 3500);
  EXPECT_EQ(count_issues(clean, "suspicious_height"), 1);
}

TEST(BuildScene, BowTieBecomesTwoPartsOfOneBuilding) {
  const CleanScene clean = build(city({building(3, {{0, 0}, {20, 20}, {20, 0}, {0, 20}}, 10)}));
  ASSERT_EQ(clean.scene.prisms.size(), 2u);
  double sum = 0;
  for (const Prism& prism : clean.scene.prisms) {
    EXPECT_EQ(prism.building_id, 3);
    sum += area(prism.rings);
  }
  EXPECT_EQ(clean.scene.prisms[0].part, 0u);
  EXPECT_EQ(clean.scene.prisms[1].part, 1u);
  EXPECT_NEAR(sum, 200, 0.01);
  EXPECT_EQ(issue_of(clean, "self_crossing").feature_id, 3);
}

// The one building of a square of 30 m with a courtyard, whichever way that one turns.
class OpenCourtyard : public ::testing::TestWithParam<bool> {
 protected:
  static CleanScene with(Ring courtyard) {
    if (GetParam()) std::reverse(courtyard.begin(), courtyard.end());
    RawBuilding raw = building(5, square(0, 0, 30), 10);
    raw.parts[0].push_back(moved(courtyard));
    return build(city({raw}));
  }
};

TEST_P(OpenCourtyard, AlongTheOutlineStaysOpen) {
  const CleanScene clean = with({{10, 0}, {20, 0}, {20, 10}, {10, 10}});
  ASSERT_EQ(clean.scene.prisms.size(), 1u);
  EXPECT_NEAR(area(clean.scene.prisms[0].rings), 800, 1e-9);
  EXPECT_EQ(issue_of(clean, "self_crossing").message,
            "the outline crosses or touches itself; repaired into 1 polygon(s)");
}

TEST_P(OpenCourtyard, OutsideOfTheOutlineIsNoBuilding) {
  const CleanScene clean = with({{60, 0}, {80, 0}, {80, 20}, {60, 20}});
  ASSERT_EQ(clean.scene.prisms.size(), 1u);
  EXPECT_NEAR(area(clean.scene.prisms[0].rings), 900, 1e-9);
  EXPECT_NE(issue_of(clean, "self_crossing").message.find("of 900.00 m²"), std::string::npos);
}

TEST_P(OpenCourtyard, ThatSticksOutIsNoSecondBuilding) {
  const CleanScene clean = with({{10, -5}, {20, -5}, {20, 10}, {10, 10}});
  ASSERT_EQ(clean.scene.prisms.size(), 1u);
  EXPECT_NEAR(area(clean.scene.prisms[0].rings), 800, 1e-9);
  EXPECT_NE(issue_of(clean, "self_crossing").message.find("of 800.00 m², where its rings add up to 750.00 m²"),
            std::string::npos)
      << issue_of(clean, "self_crossing").message;
}

INSTANTIATE_TEST_SUITE_P(BuildScene, OpenCourtyard, ::testing::Bool());

TEST(BuildScene, AStarHasItsMiddle) {
  Ring star;
  for (const int point : {0, 2, 4, 1, 3}) {
    star.push_back(Vec2{10 * std::cos(0.4 * pi * point), 10 * std::sin(0.4 * pi * point)});
  }
  const CleanScene clean = build(city({building(6, star, 10)}));
  ASSERT_EQ(clean.scene.prisms.size(), 1u);
  EXPECT_EQ(clean.scene.prisms[0].rings.size(), 1u);
}

TEST(BuildScene, MultipolygonIsOneBuildingOfSeveralPrisms) {
  RawBuilding raw = building(4, square(0, 0, 20), 10);
  raw.parts.push_back({moved(square(40, 0, 20))});
  const CleanScene clean = build(city({raw}));
  ASSERT_EQ(clean.scene.prisms.size(), 2u);
  EXPECT_EQ(clean.scene.prisms[1].building_id, 4);
  EXPECT_EQ(clean.scene.prisms[1].part, 1u);
}

TEST(BuildScene, WhatHasNoAreaIsDroppedWithAnIssue) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const CleanScene clean = build(city({
      building(1, square(0, 0, 20), 10),
      building(2, {{0, 40}, {20, 40}}, 10),                           // two points
      building(3, {{0, 40}, {20, 40}, {40, 40}}, 10),                 // a line
      building(4, {{0, 50}, {20, 50}, {20, 50.04}, {0, 50.04}}, 10),  // a sliver of 0.8 m²
      building(5, square(0, 60, 0.5), 10),                            // 0.25 m²
      building(6, {{0, 70}, {nan, 70}, {20, 90}}, 10),
      building(7, {}, 10),
  }));
  EXPECT_EQ(clean.scene.prisms.size(), 1u);
  std::set<std::int64_t> dropped;
  for (const Issue& issue : clean.issues) {
    if (issue.action == Issue::Action::dropped) dropped.insert(issue.feature_id);
  }
  EXPECT_EQ(dropped, (std::set<std::int64_t>{2, 3, 4, 5, 6, 7}));
}

TEST(BuildScene, WhatIsTooThinIsToldWithItsWidth) {
  const CleanScene clean = build(city({
      building(1, square(0, 0, 20), 10),
      building(2, {{0, 50}, {500, 50}, {500, 50.09}, {0, 50.09}}, 4),  // a noise barrier
      building(3, square(0, 60, 0.5), 10),
      building(4, {{0, 70}, {500, 70}, {500, 70.11}, {0, 70.11}}, 4),
  }));
  ASSERT_EQ(clean.scene.prisms.size(), 2u);
  EXPECT_EQ(clean.scene.prisms[1].building_id, 4);
  std::map<std::int64_t, std::string> told;
  for (const Issue& issue : clean.issues) {
    if (issue.code == "sliver") told[issue.feature_id] = issue.message;
  }
  ASSERT_EQ(told.size(), 2u);
  EXPECT_TRUE(told[2].ends_with("is left out, since it is too thin: 89 mm wide in the mean, less than 100 mm"))
      << told[2];
  EXPECT_EQ(told[3], "an outline of only 0.25 m² is left out, since it has less than 0.50 m²");
}

TEST(BuildScene, SmallHolesAreFilled) {
  RawBuilding raw = building(1, square(0, 0, 20), 10);
  raw.parts[0].push_back(moved(square(5, 5, 0.5)));
  raw.parts[0].push_back(moved(square(10, 10, 3)));
  const CleanScene clean = build(city({raw}));
  EXPECT_EQ(clean.scene.prisms.at(0).rings.size(), 2u);
  EXPECT_EQ(count_issues(clean, "filled_hole"), 1);
}

TEST(BuildScene, BuildingsOutsideTheExtentAreCountedAndThoseAcrossItKept) {
  SceneOptions options;
  options.extent = Rectangle{corner, corner + Vec2{100, 100}};
  const CleanScene clean = build(city({building(1, square(90, 90, 40), 10), building(2, square(300, 300, 20), 10),
                                       building(3, square(20, 20, 9), 9)}),
                                 options);
  ASSERT_EQ(clean.scene.prisms.size(), 2u);
  EXPECT_DOUBLE_EQ(area(clean.scene.prisms[0].rings), 1600);
  EXPECT_EQ(issue_of(clean, "outside_extent").feature_id, -1);
  EXPECT_EQ(issue_of(clean, "outside_extent").message, "1 feature outside of the extent is left out");
  const Rectangle ground = clean.scene.terrain.extent();
  for (const Vec2 p : clean.scene.prisms[0].rings[0]) EXPECT_TRUE(ground.contains(p));
}

TEST(BuildScene, FeaturesThatWereNotReadAreCountedWithThoseOutsideTheExtent) {
  SceneOptions options;
  options.extent = Rectangle{corner, corner + Vec2{100, 100}};
  RawScene raw = city({building(1, square(20, 20, 9), 9), building(2, square(300, 300, 20), 10)});
  raw.buildings_not_read = 400;
  EXPECT_EQ(issue_of(build(raw, options), "outside_extent").message, "401 features outside of the extent are left out");
  raw.buildings_not_read.reset();
  EXPECT_EQ(issue_of(build(raw, options), "outside_extent").message,
            "features outside of the extent, if there are any, are left out");
  raw.buildings_not_read = 0;
  raw.buildings.pop_back();
  EXPECT_EQ(count_issues(build(raw, options), "outside_extent"), 0);
}

// `size` buildings of 20 m × 20 m, ten in a row, and further ones.
RawScene town_of(int size, const std::vector<Vec2>& others) {
  std::vector<RawBuilding> buildings;
  for (int i = 0; i < size; ++i) buildings.push_back(building(i, square(30 * (i % 10), 30 * (i / 10), 20), 10));
  for (const Vec2 at : others) {
    buildings.push_back(building(static_cast<std::int64_t>(buildings.size()), square(at.x, at.y, 20), 10));
  }
  return city(std::move(buildings));
}

TEST(BuildScene, AFewBuildingsFarFromAllOthersAreNoted) {
  const auto town = [](const std::vector<Vec2>& others) { return town_of(100, others); };
  const CleanScene clean = build(town({{2500, 100}}));
  EXPECT_EQ(clean.scene.prisms.size(), 101u);
  const Issue& far = issue_of(clean, "far_building");
  EXPECT_EQ(far.feature_id, 100);
  // The town is 290 m wide and ends at 290 m: 290 × 290 m² become 2520 × 290 m².
  EXPECT_TRUE(far.message.starts_with("lies 2.2 km from the other buildings; the area is 9 times as large"))
      << far.message;
  EXPECT_EQ(far.outline.size(), 1u);

  EXPECT_EQ(count_issues(build(town({{-3000, 0}, {100, 9000}})), "far_building"), 2);
  EXPECT_EQ(count_issues(build(town({{2200, 100}})), "far_building"), 0) << "less than 2 km from the town";
  EXPECT_EQ(count_issues(build(town({{2500, 0}, {2500, 50}, {2500, 100}, {2500, 150}})), "far_building"), 0)
      << "a hamlet";
  SceneOptions options;
  options.extent = Rectangle{corner, corner + Vec2{3000, 300}};
  EXPECT_EQ(count_issues(build(town({{2500, 100}}), options), "far_building"), 0) << "wanted by EXTENT";

  EXPECT_THROW(build(town({{1e300, 0}, {-1e300, 0}})), Error) << "beyond all numbers";

  const Vec2 null_island = Vec2{0, 0} - corner;
  try {
    build(town({{2500, 100}, null_island}));
    FAIL() << "an area of millions of km²";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), "far_building");
    EXPECT_EQ(error.place().feature_id, 101);
    EXPECT_TRUE(error.message().find("lies 6890.7 km from the other buildings") != std::string::npos)
        << error.message();
  }
}

TEST(BuildScene, OneBuildingFarFromAFewIsNoted) {
  for (const int size : {2, 3, 19, 78}) {
    const CleanScene clean = build(town_of(size, {{2500, 100}}));
    EXPECT_EQ(count_issues(clean, "far_building"), 1) << size;
    EXPECT_EQ(issue_of(clean, "far_building").feature_id, size);
    EXPECT_EQ(count_issues(build(town_of(size, {{1800, 100}})), "far_building"), 0) << size;
    try {
      build(town_of(size, {Vec2{0, 0} - corner}));
      FAIL() << "an area of millions of km² from " << size << " buildings and one";
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), "far_building");
      EXPECT_EQ(error.place().feature_id, size);
    }
  }
  EXPECT_EQ(count_issues(build(town_of(1, {{2500, 100}})), "far_building"), 0)
      << "of two, neither is the misplaced one";
}

TEST(BuildScene, NothingIsAnErrorUnlessAnExtentIsGiven) {
  EXPECT_THROW(build(city({})), Error);
  EXPECT_THROW(build(city({building(1, {{0, 0}, {9, 9}}, 10)})), Error);
  SceneOptions options;
  options.extent = Rectangle{corner, corner + Vec2{100, 100}};
  EXPECT_TRUE(build(city({}), options).scene.prisms.empty());
  options.extent = Rectangle{corner + Vec2{5000, 0}, corner + Vec2{6000, 100}};
  EXPECT_THROW(build(city({building(1, square(0, 0, 20), 10)}), options), Error);
  options.extent = Rectangle{corner, corner};
  EXPECT_THROW(build(city({}), options), Error);
}

TEST(BuildScene, WhyNoBuildingIsLeftIsTold) {
  try {
    build(city({building(5, {{0, 0}, {10, 0}, {20, 0}}, 10)}));
    FAIL() << "it has no area";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), "no_buildings");
    EXPECT_NE(error.message().find("1 issue(s), the first: feature 5, "), std::string::npos) << error.message();
  }
}

TEST(BuildScene, MaterialsAreFoundByName) {
  RawBuilding brick = building(1, square(0, 0, 20), 10), straw = building(2, square(50, 0, 20), 10);
  brick.material = "Brick";
  straw.material = "straw";
  RawScene raw = city({brick, straw});
  raw.materials = {Material{"glass", 6.31, 0, 0.0036, 1.3394}, Material{"brick", 3.91, 0, 0.0238, 0.16}};
  const CleanScene clean = build(raw);
  EXPECT_EQ(clean.scene.materials.size(), 3u);
  EXPECT_EQ(clean.scene.prisms[0].material, 2);
  EXPECT_EQ(clean.scene.prisms[1].material, 0);
  EXPECT_EQ(count_issues(clean, "unknown_material"), 1);
}

TEST(BuildScene, VegetationGetsGroundAndHeight) {
  RawScene raw = city({building(1, square(0, 0, 20), 10)});
  raw.terrain = slope();
  RawVegetation park;
  park.feature_id = 77;
  park.parts = {{moved(square(30, 0, 20))}};
  raw.vegetation = {park};
  const CleanScene clean = build(raw);
  ASSERT_EQ(clean.scene.vegetation.size(), 1u);
  EXPECT_NEAR(clean.scene.vegetation[0].bottom_z, 3, 2 * coordinate_step_m);
  EXPECT_NEAR(clean.scene.vegetation[0].top_z, 4 + 8, 2 * coordinate_step_m);
  EXPECT_EQ(issue_of(clean, "missing_height").layer, "trees");
}

// A wood of 300 m, with a glade, up a slope that rises by 30 m: its tops follow the ground everywhere.
TEST(BuildScene, WoodsFollowSlopes) {
  RawScene raw = city({building(1, square(0, 0, 20), 10)});
  raw.terrain = slope();
  RawVegetation wood;
  wood.feature_id = 78;
  wood.height_m = 8;
  wood.parts = {{moved(square(20, 0, 300)), moved(square(100, 100, 40))}};
  raw.vegetation = {wood};
  const CleanScene clean = build(raw);
  const auto& pieces = clean.scene.vegetation;
  EXPECT_GT(pieces.size(), 6u);
  double covered = 0;
  for (const VegetationArea& piece : pieces) {
    EXPECT_EQ(piece.source_feature, 78);
    covered += area(piece.rings);
    for (const Ring& ring : piece.rings) {
      for (const Vec2 corner_of_piece : ring) {
        const double ground = clean.scene.terrain.height_at(corner_of_piece);
        EXPECT_NEAR(piece.top_z, ground + 8, 2.1);
        EXPECT_LE(piece.bottom_z, ground);
      }
    }
  }
  EXPECT_NEAR(covered, 300 * 300 - 40 * 40, 1);
}

TEST(BuildScene, OfALargeWoodThePartNearTheCityCounts) {
  RawScene raw = city({building(1, square(0, 0, 20), 10)});
  RawVegetation wood;
  wood.height_m = 15;
  wood.parts = {{moved(square(5, 5, 30'000))}};
  raw.vegetation = {wood};
  const CleanScene clean = build(raw);
  ASSERT_EQ(clean.scene.vegetation.size(), 1u);
  const Rectangle box = bounds(clean.scene.vegetation[0].rings), &extent = clean.scene.extent;
  EXPECT_NEAR(box.max.x, extent.max.x + 500, 1);
  EXPECT_NEAR(box.max.y, extent.max.y + 500, 1);
  EXPECT_LT(clean.scene.terrain.step_x * clean.scene.terrain.columns, 2000);
}

// On a plateau of 40 m in a wide plain the mean of the ground is that of the plain.
TEST(BuildScene, WoodsFollowHillsInAPlain) {
  RawScene raw = city({building(1, square(0, 0, 20), 10), building(2, square(1350, 1350, 20), 10)});
  RawTerrain hill;
  hill.south_west = corner + Vec2{-100, -100};
  hill.step_x = hill.step_y = 20;
  hill.columns = hill.rows = 80;
  for (int row = 0; row < 80; ++row) {
    for (int column = 0; column < 80; ++column) {
      hill.height_m.push_back(std::hypot(row - 40, column - 40) < 6 ? 40.0f : 0.0f);
    }
  }
  raw.terrain = hill;
  RawVegetation wood;
  wood.feature_id = 78;
  wood.height_m = 15;
  wood.parts = {{moved(square(30, 30, 1300))}};
  raw.vegetation = {wood};
  const CleanScene clean = build(raw);
  for (const VegetationArea& piece : clean.scene.vegetation) {
    const Rectangle box = bounds(piece.rings);
    const HeightRange ground = heights_under(clean.scene.terrain, piece.rings);
    if (std::max(box.max.x - box.min.x, box.max.y - box.min.y) <= 30) continue;
    EXPECT_NEAR(piece.top_z, ground.highest + 15, 15.0 / 2);
    EXPECT_NEAR(piece.top_z, ground.lowest + 15, 15.0 / 2);
  }
  EXPECT_GT(clean.scene.vegetation.size(), 20u);
}

TEST(BuildScene, IssuesOfTheReadersMoveIntoTheSceneFrame) {
  RawScene raw = city({building(1, square(0, 0, 20), 10)});
  raw.issues = {Issue{Issue::Action::assumed, "storeys", "", "roofs", 1, {{corner + Vec2{1, 2}}}}};
  const CleanScene clean = build(raw);
  EXPECT_EQ(clean.issues.at(0).outline.at(0).at(0), (corner + Vec2{1, 2} - clean.scene.frame.origin));
}

TEST(BuildScene, BuildingIdsStayInTheNumberingOfTiles) {
  const CleanScene clean =
      build(city({building(-3, square(0, 0, 20), 10), building(std::int64_t{1} << 50, square(40, 0, 20), 10),
                  building((std::int64_t{1} << 32) - 1, square(80, 0, 20), 10)}));
  std::set<std::int64_t> ids;
  for (const Prism& prism : clean.scene.prisms) {
    EXPECT_GE(prism.building_id, 0);
    EXPECT_LT(prism.building_id, std::int64_t{1} << 42);
    ids.insert(prism.building_id);
  }
  EXPECT_EQ(ids.size(), 3u);
  EXPECT_TRUE(std::is_sorted(clean.scene.prisms.begin(), clean.scene.prisms.end(),
                             [](const Prism& a, const Prism& b) { return a.building_id < b.building_id; }));
}

}  // namespace
}  // namespace tesseray
