// SPDX-License-Identifier: GPL-3.0-or-later
// Launches that hand batches on, of tubes or of rows, against the CPU's own way: what the tests of both kinds share.
//
// A kind names the interfaces (Batcher makes a LaunchBatcher, from a View) and Make, what makes a Batcher; Counts, of
// what is done by batches, and CountedLaunch, a LaunchBatcher that counts and hands on; on_host(), one that works in
// small batches; launcher(), a RayLauncher with it, and is_asked(), whether that hands anything on.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <functional>
#include <memory>
#include <utility>
#include <vector>

#include "core/propagation/launching/ray_launcher.h"
#include "tests/support/environment.h"
#include "tests/unit/cuda/launch_cases.h"
#include "tests/unit/cuda/on_host_and_gpu.h"

namespace tesseray::test {

// A batcher whose launches another one starts, in a way of one's own.
template <class Kind>
class StartedOtherwise final : public Kind::Batcher {
  using Batcher = typename Kind::Batcher;
  using View = typename Kind::View;

 public:
  using Start = std::function<std::unique_ptr<typename Kind::LaunchBatcher>(Batcher&, const View&)>;
  StartedOtherwise(std::unique_ptr<Batcher> batcher, Start start)
      : start_(std::move(start)), batcher_(std::move(batcher)) {}

  decltype(std::declval<const Batcher&>().limits()) limits() const override { return batcher_->limits(); }
  std::size_t host_bytes() const override { return batcher_->host_bytes(); }
  std::unique_ptr<typename Kind::LaunchBatcher> start(const View& launch) override { return start_(*batcher_, launch); }

