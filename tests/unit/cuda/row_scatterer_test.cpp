// SPDX-License-Identifier: GPL-3.0-or-later
// Scattered power by batches of rows, on the host and on the GPU if there is one, against the CPU's own way: whole
// launches.
#include "core/propagation/row_scatterer.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <memory>
#include <utility>
#include <vector>

#include "core/base/hash.h"
#include "cuda/backend.h"
#include "cuda/scatter_batch.h"
#include "cuda/thread_block.h"
#include "tests/support/environment.h"
#include "tests/unit/cuda/launch_cases.h"
#include "tests/unit/cuda/on_host_and_gpu.h"

namespace tesseray::test {
namespace {

// Counts what a scatterer does.
struct Counts {
  std::atomic<std::size_t> batches = 0;
  std::atomic<std::uint64_t> ended = 0, mirrored = 0, diffracted = 0;  // pairs joined
};

class CountedLaunch final : public LaunchScatterer {
 public:
  CountedLaunch(std::unique_ptr<LaunchScatterer> scatterer, Counts& counts)
      : scatterer_(std::move(scatterer)), counts_(counts) {}
  PairCounts gather(const RowBatch& batch) override { return counted(scatterer_->gather(batch), counts_.ended); }
  PairCounts reflect(const RowBatch& batch) override { return counted(scatterer_->reflect(batch), counts_.mirrored); }
  PairCounts diffract(const RowBatch& batch) override {
    return counted(scatterer_->diffract(batch), counts_.diffracted);
  }
  void know(std::span<const float> known_gains) override { scatterer_->know(known_gains); }
  void add_to(std::span<ArrivalSums> sums, std::span<ScatteredSums> scattered_sums) override {
    scatterer_->add_to(sums, scattered_sums);
  }

 private:
  PairCounts counted(const PairCounts& pairs, std::atomic<std::uint64_t>& joined) {
    ++counts_.batches;
    EXPECT_LE(pairs.joined, pairs.looked_at);
    joined += pairs.joined;
    return pairs;
  }

  std::unique_ptr<LaunchScatterer> scatterer_;
  Counts& counts_;
};

class CountedScatterer final : public RowScatterer {
 public:
  CountedScatterer(std::unique_ptr<RowScatterer> scatterer, Counts& counts)
      : scatterer_(std::move(scatterer)), counts_(counts) {}
  RowLimits limits() const override { return scatterer_->limits(); }
  std::size_t host_bytes() const override { return scatterer_->host_bytes(); }
  std::unique_ptr<LaunchScatterer> start(const ScatteringView& launch) override {
    return std::make_unique<CountedLaunch>(scatterer_->start(launch), counts_);
  }

