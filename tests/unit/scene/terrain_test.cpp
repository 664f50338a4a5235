// SPDX-License-Identifier: GPL-3.0-or-later
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/scene/ground_plan/prism_index.h"
#include "core/scene/landscape/terrain_surface.h"
#include "tests/support/synthetic_city.h"

namespace tesseray {
namespace {

using testing::Random;

// One 10 × 10 cell: 0 at the south-west, 10 at the south-east, 20 at the north-west, 40 at the north-east.
Terrain one_cell() {
  Terrain terrain;
  terrain.step_x = terrain.step_y = 10;
  terrain.columns = terrain.rows = 2;
  terrain.height_m = {0, 10, 20, 40};
  return terrain;
}

Terrain rough() {
  Terrain terrain;
  terrain.south_west = {-5, 3};
  terrain.step_x = 7;
  terrain.step_y = 5;
  terrain.columns = 9;
  terrain.rows = 11;
  Random random(11);
  for (int i = 0; i < 99; ++i) terrain.height_m.push_back(static_cast<float>(random.uniform(100, 130)));
  return terrain;
}

TEST(Terrain, CellsAreSplitFromSouthWestToNorthEast) {
  const Terrain terrain = one_cell();
  EXPECT_DOUBLE_EQ(terrain.height_at({0, 0}), 0);
  EXPECT_DOUBLE_EQ(terrain.height_at({10, 0}), 10);
  EXPECT_DOUBLE_EQ(terrain.height_at({0, 10}), 20);
  EXPECT_DOUBLE_EQ(terrain.height_at({10, 10}), 40);
  EXPECT_DOUBLE_EQ(terrain.height_at({5, 5}), 20);  // on the diagonal
  EXPECT_DOUBLE_EQ(terrain.height_at({8, 2}), 14);  // 0 + 8·1 + 2·3
  EXPECT_DOUBLE_EQ(terrain.height_at({2, 8}), 20);  // 0 + 8·2 + 2·2
}

TEST(Terrain, OutsideTakesTheNearestBorderPoint) {
  const Terrain terrain = one_cell();
  EXPECT_DOUBLE_EQ(terrain.height_at({-50, -50}), 0);
  EXPECT_DOUBLE_EQ(terrain.height_at({50, 5}), 25);
  EXPECT_DOUBLE_EQ(terrain.height_at({5, 99}), 30);
  EXPECT_TRUE(std::isfinite(terrain.height_at({std::nan(""), 5})));
}

TEST(TerrainSurface, LowestAlongALineFindsTheValleyBetweenSamples) {
  Terrain terrain = rough();
  std::fill(terrain.height_m.begin(), terrain.height_m.end(), 50.0F);
  terrain.height_m[5 * 9 + 4] = 10;  // node (4, 5) at (23, 28)
  EXPECT_DOUBLE_EQ(lowest_height_along(terrain, {0, 28}, {46, 28}), 10);
  EXPECT_DOUBLE_EQ(lowest_height_along(terrain, {23, 5}, {23, 45}), 10);
  EXPECT_DOUBLE_EQ(lowest_height_along(terrain, {0, 10}, {5, 12}), 50);
}

TEST(TerrainSurface, LowestUnderAPolygonIsBelowEverySampleAndReached) {
  const Terrain terrain = rough();
  const Rings rings{{{0, 10}, {40, 14}, {30, 30}, {44, 48}, {6, 40}, {16, 26}}, {{20, 20}, {18, 24}, {24, 26}}};
  const double lowest = lowest_height_under(terrain, rings);
  double sampled = std::numeric_limits<double>::infinity();
  for (double x = 0; x < 45; x += 0.05) {
    for (double y = 10; y < 48; y += 0.05) {
      if (contains(rings, {x, y})) sampled = std::min(sampled, terrain.height_at({x, y}));
    }
  }
  EXPECT_LE(lowest, sampled);
  EXPECT_NEAR(lowest, sampled, 0.3);
  Terrain upside_down = terrain;
  for (float& height : upside_down.height_m) height = -height;
  EXPECT_DOUBLE_EQ(heights_under(upside_down, rings).highest, -lowest);
}

TEST(TerrainSurface, LowestUnderAPolygonIgnoresAPitInItsCourtyard) {
  Terrain terrain = rough();
  std::fill(terrain.height_m.begin(), terrain.height_m.end(), 50.0F);
  terrain.height_m[5 * 9 + 4] = 10;  // at (23, 28); its slopes end 7 m and 5 m away
  const Rings around{{{10, 15}, {40, 15}, {40, 45}, {10, 45}}, {{14, 20}, {14, 36}, {32, 36}, {32, 20}}};
  EXPECT_DOUBLE_EQ(lowest_height_under(terrain, around), 50);
  EXPECT_DOUBLE_EQ(lowest_height_under(terrain, {around[0]}), 10);
}

TEST(TerrainSurface, MeanOverAWholeCellIsTheMeanOfItsTriangles) {
  // (0 + 10 + 40)/3 and (0 + 20 + 40)/3, half each.
  const Rings cell{{{0, 0}, {10, 0}, {10, 10}, {0, 10}}};
  EXPECT_NEAR(mean_height_under(one_cell(), cell), 0.5 * (50.0 / 3 + 20), 1e-12);
}

TEST(TerrainSurface, MeanAgreesWithSampling) {
  const Terrain terrain = rough();
  const Rings rings{{{0, 10}, {40, 14}, {30, 30}, {44, 48}, {6, 40}, {16, 26}}, {{20, 20}, {18, 24}, {24, 26}}};
  double sum = 0;
  int count = 0;
  for (double x = 0.02; x < 45; x += 0.04) {
    for (double y = 10.02; y < 48; y += 0.04) {
      if (!contains(rings, {x, y})) continue;
      sum += terrain.height_at({x, y});
      ++count;
    }
  }
  EXPECT_NEAR(mean_height_under(terrain, rings), sum / count, 0.01);
}

}  // namespace
}  // namespace tesseray
