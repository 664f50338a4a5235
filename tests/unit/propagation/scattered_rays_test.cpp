// SPDX-License-Identifier: GPL-3.0-or-later
// Single scattered rays: together they are the power that is summed without them, and the strongest are the strongest.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <string>

#include "core/base/units.h"
#include "tests/support/environment.h"
#include "tests/unit/propagation/two_houses.h"

namespace tesseray {
namespace {

using testing::antenna_between_houses;
using testing::around_houses;
using testing::two_houses;

RayLaunchingOptions all_rays(int bounces, int after_scattering) {
  RayLaunchingOptions options;
  options.max_bounces = bounces;
  options.max_after_scattering = after_scattering;
  options.max_diffractions = bounces > 1 ? 2 : 1;
  options.summation = Summation::power;
  options.rays_per_receiver = 10'000'000;
  options.scattered_rays = true;
  return options;
}

RayLaunchingResult launch(const RayLaunchingOptions& options) {
  return two_houses().launch(testing::test_transmitter(antenna_between_houses), testing::receivers_at(around_houses),
                             options);
}

double length_of(const Ray& ray) {
  double length = 0;
  for (std::size_t i = 1; i < ray.points.size(); ++i) length += norm(ray.points[i] - ray.points[i - 1]);
  return length;
}

TEST(ScatteredRays, AllRaysTogetherAreTheSummedPower) {
  std::map<std::string, std::size_t> kinds;
  for (const auto& [bounces, after] :
       {std::pair(1, 0), std::pair(2, 0), std::pair(2, 1), std::pair(3, 1), std::pair(3, 2)}) {
    SCOPED_TRACE(bounces);
    std::size_t reached = 0;
    for (const bool tiles_are_targets : {true, false}) {
      RayLaunchingOptions options = all_rays(bounces, after);
      options.tiles_are_targets = tiles_are_targets;
      const RayLaunchingResult result = launch(options);
      for (std::size_t r = 0; r < around_houses.size(); ++r) {
        double sum = 0, scattered = 0;
        for (const Ray& ray : result.rays) {
          if (ray.target_id != static_cast<std::int64_t>(r) + 1) continue;
          sum += ray.path_gain;
          scattered += ray.mechanism == Mechanism::scattering ? ray.path_gain : 0;
          ++kinds[ray.interactions];
        }
        const double gain = result.receivers[r].gain.value();
        EXPECT_NEAR(sum, gain, 1e-6 * gain) << "receiver " << r;
        EXPECT_NEAR(sum - scattered, result.ray_gains[r].sum(), 1e-9 * gain);
        reached += scattered > 0 ? 1 : 0;
      }
    }
    EXPECT_GE(reached, 2 * (around_houses.size() - 1));
  }
  for (const char* kind : {"T-S", "T-R-S", "T-G-S", "T-D-S", "T-S-R", "T-S-D", "T-R-S-R", "T-R-S-D", "T-D-S-R",
                           "T-S-R-R", "T-S-G-R", "T-S-R-D", "T-S-D-R", "T-S-D-D"}) {
    EXPECT_GT(kinds[kind], 0u) << kind;
  }
}

TEST(ScatteredRays, AFewAreTheStrongestOfAll) {
  const RayLaunchingResult all = launch(all_rays(3, 2));
  for (const std::size_t few : {1u, 7u, 300u}) {
    RayLaunchingOptions options = all_rays(3, 2);
    options.rays_per_receiver = few;
    const RayLaunchingResult result = launch(options);
    for (std::size_t r = 0; r < around_houses.size(); ++r) {
      const auto of_receiver = [&](const RayLaunchingResult& from) {
        std::vector<const Ray*> rays;
        for (const Ray& ray : from.rays) {
          if (ray.target_id == static_cast<std::int64_t>(r) + 1) rays.push_back(&ray);
        }
        return rays;
      };
      const auto strongest = of_receiver(result), expected = of_receiver(all);
      ASSERT_EQ(strongest.size(), few);
      for (std::size_t i = 0; i < few; ++i) {
        ASSERT_EQ(strongest[i]->path_gain, expected[i]->path_gain) << i;
        EXPECT_EQ(strongest[i]->interactions, expected[i]->interactions) << i;
      }
      // What is left out is still known.
      EXPECT_EQ(result.ray_gains[r].sum(), all.ray_gains[r].sum());
    }
  }
}

// A ray is as long as its delay says, and scattered at the centroid of a tile that both its legs see.
TEST(ScatteredRays, PointsLieOnTheWay) {
  RayLaunchingOptions options = all_rays(3, 2);
  options.max_diffractions = 1;  // from edge to edge the points are found less exactly than the length
  const RayLaunchingResult result = launch(options);
  std::size_t single = 0, twice = 0;
  for (const Ray& ray : result.rays) {
    if (ray.mechanism != Mechanism::scattering) continue;
    const std::size_t place = ray.interactions.find('S') / 2;  // among the points: "T-R-S" has S at 4
    const Tile& tile = two_houses().tiling.tiles[ray.elements[place - 1]];
    EXPECT_EQ(ray.points[place], tile.centroid);
    EXPECT_GT(dot(ray.points[place - 1] - tile.centroid, tile.normal), -1e-9);
    EXPECT_GT(dot(ray.points[place + 1] - tile.centroid, tile.normal), -1e-9);
    ASSERT_EQ(ray.points.size(), ray.elements.size() + 2);
    EXPECT_NEAR(length_of(ray), ray.delay_ns * 1e-9 * speed_of_light, 1e-3) << ray.interactions;
    EXPECT_TRUE(std::isnan(ray.phase_deg));
    single += ray.interactions == "T-S" ? 1 : 0;
    twice += ray.interactions.starts_with("T-S") && ray.elements.size() == 3 ? 1 : 0;
  }
  EXPECT_GT(single, 50u);
  EXPECT_GT(twice, 50u);
}

TEST(ScatteredRays, AreLeftOutUnlessWanted) {
  RayLaunchingOptions options = all_rays(2, 1);
  options.scattered_rays = false;
  for (const Ray& ray : launch(options).rays) EXPECT_EQ(ray.interactions.find('S'), std::string::npos);
}

}  // namespace
}  // namespace tesseray
