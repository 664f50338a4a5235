// SPDX-License-Identifier: GPL-3.0-or-later
// Bounces by batches of tubes, on the host and on the GPU if there is one, against the CPU's own way: whole launches.
#include <gtest/gtest.h>

#include <atomic>
#include <cstddef>
#include <memory>
#include <utility>
#include <vector>

#include "cuda/backend.h"
#include "cuda/bounce_batch.h"
#include "tests/support/environment.h"
#include "tests/unit/cuda/launch_cases.h"
#include "tests/unit/cuda/on_host_and_gpu.h"

namespace tesseray::test {
namespace {

// Counts what a bouncer does.
struct Counts {
  std::atomic<std::size_t> batches = 0, tubes = 0;
  std::atomic<std::uint64_t> hits = 0;
};

class CountedLaunch final : public LaunchBouncer {
 public:
  CountedLaunch(std::unique_ptr<LaunchBouncer> bouncer, Counts& counts)
      : bouncer_(std::move(bouncer)), counts_(counts) {}
  std::uint64_t bounce(const TubeBatch& batch, std::vector<Tube>& children) override {
    ++counts_.batches;
    counts_.tubes += batch.tubes.size();
    const std::uint64_t hits = bouncer_->bounce(batch, children);
    counts_.hits += hits;
    return hits;
  }
  void add_to(std::span<ArrivalSums> sums) override { bouncer_->add_to(sums); }
  void know(std::span<const float> roulette_gain) override { bouncer_->know(roulette_gain); }

 private:
  std::unique_ptr<LaunchBouncer> bouncer_;
  Counts& counts_;
};

class CountedBouncer final : public TubeBouncer {
 public:
  CountedBouncer(std::unique_ptr<TubeBouncer> bouncer, Counts& counts)
      : bouncer_(std::move(bouncer)), counts_(counts) {}
  BatchLimits limits() const override { return bouncer_->limits(); }
  std::size_t host_bytes() const override { return bouncer_->host_bytes(); }
  std::unique_ptr<LaunchBouncer> start(const LaunchView& launch) override {
    return std::make_unique<CountedLaunch>(bouncer_->start(launch), counts_);
  }

