// SPDX-License-Identifier: GPL-3.0-or-later
// An even slope, whose heights are rounded as those of every scene: its pieces reflect as one plane, once to each
// place.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "core/base/units.h"
#include "core/physics/fresnel.h"
#include "core/physics/material.h"
#include "core/propagation/images/image_tracer.h"
#include "core/propagation/rays/even_tiles.h"
#include "tests/support/environment.h"
#include "tests/support/synthetic_city.h"

namespace tesseray {
namespace {

using testing::Environment;

constexpr double length_m = 2300, width_m = 60, permittivity = 5, conductivity = 0.01;
constexpr double same_m = 1e-9, within_db = 0.02;

// Rises by `slope`, in metres, to the east and to the north.
struct Slope {
  Vec2 slope;

  double height_at(Vec2 p) const { return 50 + dot(slope, p); }
  Vec3 over(Vec2 p, double height_m) const { return at_height(p, height_at(p) + height_m); }
  Vec3 normal() const { return normalized(Vec3{-slope.x, -slope.y, 1}); }

  Scene scene() const {
    Scene scene = testing::terrain_of(length_m, width_m, 10, [this](Vec2 p) { return height_at(p); });
    for (float& height : scene.terrain.height_m) height = static_cast<float>(snapped(static_cast<double>(height)));
    return testing::with_material(std::move(scene), permittivity, conductivity);
  }
};
// Neither is a whole number of steps from node to node; the second rises by a step in more than two cells.
constexpr Slope slopes[] = {{{0.03, 0.017}}, {{4e-5, -1.1e-5}}};

std::vector<Vec3> places_over(const Slope& slope) {
  std::vector<Vec3> places;
  for (int i = 0; i < 60; ++i) places.push_back(slope.over({1500 + 11.37 * i, 13.3 + 0.53 * i}, 1.5));
  return places;
}

Transmitter horizontal_antenna(const Slope& slope) {
  Transmitter transmitter = testing::test_transmitter(slope.over({20.7, 33.1}, 10));
  transmitter.polarization = Polarization::horizontal;
  return transmitter;
}

// Over an infinite plane, in amplitude.
struct TwoRays {
  Complex direct, reflected;
  double reflected_m = 0;

