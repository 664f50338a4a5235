// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/scene/landscape/terrain_grid.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "core/base/error.h"

namespace tesseray {
namespace {

constexpr float nan = std::numeric_limits<float>::quiet_NaN();
constexpr Vec2 origin{1024, 2048};

// 11 × 11 nodes every 10 m around the origin + (0 … 100): height x + 2y.
RawTerrain plane() {
  RawTerrain raw;
  raw.south_west = origin;
  raw.step_x = raw.step_y = 10;
  raw.columns = raw.rows = 11;
  for (int row = 0; row < 11; ++row) {
    for (int column = 0; column < 11; ++column) raw.height_m.push_back(static_cast<float>(10 * column + 20 * row));
  }
  raw.source = "dem.tif";
  return raw;
}

bool has_issue(IssueLog& log, const std::string& code) {
  for (const Issue& issue : log.issues()) {
    if (issue.code == code) return true;
  }
  return false;
}

TEST(TerrainGrid, KeepsNodesAndStepsAndCoversOneCellMore) {
  IssueLog log("dem.tif");
  const Terrain terrain = make_terrain(plane(), {{30, 40}, {60, 70}}, origin, log);
  EXPECT_EQ(terrain.south_west, (Vec2{20, 30}));
  EXPECT_EQ(terrain.step_x, 10);
  EXPECT_EQ(terrain.extent(), (Rectangle{{20, 30}, {70, 80}}));
  EXPECT_DOUBLE_EQ(terrain.height_at({44, 55}), 44 + 2 * 55);
  EXPECT_TRUE(log.issues().empty());
}

TEST(TerrainGrid, FillsNoDataFromItsSurroundings) {
  RawTerrain raw = plane();
  raw.height_m[5 * 11 + 5] = nan;
  raw.height_m[5 * 11 + 6] = -999;  // undeclared no-data
  IssueLog log("dem.tif");
  const Terrain terrain = make_terrain(raw, {{10, 10}, {90, 90}}, origin, log);
  ASSERT_EQ(log.issues().size(), 1u);
  EXPECT_EQ(log.issues()[0].code, "terrain_filled");
  EXPECT_EQ(log.issues()[0].message.substr(0, 2), "2 ");
  EXPECT_NEAR(terrain.height_at({50, 50}), 150, 0.002);
  EXPECT_NEAR(terrain.height_at({60, 50}), 160, 0.002);
}

// A slope goes on through a hole, however wide: there is no cliff where waves from its rims meet.
TEST(TerrainGrid, SlopesGoOnThroughHoles) {
  RawTerrain raw = plane();
  raw.columns = raw.rows = 81;
  raw.step_y = 7;
  raw.height_m.clear();
  for (int row = 0; row < 81; ++row) {
    for (int column = 0; column < 81; ++column) {
      const bool is_hole = std::hypot(row - 40, column - 38) < 30;
      raw.height_m.push_back(is_hole ? nan : static_cast<float>(100 + column - 0.5 * row));
    }
  }
  IssueLog log("dem.tif");
  const Terrain terrain = make_terrain(raw, {{10, 10}, {790, 550}}, origin, log);
  for (double x = 20; x < 780; x += 10) {
    for (double y = 14; y < 540; y += 7) EXPECT_NEAR(terrain.height_at({x, y}), 100 + x / 10 - y / 14, 0.01) << x;
  }
}

TEST(TerrainGrid, LargeHolesAreFilledToTheMiddle) {
  RawTerrain raw = plane();
  for (int row = 2; row < 9; ++row) {
    for (int column = 0; column < 9; ++column) raw.height_m[static_cast<std::size_t>(row * 11 + column)] = nan;
  }
  IssueLog log("dem.tif");
  const Terrain terrain = make_terrain(raw, {{0, 0}, {100, 100}}, origin, log);
  for (const float height : terrain.height_m) {
    EXPECT_GE(height, 0);
    EXPECT_LE(height, 300);
  }
}

TEST(TerrainGrid, MostlyWithoutHeightsItTellsHowMuchWhereAndWhatToDo) {
  RawTerrain raw = plane();
  for (int row = 2; row < 11; ++row) {
    for (int column = 0; column < 11; ++column) raw.height_m[static_cast<std::size_t>(row * 11 + column)] = nan;
  }
  IssueLog log("dem.tif");
  make_terrain(raw, {{10, 10}, {90, 90}}, origin, log);  // the 121 nodes, of which 22 are known
  ASSERT_EQ(log.issues().size(), 1u);
  const Issue& issue = log.issues()[0];
  EXPECT_EQ(issue.code, "terrain_mostly_unknown");
  EXPECT_EQ(issue.action, Issue::Action::assumed);
  for (const char* part :
       {"82 %", "99 of 121", "most in the north (100 %", "x 1019 … 1129", "y 2043 … 2063", "EXTENT"}) {
    EXPECT_NE(issue.message.find(part), std::string::npos) << part << " in " << issue.message;
  }
  ASSERT_EQ(issue.outline.size(), 1u) << "drawn on the map, where the heights are";
  EXPECT_EQ(issue.outline[0], (Ring{{-5, -5}, {105, -5}, {105, 15}, {-5, 15}}));
}

// 0 is written where there are no heights, and not declared. A sea has shores.
TEST(TerrainGrid, ZerosAmidHighGroundAreToldOf) {
  const auto issues_of = [](float around_m, float shore_m) {
    RawTerrain raw = plane();
    for (std::uint32_t row = 0; row < raw.rows; ++row) {
      for (std::uint32_t column = 0; column < raw.columns; ++column) {
        const bool is_inside = row > 2 && row < 6 && column > 3 && column < 7;
        const bool is_shore = !is_inside && row > 1 && row < 7 && column > 2 && column < 8;
        raw.height_m[row * raw.columns + column] = is_inside ? 0 : is_shore ? shore_m : around_m;
      }
    }
    IssueLog log("dem.tif");
    make_terrain(raw, {{10, 10}, {90, 90}}, origin, log);
    return log.issues();
  };
  const std::vector<Issue> hole = issues_of(44, 44);
  ASSERT_EQ(hole.size(), 1u);
  EXPECT_EQ(hole[0].code, "terrain_zeros");
  EXPECT_EQ(hole[0].action, Issue::Action::assumed);
  EXPECT_EQ(hole[0].message.substr(0, 2), "9 ");
  ASSERT_EQ(hole[0].outline.size(), 1u) << "drawn on the map";
  EXPECT_EQ(hole[0].outline[0], (Ring{{35, 25}, {65, 25}, {65, 55}, {35, 55}}));
  EXPECT_TRUE(issues_of(44, 2).empty());
  EXPECT_TRUE(issues_of(4, 4).empty());
  EXPECT_TRUE(issues_of(0, 0).empty());
}

// Bent ones, too, as far as they bend up along one axis as down along the other (x² − y² solves Laplace's equation, and
// its differences between nodes of any two steps).
TEST(TerrainGrid, SaddlesGoOnThroughHoles) {
  RawTerrain raw = plane();
  raw.columns = raw.rows = 41;
  raw.step_y = 5;
  raw.height_m.clear();
  const auto saddle_m = [](double x, double y) { return 100 + 1e-3 * (x * x - y * y); };
  for (int row = 0; row < 41; ++row) {
    for (int column = 0; column < 41; ++column) {
      const bool is_hole = std::abs(row - 20) < 14 && std::abs(column - 21) < 12;
      raw.height_m.push_back(is_hole ? nan : static_cast<float>(saddle_m(10 * column, 5 * row)));
    }
  }
  IssueLog log("dem.tif");
  const Terrain terrain = make_terrain(raw, {{10, 10}, {390, 190}}, origin, log);
  for (double x = 20; x < 390; x += 10) {
    for (double y = 15; y < 190; y += 5) EXPECT_NEAR(terrain.height_at({x, y}), saddle_m(x, y), 0.01) << x << ", " << y;
  }
}

// Cliffs and peaks have others of their height next to them, or lie lower on one side.
TEST(TerrainGrid, SingleHeightsFarFromAllAroundThemAreToldOf) {
  const auto issues_of = [](std::initializer_list<std::pair<std::uint32_t, float>> more_m) {
    RawTerrain raw = plane();
    for (const auto& [node, height_m] : more_m) raw.height_m[node] += height_m;
    IssueLog log("dem.tif");
    const Terrain terrain = make_terrain(raw, {{10, 10}, {90, 90}}, origin, log);
    return log.issues();
  };
  const std::uint32_t columns = plane().columns, middle = 4 * columns + 5;
  for (const float off_m : {60.0f, -70.0f}) {
    const std::vector<Issue> spike = issues_of({{middle, off_m}});
    ASSERT_EQ(spike.size(), 1u);
    EXPECT_EQ(spike[0].code, "terrain_spikes");
    EXPECT_EQ(spike[0].action, Issue::Action::assumed);
    EXPECT_EQ(spike[0].message.substr(0, 2), "1 ");
    ASSERT_EQ(spike[0].outline.size(), 1u) << "drawn on the map";
  }
  EXPECT_TRUE(issues_of({{middle, 20.0f}}).empty());
  EXPECT_TRUE(issues_of({{middle, 60.0f}, {middle + 1, 60.0f}}).empty());
}

// Every fifth node is known.
TEST(TerrainGrid, HeightsThatAreMissingAllOverAreInNoPartOfTheArea) {
  RawTerrain raw = plane();
  for (std::size_t i = 0; i < raw.height_m.size(); ++i) {
    if (i % 5 != 0) raw.height_m[i] = nan;
  }
  IssueLog log("dem.tif");
  make_terrain(raw, {{10, 10}, {90, 90}}, origin, log);
  EXPECT_NE(log.issues().at(0).message.find("all over the area"), std::string::npos);
}

TEST(TerrainGrid, GoesOnBeyondItsBorder) {
  IssueLog log("dem.tif");
  const Terrain terrain = make_terrain(plane(), {{50, 50}, {150, 90}}, origin, log);
  EXPECT_TRUE(has_issue(log, "terrain_extended"));
  EXPECT_GE(terrain.extent().max.x, 150);
  EXPECT_DOUBLE_EQ(terrain.height_at({140, 60}), 100 + 2 * 60);
}

// 201 nodes of 9.99631873 m: 0.2 mm off the grid each, 4 cm at the end.
TEST(TerrainGrid, UnevenStepsAreResampled) {
  RawTerrain raw = plane();
  raw.step_x = 9.99631873;
  raw.columns = 201;
  raw.height_m.clear();
  for (int row = 0; row < 11; ++row) {
    for (int column = 0; column < 201; ++column) raw.height_m.push_back(static_cast<float>(10 * column + 20 * row));
  }
  IssueLog log("dem.tif");
  const Terrain terrain = make_terrain(raw, {{10, 10}, {1990, 90}}, origin, log);
  EXPECT_TRUE(has_issue(log, "terrain_resampled"));
  EXPECT_EQ(terrain.step_x, snapped(terrain.step_x));
  // The surface is the same plane, a little steeper than with steps of 10 m.
  for (const double x : {44.0, 1000.0, 1980.0}) {
    EXPECT_NEAR(terrain.height_at({x, 55}), x * 10 / 9.99631873 + 2 * 55, 0.001);
  }
}

TEST(TerrainGrid, EveryNodeIsOnTheCoordinateGrid) {
  RawTerrain raw = plane();
  raw.south_west = {1024.123456, 2048.987654};
  for (float& height : raw.height_m) height += 0.123456F;
  IssueLog log("dem.tif");
  const Terrain terrain = make_terrain(raw, {{10, 10}, {90, 90}}, origin, log);
  EXPECT_EQ(terrain.south_west.x, snapped(terrain.south_west.x));
  EXPECT_EQ(terrain.south_west.y, snapped(terrain.south_west.y));
  for (const float height : terrain.height_m) {
    EXPECT_EQ(static_cast<double>(height), snapped(static_cast<double>(height)));
  }
}

TEST(TerrainGrid, RefusesWhatSaysNothing) {
  IssueLog log("dem.tif");
  EXPECT_THROW(make_terrain(plane(), {{500, 500}, {600, 600}}, origin, log), Error);
  RawTerrain empty = plane();
  empty.height_m.assign(121, nan);
  EXPECT_THROW(make_terrain(empty, {{10, 10}, {90, 90}}, origin, log), Error);
  RawTerrain broken = plane();
  broken.height_m.pop_back();
  EXPECT_THROW(make_terrain(broken, {{10, 10}, {90, 90}}, origin, log), Error);
}

TEST(TerrainGrid, FlatGroundIsSaid) {
  IssueLog log("");
  const Terrain terrain = flat_terrain(12.5, {{0.5, 0.5}, {99.5, 50}}, log);
  EXPECT_TRUE(has_issue(log, "flat_ground"));
  EXPECT_EQ(terrain.height_at({40, 20}), 12.5);
  EXPECT_TRUE(terrain.extent().contains({99.5, 50}));
}

}  // namespace
}  // namespace tesseray
