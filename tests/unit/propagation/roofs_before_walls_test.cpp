// SPDX-License-Identifier: GPL-3.0-or-later
// What roofs leave of a ray where a wall reflects it to a receiver: what they leave of the direct ray to that place,
// whatever they leave at the middle of the wall's tile.
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "tests/support/environment.h"
#include "tests/support/ray_losses.h"
#include "tests/support/synthetic_city.h"

namespace tesseray {
namespace {

using testing::Environment;

const Vec3 antenna{20, 100, 12};
constexpr double wall_x = 200;

// A low roof between the antenna and a high wall that faces it.
Scene wall_behind_roof(double roof_z) {
  Scene scene = testing::flat_ground(300, 200);
  scene.prisms = {testing::box_prism(1, {wall_x, 60}, {230, 140}, 0, 40)};
  if (roof_z > 0) scene.prisms.push_back(testing::box_prism(2, {100, 20}, {130, 180}, 0, roof_z));
  return scene;
}

std::vector<Ray> rays_to(const Environment& environment, Vec3 receiver) {
  RayLaunchingOptions options = testing::without_scattering(1, 1, 1);
  options.over_rooftop = OverRooftop::screens;
  options.tiles_are_targets = false;
  options.ray_losses = true;
  options.rays_per_receiver = 100;
  return environment.launch(testing::test_transmitter(antenna), testing::receivers_at({receiver}), options).rays;
}

// That of the wall; none: no points.
Ray reflected_to(const Environment& environment, Vec3 receiver) {
  for (const Ray& ray : rays_to(environment, receiver)) {
    if (ray.interactions == "T-R" && ray.points[1].x == wall_x) return ray;
  }
  return {};
}

// Straight to right before the wall, or over the roof.
Ray straight_to(const Environment& environment, Vec3 place) {
  for (const Ray& ray : rays_to(environment, place - Vec3{0.01, 0, 0})) {
    if (ray.interactions == "T" || ray.interactions == "T-O") return ray;
  }
  ADD_FAILURE() << "no ray";
  return {};
}

TEST(RoofsBeforeWalls, LeaveOfAReflectedRayWhatTheyLeaveAtThePlaceThatReflectsIt) {
  const Environment with(wall_behind_roof(9), 20), without(wall_behind_roof(0), 20);
  const double boundary_z = 9 - 3 * (wall_x - 130) / 110;
  std::size_t in_sight = 0, hidden = 0;
  double least = 100, most = -100;
  for (double z = 1; z < 30; z += 0.5) {
    const Vec3 receiver{180, 110, z};
    const Ray ray = reflected_to(with, receiver), free = reflected_to(without, receiver);
    ASSERT_FALSE(ray.points.empty()) << z;
    ASSERT_FALSE(free.points.empty()) << z;
    const Vec3 place = ray.points[1];
    const Ray there = straight_to(with, place), free_there = straight_to(without, place);
    const double taken = free.power_dbm - ray.power_dbm;
    const bool is_hidden = there.goes_over_rooftops();
    EXPECT_EQ(is_hidden, place.z < boundary_z) << z;
    testing::expect_roofs_take({ray, free}, {there, free_there}, 2, z);
    ++(is_hidden ? hidden : in_sight);
    least = std::min(least, taken);
    most = std::max(most, taken);
  }
  EXPECT_GT(in_sight, 30u);
  EXPECT_GT(hidden, 8u);
  EXPECT_LT(least, -0.5);
  EXPECT_GT(most, 10);
}

// Of tiles of any size those are one ray of which the middles are in sight.
TEST(RoofsBeforeWalls, TilesOfAnySizeReflectTheSame) {
  const Environment coarse(wall_behind_roof(9), 20), fine(wall_behind_roof(9), 4);
  std::size_t compared = 0;
  for (double z = 1; z < 20; z += 0.5) {
    const Vec3 receiver{180, 110, z};
    const Ray ray = reflected_to(coarse, receiver), by_fine = reflected_to(fine, receiver);
    if (by_fine.points.empty()) continue;
    EXPECT_NEAR(ray.power_dbm, by_fine.power_dbm, 1e-3) << z;
    ++compared;
  }
  EXPECT_GT(compared, 20u);
}

// A bridge is no screen: a wall sends nothing from where one hides it.
TEST(RoofsBeforeWalls, WhatHidesOtherwiseLeavesNothing) {
  Scene scene = wall_behind_roof(0);
  Prism bridge = testing::box_prism(2, {100, 20}, {130, 180}, 3, 9);
  bridge.on_ground = false;
  scene.prisms.push_back(bridge);
  const Environment with(scene, 20), without(wall_behind_roof(0), 20);
  std::size_t hidden = 0, free = 0;
  for (double z = 1; z < 30; z += 0.5) {
    const Ray ray = reflected_to(with, {180, 110, z}), as_without = reflected_to(without, {180, 110, z});
    if (ray.points.empty()) {
      EXPECT_LT(as_without.points[1].z, 7.2);
      ++hidden;
    } else {
      EXPECT_NEAR(ray.power_dbm, as_without.power_dbm, 1e-6) << z;
      ++free;
    }
  }
  EXPECT_GT(hidden, 5u);
  EXPECT_GT(free, 20u);
}

}  // namespace
}  // namespace tesseray