  TwoRays(const Slope& slope, Vec3 from, Vec3 to, double frequency_hz) {
    const double wave_number = 2 * pi * frequency_hz / speed_of_light, scale = 1 / (2 * wave_number);
    const Vec3 to_image = mirrored(to, slope.over({}, 0), slope.normal()) - from;
    const double direct_m = norm(to - from);
    reflected_m = norm(to_image);
    const Complex eps = relative_permittivity({permittivity, conductivity}, frequency_hz);
    const Complex gamma = fresnel(eps, -dot(to_image, slope.normal()) / reflected_m).te;
    direct = scale / direct_m * exp_j(-wave_number * direct_m);
    reflected = scale / reflected_m * (gamma * exp_j(-wave_number * reflected_m));
  }
};

void expect_two_rays(const Slope& slope, const Transmitter& transmitter, const std::vector<Vec3>& places,
                     const std::vector<ArrivalSums>& receivers, const std::vector<Ray>& rays, Summation summation) {
  for (std::size_t r = 0; r < places.size(); ++r) {
    SCOPED_TRACE("receiver " + std::to_string(r) + ", slope " + std::to_string(slope.slope.x));
    const TwoRays expected(slope, transmitter.position, places[r], transmitter.frequency_hz);
    std::size_t reflected = 0;
    for (const Ray& ray : rays) {
      if (ray.target_id != static_cast<std::int64_t>(r) + 1 || ray.interactions != "T-G") continue;
      ++reflected;
      EXPECT_NEAR(decibels(ray.path_gain / squared_norm(expected.reflected)), 0, within_db);
      EXPECT_NEAR(ray.delay_ns * 1e-9 * speed_of_light, expected.reflected_m, 1e-4);
    }
    EXPECT_EQ(reflected, 1u);
    const double powers = squared_norm(expected.direct) + squared_norm(expected.reflected);
    const double gain = summation == Summation::power ? powers : squared_norm(expected.direct + expected.reflected);
    EXPECT_NEAR(decibels(testing::total_gain(receivers[r]) / gain), 0, within_db);
  }
}

TEST(EvenSlope, ImagesHaveItsTwoRays) {
  for (const Slope& slope : slopes) {
    const Scene scene = slope.scene();
    const Occlusion occlusion(scene);
    const Transmitter transmitter = horizontal_antenna(slope);
    const std::vector<Vec3> places = places_over(slope);
    ImageTracingOptions options;
    options.max_reflections = 1;
    options.max_diffractions = 0;
    options.max_length_m = 3000;
    options.link = testing::without_scattering(1, 0, 1);
    options.link.receiver_polarization = Polarization::horizontal;
    options.link.summation = Summation::coherent;
    const ImageTracingResult result =
        ImageTracer(scene, occlusion, testing::receivers_at(places), options).trace(transmitter, no_progress());
    expect_two_rays(slope, transmitter, places, result.receivers, result.rays, Summation::coherent);
  }
}

TEST(EvenSlope, LaunchesHaveItsTwoRays) {
  for (const Slope& slope : slopes) {
    const Environment environment(slope.scene(), 10);
    const Transmitter transmitter = horizontal_antenna(slope);
    const std::vector<Vec3> places = places_over(slope);
    for (const Summation summation : {Summation::coherent, Summation::power}) {
      RayLaunchingOptions options = testing::without_scattering(1, 0, 1);
      options.receiver_polarization = Polarization::horizontal;
      options.summation = summation;
      const RayLaunchingResult result =
          environment.launch_to_receivers(transmitter, testing::receivers_at(places), options);
      expect_two_rays(slope, transmitter, places, result.receivers, result.rays, summation);
    }
  }
}

// Uphill of a receiver the slope's image of it lies below a house.
TEST(EvenSlope, AWallBehindAReceiverTakesNothingOfItsReflection) {
  const Slope slope{{0.1, 0}};
  Transmitter transmitter = testing::test_transmitter(slope.over({20.7, 33.1}, 10));
  transmitter.frequency_hz = 300e6;
  std::vector<Vec3> places;
  for (const double before_m : {0.3, 1.0, 2.0, 3.0, 5.0}) {
    for (const double height_m : {1.5, 4.0, 20.0}) places.push_back(slope.over({620 - before_m, 28}, height_m));
  }
  const auto receivers = testing::receivers_at(places);
  RayLaunchingOptions options = testing::without_scattering(1, 1, 1);
  options.over_rooftop = OverRooftop::screens;
  const auto launched = [&](Scene scene) {
    return Environment(std::move(scene), 10).launch_to_receivers(transmitter, receivers, options).receivers;
  };
  Scene with_house = slope.scene();
  with_house.materials.push_back({"air", 1, 0, 0, 0});
  with_house.prisms = {testing::box_prism(1, {620, 10}, {635, 50}, 0, slope.height_at({635, 0}) + 30)};
  with_house.prisms[0].material = 1;
  const std::vector<ArrivalSums> open = launched(slope.scene()), before_house = launched(std::move(with_house));
  for (std::size_t r = 0; r < places.size(); ++r) {
    EXPECT_NEAR(decibels(testing::total_gain(before_house[r]) / testing::total_gain(open[r])), 0, within_db) << r;
  }
}

// Each covers its cell, and the next begins where it ends.
TEST(EvenSlope, TilesLieInItsPlane) {
  for (const Slope& slope : slopes) {
    const Scene scene = slope.scene();
    TilingOptions options;
    options.tile_area_m2 = 25;
    const Tiling tiling = tile_scene(scene, options, no_progress());
    const auto even = with_even_tiles(scene, tiling);
    ASSERT_TRUE(even);
    const Tile& first = even->tiles.front();
    for (std::size_t t = 0; t < even->tiles.size(); ++t) {
      const Tile &tile = even->tiles[t], &seen = tiling.tiles[t];
      EXPECT_EQ(tile.normal, first.normal);
      EXPECT_NEAR(dot(tile.centroid - first.centroid, first.normal), 0, same_m);
      EXPECT_NEAR(dot(tile.half_u, tile.normal), 0, same_m);
      EXPECT_NEAR(dot(tile.half_v, tile.normal), 0, same_m);
      EXPECT_EQ(tile.centroid.xy(), seen.centroid.xy());
      EXPECT_EQ(tile.half_u.xy(), seen.half_u.xy());
      EXPECT_EQ(tile.half_v.xy(), seen.half_v.xy());
      EXPECT_NEAR(tile.centroid.z, seen.centroid.z, coordinate_step_m);
    }
    EXPECT_EQ(even->edges.size(), tiling.edges.size());
  }
}

// Level ground, a slope of whole steps, and a terrain's noise of centimetres.
TEST(EvenSlope, OtherGroundStaysAsItIs) {
  testing::Random random(7);
  const auto is_changed = [](Scene scene) {
    TilingOptions options;
    options.tile_area_m2 = 49;
    return with_even_tiles(scene, tile_scene(scene, options, no_progress())) != nullptr;
  };
  EXPECT_FALSE(is_changed(testing::flat_ground(100, 100)));
  EXPECT_FALSE(is_changed(Slope{{0, 0}}.scene()));
  EXPECT_FALSE(is_changed(Slope{{0.03125, -0.015625}}.scene()));
  EXPECT_FALSE(is_changed(testing::terrain_of(300, 300, 10, [&](Vec2) { return random.uniform(50, 50.05); })));
}

}  // namespace
}  // namespace tesseray
