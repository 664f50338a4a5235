// SPDX-License-Identifier: GPL-3.0-or-later
#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <utility>

#include "core/base/error.h"
#include "core/scene/ground_plan/prism_index.h"
#include "core/tiling/walls.h"
#include "tests/unit/tiling/tiled.h"

namespace tesseray {
namespace {

using testing::tiled;

TEST(GroundTiles, LieOnTheSlope) {
  Scene scene = testing::flat_ground(100, 100);
  scene.terrain.height_m = {10, 60, 30, 80};  // rises by 0.5 to the east and 0.2 to the north
  const Tiling tiling = tiled(scene);
  ASSERT_EQ(tiling.tiles.size(), 100u);
  const Vec3 normal = normalized(Vec3{-0.5, -0.2, 1});
  for (const Tile& tile : tiling.tiles) {
    EXPECT_NEAR(norm(tile.normal - normal), 0, 1e-12);
    EXPECT_NEAR(tile.centroid.z, 10 + 0.5 * tile.centroid.x + 0.2 * tile.centroid.y, 1e-9);
    EXPECT_NEAR(tile.area_m2(), 100 / normal.z, 1e-9);
    EXPECT_GT(dot(cross(tile.half_u, tile.half_v), tile.normal), 0);
  }
}

TEST(GroundTiles, GoSouthToNorthAndWestToEast) {
  const Tiling tiling = tiled(testing::flat_ground(30, 20));
  ASSERT_EQ(tiling.tiles.size(), 6u);
  EXPECT_EQ(tiling.tiles[0].centroid, (Vec3{5, 5, 0}));
  EXPECT_EQ(tiling.tiles[1].centroid, (Vec3{15, 5, 0}));
  EXPECT_EQ(tiling.tiles[3].centroid, (Vec3{5, 15, 0}));
}

TEST(GroundTiles, AnotherExtentOrFrameRenumbersNothing) {
  Scene scene = testing::flat_ground(2000, 2000);
  scene.frame.origin = {1'843'200, 5'174'272};
  scene.extent = {{500, 500}, {600, 600}};
  std::map<std::int64_t, Vec2> known;
  for (const Tile& tile : tiled(scene).tiles) known[tile.id] = tile.centroid.xy() + scene.frame.origin;
  scene.extent = {{483.3, 441.7}, {1723.9, 1250.1}};
  int met = 0;
  for (const Tile& tile : tiled(scene).tiles) {
    const auto found = known.find(tile.id);
    if (found == known.end()) continue;
    ++met;
    EXPECT_EQ(found->second, tile.centroid.xy() + scene.frame.origin);
  }
  EXPECT_EQ(met, static_cast<int>(known.size()));

  // The same place with the frame's origin elsewhere.
  scene.frame.origin = scene.frame.origin - Vec2{1024, 2048};
  scene.extent = {{500 + 1024, 500 + 2048}, {600 + 1024, 600 + 2048}};
  for (const Tile& tile : tiled(scene).tiles) {
    ASSERT_EQ(known.count(tile.id), 1u);
    EXPECT_EQ(known[tile.id], tile.centroid.xy() + scene.frame.origin);
  }
}

TEST(GroundTiles, OtherTileAreas) {
  EXPECT_EQ(tiled(testing::flat_ground(100, 100), {.tile_area_m2 = 25}).tiles.size(), 400u);
  EXPECT_EQ(tiled(testing::flat_ground(100, 100), {.tile_area_m2 = 225}).tiles.size(), 49u);
  EXPECT_TRUE(tiled(testing::flat_ground(4, 4)).tiles.empty());
}

// A house on 100 m × 60 m, where no cell of 100 m has its middle.
TEST(GroundTiles, AnAreaWithoutAnyIsAnIssue) {
  Scene scene = testing::flat_ground(100, 60);
  scene.frame.origin = {500'000 + 70, 5'500'000 - 20};
  scene.prisms.push_back(testing::box_prism(1, {10, 10}, {90, 50}, 0, 20));
  const auto issues_with = [&](double tile_area_m2) {
    const Tiling tiling = tiled(scene, {.tile_area_m2 = tile_area_m2});
    EXPECT_FALSE(tiling.tiles.empty());
    return tiling_issues(scene, tiling, "houses");
  };
  EXPECT_TRUE(issues_with(100).empty());
  const std::vector<Issue> issues = issues_with(10'000);
  ASSERT_EQ(issues.size(), 1u);
  EXPECT_EQ(issues[0].code, "no_ground_tiles");
  EXPECT_EQ(issues[0].action, Issue::Action::assumed);
  EXPECT_EQ(issues[0].layer, "");
  EXPECT_EQ(issues[0].feature_id, -1);
  EXPECT_NE(issues[0].message.find("TILE_AREA"), std::string::npos);
  // Nothing but roofs.
  scene.prisms.front() = testing::box_prism(1, {-1, -1}, {101, 61}, 0, 20);
  EXPECT_TRUE(issues_with(100).empty());
}

// A point on the common wall of two houses may be said to be in neither.
TEST(GroundTiles, NoneIsWhereTwoHousesTouch) {
  using testing::box_prism;
  for (const double gap : {0.0, coordinate_step_m}) {
    for (const Vec2 second : {Vec2{1, 0}, Vec2{0, 1}}) {
      const Vec2 corner = Vec2{5, 5} + (30 + gap) * second, end = Vec2{35, 35} + 25.0 * second;
      const Scene scene =
          testing::with_prisms({box_prism(1, {5, 5}, {35, 35}, 0, 10), box_prism(2, corner, end, 0, 10)});
      int on_ground = 0;
      for (const Tile& tile : tiled(scene).tiles) {
        if (tile.kind != SurfaceKind::ground) continue;
        ++on_ground;
        const Vec2 p = tile.centroid.xy();
        EXPECT_FALSE(p.x > 5 && p.y > 5 && p.x < end.x && p.y < end.y) << p.x << ' ' << p.y;
      }
      EXPECT_GT(on_ground, 80);
    }
  }
}

// Of the ground tiles with their middles in an alley, where each begins and ends across it.
std::map<double, double> across_alley(double west, double east) {
  const Scene scene = testing::with_prisms(
      {testing::box_prism(1, {12, 0}, {west, 100}, 0, 10), testing::box_prism(2, {east, 0}, {72, 100}, 0, 10)});
  std::map<double, double> found;
  for (const Tile& tile : tiled(scene).tiles) {
    const double x = tile.centroid.x;
    if (tile.kind != SurfaceKind::ground || x < west || x > east) continue;
    EXPECT_EQ(tile.half_v, (Vec3{0, 5, 0}));
    found[x - tile.half_u.x] = x + tile.half_u.x;
  }
  return found;
}

TEST(GroundTiles, AreInAlleysWhoseCellsHaveTheirMiddlesInHouses) {
  EXPECT_EQ(across_alley(38, 43), (std::map<double, double>{{37.5, 40}, {40, 42.5}}));
  EXPECT_EQ(across_alley(36, 40), (std::map<double, double>{{35, 40}}));
  EXPECT_EQ(across_alley(38.8, 41.2), (std::map<double, double>{}));
}

// 0.4 m behind a wall far less arrives than on the rest of the cell.
TEST(GroundTiles, HaveTheirMiddlesAwayFromWallsBesideTheMiddlesOfCells) {
  EXPECT_EQ(across_alley(34.6, 40), (std::map<double, double>{{35, 40}}));
  EXPECT_EQ(across_alley(33, 40), (std::map<double, double>{{30, 40}}));
}

// What of random places on the open ground has a tile in its cell.
TEST(GroundTiles, LeaveHardlyAnyOpenGroundOut) {
  testing::SyntheticCityOptions city;
  city.width_m = city.depth_m = 600;
  for (const std::uint64_t seed : {1u, 2u, 3u}) {
    city.seed = seed;
    const Scene scene = testing::synthetic_city(city);
    const PrismIndex index(scene);
    std::map<std::pair<int, int>, const Tile*> of_cell;
    const Tiling tiling = tiled(scene);
    const auto cell_at = [&](Vec2 p) {
      const Vec2 in_crs = p + scene.frame.origin;
      return std::pair{static_cast<int>(std::floor(in_crs.x / 10)), static_cast<int>(std::floor(in_crs.y / 10))};
    };
    for (const Tile& tile : tiling.tiles) {
      if (tile.kind == SurfaceKind::ground) of_cell[cell_at(tile.centroid.xy())] = &tile;
    }
    testing::Random random(seed);
    int open = 0, left_out = 0;
    for (int i = 0; i < 20'000; ++i) {
      const Vec2 p{random.uniform(scene.extent.min.x + 10, scene.extent.max.x - 10),
                   random.uniform(scene.extent.min.y + 10, scene.extent.max.y - 10)};
      if (is_in_solid(index, {p.x, p.y, scene.terrain.height_at(p) + 0.01})) continue;
      ++open;
      left_out += of_cell.contains(cell_at(p)) ? 0 : 1;
    }
    EXPECT_GT(open, 5000);
    EXPECT_LT(left_out, 0.04 * open) << seed;
  }
}

Error error_of(const Scene& scene, const TilingOptions& options = {}) {
  try {
    tiled(scene, options);
  } catch (const Error& error) {
    return error;
  }
  return Error(ErrorKind::invalid_input, "none", "", "");
}

TEST(GroundTiles, RefusesWhatCannotBeNumbered) {
  EXPECT_EQ(error_of(testing::flat_ground(1e6, 1e6)).code(), "too_many_ground_tiles");
  EXPECT_EQ(error_of(testing::flat_ground(100, 100), {.tile_area_m2 = 1e-9}).code(), "too_many_ground_tiles");
}

TEST(Tiling, TilesAndEdgesHaveNumbersTogether) {
  EXPECT_NO_THROW(require_numbers(0xfffffffe, 0));
  EXPECT_NO_THROW(require_numbers(0x80000000, 0x7ffffffe));
  EXPECT_THROW(require_numbers(0xffffffff, 0), Error);
  try {
    require_numbers(0x80000000, 0x7fffffff);
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::resources);
    EXPECT_EQ(error.message(), "2147483648 tiles and 2147483647 edge segments are more than can be numbered");
  }
}

// EPSG:4527 has the number of its zone in front of the easting, which makes it 39,500,000 m.
TEST(GroundTiles, WhereCoordinatesAreTooLargeForTheirSizeThatIsSaid) {
  Scene scene = testing::flat_ground(100, 100);
  scene.frame.origin = {38'574 * 1024.0, 4'316 * 1024.0};
  EXPECT_EQ(error_of(scene, {.tile_area_m2 = 2}).code(), "none");
  const Error error = error_of(scene, {.tile_area_m2 = 1});
  EXPECT_EQ(error.code(), "coordinates_too_large");
  EXPECT_NE(error.message().find("39499876"), std::string::npos) << error.message();
  // What it advises does: that area, and no less.
  const std::size_t at = error.hint().find("at least ");
  ASSERT_NE(at, std::string::npos) << error.hint();
  const double least_m2 = std::stod(error.hint().substr(at + 9));
  EXPECT_EQ(error_of(scene, {.tile_area_m2 = least_m2}).code(), "none");
  EXPECT_EQ(error_of(scene, {.tile_area_m2 = least_m2 - 0.02}).code(), "coordinates_too_large");
  EXPECT_NE(error.hint().find("CRS"), std::string::npos);
}

}  // namespace
}  // namespace tesseray
