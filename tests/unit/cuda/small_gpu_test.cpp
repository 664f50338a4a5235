// SPDX-License-Identifier: GPL-3.0-or-later
// A GPU whose memory gives out in the middle of a launch: the CPU launches the rays anew, and nothing half-summed
// stays.
#include <gtest/gtest.h>

#include <atomic>
#include <memory>
#include <utility>
#include <vector>

#include "cuda/bounce_batch.h"
#include "cuda/rooftop_batch.h"
#include "cuda/scatter_batch.h"
#include "processing_algorithms/run/if_it_fits.h"
#include "tests/support/environment.h"
#include "tests/support/kept_warnings.h"
#include "tests/unit/cuda/launch_cases.h"

namespace tesseray::test {
namespace {

enum class Step {
  search,
  start_bounces,
  know_tubes,
  draw_tubes,
  bounce,
  start_scattering,
  gather,
  reflect,
  know,
  diffract
};

// What of a launch a GPU does, and when its memory gives out.
class SmallGpu {
 public:
  // The next time but `before` that it does this, its memory is not enough; after that it is again.
  void give_out_at(Step step, int before) {
    step_ = step;
    left_ = before;
  }
  void about_to(Step step) {
    ++steps_;
    if (step != step_ || left_-- != 0) return;
    throw Error(ErrorKind::resources, "gpu_memory", "the GPU's memory is not enough");
  }
  bool has_given_out() const { return left_ < 0; }
  int steps() const { return steps_; }

 private:
  Step step_ = Step::search;
  std::atomic<int> left_ = -1, steps_ = 0;
};

// What does the work of an interface, and fails as its GPU does.
template <class Interface>
class OnSmallGpu : public Interface {
 public:
  OnSmallGpu(std::unique_ptr<Interface> real, SmallGpu& gpu) : real_(std::move(real)), gpu_(gpu) {}