 private:
  std::unique_ptr<RowScatterer> scatterer_;
  Counts& counts_;
};

std::unique_ptr<RowScatterer> on_host(const EnvironmentView& environment) {
  return make_host_row_scatterer(environment, {.rows = 100, .members = 1u << 16});
}

using ScatteringByBatches = OnHostAndGpu<MakeRowScatterer>;

// The host computes the same bits; a GPU has sines, exponentials and arcs of its own, which go on in single precision.
INSTANTIATE_TEST_SUITE_P(On, ScatteringByBatches,
                         ::testing::Values(Runs<MakeRowScatterer>{"host", on_host, 0},
                                           Runs<MakeRowScatterer>{"cuda", make_cuda_row_scatterer, 1e-5}),
                         named_by_device);

struct Launched {
  RayLaunchingResult result;
  std::size_t batches = 0;
  std::uint64_t ended = 0, mirrored = 0, diffracted = 0;
  bool by_batches = false;
};

Launched launched_with(const testing::Environment& environment, const Transmitter& transmitter,
                       const std::vector<Receiver>& receivers, const RayLaunchingOptions& options,
                       const MakeRowScatterer& make) {
  Counts counts;
  const MakeRowScatterer make_counted = [&](const EnvironmentView& view) {
    return std::make_unique<CountedScatterer>(make(view), counts);
  };
  const RayLauncher launcher(environment.scene, environment.tiling, environment.occlusion, *environment.visibility,
                             receivers, options, {}, {}, make ? make_counted : MakeRowScatterer());
  Launched launched = {launcher.launch(transmitter, no_progress())};
  launched.batches = counts.batches;
  launched.ended = counts.ended;
  launched.mirrored = counts.mirrored;
  launched.diffracted = counts.diffracted;
  launched.by_batches = launcher.scatters_by_batches();
  return launched;
}

RayLaunchingOptions all_drawn_by_chance() {
  RayLaunchingOptions options = all_effects();
  options.pruning = true;
  options.pruning_from_tiles = 1;
  return options;
}

// Those of bounces, and what else there is to scattering.
std::vector<Case> scattering_cases() {
  std::vector<Case> list = cases();
  const Transmitter street = antenna_at({131, 128, 12});
  list.push_back({"trees, drawn by chance", all_drawn_by_chance(), street, true});
  list.push_back({"nothing after the scattering", all_drawn_by_chance(), street, true});
  list.back().options.max_after_scattering = 0;
  list.push_back({"directive lobes", all_effects(), street});
  list.back().options.scattering_lobe_exponent = 4;
  list.push_back({"directive lobes, drawn by chance", all_drawn_by_chance(), street});
  list.back().options.scattering_lobe_exponent = 2;
  list.push_back({"the reflected power, both polarisations", all_effects(), street});
  list.back().options.scattering_model = ScatteringModel::reflected;
  list.back().options.cross_polarization = 0.2;
  return list;
}

TEST_P(ScatteringByBatches, ArrivesAsRowByRow) {
  const testing::Environment open(city(), 10), with_trees(city_with_trees(), 10);
  for (const Case& tested : scattering_cases()) {
    SCOPED_TRACE(tested.name);
    const testing::Environment& environment = tested.has_trees ? with_trees : open;
    const std::vector<Receiver> receivers = testing::receivers_at({{30.2, 60.1, 8}, {220, 30, 9}, {100, 200, 7}});
    const Launched expected = launched_with(environment, tested.transmitter, receivers, tested.options, {});
    const Launched found = launched_with(environment, tested.transmitter, receivers, tested.options, GetParam().make);
    EXPECT_TRUE(found.by_batches);
    EXPECT_GT(found.ended, 5'000u);
    if (tested.options.max_after_scattering > 0) {
      EXPECT_GT(found.mirrored, tested.options.pruning ? 1'000u : 10'000u);
      EXPECT_GT(found.diffracted, tested.options.pruning ? 20'000u : 500'000u);
    }
    expect_same_launch(found.result, expected.result, GetParam().tolerance);
    if (HasFailure()) return;
  }
}

// Another interaction after the scattering has its own powers, which lie among the others.
TEST_P(ScatteringByBatches, ArrivesAsRowByRowBesideTwoInteractions) {
  const testing::Environment environment(city(), 20);
  const Transmitter transmitter = antenna_at({131, 128, 12});
  RayLaunchingOptions options = all_drawn_by_chance();
  options.max_after_scattering = 2;
  const Launched expected = launched_with(environment, transmitter, {}, options, {});
  const Launched found = launched_with(environment, transmitter, {}, options, GetParam().make);
  EXPECT_GT(found.diffracted, 5'000u);
  expect_same_launch(found.result, expected.result, GetParam().tolerance);
}

// Several transmitters at once share one scatterer.
TEST_P(ScatteringByBatches, ArrivesTheSameFromTransmittersAtOnce) {
  const testing::Environment environment(city(), 10);
  const RayLauncher launcher(environment.scene, environment.tiling, environment.occlusion, *environment.visibility, {},
                             all_drawn_by_chance(), {}, {}, GetParam().make);
  expect_same_at_once(launcher);
}

// The sums do not depend on how many rows are worked out together, nor on how often.
TEST(ScatteringOnHost, ArrivesTheSameFromBatchesOfAnySize) {
  const testing::Environment environment(city(60), 10);
  const std::vector<Receiver> receivers = testing::receivers_at({{30.2, 60.1, 8}});
  const Transmitter transmitter = antenna_at({131, 128, 40});
  const Launched expected = launched_with(environment, transmitter, receivers, all_drawn_by_chance(), {});
  std::size_t batches = 0;
  for (const ScatterCapacity& capacity :
       {ScatterCapacity{}, ScatterCapacity{.rows = 50, .members = 1}, ScatterCapacity{.rows = 1, .members = 1}}) {
    const auto make = [&](const EnvironmentView& view) { return make_host_row_scatterer(view, capacity); };
    const Launched found = launched_with(environment, transmitter, receivers, all_drawn_by_chance(), make);
    EXPECT_GT(found.batches, batches);
    batches = found.batches;
    expect_same_launch(found.result, expected.result, 0);
  }
  EXPECT_EQ(batches, 2 * environment.tiling.tiles.size() + environment.tiling.edges.size());
}

// What a batch does not do is left to the CPU.
TEST(ScatteringOnHost, IsNotAskedForWhatItDoesNotCompute) {
  const testing::Environment open(city(), 20);
  const std::vector<Receiver> receivers = testing::receivers_at({{30.2, 60.1, 8}});
  const Transmitter transmitter = antenna_at({131, 128, 12});
  RayLaunchingOptions angles = all_effects(), profiles = all_effects(), receivers_alone = all_effects(),
                      none = all_effects();
  angles.wideband = true;
  profiles.delay_profile_rays = 4;
  receivers_alone.tiles_are_targets = false;
  none.max_scatterings = 0;
  for (const RayLaunchingOptions& options : {angles, profiles, receivers_alone, none}) {
    const Launched found = launched_with(open, transmitter, receivers, options, on_host);
    EXPECT_FALSE(found.by_batches);
    EXPECT_EQ(found.batches, 0u);
  }
}

// Receivers are the CPU's, single scattered rays to them among them.
TEST_P(ScatteringByBatches, LeavesSingleRaysAsTheyAre) {
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
  ASSERT_EQ(found.result.rays.size(), expected.result.rays.size());
  std::size_t scattered = 0;
  for (std::size_t r = 0; r < expected.result.rays.size(); ++r) {
    EXPECT_EQ(found.result.rays[r].elements, expected.result.rays[r].elements);
    EXPECT_EQ(found.result.rays[r].path_gain, expected.result.rays[r].path_gain);
    scattered += expected.result.rays[r].mechanism == Mechanism::scattering;
  }
  EXPECT_GT(scattered, 5u);
}

class ScattererOfCopies final : public RowScatterer {
 public:
  explicit ScattererOfCopies(const EnvironmentView& environment)
      : environment_(environment), scatterer_(on_host(environment_.view())) {}
  RowLimits limits() const override { return scatterer_->limits(); }
  std::size_t host_bytes() const override { return scatterer_->host_bytes(); }
  std::unique_ptr<LaunchScatterer> start(const ScatteringView& launch) override {
    launch_ = std::make_unique<GarbageAround<ScatteringView>>(launch);
    return scatterer_->start(launch_->view());
  }

 private:
  GarbageAround<EnvironmentView> environment_;
  std::unique_ptr<GarbageAround<ScatteringView>> launch_;
  std::unique_ptr<RowScatterer> scatterer_;
};

TEST(ScatteringOnHost, ReadsNothingButTheCopies) {
  const testing::Environment environment(city_with_trees(), 10);
  RayLaunchingOptions options = all_drawn_by_chance();
  options.scattering_lobe_exponent = 2;
  const Transmitter transmitter = cases().back().transmitter;
  const auto of_copies = [](const EnvironmentView& view) { return std::make_unique<ScattererOfCopies>(view); };
  const Launched expected = launched_with(environment, transmitter, {}, options, {});
  const Launched found = launched_with(environment, transmitter, {}, options, of_copies);
  EXPECT_GT(found.diffracted, 20'000u);
  expect_same_launch(found.result, expected.result, 0);
}

// Against the standard library, around the number of parts.
TEST(OrderedSelection, TakesWhatIsWantedInOrder) {
  for (const std::uint32_t count : {0u, 1u, 2u, 127u, 128u, 129u, 1000u}) {
    const auto wanted = [](std::uint32_t item) { return hashed_fraction(item) < 0.4; };
    std::vector<std::uint32_t> items(count), expected, found(count, no_index);
    for (std::uint32_t item = 0; item < count; ++item) items[item] = item;
    std::copy_if(items.begin(), items.end(), std::back_inserter(expected), wanted);
    SelectionMemory memory;
    const std::uint32_t selected = select_in_order(
        HostBlock(), memory, count, wanted, [&](std::uint32_t place, std::uint32_t item) { found[place] = item; });
    found.resize(selected);
    EXPECT_EQ(found, expected);
  }
}

}  // namespace
}  // namespace tesseray::test
