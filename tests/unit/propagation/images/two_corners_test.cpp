// SPDX-License-Identifier: GPL-3.0-or-later
// Rays around two corners of one wall: launched as by images, from end to end and back, and the same where the wall
// bends by a few millimetres. Behind a house boundary elements are their reference (image_tracer_golden_test.cpp).
#include <gtest/gtest.h>

#include <cmath>
#include <utility>
#include <vector>

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

// From an upright corner to a roof's edge over walls that bend by 10°, nearly along that edge: seen along it, the way
// is far off the wall below it, which so is no face of both.
TEST(TwoCorners, AWallThatIsMetAskewIsNotRunAlong) {
  Scene scene = testing::with_material(testing::flat_ground(200, 200), 5, 0.01);
  scene.prisms = {testing::box_prism(1, {70, 90}, {130, 110}, 0, 6)};
  scene.prisms.front().rings.front() = {{70, 90}, {100, 90}, {130, 84.7}, {130, 110}, {70, 110}};
  const testing::Environment environment(std::move(scene), 4);
  const std::vector<Vec3> behind{{145, 75, 9}, {150, 75, 6}, {150, 75, 9}};
  const RayLaunchingOptions options = testing::without_scattering(0, 2, 2);
  int compared = 0;
  for (const double antenna_y : {90.2, 92.2}) {
    Transmitter transmitter = testing::test_transmitter({43.5, antenna_y, 5.4});
    transmitter.frequency_hz = 2e9;
    for (const Ray& ray : environment.launch(transmitter, testing::receivers_at(behind), options).rays) {
      if (ray.interactions != "T-D-D") continue;
      const double length_m = ray.delay_ns * 1e-9 * speed_of_light;
      const double of_free_space = wavelength_m(transmitter.frequency_hz) / (4 * pi * length_m);
      EXPECT_LT(decibels(ray.path_gain) - 2 * decibels(of_free_space), -6) << antenna_y << ' ' << ray.target_id;
      ++compared;
    }
  }
  EXPECT_GT(compared, 6);
}

}  // namespace
}  // namespace tesseray
