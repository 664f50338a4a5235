// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/tiling/tile_id.h"

#include <gtest/gtest.h>

#include <array>
#include <map>
#include <set>
#include <tuple>

#include "core/base/error.h"
#include "tests/unit/tiling/tiled.h"

namespace tesseray {
namespace {

using testing::tiled;

Scene small_city() {
  testing::SyntheticCityOptions options;
  options.width_m = options.depth_m = 500;
  options.tower_share = 0.05;
  return testing::synthetic_city(options);
}

// Where and how large a thing is, to know it again.
template <class Item>
std::array<double, 7> place_of(const Item& item);
template <>
std::array<double, 7> place_of(const Tile& tile) {
  return {tile.centroid.x, tile.centroid.y,   tile.centroid.z,  tile.normal.x,
          tile.normal.y,   norm(tile.half_u), norm(tile.half_v)};
}
template <>
std::array<double, 7> place_of(const EdgeSegment& edge) {
  return {edge.midpoint.x,  edge.midpoint.y,  edge.midpoint.z, edge.direction.x,
          edge.direction.y, edge.direction.z, edge.length_m};
}

template <class Item>
void expect_unique_positive(const std::vector<Item>& items) {
  std::set<std::int64_t> ids;
  for (const Item& item : items) {
    EXPECT_GT(item.id, 0);
    EXPECT_TRUE(ids.insert(item.id).second) << item.id;
  }
}

// How many things are at the same place in both, and that they have the same number there.
template <class Item>
std::size_t expect_kept(const std::vector<Item>& before, const std::vector<Item>& after) {
  std::map<std::array<double, 7>, std::int64_t> ids;
  for (const Item& item : before) ids[place_of(item)] = item.id;
  std::size_t kept = 0;
  for (const Item& item : after) {
    const auto found = ids.find(place_of(item));
    if (found == ids.end()) continue;
    EXPECT_EQ(found->second, item.id);
    ++kept;
  }
  return kept;
}

TEST(TileId, SpacesDoNotMeet) {
  constexpr std::int64_t limit = std::int64_t{1} << 25;
  EXPECT_GT(ground_tile_id(-limit, -limit), 0);
  EXPECT_LT(ground_tile_id(limit - 1, limit - 1), building_tile_id(0, 0));
  EXPECT_LT(building_tile_id(1, (1 << slot_bits) - 1), building_tile_id(2, 0));
  EXPECT_GT(building_tile_id((std::int64_t{1} << 42) - 1, (1 << slot_bits) - 1), 0);
  EXPECT_LT(ridge_id(ground_tile_id(limit - 1, limit - 1), RidgeSide::north), building_edge_id(0, 0));
  EXPECT_GT(building_edge_id((std::int64_t{1} << 42) - 1, (1 << slot_bits) - 1), 0);
  EXPECT_LT(building_tile_id((std::int64_t{1} << 31), 0), std::int64_t{1} << 53);
}

TEST(TileId, AreUniqueInACity) {
  for (const double area : {100.0, 25.0, 400.0}) {
    const Tiling tiling = tiled(small_city(), {.tile_area_m2 = area});
    expect_unique_positive(tiling.tiles);
    expect_unique_positive(tiling.edges);
  }
}

TEST(TileId, AreUniqueWithoutMinimumSizes) {
  const Tiling tiling = tiled(small_city(), {.min_wall_width_m = 0, .min_wall_area_m2 = 0});
  expect_unique_positive(tiling.tiles);
  expect_unique_positive(tiling.edges);
}

TEST(TileId, PartsOfABuildingDoNotCollide) {
  Prism podium = testing::box_prism(7, {20, 20}, {60, 60}, 0, 10),
        tower = testing::box_prism(7, {30, 30}, {50, 50}, 10, 40);
  tower.part = 1;
  const Tiling tiling = tiled(testing::with_prisms({podium, tower}));
  expect_unique_positive(tiling.tiles);
  expect_unique_positive(tiling.edges);
}

// Whatever is done to one building, every tile elsewhere that is still there keeps its number.
TEST(TileId, EditingOneBuildingRenumbersNoOther) {
  const Scene before = small_city();
  const Tiling old = tiled(before);
  for (const std::size_t edited : {std::size_t{3}, before.prisms.size() / 2, before.prisms.size() - 1}) {
    const std::int64_t building = before.prisms[edited].building_id;
    Scene raised = before;
    raised.prisms[edited].top_z += 7;
    Scene removed = before;
    std::erase_if(removed.prisms, [building](const Prism& prism) { return prism.building_id == building; });
    for (const Scene& after : {raised, removed}) {
      const Tiling fresh = tiled(after);
      // All but the tiles of the building and of the walls around it.
      EXPECT_GT(expect_kept(old.tiles, fresh.tiles) + 150, fresh.tiles.size());
      EXPECT_GT(expect_kept(old.edges, fresh.edges) + 100, fresh.edges.size());
    }
  }
}

// A tower with a balcony of 0.2 m before each storey but the lowest, around two of its corners.
Scene tower_with_balconies(int storeys, int lowest) {
  Scene scene = testing::flat_ground(100, 100);
  scene.prisms.push_back(testing::box_prism(1, {20, 20}, {40, 40}, 0, 3.0 * storeys));
  for (int storey = lowest; storey < storeys; ++storey) {
    Prism balcony = testing::box_prism(2 + storey, {40, 15}, {42, 45}, 3 * storey, 3 * storey + 0.25);
    balcony.on_ground = false;
    scene.prisms.push_back(balcony);
  }
  return scene;
}

TEST(TileId, AreEnoughForAnyNumberOfStoreys) {
  constexpr int storeys = 40;
  const Tiling tiling = tiled(tower_with_balconies(storeys, 1));
  expect_unique_positive(tiling.tiles);
  expect_unique_positive(tiling.edges);
  double east_m2 = 0;
  for (const Tile& tile : tiling.tiles) east_m2 += tile.prism == 0 && tile.normal.x > 0.5 ? tile.area_m2() : 0;
  EXPECT_NEAR(east_m2, 20 * (3 * storeys - 0.25 * (storeys - 1)), 1e-9);
  int corners = 0;
  for (const EdgeSegment& edge : tiling.edges) {
    if (edge.kind == EdgeKind::corner && edge.prism == 0 && edge.midpoint.x > 39) ++corners;
  }
  EXPECT_EQ(corners, 2 * storeys);
  // As many as there always were numbers for have these.
  const Tiling fewer = tiled(tower_with_balconies(storeys, storeys - 10));
  EXPECT_GT(expect_kept(fewer.tiles, tiling.tiles), 10u * 2);
  EXPECT_GT(expect_kept(fewer.edges, tiling.edges), 10u * 2);
}

TEST(TileId, TooManyTilesOnOneBuildingAreRefused) {
  Scene scene = testing::flat_ground(10, 10);
  scene.prisms = {testing::box_prism(1, {0, 0}, {4000, 4000}, 0, 10)};
  try {
    tiled(scene, {.tile_area_m2 = 4});
    FAIL() << "no error";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), "too_many_building_tiles");
    EXPECT_NE(error.hint().find("TILE_AREA"), std::string::npos);
  }
}

