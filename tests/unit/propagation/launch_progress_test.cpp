// SPDX-License-Identifier: GPL-3.0-or-later
// What a launch tells of its progress: never less than before, up to the end, in small steps.
#include <gtest/gtest.h>
#include <tbb/global_control.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "core/propagation/launching/launch_forecast.h"
#include "tests/support/environment.h"
#include "tests/support/synthetic_city.h"

namespace tesseray {
namespace {

class KeptProgress final : public Progress {
 public:
  void advance(double fraction) override {
    told.push_back(fraction);
    asked_ = 0;
  }
  bool is_cancelled() const override {
    most_asked = std::max(most_asked, ++asked_);
    return false;
  }
  std::vector<double> told;
  mutable int most_asked = 0;  // between two steps

 private:
  mutable int asked_ = 0;
};

struct ToldLaunch {
  std::vector<double> told;
  int most_asked = 0;
  double sampled_over_done = 0;
};

// On one thread, where steps are told in their order.
ToldLaunch told_launch(const testing::Environment& city, const RayLaunchingOptions& options) {
  const tbb::global_control control(tbb::global_control::max_allowed_parallelism, 1);
  const RayLauncher launcher(city.scene, city.tiling, city.occlusion, *city.visibility, {}, options);
  launcher.prepare(no_progress(), {});
  KeptProgress progress;
  const double sampled_over_done =
      launcher.launch(testing::test_transmitter({120, 120, 40}), progress).sampled_over_done;
  return {std::move(progress.told), progress.most_asked, sampled_over_done};
}

TEST(LaunchProgress, IsThatOfReceiversBeforeAnyLaunch) {
  const testing::Environment city(testing::synthetic_city(testing::small_city()), 10.0);
  std::vector<Receiver> receivers;
  for (std::int64_t id = 1; id <= 50; ++id) receivers.push_back({id, {2.0 * static_cast<double>(id), 90, 15}});
  RayLaunchingOptions options;
  options.tiles_are_targets = false;
  const auto launcher_of = [&](Progress& progress) {
    return RayLauncher(city.scene, city.tiling, city.occlusion, *city.visibility, receivers, options, {}, progress);
  };
  const tbb::global_control control(tbb::global_control::max_allowed_parallelism, 1);
  KeptProgress progress;
  (void)launcher_of(progress);
  EXPECT_GT(progress.told.size(), receivers.size());
  EXPECT_TRUE(std::is_sorted(progress.told.begin(), progress.told.end()));
  EXPECT_EQ(progress.told.back(), 1);
  class Cancelled final : public Progress {
    bool is_cancelled() const override { return true; }
  } cancelled;
  EXPECT_THROW((void)launcher_of(cancelled), Error);
}

// What is not there takes no part of it: without vegetation it is that of places over the ground.
TEST(LaunchProgress, OfPreparingGoesInEvenSteps) {
  const testing::Environment bare(testing::flat_ground(400, 400), 10.0);
  const tbb::global_control control(tbb::global_control::max_allowed_parallelism, 1);
  const RayLauncher launcher(bare.scene, bare.tiling, bare.occlusion, *bare.visibility, {}, {});
  KeptProgress progress;
  launcher.prepare(progress, {});
  ASSERT_GT(progress.told.size(), 10u);
  EXPECT_TRUE(std::is_sorted(progress.told.begin(), progress.told.end()));
  EXPECT_EQ(progress.told.back(), 1);
  for (std::size_t k = 1; k < progress.told.size(); ++k) EXPECT_LT(progress.told[k] - progress.told[k - 1], 0.1) << k;
}

TEST(LaunchProgress, OfReceiversIsTheirPartOfThoseWhoLookAround) {
  const testing::Environment bare(testing::flat_ground(100, 100), 10.0);
  RayLaunchingOptions options;
  EXPECT_EQ(share_of_receivers(bare.tiling, 0, options, std::nullopt), 0);
  EXPECT_DOUBLE_EQ(share_of_receivers(bare.tiling, 300, options, std::nullopt), 0.75);
  options.tiles_are_targets = false;
  EXPECT_EQ(share_of_receivers(bare.tiling, 300, options, std::nullopt), 1);
}

TEST(LaunchProgress, NeverGoesBackAndEnds) {
  const testing::Environment city(testing::synthetic_city(testing::small_city()), 10.0);
  RayLaunchingOptions options;
  options.over_rooftop = OverRooftop::screens;
  options.transmission.nearest_building = true;
  RayLaunchingOptions drawn = options;
  drawn.pruning = true;
  drawn.pruning_from_tiles = 0;
  const RayLaunchingOptions sampled = testing::all_effects(4);
  for (const RayLaunchingOptions& of_launch : {options, drawn, sampled}) {
    const std::vector<double> told = told_launch(city, of_launch).told;
    ASSERT_GT(told.size(), 20u);
    EXPECT_TRUE(std::is_sorted(told.begin(), told.end()));
    EXPECT_NEAR(told.back(), 1, 1e-9);
    double longest_step = told.front();
    for (std::size_t i = 1; i < told.size(); ++i) longest_step = std::max(longest_step, told[i] - told[i - 1]);
    EXPECT_LT(longest_step, 0.2);
  }
}

TEST(LaunchProgress, ASampleOfTheBouncesAsksWhetherItIsCancelled) {
  const testing::Environment city(testing::synthetic_city(testing::small_city()), 10.0);
  const ToldLaunch launch = told_launch(city, testing::all_effects(4)), without = told_launch(city, {});
  ASSERT_GT(launch.sampled_over_done, 0);
  ASSERT_EQ(without.sampled_over_done, 0);
  EXPECT_GE(launch.most_asked, without.most_asked + 10);
}

// Bounces come last without scattering.
TEST(LaunchProgress, OfBouncesIsThePartOfWhatTheirSampleForetells) {
  const testing::Environment city(testing::synthetic_city(testing::small_city()), 10.0);
  RayLaunchingOptions options = testing::all_effects(5);
  options.max_scatterings = 0;
  const ToldLaunch launch = told_launch(city, options);
  ASSERT_GT(launch.sampled_over_done, 0);
  ASSERT_GT(launch.told.size(), 20u);
  EXPECT_EQ(launch.told.back(), 1);
  const double left = 1 - launch.told[launch.told.size() - 2];
  const double not_done = std::max(0.0, 1 - 1 / launch.sampled_over_done);
  constexpr double least_of_bounces = 0.7;  // of the launch
  EXPECT_LE(left, not_done + 1e-9);
  EXPECT_GE(left, least_of_bounces * not_done - 1e-9);
}

LaunchExtent extent_of(double share_in_sight, bool draws_by_chance) {
  const double tiles = 1e5, entries = 1e8;
  return {.tiles = tiles,
          .tiles_in_sight = share_in_sight * tiles,
          .hidden_distance_m = 900,
          .row_entries = entries,
          .entries_of_lit_tiles = 2 * share_in_sight * entries,
          .entries_of_lit_edges = 4 * share_in_sight * entries,
          .draws_by_chance = draws_by_chance};
}

TEST(LaunchForecast, EndsWithTheWholeForEachLaunch) {
  RayLaunchingOptions options;
  for (options.max_bounces = 0; options.max_bounces < 7; ++options.max_bounces) {
    for (options.max_diffractions = 0; options.max_diffractions < 3; ++options.max_diffractions) {
      for (options.max_after_scattering = 0; options.max_after_scattering < 3; ++options.max_after_scattering) {
        const LaunchForecast forecast(options);
        for (const LaunchExtent& extent : {extent_of(0, true), extent_of(0.03, true), extent_of(0.3, true),
                                           extent_of(0.1, false), extent_of(1, false), LaunchExtent()}) {
          const LaunchForecast::Ends ends = forecast.ends(extent);
          EXPECT_TRUE(std::is_sorted(ends.begin(), ends.end()));
          EXPECT_DOUBLE_EQ(ends.back(), 1);
          EXPECT_GT(ends.front(), 0);
        }
      }
    }
  }
}

// Over uneven ground the first level takes as much longer as its part of the way in sight does.
TEST(LaunchForecast, IsOfMoreFirstLevelOverUnevenGround) {
  LaunchExtent level = extent_of(0.03, true), uneven = level;
  uneven.is_ground_level = false;
  const LaunchForecast forecast({});
  EXPECT_GT(forecast.ends(uneven).front(), 1.3 * forecast.ends(level).front());
  EXPECT_NEAR(forecast.in_sight(uneven), forecast.in_sight(level), 1e-12);
  EXPECT_GT(forecast.work(uneven), forecast.work(level));
}

TEST(LaunchForecast, LearnsHowMuchLongerPhasesTakeThanIsUsual) {
  const LaunchExtent few = extent_of(0.01, true), many = extent_of(0.3, true);
  LaunchForecast forecast({});
  const auto seconds = [](const LaunchForecast::Ends& ends, LaunchPhase phase) {
    const auto p = static_cast<std::size_t>(phase);
    return p == 0 ? ends[0] : ends[p] - ends[p - 1];
  };
  const LaunchForecast::Ends usual = forecast.ends(few);
  // Twice a launch in which bounces take ten times longer than is usual beside all else.
  for (int launch = 0; launch < 2; ++launch) {
    const LaunchForecast::Ends of_many = LaunchForecast({}).ends(many);
    LaunchCost cost;
    for (std::size_t p = 0; p < launch_phases; ++p) {
      const auto phase = static_cast<LaunchPhase>(p);
      cost[phase].seconds = (phase == LaunchPhase::bounces ? 10 : 1) * seconds(of_many, phase);
    }
    forecast.learn_from(many, cost);
  }
  const LaunchForecast::Ends learnt = forecast.ends(few);
  const double ratio = seconds(learnt, LaunchPhase::bounces) / seconds(learnt, LaunchPhase::first_level);
  EXPECT_NEAR(ratio, 10 * seconds(usual, LaunchPhase::bounces) / seconds(usual, LaunchPhase::first_level), 1e-9);
  EXPECT_NEAR(seconds(learnt, LaunchPhase::then_reflection) / seconds(learnt, LaunchPhase::scattering),
              seconds(usual, LaunchPhase::then_reflection) / seconds(usual, LaunchPhase::scattering), 1e-9);
  EXPECT_DOUBLE_EQ(learnt.back(), 1);
}

}  // namespace
}  // namespace tesseray