 protected:
  std::unique_ptr<Interface> real_;
  SmallGpu& gpu_;
};

class SearchOnSmallGpu final : public OnSmallGpu<RooftopSearch> {
 public:
  using OnSmallGpu::OnSmallGpu;
  std::size_t most_targets() const override { return real_->most_targets(); }
  std::size_t host_bytes() const override { return real_->host_bytes(); }
  void find(const RooftopRays& rays, std::span<const RooftopTarget> targets, std::span<RooftopBends> found) override {
    gpu_.about_to(Step::search);
    real_->find(rays, targets, found);
  }
};

class LaunchBouncerOnSmallGpu final : public OnSmallGpu<LaunchBouncer> {
 public:
  using OnSmallGpu::OnSmallGpu;
  std::uint64_t bounce(const TubeBatch& batch, const FollowRays& follow, std::vector<Tube>& children) override {
    gpu_.about_to(Step::bounce);
    return real_->bounce(batch, follow, children);
  }
  void add_to(std::span<ArrivalSums> sums) override { real_->add_to(sums); }
  void know_before(std::span<const FixedPointSum> gains) override {
    gpu_.about_to(Step::know_tubes);
    real_->know_before(gains);
  }
  void draw_by(const RouletteScale& scale, std::span<float> roulette_gain) override {
    gpu_.about_to(Step::draw_tubes);
    real_->draw_by(scale, roulette_gain);
  }
};

class BouncerOnSmallGpu final : public OnSmallGpu<TubeBouncer> {
 public:
  using OnSmallGpu::OnSmallGpu;
  BatchLimits limits() const override { return real_->limits(); }
  std::size_t host_bytes() const override { return real_->host_bytes(); }
  std::unique_ptr<LaunchBouncer> start(const LaunchView& launch) override {
    gpu_.about_to(Step::start_bounces);
    return std::make_unique<LaunchBouncerOnSmallGpu>(real_->start(launch), gpu_);
  }
};

class LaunchScattererOnSmallGpu final : public OnSmallGpu<LaunchScatterer> {
 public:
  using OnSmallGpu::OnSmallGpu;
  PairCounts gather(const RowBatch& batch) override {
    gpu_.about_to(Step::gather);
    return real_->gather(batch);
  }
  PairCounts reflect(const RowBatch& batch) override {
    gpu_.about_to(Step::reflect);
    return real_->reflect(batch);
  }
  PairCounts diffract(const RowBatch& batch) override {
    gpu_.about_to(Step::diffract);
    return real_->diffract(batch);
  }
  void know(std::span<const float> known_gains) override {
    gpu_.about_to(Step::know);
    real_->know(known_gains);
  }
  void add_to(std::span<ArrivalSums> sums, std::span<ScatteredSums> scattered_sums) override {
    real_->add_to(sums, scattered_sums);
  }
};

class ScattererOnSmallGpu final : public OnSmallGpu<RowScatterer> {
 public:
  using OnSmallGpu::OnSmallGpu;
  RowLimits limits() const override { return real_->limits(); }
  std::size_t host_bytes() const override { return real_->host_bytes(); }
  std::unique_ptr<LaunchScatterer> start(const ScatteringView& launch) override {
    gpu_.about_to(Step::start_scattering);
    return std::make_unique<LaunchScattererOnSmallGpu>(real_->start(launch), gpu_);
  }
};

TEST(SmallGpu, LeavesALaunchToTheCpuWholly) {
  const testing::Environment environment(city(), tile_side_m);
  const std::vector<Receiver> receivers = testing::receivers_at({{30.2, 60.1, 8}, {220, 30, 9}});
  const Transmitter transmitter = antenna_at({131, 128, 12});
  RayLaunchingOptions options = all_effects();
  options.pruning = true;
  options.pruning_from_tiles = 1;
  const RayLaunchingResult expected = environment.launch(transmitter, receivers, options);

  SmallGpu gpu;
  const RayLauncher launcher(
      environment.scene, environment.tiling, environment.occlusion, *environment.visibility, receivers, options,
      {.rooftop_search =
           [&](const RooftopSceneView& scene) {
             return std::make_unique<SearchOnSmallGpu>(make_host_rooftop_search(scene, {.targets = 256}), gpu);
           },
       .tube_bouncer =
           [&](const EnvironmentView& view) {
             const BounceCapacity capacity{.tubes = 4096, .members = 1u << 16, .pairs = 1u << 18};
             return std::make_unique<BouncerOnSmallGpu>(make_host_tube_bouncer(view, capacity), gpu);
           },
       .row_scatterer =
           [&](const EnvironmentView& view) {
             const ScatterCapacity capacity{.rows = 100, .members = 1u << 16};
             return std::make_unique<ScattererOnSmallGpu>(make_host_row_scatterer(view, capacity), gpu);
           }});
  // Those in batches fail when one has been done.
  for (const auto& [step, before] :
       {std::pair{Step::search, 1}, std::pair{Step::start_bounces, 0}, std::pair{Step::know_tubes, 0},
        std::pair{Step::draw_tubes, 1}, std::pair{Step::bounce, 1}, std::pair{Step::start_scattering, 0},
        std::pair{Step::gather, 1}, std::pair{Step::reflect, 1}, std::pair{Step::know, 0},
        std::pair{Step::diffract, 1}}) {
    SCOPED_TRACE(static_cast<int>(step));
    gpu.give_out_at(step, before);
    testing::KeptWarnings warnings;
    const RayLaunchingResult found = if_it_fits(
        "the rays", [&] { return launcher.launch(transmitter, no_progress()); },
        [&] {
          const int steps_before = gpu.steps();
          RayLaunchingResult by_cpu = launcher.launch_by_cpu(transmitter, no_progress());
          EXPECT_EQ(gpu.steps(), steps_before);
          return by_cpu;
        },
        warnings);
    EXPECT_TRUE(gpu.has_given_out());
    EXPECT_EQ(warnings.all.size(), 1u);
    expect_same_launch(found, expected, 0);
    if (HasFailure()) return;
  }
  const int steps_before = gpu.steps();
  expect_same_launch(launcher.launch(transmitter, no_progress()), expected, 0);
  EXPECT_GT(gpu.steps(), steps_before) << "the last launch is the GPU's again";
}

}  // namespace
}  // namespace tesseray::test