// Walls have rows to spare however large the tiles are.
TEST(TileId, OfABuildingOfTooManyWallsTheHintHelpsWithTheLargestTilesToo) {
  Scene scene = testing::flat_ground(10, 10);
  constexpr int courtyards_in_a_row = 64;
  Prism prism = testing::box_prism(1, {0, 0}, {20.0 * courtyards_in_a_row, 20.0 * courtyards_in_a_row}, 0, 10);
  for (int i = 0; i < courtyards_in_a_row * courtyards_in_a_row; ++i) {
    const double x = 20.0 * (i % courtyards_in_a_row) + 5, y = 20.0 * (i / courtyards_in_a_row) + 5;
    prism.rings.push_back({{x, y}, {x, y + 10}, {x + 10, y + 10}, {x + 10, y}});
  }
  scene.prisms = {prism};
  try {
    tiled(scene, {.tile_area_m2 = 10000});
    FAIL() << "no error";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), "too_many_building_tiles");
    EXPECT_EQ(error.hint().rfind("divide the building", 0), 0u) << error.hint();
    EXPECT_NE(error.hint().find("MIN_WALL_WIDTH"), std::string::npos);
  }
  EXPECT_FALSE(tiled(scene, {.tile_area_m2 = 10000, .min_wall_width_m = 8}).tiles.empty());
}

TEST(EnvironmentHash, FollowsSceneAndOptions) {
  Scene scene = testing::flat_ground(100, 100);
  const std::uint64_t hash = environment_hash(scene, {});
  EXPECT_EQ(environment_hash(scene_hash(scene), {}), hash);
  EXPECT_NE(environment_hash(scene, {.tile_area_m2 = 99}), hash);
  EXPECT_NE(environment_hash(scene, {.min_wall_width_m = 2}), hash);
  EXPECT_NE(environment_hash(scene, {.min_wall_area_m2 = 2}), hash);
  EXPECT_NE(environment_hash(scene, {.ridge_angle_deg = 200}), hash);
  scene.terrain.height_m[0] = 1;
  EXPECT_NE(environment_hash(scene, {}), hash);
}

}  // namespace
}  // namespace tesseray