 private:
  Start start_;  // may own what the batcher reads
  std::unique_ptr<Batcher> batcher_;
};

template <class Kind>
struct Launched {
  RayLaunchingResult result;
  std::unique_ptr<typename Kind::Counts> counts = std::make_unique<typename Kind::Counts>();
  bool by_batches = false;
};

// `make`: none for the CPU's own way.
template <class Kind>
Launched<Kind> launched_with(const testing::Environment& environment, const Transmitter& transmitter,
                             const std::vector<Receiver>& receivers, const RayLaunchingOptions& options,
                             const typename Kind::Make& make) {
  Launched<Kind> launched;
  const typename Kind::Make make_counted = [&, counts = launched.counts.get()](const EnvironmentView& view) {
    const auto start = [counts](typename Kind::Batcher& batcher, const typename Kind::View& launch) {
      return std::make_unique<typename Kind::CountedLaunch>(batcher.start(launch), *counts);
    };
    return std::make_unique<StartedOtherwise<Kind>>(make(view), start);
  };
  const RayLauncher launcher =
      Kind::launcher(environment, receivers, options, make ? make_counted : typename Kind::Make());
  launched.result = launcher.launch(transmitter, no_progress());
  launched.by_batches = Kind::is_asked(launcher);
  return launched;
}

// Launches in both ways and expects the same sums. Gives what went by batches.
template <class Kind>
Launched<Kind> expect_same_by_batches(const testing::Environment& environment, const Case& tested,
                                      const std::vector<Receiver>& receivers, const Runs<typename Kind::Make>& runs) {
  SCOPED_TRACE(tested.name);
  const RayLaunchingResult expected =
      launched_with<Kind>(environment, tested.transmitter, receivers, tested.options, {}).result;
  Launched<Kind> found = launched_with<Kind>(environment, tested.transmitter, receivers, tested.options, runs.make);
  EXPECT_TRUE(found.by_batches);
  expect_same_launch(found.result, expected, runs.tolerance);
  return found;
}

// All of a list of cases, with receivers; `check` is given each case and what went by batches.
template <class Kind, class Check>
void expect_all_same_by_batches(const std::vector<Case>& list, const Runs<typename Kind::Make>& runs,
                                const Check& check) {
  const testing::Environment open(city(), tile_side_m), with_trees(city_with_trees(), tile_side_m);
  const std::vector<Receiver> receivers = testing::receivers_at({{30.2, 60.1, 8}, {220, 30, 9}, {100, 200, 7}});
  for (const Case& tested : list) {
    check(tested, expect_same_by_batches<Kind>(tested.has_trees ? with_trees : open, tested, receivers, runs));
    if (::testing::Test::HasFailure()) return;
  }
}

// Several transmitters at once share one batcher.
template <class Kind>
void expect_same_from_transmitters_at_once(const RayLaunchingOptions& options, const typename Kind::Make& make) {
  const testing::Environment environment(city(), tile_side_m);
  expect_same_at_once(Kind::launcher(environment, {}, options, make));
}

// The sums do not depend on how much is worked out together, nor on how often: `ways` are of ever smaller batches.
// Gives how many the last one had.
template <class Kind>
std::size_t expect_same_by_batches_of_any_size(const testing::Environment& environment,
                                               const RayLaunchingOptions& options,
                                               const std::vector<typename Kind::Make>& ways) {
  const std::vector<Receiver> receivers = testing::receivers_at({{30.2, 60.1, 8}});
  const Transmitter transmitter = antenna_at({131, 128, 40});
  const RayLaunchingResult expected = launched_with<Kind>(environment, transmitter, receivers, options, {}).result;
  std::size_t batches = 0;
  for (const typename Kind::Make& make : ways) {
    const Launched<Kind> found = launched_with<Kind>(environment, transmitter, receivers, options, make);
    EXPECT_GT(found.counts->batches, batches);
    batches = found.counts->batches;
    expect_same_launch(found.result, expected, 0);
  }
  return batches;
}

// What a batch does not do is left to the CPU: angles, delay profiles and receivers alone, and `others`.
template <class Kind>
void expect_not_asked_for_what_is_not_computed(const std::vector<RayLaunchingOptions>& others = {}) {
  const testing::Environment open(city(), 20);
  const std::vector<Receiver> receivers = testing::receivers_at({{30.2, 60.1, 8}});
  const Transmitter transmitter = antenna_at({131, 128, 12});
  std::vector<RayLaunchingOptions> list(3, all_effects());
  list[0].wideband = true;
  list[1].delay_profile_rays = 4;
  list[2].tiles_are_targets = false;
  list.insert(list.end(), others.begin(), others.end());
  for (const RayLaunchingOptions& options : list) {
    const Launched<Kind> found = launched_with<Kind>(open, transmitter, receivers, options, Kind::on_host);
    EXPECT_FALSE(found.by_batches);
    EXPECT_EQ(found.counts->batches, 0u);
  }
}

// Receivers are the CPU's, single rays to them among them. Gives these.
template <class Kind>
std::vector<Ray> expect_same_single_rays(const Runs<typename Kind::Make>& runs, double gain_tolerance) {
  const testing::Environment environment(city_with_trees(), 10);
  const std::vector<Receiver> receivers = testing::receivers_at({{30.2, 60.1, 8}, {220, 30, 9}});
  RayLaunchingOptions options = all_effects();
  options.rays_per_receiver = 20;
  options.scattered_rays = true;
  const Transmitter transmitter = antenna_at({131, 128, 12});
  RayLaunchingResult expected = launched_with<Kind>(environment, transmitter, receivers, options, {}).result;
  const Launched<Kind> found = launched_with<Kind>(environment, transmitter, receivers, options, runs.make);
  EXPECT_TRUE(found.by_batches);
  expect_same_launch(found.result, expected, runs.tolerance);
  EXPECT_EQ(found.result.rays.size(), expected.rays.size());
  for (std::size_t r = 0; r < std::min(found.result.rays.size(), expected.rays.size()); ++r) {
    const Ray &here = found.result.rays[r], &there = expected.rays[r];
    EXPECT_EQ(here.elements, there.elements);
    EXPECT_NEAR(here.path_gain, there.path_gain, gain_tolerance * there.path_gain);
  }
  return std::move(expected.rays);
}

// One that works on the host and is given nothing but copies of the views.
template <class Kind>
std::unique_ptr<typename Kind::Batcher> on_host_from_copies(const EnvironmentView& environment) {
  using LaunchCopy = GarbageAround<typename Kind::View>;
  const auto copy = std::make_shared<GarbageAround<EnvironmentView>>(environment);
  const auto of_launch = std::make_shared<std::unique_ptr<LaunchCopy>>();
  const auto start = [copy, of_launch](typename Kind::Batcher& batcher, const typename Kind::View& launch) {
    *of_launch = std::make_unique<LaunchCopy>(launch);
    return batcher.start((*of_launch)->view());
  };
  return std::make_unique<StartedOtherwise<Kind>>(Kind::on_host(copy->view()), start);
}

// Gives what went by batches.
template <class Kind>
Launched<Kind> expect_same_from_copies(RayLaunchingOptions options) {
  const testing::Environment environment(city_with_trees(), tile_side_m);
  options.pruning = true;
  options.pruning_from_tiles = 1;
  const Transmitter transmitter = cases().back().transmitter;
  const RayLaunchingResult expected = launched_with<Kind>(environment, transmitter, {}, options, {}).result;
  Launched<Kind> found = launched_with<Kind>(environment, transmitter, {}, options, on_host_from_copies<Kind>);
  expect_same_launch(found.result, expected, 0);
  return found;
}

}  // namespace tesseray::test
