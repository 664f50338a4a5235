// SPDX-License-Identifier: GPL-3.0-or-later
// The plane of the ground around a tile: of the ground that lies in one with it, and of no other.
#include "core/propagation/rays/ground_around_tiles.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <vector>

#include "core/base/units.h"
#include "tests/support/environment.h"
#include "tests/support/synthetic_city.h"

namespace tesseray {
namespace {

using testing::Environment;

constexpr double tile_m = 10;

// A street along the y axis, up to a wall of the quay at x = 205, and a river 6 m below.
double height_on_quay(Vec2 p) { return 6 - std::clamp(1.2 * (p.x - 200), 0.0, 6.0); }

// Of ground tiles with such an x, the greatest angle between the normal of the ground around them and another one.
double farthest_off_deg(const Environment& environment, double least_x, double most_x, Vec3 normal) {
  const std::vector<Vec3> normals = normals_of_ground_around(environment.tiling);
  double least_cosine = 1;
  for (std::size_t t = 0; t < normals.size(); ++t) {
    const Vec3 middle = environment.tiling.tiles[t].centroid;
    if (middle.x > least_x && middle.x < most_x) least_cosine = std::min(least_cosine, dot(normals[t], normal));
  }
  return std::acos(std::min(least_cosine, 1.0)) * 180 / pi;
}

TEST(GroundAround, OfAQuayIsNotTheRivers) {
  const Environment quay(testing::terrain_of(400, 200, 5, height_on_quay), tile_m);
  const Vec3 up{0, 0, 1};
  EXPECT_LT(farthest_off_deg(quay, 0, 195, up), 0.3);
  EXPECT_LT(farthest_off_deg(quay, 210, 400, up), 0.3);
}

TEST(GroundAround, HasNoNoiseOfSingleTiles) {
  const Vec2 slope{0.06, -0.03};
  testing::Random random(7);
  const auto noisy = [&](Vec2 p) { return 20 + dot(slope, p) + random.uniform(-0.5, 0.5); };
  const Environment ground(testing::terrain_of(300, 300, tile_m, noisy), tile_m);
  const Vec3 normal = normalized(Vec3{-slope.x, -slope.y, 1});
  double single_tile_cosine = 1;
  for (const Tile& tile : ground.tiling.tiles)
    single_tile_cosine = std::min(single_tile_cosine, dot(tile.normal, normal));
  EXPECT_GT(std::acos(single_tile_cosine) * 180 / pi, 3);
  EXPECT_LT(farthest_off_deg(ground, 50, 250, normal), 0.7);
}

// What a wall reflects along a street is reflected in the street, with a river beside it or without.
TEST(GroundAround, ARiverBesideAStreetLeavesItsReflections) {
  const auto over_street = [&](Vec2 p, double height_m) { return at_height(p, 6 + height_m); };
  std::vector<Vec3> places;
  for (double x = 160.3; x < 199; x += 6) places.push_back(over_street({x, 120}, 1.5));
  RayLaunchingOptions options = testing::without_scattering(2, 1, 2);
  options.over_rooftop = OverRooftop::none;
  const auto ground = [&](const std::function<double(Vec2)>& height_at) {
    Scene scene = testing::terrain_of(400, 200, 5, height_at);
    scene.prisms = {testing::box_prism(1, {100, 20}, {150, 140}, 0, 26),
                    testing::box_prism(2, {180, 70}, {200, 90}, 0, 26)};
    return Environment(std::move(scene), tile_m);
  };
  const Environment beside_river = ground(height_on_quay),
                    nearly_level = ground([](Vec2 p) { return p.x < 399 ? 6.0 : 5.9; });
  for (const double height_m : {5, 10}) {
    const Transmitter transmitter = testing::test_transmitter(over_street({170, 40}, height_m));
    const auto launched = [&](const Environment& environment) {
      return environment.launch_to_receivers(transmitter, testing::receivers_at(places), options).receivers;
    };
    const std::vector<ArrivalSums> with_river = launched(beside_river), without = launched(nearly_level);
    for (std::size_t r = 0; r < places.size(); ++r) {
      ASSERT_GT(testing::total_gain(without[r]), 0);
      EXPECT_NEAR(decibels(testing::total_gain(with_river[r]) / testing::total_gain(without[r])), 0, 0.3)
          << height_m << ", " << places[r].x;
    }
  }
}

}  // namespace
}  // namespace tesseray
