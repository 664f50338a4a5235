// SPDX-License-Identifier: GPL-3.0-or-later
// What a launch tells of its progress: never less than before, up to the end, in small steps.
#include <gtest/gtest.h>
#include <tbb/global_control.h>

#include <algorithm>
#include <vector>

#include "core/propagation/launch_cost.h"
#include "tests/support/environment.h"
#include "tests/support/synthetic_city.h"

namespace tesseray {
namespace {

class KeptProgress final : public Progress {
 public:
  void advance(double fraction) override { told.push_back(fraction); }
  std::vector<double> told;
};

// On one thread, where steps are told in their order.
std::vector<double> progress_of(const testing::Environment& city, const RayLaunchingOptions& options) {
  const tbb::global_control control(tbb::global_control::max_allowed_parallelism, 1);
  const RayLauncher launcher(city.scene, city.tiling, city.occlusion, *city.visibility, {}, options);
  launcher.prepare(no_progress(), {});
  KeptProgress progress;
  launcher.launch(testing::test_transmitter({120, 120, 40}), progress);
  return progress.told;
}

TEST(LaunchProgress, NeverGoesBackAndEnds) {
  const testing::Environment city(testing::synthetic_city(testing::small_city()), 10.0);
  RayLaunchingOptions options;
  options.over_rooftop = OverRooftop::screens;
  options.transmission.nearest_building = true;
  for (const bool pruning : {false, true}) {
    options.pruning = pruning;
    options.pruning_from_tiles = 0;
    const std::vector<double> told = progress_of(city, options);
    ASSERT_GT(told.size(), 20u);
    EXPECT_TRUE(std::is_sorted(told.begin(), told.end()));
    EXPECT_NEAR(told.back(), 1, 1e-9);
    double longest_step = told.front();
    for (std::size_t i = 1; i < told.size(); ++i) longest_step = std::max(longest_step, told[i] - told[i - 1]);
    EXPECT_LT(longest_step, 0.2);
  }
}

TEST(PhaseShares, EndWithTheWholeForEachKindOfLaunch) {
  for (const int bounces : {0, 1, 2, 3, 5, 8}) {
    for (const int diffractions : {0, 1, 2}) {
      const PhaseShares shares(bounces, diffractions, 2);
      for (std::size_t kind = 0; kind < launch_kinds; ++kind) {
        const PhaseShares::Ends ends = shares.ends(static_cast<LaunchKind>(kind));
        EXPECT_TRUE(std::is_sorted(ends.begin(), ends.end()));
        EXPECT_DOUBLE_EQ(ends.back(), 1);
      }
    }
  }
}

TEST(PhaseShares, AreThoseOfTheLaunchesOfAKindBefore) {
  PhaseShares shares(3, 1, 1);
  const PhaseShares::Ends of_few = shares.ends(LaunchKind::few_in_sight);
  for (const double seconds : {1.0, 2.0}) {
    LaunchCost cost;
    cost.kind = LaunchKind::many_in_sight;
    cost[LaunchPhase::first_level].seconds = seconds;
    cost[LaunchPhase::then_diffraction].seconds = 3 * seconds;
    shares.learn_from(cost);
  }
  const PhaseShares::Ends of_many = shares.ends(LaunchKind::many_in_sight);
  EXPECT_NEAR(of_many[static_cast<std::size_t>(LaunchPhase::first_level)], 0.25, 1e-5);
  EXPECT_NEAR(of_many[static_cast<std::size_t>(LaunchPhase::then_reflection)], 0.25, 1e-5);
  EXPECT_NEAR(of_many[static_cast<std::size_t>(LaunchPhase::then_diffraction)], 1, 1e-5);
  EXPECT_EQ(shares.ends(LaunchKind::few_in_sight), of_few);
}

}  // namespace
}  // namespace tesseray
