// SPDX-License-Identifier: GPL-3.0-or-later
// The index against the plain way: every tile.
#include "core/tiling/tile_index.h"

#include <gtest/gtest.h>

#include <random>
#include <vector>

namespace tesseray {
namespace {

NearestTile plain_nearest(const std::vector<IndexedTile>& tiles, Vec3 p, bool in_space) {
  NearestTile best{0, std::numeric_limits<double>::infinity()};
  for (std::uint32_t t = 0; t < tiles.size(); ++t) {
    const Vec3 difference = tiles[t].centroid - p;
    const double distance = in_space ? norm(difference) : norm(difference.xy());
    if (distance < best.distance_m || (distance == best.distance_m && tiles[t].id < tiles[best.tile].id)) {
      best = {t, distance};
    }
  }
  return best;
}

TEST(TileIndex, FindsWhatThePlainWayFinds) {
  std::mt19937 random(7);
  std::uniform_real_distribution<double> along(0, 400), across(0, 90), up(0, 40), around(-300, 700);
  std::vector<IndexedTile> tiles;
  for (int t = 0; t < 700; ++t) {
    const double x = along(random), y = across(random), z = up(random);
    tiles.push_back({1000 - t, SurfaceKind::wall, {x, y, z}});
  }
  const TileIndex index(tiles);
  for (int i = 0; i < 2000; ++i) {
    const double x = around(random), y = around(random), z = up(random);
    const Vec3 p{x, y, z};
    const NearestTile in_plan = plain_nearest(tiles, p, false), in_space = plain_nearest(tiles, p, true);
    EXPECT_EQ(index.nearest_2d(p.xy())->tile, in_plan.tile);
    EXPECT_DOUBLE_EQ(index.nearest_2d(p.xy())->distance_m, in_plan.distance_m);
    EXPECT_EQ(index.nearest_3d(p)->tile, in_space.tile);
    EXPECT_DOUBLE_EQ(index.nearest_3d(p)->distance_m, in_space.distance_m);
  }
}

TEST(TileIndex, OfEquallyNearTilesTheSmallerIdWins) {
  const std::vector<IndexedTile> tiles{{9, SurfaceKind::ground, {0, 0, 0}},
                                       {4, SurfaceKind::ground, {10, 0, 0}},
                                       {6, SurfaceKind::ground, {5, 5, 0}},
                                       {8, SurfaceKind::ground, {5, -5, 0}}};
  EXPECT_EQ(TileIndex(tiles).nearest_2d({5, 0})->tile, 1u);
}

TEST(TileIndex, APlaceOnATileIsNotThatOfANearerSmallOne) {
  const std::vector<IndexedTile> tiles{{1, SurfaceKind::ground, {5, 5, 0}, {5, 5}},
                                       {2, SurfaceKind::ground, {11.25, 5, 0}, {1.25, 5}}};
  const TileIndex index(tiles);
  EXPECT_EQ(index.nearest_2d({9.5, 5})->tile, 1u);
  EXPECT_EQ(index.at_or_nearest_2d({9.5, 5})->tile, 0u);
  EXPECT_DOUBLE_EQ(index.at_or_nearest_2d({9.5, 5})->distance_m, 4.5);
  EXPECT_EQ(index.at_or_nearest_2d({10.5, 9.9})->tile, 1u);
  EXPECT_EQ(index.at_or_nearest_2d({20, 5})->tile, 1u);
  EXPECT_EQ(index.at_or_nearest_2d({-3, 5})->tile, 0u);
}

TEST(TileIndex, FindsAllWithinAReach) {
  std::mt19937 random(8);
  std::uniform_real_distribution<double> along(0, 400), across(0, 90), around(-100, 500), reach(0, 30);
  std::vector<IndexedTile> tiles;
  for (int t = 0; t < 700; ++t) {
    const double x = along(random), y = across(random);
    tiles.push_back({t, SurfaceKind::ground, {x, y, 0}});
  }
  const TileIndex index(tiles);
  for (int i = 0; i < 500; ++i) {
    const double x = around(random), y = around(random), reach_m = reach(random);
    std::vector<std::uint32_t> expected;
    for (std::uint32_t t = 0; t < tiles.size(); ++t) {
      if (norm(tiles[t].centroid.xy() - Vec2{x, y}) <= reach_m) expected.push_back(t);
    }
    EXPECT_EQ(index.within({x, y}, reach_m), expected);
  }
  EXPECT_TRUE(TileIndex({}).within({0, 0}, 10).empty());
}

TEST(TileIndex, MayBeEmptyOrOfOneTile) {
  EXPECT_FALSE(TileIndex({}).nearest_2d({0, 0}).has_value());
  const std::vector<IndexedTile> one{{1, SurfaceKind::ground, {5, 5, 5}}};
  EXPECT_DOUBLE_EQ(TileIndex(one).nearest_3d({5, 8, 9})->distance_m, 5.0);
}

// A lattice of 10 m with a gap, its coordinates rounded to millimetres, far from zero.
std::vector<IndexedTile> lattice_with_gap() {
  std::vector<IndexedTile> tiles;
  for (int row = 0; row < 40; ++row) {
    for (int column = 0; column < 60; ++column) {
      if (row == 5 && column == 7) continue;
      const double x = std::round((100'000 + 9.87654321 * column) * 1024) / 1024;
      const double y = std::round((50'000 + 10.123456 * row) * 1024) / 1024;
      tiles.push_back({row * 100 + column, SurfaceKind::ground, {x, y, 0}});
    }
  }
  return tiles;
}

TEST(GroundLattice, FindsTheFourTilesAround) {
  const std::vector<IndexedTile> tiles = lattice_with_gap();
  const auto cell = GroundLattice(tiles).around({100'000 + 9.87654321 * 30.25, 50'000 + 10.123456 * 20.75});
  ASSERT_TRUE(cell.has_value());
  EXPECT_EQ(tiles[cell->tiles[0]].id, 2030);
  EXPECT_EQ(tiles[cell->tiles[1]].id, 2031);
  EXPECT_EQ(tiles[cell->tiles[2]].id, 2130);
  EXPECT_EQ(tiles[cell->tiles[3]].id, 2131);
  EXPECT_NEAR(cell->east, 0.25, 2e-3);
  EXPECT_NEAR(cell->north, 0.75, 2e-3);
}

// Those that are parts of cells have their middles beside the lattice.
TEST(GroundLattice, IsThatOfWholeCells) {
  std::vector<IndexedTile> tiles = lattice_with_gap();
  for (IndexedTile& tile : tiles) tile.half = {4.9, 5.1};
  tiles[70].half = {1.2, 2.5};
  tiles[70].centroid.x += 3.75;
  tiles[70].centroid.y += 1.25;
  const GroundLattice lattice(tiles);
  const auto at = [&](double column, double row) {
    return lattice.around({100'000 + 9.87654321 * column, 50'000 + 10.123456 * row});
  };
  const auto cell = at(30.25, 20.75);
  ASSERT_TRUE(cell.has_value());
  EXPECT_EQ(tiles[cell->tiles[0]].id, 2030);
  EXPECT_NEAR(cell->east, 0.25, 2e-3);
  EXPECT_EQ(tiles[70].id, 110);
  EXPECT_FALSE(at(10.5, 1.5).has_value());
  EXPECT_TRUE(at(11.5, 1.5).has_value());
}

TEST(GroundLattice, HasNothingAtGapsAndOutside) {
  const std::vector<IndexedTile> tiles = lattice_with_gap();
  const GroundLattice lattice(tiles);
  const auto at = [&](double column, double row) {
    return lattice.around({100'000 + 9.87654321 * column, 50'000 + 10.123456 * row}).has_value();
  };
  EXPECT_FALSE(at(6.5, 4.5));
  EXPECT_FALSE(at(7.5, 5.5));
  EXPECT_TRUE(at(8.5, 5.5));
  EXPECT_FALSE(at(-0.5, 3));
  EXPECT_FALSE(at(3, -0.5));
  EXPECT_FALSE(at(59.5, 3));
  EXPECT_FALSE(at(3, 39.5));
  EXPECT_FALSE(at(1e9, 3));
}

TEST(GroundLattice, NeedsTwoTilesOnEachAxis) {
  const std::vector<IndexedTile> row{{1, SurfaceKind::ground, {0, 0, 0}}, {2, SurfaceKind::ground, {10, 0, 0}}};
  EXPECT_FALSE(GroundLattice(row).around({5, 0}).has_value());
}

}  // namespace
}  // namespace tesseray
