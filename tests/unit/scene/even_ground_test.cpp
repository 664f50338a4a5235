// SPDX-License-Identifier: GPL-3.0-or-later
// Which parts of a terrain are one plane but for the rounding of its heights.
#include "core/scene/landscape/even_ground.h"

#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <string>

#include "tests/support/synthetic_city.h"

namespace tesseray {
namespace {

using testing::Random;

// Heights as those of a DEM are rounded.
template <class HeightAt>
Terrain rounded(std::uint32_t columns, std::uint32_t rows, double step_m, const HeightAt& height_at) {
  Terrain terrain = testing::terrain_of((columns - 1) * step_m, (rows - 1) * step_m, step_m, height_at).terrain;
  for (float& height : terrain.height_m) height = static_cast<float>(snapped(static_cast<double>(height)));
  return terrain;
}

// How many cells each plane has, and how many have none.
using Cells = std::map<const EvenPlane*, std::size_t>;

// Of a ground, which has the planes, and its terrain.
Cells cells_of(const EvenGround& ground, const Terrain& terrain) {
  Cells cells;
  for (std::uint32_t row = 0; row + 1 < terrain.rows; ++row) {
    for (std::uint32_t column = 0; column + 1 < terrain.columns; ++column) {
      const EvenPlane* const plane = ground.plane_of(column, row);
      ++cells[plane];
      if (plane == nullptr) continue;
      for (const std::uint32_t i : {column, column + 1}) {
        for (const std::uint32_t j : {row, row + 1}) {
          const Vec2 place = terrain.south_west + Vec2{terrain.step_x * i, terrain.step_y * j};
          EXPECT_NEAR(plane->height_at(place), terrain.node(i, j), coordinate_step_m + 1e-9);
        }
      }
    }
  }
  return cells;
}

// Of any size and any steepness, down to one step of height in many cells.
TEST(EvenGround, ASlopeIsOnePlane) {
  Random random(3);
  for (int i = 0; i < 500; ++i) {
    const auto nodes = [&] { return static_cast<std::uint32_t>(std::lround(std::exp(random.uniform(0.7, 4.5)))); };
    const double step_m = std::round(random.uniform(1, 20)), steepest = std::exp(random.uniform(-10, -1));
    const double to_east = steepest * random.uniform(-1, 1), to_north = steepest * random.uniform(-1, 1);
    const std::uint32_t columns = nodes(), rows = nodes();
    const Terrain terrain =
        rounded(columns, rows, step_m, [&](Vec2 p) { return 50.3 + to_east * p.x + to_north * p.y; });
    EXPECT_EQ(cells_of(EvenGround(terrain), terrain).size(), 1u)
        << columns << " x " << rows << " nodes of " << step_m << " m, " << to_east << ", " << to_north;
  }
}

// Wherever that begins: nothing but the ground itself says where its parts are.
TEST(EvenGround, HousesAndHolesLeaveThePlaneWhole) {
  const auto height_at = [](Vec2 p) {
    return 50 + 0.0312 * p.x - 0.0157 * p.y + (std::fmod(p.x, 70) < 1 && std::fmod(p.y, 90) < 1 ? 2 : 0);
  };
  const Terrain terrain = rounded(101, 101, 10, height_at);
  const EvenGround ground(terrain);
  const Cells cells = cells_of(ground, terrain);
  EXPECT_EQ(cells.size(), 2u);
  EXPECT_LT(cells.at(nullptr), 1000u);
}

TEST(EvenGround, TwoSlopesThatMeetAreTwoPlanes) {
  const Terrain terrain = rounded(101, 101, 10, [](Vec2 p) { return 50 - 0.0312 * std::fabs(p.x - 500); });
  const EvenGround ground(terrain);
  const Cells cells = cells_of(ground, terrain);
  EXPECT_EQ(cells.size(), 2u);
  for (const auto& [plane, count] : cells) {
    ASSERT_NE(plane, nullptr);
    EXPECT_NEAR(std::fabs(plane->slope.x), 0.0312, 2e-6);
    EXPECT_EQ(count, 5000u);
  }
}

// cells_of() holds that no part drifts away from its plane, however gentle the bends.
TEST(EvenGround, RoundGroundIsInPieces) {
  for (const double radius_m : {1e3, 1e4, 1e5, 1e6}) {
    const auto height_at = [&](Vec2 p) { return 80 - std::pow(norm(p - Vec2{900, 1100}), 2) / (2 * radius_m); };
    const Terrain terrain = rounded(201, 201, 10, height_at);
    const EvenGround ground(terrain);
    const Cells cells = cells_of(ground, terrain);
    // A piece is as long as the chord within a step of its plane.
    const double longest_m = 2 * std::sqrt(8 * radius_m * coordinate_step_m) + 20;
    for (const auto& [plane, count] : cells) {
      if (plane == nullptr) continue;
      EXPECT_LT(static_cast<double>(count) * 100, longest_m * longest_m) << radius_m;
    }
  }
}

// A lake among hills stays level to the bit; the shore may lie in its plane.
TEST(EvenGround, WaterStaysLevel) {
  const auto height_at = [](Vec2 p) { return 50.25 + 0.0123 * std::fmax(0, norm(p - Vec2{1010, 990}) - 600); };
  const Terrain terrain = rounded(201, 201, 10, height_at);
  const EvenGround ground(terrain);
  int level = 0;
  for (std::uint32_t row = 0; row + 1 < terrain.rows; ++row) {
    for (std::uint32_t column = 0; column + 1 < terrain.columns; ++column) {
      if (norm(Vec2{10.0 * column, 10.0 * row} - Vec2{1010, 990}) > 580) continue;
      const EvenPlane* const plane = ground.plane_of(column, row);
      if (plane == nullptr) continue;
      ++level;
      ASSERT_EQ(plane->slope.x, 0);
      ASSERT_EQ(plane->slope.y, 0);
      ASSERT_EQ(plane->height_at({1234, 56}), 50.25);
    }
  }
  EXPECT_GT(level, 10000);
}

// What is a plane to the bit needs no other; what is rough has none.
TEST(EvenGround, LevelAndRoughGroundHaveNone) {
  Random random(5);
  EXPECT_TRUE(EvenGround(testing::flat_ground(100, 100).terrain).empty());
  EXPECT_TRUE(EvenGround(rounded(61, 81, 5, [](Vec2) { return 50.3; })).empty());
  EXPECT_TRUE(EvenGround(rounded(61, 81, 5, [](Vec2 p) { return 7 + 0.03125 * p.x - 0.5 * p.y; })).empty());
  for (const double noise_m : {0.01, 0.05, 0.5}) {
    const Terrain rough = rounded(401, 401, 5, [&](Vec2 p) { return 0.02 * p.x + random.uniform(-noise_m, noise_m); });
    EXPECT_TRUE(EvenGround(rough).empty()) << noise_m;
  }
  // Whole metres, as many terrain models have them.
  EXPECT_TRUE(EvenGround(rounded(401, 401, 10, [](Vec2 p) { return std::round(0.013 * p.x + 0.02 * p.y); })).empty());
}

TEST(EvenGround, IsAskedByPlace) {
  const Terrain terrain = rounded(11, 11, 10, [](Vec2 p) { return 0.0312 * p.x; });
  const EvenGround ground(terrain);
  ASSERT_FALSE(ground.empty());
  EXPECT_EQ(ground.plane_at({0, 0}), ground.plane_of(0, 0));
  EXPECT_EQ(ground.plane_at({99.9, 99.9}), ground.plane_of(9, 9));
  for (const Vec2 outside : {Vec2{-0.1, 50}, Vec2{50, -0.1}, Vec2{100.1, 50}, Vec2{50, 100.1}}) {
    EXPECT_EQ(ground.plane_at(outside), nullptr);
  }
  EXPECT_EQ(ground.plane_of(10, 0), nullptr);
}

}  // namespace
}  // namespace tesseray
