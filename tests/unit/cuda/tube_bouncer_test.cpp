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
#include "tests/unit/cuda/launches_by_batches.h"
#include "tests/unit/cuda/on_host_and_gpu.h"

namespace tesseray::test {
namespace {

struct TubeBatches {
  using Batcher = TubeBouncer;
  using LaunchBatcher = LaunchBouncer;
  using View = LaunchView;
  using Make = MakeTubeBouncer;

  struct Counts {
    std::atomic<std::size_t> batches = 0;
    std::atomic<std::uint64_t> hits = 0;
  };

  class CountedLaunch final : public LaunchBouncer {
   public:
    CountedLaunch(std::unique_ptr<LaunchBouncer> bouncer, Counts& counts)
        : bouncer_(std::move(bouncer)), counts_(counts) {}
    std::uint64_t bounce(const TubeBatch& batch, const FollowRays& follow, std::vector<Tube>& children) override {
      ++counts_.batches;
      const std::uint64_t hits = bouncer_->bounce(batch, follow, children);
      counts_.hits += hits;
      return hits;
    }
    void add_to(std::span<ArrivalSums> sums) override { bouncer_->add_to(sums); }
    void know_before(std::span<const FixedPointSum> gains) override { bouncer_->know_before(gains); }
    void draw_by(const RouletteScale& scale, std::span<float> roulette_gain) override {
      bouncer_->draw_by(scale, roulette_gain);
    }

   private:
    std::unique_ptr<LaunchBouncer> bouncer_;
    Counts& counts_;
  };

  static std::unique_ptr<TubeBouncer> on_host(const EnvironmentView& environment) {
    return make_host_tube_bouncer(environment, {.tubes = 4096, .members = 1u << 18, .pairs = 1u << 20});
  }
  static RayLauncher launcher(const testing::Environment& environment, const std::vector<Receiver>& receivers,
                              const RayLaunchingOptions& options, const Make& make) {
    return {environment.scene, environment.tiling,    environment.occlusion, *environment.visibility, receivers,
            options,           {.tube_bouncer = make}};
  }
  static bool is_asked(const RayLauncher& launcher) { return launcher.bounces_by_batches(); }
};

using BouncesByBatches = OnHostAndGpu<MakeTubeBouncer>;

// The host computes the same bits; a GPU has sines, exponentials and arcs of its own.
INSTANTIATE_TEST_SUITE_P(On, BouncesByBatches,
                         ::testing::Values(Runs<MakeTubeBouncer>{"host", TubeBatches::on_host, 0},
                                           Runs<MakeTubeBouncer>{"cuda", make_cuda_tube_bouncer, 1e-6}),
                         named_by_device);

TEST_P(BouncesByBatches, ArriveAsOneByOne) {
  expect_all_same_by_batches<TubeBatches>(cases(), GetParam(), [](const Case&, const Launched<TubeBatches>& found) {
    EXPECT_GT(found.counts->hits, 10'000u);
  });
}

TEST_P(BouncesByBatches, ArriveTheSameFromTransmittersAtOnce) {
  expect_same_from_transmitters_at_once<TubeBatches>(all_effects(), GetParam().make);
}

TEST(BouncesOnHost, ArriveTheSameFromBatchesOfAnySize) {
  std::vector<MakeTubeBouncer> ways;
  for (const BounceCapacity& capacity :
       {BounceCapacity{}, BounceCapacity{.tubes = 50, .members = 1, .pairs = 1, .children = 7},
        BounceCapacity{.tubes = 1, .members = 1, .pairs = 1, .children = 1}}) {
    ways.push_back([=](const EnvironmentView& view) { return make_host_tube_bouncer(view, capacity); });
  }
  const testing::Environment environment(city(60), tile_side_m);
  EXPECT_GT(expect_same_by_batches_of_any_size<TubeBatches>(environment, all_effects(), ways), 1000u);
}

TEST(BouncesOnHost, AreNotAskedForWhatTheyDoNotCompute) { expect_not_asked_for_what_is_not_computed<TubeBatches>(); }

TEST_P(BouncesByBatches, LeaveSingleRaysAsTheyAre) {
  EXPECT_GE(expect_same_single_rays<TubeBatches>(GetParam(), GetParam().tolerance).size(), 20u);
}

TEST(BouncesOnHost, ReadNothingButTheCopies) {
  EXPECT_GT(expect_same_from_copies<TubeBatches>(all_effects()).counts->hits, 10'000u);
}

}  // namespace
}  // namespace tesseray::test
