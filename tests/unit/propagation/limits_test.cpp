// SPDX-License-Identifier: GPL-3.0-or-later
// The limits of Table 1 of paper 002 and the power threshold, as rays and sums show them.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "core/base/error.h"
#include "core/base/units.h"
#include "core/propagation/tubes/tube.h"
#include "core/scene/ground_plan/prism_index.h"
#include "tests/support/environment.h"
#include "tests/support/synthetic_city.h"

namespace tesseray {
namespace {

using testing::Environment;

const Environment& town() {
  static const Environment made(
      [] {
        testing::SyntheticCityOptions options;
        options.width_m = options.depth_m = 210;
        options.hill_m = 0;
        options.seed = 3;
        return testing::synthetic_city(options);
      }(),
      10);
  return made;
}

const Vec3 antenna{100.3, 101.7, 31};

std::vector<Vec3> points() {
  std::vector<Vec3> places;
  const PrismIndex index(town().scene);
  for (int row = 0; row < 8; ++row) {
    for (int column = 0; column < 8; ++column) {
      const Vec2 p{11.3 + 26.0 * column, 13.9 + 26.0 * row};
      if (index.surface_height(p) <= 0) places.push_back({p.x, p.y, 1.5});
    }
  }
  return places;
}

RayLaunchingResult launch(const RayLaunchingOptions& options) {
  return town().launch(testing::test_transmitter(antenna), testing::receivers_at(points()), options);
}

TEST(Limits, NoRowIsReadForWhatMayNotHappen) {
  const auto rows = [](int max_bounces, int max_reflections, int max_diffractions) {
    RayLaunchingOptions options;
    options.max_bounces = max_bounces;
    options.max_reflections = max_reflections;
    options.max_diffractions = max_diffractions;
    const LaunchCost cost = launch(options).cost;
    return std::array{cost[LaunchPhase::scattering].rows > 0, cost[LaunchPhase::then_reflection].rows > 0,
                      cost[LaunchPhase::then_diffraction].rows > 0};
  };
  EXPECT_EQ(rows(0, 3, 1), (std::array{false, false, false}));
  EXPECT_EQ(rows(1, 3, 1), (std::array{true, false, false}));
  EXPECT_EQ(rows(2, 3, 1), (std::array{true, true, true}));
  EXPECT_EQ(rows(2, 0, 1), (std::array{true, false, true}));
  EXPECT_EQ(rows(2, 3, 0), (std::array{true, true, false}));
}

struct Counts {
  int reflections = 0, diffractions = 0;
  explicit Counts(const Ray& ray) {
    for (const char letter : ray.interactions) {
      reflections += letter == 'R' || letter == 'G' ? 1 : 0;
      diffractions += letter == 'D' ? 1 : 0;
    }
  }
};

RayLaunchingOptions limits(int bounces, int reflections, int diffractions, int together) {
  RayLaunchingOptions options = testing::without_scattering(reflections, diffractions, bounces);
  options.max_reflections_with_diffractions = together;
  options.min_power_dbm = -180;
  return options;
}

TEST(Limits, NoRayHasMoreInteractionsThanAllowed) {
  std::map<std::string, std::size_t> kinds;
  for (const int bounces : {0, 1, 2, 3}) {
    for (const int reflections : {0, 1, 3}) {
      for (const int diffractions : {0, 1, 2}) {
        for (const int together : {0, 2, 3}) {
          const auto result = launch(limits(bounces, reflections, diffractions, together));
          for (const Ray& ray : result.rays) {
            const Counts counts(ray);
            ASSERT_LE(counts.reflections, reflections) << ray.interactions;
            ASSERT_LE(counts.diffractions, diffractions) << ray.interactions;
            ASSERT_LE(counts.reflections + counts.diffractions, bounces) << ray.interactions;
            if (counts.reflections > 0 && counts.diffractions > 0) {
              ASSERT_LE(counts.reflections + counts.diffractions, together) << ray.interactions;
            }
            ++kinds[ray.interactions];
          }
        }
      }
    }
  }
  for (const char* kind : {"T", "T-R", "T-G", "T-D", "T-R-D", "T-D-R", "T-D-D", "T-D-D-G"}) {
    EXPECT_GT(kinds[kind], 0u) << kind;
  }
}

TEST(Limits, WhatIsAllowedIsNotLost) {
  // Raising one limit keeps all rays of before.
  const auto texts = [](const RayLaunchingResult& result) {
    std::vector<std::string> all;
    for (const Ray& ray : result.rays) {
      all.push_back(std::to_string(ray.target_id) + ray.interactions + std::to_string(ray.delay_ns));
    }
    std::sort(all.begin(), all.end());
    return all;
  };
  const auto few = texts(launch(limits(2, 2, 1, 2)));
  for (const RayLaunchingOptions& more :
       {limits(3, 2, 1, 2), limits(2, 3, 1, 2), limits(2, 2, 2, 2), limits(3, 3, 2, 3)}) {
    const auto many = texts(launch(more));
    EXPECT_TRUE(std::includes(many.begin(), many.end(), few.begin(), few.end()));
    EXPECT_GE(many.size(), few.size());
  }
  EXPECT_GT(texts(launch(limits(3, 3, 2, 3))).size(), few.size());
}

TEST(Limits, CombinationsOfTable1) {
  RayLaunchingOptions options;  // 3 bounces, 3 reflections, 1 diffraction, 1 scattering
  const InteractionLimits defaults(options);
  EXPECT_TRUE(defaults.may_reflect(2, 0));
  EXPECT_FALSE(defaults.may_reflect(3, 0));
  EXPECT_TRUE(defaults.may_diffract(2, 0));
  EXPECT_FALSE(defaults.may_diffract(0, 1));
  EXPECT_FALSE(defaults.may_scatter(3, 0));
  EXPECT_TRUE(defaults.may_scatter(1, 1));
  EXPECT_TRUE(defaults.may_scatter(AfterScattering::reflection, 1, 0));
  EXPECT_FALSE(defaults.may_scatter(AfterScattering::reflection, 2, 0));
  EXPECT_FALSE(defaults.may_scatter(AfterScattering::diffraction, 0, 1));
  options.max_bounces = 5;
  options.max_reflections = 5;
  options.max_diffractions = 2;
  options.max_diffractions_with_scatterings = 2;
  const InteractionLimits five(options);
  EXPECT_TRUE(five.may_reflect(4, 0));   // reflections alone know no limit of R + D
  EXPECT_FALSE(five.may_reflect(2, 1));  // 3 R + 1 D
  EXPECT_FALSE(five.may_diffract(3, 0));
  EXPECT_TRUE(five.may_scatter(0, 1));   // 1 D + 1 S
  EXPECT_FALSE(five.may_scatter(0, 2));  // 2 D + 1 S
  EXPECT_FALSE(five.may_scatter(AfterScattering::diffraction, 0, 1));
  EXPECT_FALSE(five.may_scatter(AfterScattering::two_reflections, 0, 0));
  options.max_after_scattering = 2;
  const InteractionLimits two_after(options);
  EXPECT_TRUE(two_after.may_scatter(AfterScattering::two_reflections, 2, 0));
  EXPECT_FALSE(two_after.may_scatter(AfterScattering::two_reflections, 3, 0));            // 6 bounces
  EXPECT_FALSE(two_after.may_scatter(AfterScattering::two_reflections, 0, 2));            // 2 D + 1 S
  EXPECT_TRUE(two_after.may_scatter(AfterScattering::reflection_and_diffraction, 1, 0));  // 2 R + 1 D
  EXPECT_FALSE(two_after.may_scatter(AfterScattering::reflection_and_diffraction, 2, 0));
  EXPECT_FALSE(two_after.may_scatter(AfterScattering::two_diffractions, 0, 0));  // 2 D + 1 S
  options.max_diffractions_with_scatterings = 3;
  EXPECT_TRUE(InteractionLimits(options).may_scatter(AfterScattering::two_diffractions, 0, 0));
  EXPECT_FALSE(InteractionLimits(options).may_scatter(AfterScattering::two_diffractions, 0, 1));
  options.max_after_scattering = 0;
  const InteractionLimits nothing_after(options);
  EXPECT_FALSE(nothing_after.may_scatter(AfterScattering::reflection, 0, 0));
  EXPECT_FALSE(nothing_after.may_scatter(AfterScattering::diffraction, 0, 0));
  options.max_scatterings = 0;
  EXPECT_FALSE(InteractionLimits(options).may_scatter(0, 0));
}

// The ground's reflection, which comes to ground tiles beyond the limits, is none there either where nothing may be
// reflected: beside a low house, of what comes straight, around it, over its roof and from its walls.
TEST(Limits, WithoutReflectionsGroundTilesHaveWhatReceiversHave) {
  Scene scene = testing::flat_ground(200, 200);
  scene.prisms = {testing::box_prism(1, {90, 60}, {110, 140}, 0, 6)};
  scene.materials = {Material{.name = "smooth", .scattering_coefficient = 0}, Material{.name = "rough"}};
  scene.prisms.front().material = 1;
  const Environment house(std::move(scene), 10);
  std::vector<std::uint32_t> ground;
  std::vector<Vec3> places;
  for (std::uint32_t t = 0; t < house.tiling.tiles.size(); ++t) {
    if (house.tiling.tiles[t].kind != SurfaceKind::ground) continue;
    ground.push_back(t);
    places.push_back(house.tiling.tiles[t].centroid + Vec3{0, 0, 1.5});
  }
  for (const int scatterings : {0, 1}) {
    for (const Summation summation : {Summation::local_mean, Summation::coherent, Summation::power}) {
      RayLaunchingOptions options = limits(3, 0, 1, 3);
      options.over_rooftop = OverRooftop::screens;
      options.max_scatterings = scatterings;
      options.summation = summation;
      const RayLaunchingResult result =
          house.launch(testing::test_transmitter({31, 97, 10}), testing::receivers_at(places), options);
      for (std::size_t i = 0; i < ground.size(); ++i) {
        const double at_tile = decibels(testing::total_gain(result.tiles[ground[i]])),
                     at_receiver = decibels(testing::total_gain(result.receivers[i]));
        EXPECT_NEAR(at_tile, at_receiver, 0.1) << places[i].x << " " << places[i].y << ", sum "
                                               << static_cast<int>(summation) << ", scattered " << scatterings;
      }
    }
  }
}

// Tubes below the threshold go no further; what arrives is counted however weak.
TEST(Limits, MinPowerStopsTubesThatAreTooWeak) {
  RayLaunchingOptions options = limits(3, 3, 1, 3);
  std::size_t last = launch(options).tubes;
  std::size_t last_rays = launch(options).rays.size();
  for (const double threshold : {-120.0, -100.0, -80.0, -60.0}) {
    options.min_power_dbm = threshold;
    const auto result = launch(options);
    EXPECT_LT(result.tubes, last) << threshold;
    EXPECT_LE(result.rays.size(), last_rays) << threshold;
    last = result.tubes;
    last_rays = result.rays.size();
  }
  // Above all powers only the direct rays are left, with what the ground below reflects of them.
  options.min_power_dbm = 0;
  const std::vector<Ray> left = launch(options).rays;
  EXPECT_GT(left.size(), 10u);
  for (const Ray& ray : left) {
    EXPECT_TRUE(ray.interactions == "T" || ray.interactions == "T-G") << ray.interactions;
  }
}

// The same rays over the roofs, and so the same path losses, whatever a transmitter's power.
TEST(Limits, MinPowerLeavesRaysOverTheRoofsWhereTheyArrive) {
  Transmitter transmitter = testing::test_transmitter({100.3, 101.7, 6});
  transmitter.frequency_hz = 28e9;
  const auto launch_above = [&](double min_power_dbm) {
    RayLaunchingOptions options = limits(1, 0, 1, 1);
    options.over_rooftop = OverRooftop::screens;
    options.min_power_dbm = min_power_dbm;
    return town().launch(transmitter, testing::receivers_at(points()), options);
  };
  const RayLaunchingResult all = launch_above(-400), strong = launch_above(0);
  const auto over_roofs = [](const RayLaunchingResult& result) {
    std::vector<std::pair<std::int64_t, double>> gains;
    for (const Ray& ray : result.rays) {
      if (ray.interactions == "T-O") gains.emplace_back(ray.target_id, ray.path_gain);
    }
    return gains;
  };
  EXPECT_EQ(over_roofs(strong), over_roofs(all));
  EXPECT_GT(over_roofs(all).size(), 10u);
  std::size_t weak = 0;
  for (std::size_t t = 0; t < all.tiles.size(); ++t) {
    if (all.tiles[t].strongest_mechanism != Mechanism::over_rooftop) continue;
    EXPECT_EQ(strong.tiles[t].strongest_gain, all.tiles[t].strongest_gain);
    weak += all.tiles[t].strongest_gain < 1e-18 ? 1 : 0;
  }
  EXPECT_GT(weak, 20u);
}

TEST(Limits, WithoutScatteringNothingIsScatteredAndReflectionsAreWhole) {
  RayLaunchingOptions options = limits(1, 1, 0, 1);
  const auto without = launch(options);
  options.max_scatterings = 1;
  const auto with = launch(options);
  ASSERT_EQ(with.rays.size(), without.rays.size());
  const double scattered = options.scattering_coefficient * options.scattering_coefficient;
  std::size_t reflected = 0;
  for (std::size_t i = 0; i < with.rays.size(); ++i) {
    EXPECT_EQ(with.rays[i].interactions, without.rays[i].interactions);
    const bool direct = with.rays[i].interactions == "T";
    // On the level ground alone it is a mirror where it is grazed.
    const double cosine =
        with.rays[i].interactions == "T-G" ? normalized(with.rays[i].points[2] - with.rays[i].points[1]).z : 1.0;
    const double share_db = 10 * std::log10(1 - scattered * cosine * cosine);
    EXPECT_NEAR(with.rays[i].power_dbm - without.rays[i].power_dbm, direct ? 0 : share_db, 1e-9);
    reflected += direct ? 0 : 1;
  }
  EXPECT_GT(reflected, 10u);
  for (std::size_t r = 0; r < with.receivers.size(); ++r) {
    EXPECT_NE(without.receivers[r].strongest_mechanism, Mechanism::scattering);
    EXPECT_GE(with.receivers[r].rays, without.receivers[r].rays);
  }
}

TEST(Limits, BouncesOutOfRangeAreRefused) {
  RayLaunchingOptions options;
  options.max_bounces = most_bounces + 1;
  EXPECT_THROW(launch(options), Error);
  options.max_bounces = -1;
  EXPECT_THROW(launch(options), Error);
}

TEST(Limits, FrequencyMustBePositive) {
  Transmitter transmitter = testing::test_transmitter(antenna);
  transmitter.frequency_hz = 0;
  EXPECT_THROW(town().launch(transmitter, {}, testing::direct_only()), Error);
}

TEST(Limits, CancelledLaunchesThrow) {
  class Cancelled final : public Progress {
    bool is_cancelled() const override { return true; }
  };
  Cancelled progress;
  const RayLauncher launcher(town().scene, town().tiling, town().occlusion, *town().visibility, {}, {});
  EXPECT_THROW(launcher.launch(testing::test_transmitter(antenna), progress), Error);
}

}  // namespace
}  // namespace tesseray
