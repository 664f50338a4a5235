// SPDX-License-Identifier: GPL-3.0-or-later
// The same bits for any number of threads, and from run to run.
#include <gtest/gtest.h>
#include <tbb/global_control.h>
#include <tbb/task_arena.h>

#include <bit>
#include <cstdint>

#include "tests/support/environment.h"
#include "tests/support/same_sums.h"
#include "tests/support/synthetic_city.h"

namespace tesseray {
namespace {

using testing::Environment;

Scene hilly_city() {
  testing::SyntheticCityOptions options;
  options.width_m = options.depth_m = 300;
  options.seed = 9;
  return testing::synthetic_city(options);
}

void expect_same(const RayLaunchingResult& a, const RayLaunchingResult& b) {
  EXPECT_EQ(a.tubes, b.tubes);
  ASSERT_EQ(a.tiles.size(), b.tiles.size());
  for (std::size_t t = 0; t < a.tiles.size() && !::testing::Test::HasFailure(); ++t)
    testing::expect_same(a.tiles[t], b.tiles[t]);
  ASSERT_EQ(a.receivers.size(), b.receivers.size());
  for (std::size_t r = 0; r < a.receivers.size(); ++r) testing::expect_same(a.receivers[r], b.receivers[r]);
  ASSERT_EQ(a.rays.size(), b.rays.size());
  for (std::size_t i = 0; i < a.rays.size(); ++i) {
    EXPECT_EQ(a.rays[i].target_id, b.rays[i].target_id);
    EXPECT_EQ(a.rays[i].interactions, b.rays[i].interactions);
    EXPECT_EQ(a.rays[i].power_dbm, b.rays[i].power_dbm);
    EXPECT_EQ(a.rays[i].delay_ns, b.rays[i].delay_ns);
    // Scattered rays have no phase.
    EXPECT_EQ(std::bit_cast<std::uint64_t>(a.rays[i].phase_deg), std::bit_cast<std::uint64_t>(b.rays[i].phase_deg));
    EXPECT_EQ(a.rays[i].points, b.rays[i].points);
  }
}

RayLaunchingResult launch_with(int threads, const Environment& city, const RayLaunchingOptions& options) {
  const tbb::global_control control(tbb::global_control::max_allowed_parallelism, static_cast<std::size_t>(threads));
  tbb::task_arena arena(threads);
  Transmitter transmitter = testing::test_transmitter({150.7, 148.3, 45});
  transmitter.erp_dbm = 40;
  const auto receivers = testing::receivers_at({{30.2, 60.1, 22}, {151, 30, 18}, {240.4, 222.2, 25}});
  return arena.execute([&] { return city.launch(transmitter, receivers, options); });
}

RayLaunchingOptions with_rays() {
  RayLaunchingOptions options;
  options.rays_per_receiver = 20;
  options.scattered_rays = true;
  return options;
}

RayLaunchingOptions four_bounces() {
  RayLaunchingOptions options = with_rays();
  options.max_bounces = options.max_reflections = options.max_reflections_with_diffractions = 4;
  options.max_diffractions = 2;
  options.summation = Summation::coherent;
  options.over_rooftop = OverRooftop::screens;
  options.min_power_dbm = -110;
  return options;
}

TEST(Determinism, SameBitsForAnyNumberOfThreads) {
  const Environment city(hilly_city(), 10);
  const RayLaunchingOptions defaults = with_rays(), all = four_bounces();
  RayLaunchingOptions two_after_scattering = defaults;
  two_after_scattering.max_after_scattering = 2;
  two_after_scattering.pruning = true;
  two_after_scattering.pruning_from_tiles = 0;
  for (const RayLaunchingOptions& options : {defaults, all, two_after_scattering}) {
    const auto expected = launch_with(1, city, options);
    EXPECT_GT(expected.tubes, 5'000u);
    EXPECT_FALSE(expected.rays.empty());
    // Of many bounces, which a sample foretells.
    EXPECT_EQ(expected.sampled_over_done > 0, options.max_bounces == all.max_bounces);
    for (const int threads : {2, 7}) {
      SCOPED_TRACE(threads);
      expect_same(launch_with(threads, city, options), expected);
    }
  }
}

// Levels that go on in hundreds of parts, each of which gives back what has bounced. Without draws, which are by what
// is there by then.
TEST(Determinism, SameBitsHoweverManyTubesComeOfALevel) {
  const Environment city(hilly_city(), 10);
  RayLaunchingOptions options = four_bounces();
  options.max_scatterings = 0;
  const RayLaunchingResult expected = launch_with(2, city, options);
  for (const std::size_t few : {1'000u, 50u}) {
    SCOPED_TRACE(few);
    ASSERT_GT(expected.tubes, 100 * few);
    options.tubes_of_level = few;
    expect_same(launch_with(2, city, options), expected);
  }
}

}  // namespace
}  // namespace tesseray