 private:
  std::unique_ptr<TubeBouncer> bouncer_;
  Counts& counts_;
};

std::unique_ptr<TubeBouncer> on_host(const EnvironmentView& environment) {
  return make_host_tube_bouncer(environment, {.tubes = 4096, .members = 1u << 18, .pairs = 1u << 20});
}

using BouncesByBatches = OnHostAndGpu<MakeTubeBouncer>;

// The host computes the same bits; a GPU has sines, exponentials and arcs of its own.
INSTANTIATE_TEST_SUITE_P(On, BouncesByBatches,
                         ::testing::Values(Runs<MakeTubeBouncer>{"host", on_host, 0},
                                           Runs<MakeTubeBouncer>{"cuda", make_cuda_tube_bouncer, 1e-6}),
                         named_by_device);

struct Launched {
  RayLaunchingResult result;
  std::size_t batches = 0, tubes = 0;
  std::uint64_t hits = 0;
  bool by_batches = false;
};

Launched launched_with(const testing::Environment& environment, const Transmitter& transmitter,
                       const std::vector<Receiver>& receivers, const RayLaunchingOptions& options,
                       const MakeTubeBouncer& make) {
  Counts counts;
  const MakeTubeBouncer make_counted = [&](const EnvironmentView& view) {
    return std::make_unique<CountedBouncer>(make(view), counts);
  };
  const RayLauncher launcher(environment.scene, environment.tiling, environment.occlusion, *environment.visibility,
                             receivers, options, {}, make ? make_counted : MakeTubeBouncer());
  Launched launched = {launcher.launch(transmitter, no_progress())};
  launched.batches = counts.batches;
  launched.tubes = counts.tubes;
  launched.hits = counts.hits;
  launched.by_batches = launcher.bounces_by_batches();
  return launched;
}

TEST_P(BouncesByBatches, ArriveAsOneByOne) {
  const testing::Environment open(city(), 10), with_trees(city_with_trees(), 10);
  for (const Case& tested : cases()) {
    SCOPED_TRACE(tested.name);
    const testing::Environment& environment = tested.has_trees ? with_trees : open;
    const std::vector<Receiver> receivers = testing::receivers_at({{30.2, 60.1, 8}, {220, 30, 9}, {100, 200, 7}});
    const Launched expected = launched_with(environment, tested.transmitter, receivers, tested.options, {});
    const Launched found = launched_with(environment, tested.transmitter, receivers, tested.options, GetParam().make);
    EXPECT_TRUE(found.by_batches);
    EXPECT_GT(found.hits, 20'000u);
    expect_same_launch(found.result, expected.result, GetParam().tolerance);
    if (HasFailure()) return;
  }
}

// Several transmitters at once share one bouncer.
TEST_P(BouncesByBatches, ArriveTheSameFromTransmittersAtOnce) {
  const testing::Environment environment(city(), 10);
  const RayLauncher launcher(environment.scene, environment.tiling, environment.occlusion, *environment.visibility, {},
                             all_effects(), {}, GetParam().make);
  expect_same_at_once(launcher);
}

// The sums do not depend on how many tubes are bounced together, nor on how often.
TEST(BouncesOnHost, ArriveTheSameFromBatchesOfAnySize) {
  const testing::Environment environment(city(60), 10);
  const std::vector<Receiver> receivers = testing::receivers_at({{30.2, 60.1, 8}});
  const Transmitter transmitter = antenna_at({131, 128, 40});
  const Launched expected = launched_with(environment, transmitter, receivers, all_effects(), {});
  std::size_t batches = 0;
  for (const BounceCapacity& capacity :
       {BounceCapacity{}, BounceCapacity{.tubes = 50, .members = 1, .pairs = 1, .children = 7},
        BounceCapacity{.tubes = 1, .members = 1, .pairs = 1, .children = 1}}) {
    const auto make = [&](const EnvironmentView& view) { return make_host_tube_bouncer(view, capacity); };
    const Launched found = launched_with(environment, transmitter, receivers, all_effects(), make);
    EXPECT_GT(found.batches, batches);
    batches = found.batches;
    expect_same_launch(found.result, expected.result, 0);
  }
  EXPECT_GT(batches, 1000u);
}

// What a batch does not do is left to the CPU.
TEST(BouncesOnHost, AreNotAskedForWhatTheyDoNotCompute) {
  const testing::Environment open(city(), 10);
  const std::vector<Receiver> receivers = testing::receivers_at({{30.2, 60.1, 8}});
  const Transmitter transmitter = antenna_at({131, 128, 12});
  RayLaunchingOptions angles = all_effects(), profiles = all_effects(), receivers_alone = all_effects();
  angles.wideband = true;
  profiles.delay_profile_rays = 4;
  receivers_alone.tiles_are_targets = false;
  for (const RayLaunchingOptions& options : {angles, profiles, receivers_alone}) {
    const Launched found = launched_with(open, transmitter, receivers, options, on_host);
    EXPECT_FALSE(found.by_batches);
    EXPECT_EQ(found.batches, 0u);
  }
}

// Receivers are the CPU's, single rays to them among them.
TEST_P(BouncesByBatches, LeaveSingleRaysAsTheyAre) {
  const testing::Environment environment(city_with_trees(), 10);
  const std::vector<Receiver> receivers = testing::receivers_at({{30.2, 60.1, 8}, {220, 30, 9}});
  RayLaunchingOptions options = all_effects();
  options.rays_per_receiver = 20;
  options.scattered_rays = true;
  const Transmitter transmitter = antenna_at({131, 128, 12});
  const Launched expected = launched_with(environment, transmitter, receivers, options, {});
  const Launched found = launched_with(environment, transmitter, receivers, options, GetParam().make);
  EXPECT_TRUE(found.by_batches);
  expect_same_launch(found.result, expected.result, GetParam().tolerance);
  ASSERT_GE(expected.result.rays.size(), 20u);
  ASSERT_EQ(found.result.rays.size(), expected.result.rays.size());
  for (std::size_t r = 0; r < expected.result.rays.size(); ++r) {
    const Ray &here = found.result.rays[r], &there = expected.result.rays[r];
    EXPECT_EQ(here.elements, there.elements);
    EXPECT_NEAR(here.path_gain, there.path_gain, GetParam().tolerance * there.path_gain);
  }
}

class BouncerOfCopies final : public TubeBouncer {
 public:
  explicit BouncerOfCopies(const EnvironmentView& environment)
      : environment_(environment), bouncer_(on_host(environment_.view())) {}
  BatchLimits limits() const override { return bouncer_->limits(); }
  std::size_t host_bytes() const override { return bouncer_->host_bytes(); }
  std::unique_ptr<LaunchBouncer> start(const LaunchView& launch) override {
    launch_ = std::make_unique<GarbageAround<LaunchView>>(launch);
    return bouncer_->start(launch_->view());
  }

 private:
  GarbageAround<EnvironmentView> environment_;
  std::unique_ptr<GarbageAround<LaunchView>> launch_;
  std::unique_ptr<TubeBouncer> bouncer_;
};

TEST(BouncesOnHost, ReadNothingButTheCopies) {
  const testing::Environment environment(city_with_trees(), 10);
  const Case measured = cases().back();
  RayLaunchingOptions options = all_effects();
  options.pruning = true;
  options.pruning_from_tiles = 1;
  const auto of_copies = [](const EnvironmentView& view) { return std::make_unique<BouncerOfCopies>(view); };
  const Launched expected = launched_with(environment, measured.transmitter, {}, options, {});
  const Launched found = launched_with(environment, measured.transmitter, {}, options, of_copies);
  EXPECT_GT(found.hits, 20'000u);
  expect_same_launch(found.result, expected.result, 0);
}

}  // namespace
}  // namespace tesseray::test
