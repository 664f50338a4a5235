// SPDX-License-Identifier: GPL-3.0-or-later
// Rays around two corners of one wall: launched as by images, from end to end and back, and the same where the wall
// bends by a few millimetres. Behind a house boundary elements are their reference (image_tracer_golden_test.cpp).
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include "core/base/infinity.h"
#include "core/base/units.h"
#include "core/propagation/images/image_tracer.h"
#include "tests/support/environment.h"
#include "tests/support/synthetic_city.h"

namespace tesseray {
namespace {

constexpr double height_m = 60;
const Vec3 antenna{-15, 3, 10};
const std::vector<Vec3> places{{25, 6, 1.5}, {40, 3, 4}, {13, 6, 1.5}, {22, 9, 20}};

// Both long walls bend inwards in their middle, or outwards where `bend_m` is negative.
Scene house(double bend_m) {
  Scene scene = testing::with_material(testing::flat_ground(100, 100), 1, 0);
  scene.materials.push_back({"wall", 5, 0, 0.01, 0});
  scene.default_materials.wall = 1;
  scene.extent = {};
  scene.prisms = {testing::box_prism(1, {0, 0}, {10, 12}, 0, height_m)};
  scene.prisms.front().rings.front() = {{0, 0}, {5, bend_m}, {10, 0}, {10, 12}, {5, 12 - bend_m}, {0, 12}};
  return scene;
}

Transmitter transmitter_at(Vec3 position, Polarization polarization) {
  Transmitter transmitter = testing::test_transmitter(position);
  transmitter.polarization = polarization;
  return transmitter;
}

// In dB over the EIRP: of what goes around two corners, below the roof, of walls that stand upright.
double around_corners_db(const std::vector<Ray>& rays, std::int64_t receiver) {
  double gain = 0;
  for (const Ray& ray : rays) {
    if (ray.target_id != receiver || ray.interactions != "T-D-D") continue;
    if (ray.points[1].z < height_m - 1 && ray.points[2].z < height_m - 1) gain += ray.path_gain;
  }
  return decibels(gain);
}

double exact_db(const Scene& scene, Vec3 from, Vec3 to, Polarization polarization) {
  ImageTracingOptions options;
  options.max_reflections = 0;
  options.max_diffractions = 2;
  options.link.receiver_polarization = polarization;
  const Occlusion occlusion(scene);
  const auto result = ImageTracer(scene, occlusion, testing::receivers_at({to}), options)
                          .trace(transmitter_at(from, polarization), no_progress());
  return around_corners_db(result.rays, 1);
}

TEST(TwoCorners, RaysAlongAWallAreTheSameBothWays) {
  for (const double bend_m : {0.0, 0.006, 0.3}) {
    const Scene scene = house(bend_m);
    for (const Polarization polarization : {Polarization::vertical, Polarization::horizontal}) {
      for (const Vec3 place : places) {
        EXPECT_NEAR(exact_db(scene, place, antenna, polarization), exact_db(scene, antenna, place, polarization), 1e-4)
            << bend_m << ' ' << place.x;
      }
    }
  }
}

TEST(TwoCorners, WallsThatBendByMillimetresAreStraight) {
  const Scene straight = house(0);
  for (const Polarization polarization : {Polarization::vertical, Polarization::horizontal}) {
    for (const Vec3 place : places) {
      const double expected_db = exact_db(straight, antenna, place, polarization);
      for (const double bend_m : {-0.006, 0.006, 0.02}) {
        EXPECT_NEAR(exact_db(house(bend_m), antenna, place, polarization), expected_db, 0.5)
            << bend_m << ' ' << place.x;
      }
    }
  }
}

TEST(TwoCorners, RaysAreLaunchedAsByImages) {
  for (const double bend_m : {0.0, 0.006, 0.3}) {
    const testing::Environment environment(house(bend_m), 5);
    for (const Polarization polarization : {Polarization::vertical, Polarization::horizontal}) {
      RayLaunchingOptions options = testing::without_scattering(0, 2, 2);
      options.receiver_polarization = polarization;
      const auto result =
          environment.launch(transmitter_at(antenna, polarization), testing::receivers_at(places), options);
      for (std::size_t i = 0; i < places.size(); ++i) {
        EXPECT_NEAR(around_corners_db(result.rays, static_cast<std::int64_t>(i) + 1),
                    exact_db(environment.scene, antenna, places[i], polarization), 1)
            << bend_m << ' ' << places[i].x;
      }
    }
  }
}

// How much the strongest ray by two edges has over the free wave of its length, dB.
double most_over_free_space_db(const testing::Environment& environment, Vec3 antenna, double frequency_hz,
                               const std::vector<Vec3>& places) {
  Transmitter transmitter = testing::test_transmitter(antenna);
  transmitter.frequency_hz = frequency_hz;
  const auto launched =
      environment.launch(transmitter, testing::receivers_at(places), testing::without_scattering(0, 2, 2));
  double most_db = -infinity;
  for (const Ray& ray : launched.rays) {
    if (ray.interactions != "T-D-D") continue;
    const double free_space = wavelength_m(frequency_hz) / (4 * pi * ray.delay_ns * 1e-9 * speed_of_light);
    most_db = std::max(most_db, decibels(ray.path_gain) - 2 * decibels(free_space));
  }
  return most_db;
}

Scene house_of(Ring ring, double top_m, double side_m) {
  Scene scene = testing::with_material(testing::flat_ground(side_m, side_m), 5, 0.01);
  scene.prisms = {testing::box_prism(1, ring.front(), ring.front(), 0, top_m)};
  scene.prisms.front().rings.front() = std::move(ring);
  return scene;
}

// From an upright corner to a roof's edge over walls that bend by 10°, nearly along that edge: seen along it, the way
// is far off the wall below it, which so is no face of both.
TEST(TwoCorners, AWallThatIsMetAskewIsNotRunAlong) {
  const testing::Environment environment(house_of({{70, 90}, {100, 90}, {130, 84.7}, {130, 110}, {70, 110}}, 6, 160),
                                         4);
  const std::vector<Vec3> behind{{145, 75, 9}, {150, 75, 6}, {150, 75, 9}};
  for (const double antenna_y : {90.2, 92.2}) {
    const double most_db = most_over_free_space_db(environment, {43.5, antenna_y, 5.4}, 2e9, behind);
    EXPECT_LT(most_db, -6) << antenna_y;
    EXPECT_GT(most_db, -60) << antenna_y;
  }
}

// The same from the top of a corner, of which the middle lies so far below that from there the way would run along
// both walls. A house of Munich.
TEST(TwoCorners, RaysRunAlongWallsWhereTheyAreThemselves) {
  const Ring ring{{259, 104}, {253, 106}, {249, 106}, {247, 107}, {246, 102}, {241, 103}, {239, 91}, {243, 90},
                  {240, 75},  {233, 76},  {231, 60},  {249, 45},  {252, 45},  {255, 48},  {251, 55}};
  const testing::Environment environment(house_of(ring, 34, 320), 10);
  const std::vector<Vec3> behind{{313, 126.5, 16.4}, {300, 120, 10}, {280, 110, 25}};
  for (const Vec3 antenna : {Vec3{70, 200, 27}, Vec3{100, 185, 30}}) {
    const double most_db = most_over_free_space_db(environment, antenna, 2.1e9, behind);
    EXPECT_LT(most_db, -6) << antenna.x;
    EXPECT_GT(most_db, -60) << antenna.x;
  }
}

}  // namespace
}  // namespace tesseray
