// SPDX-License-Identifier: GPL-3.0-or-later
// Scattered power by batches of rows, on the host and on the GPU if there is one, against the CPU's own way: whole
// launches.
#include "core/propagation/scattering/row_scatterer.h"

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
#include "tests/unit/cuda/launches_by_batches.h"
#include "tests/unit/cuda/on_host_and_gpu.h"

namespace tesseray::test {
namespace {

struct RowBatches {
  using Batcher = RowScatterer;
  using LaunchBatcher = LaunchScatterer;
  using View = ScatteringView;
  using Make = MakeRowScatterer;

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

  static std::unique_ptr<RowScatterer> on_host(const EnvironmentView& environment) {
    return make_host_row_scatterer(environment, {.rows = 100, .members = 1u << 16});
  }
  static RayLauncher launcher(const testing::Environment& environment, const std::vector<Receiver>& receivers,
                              const RayLaunchingOptions& options, const Make& make) {
    return {environment.scene, environment.tiling,     environment.occlusion, *environment.visibility, receivers,
            options,           {.row_scatterer = make}};
  }
  static bool is_asked(const RayLauncher& launcher) { return launcher.scatters_by_batches(); }
};

using ScatteringByBatches = OnHostAndGpu<MakeRowScatterer>;

// The host computes the same bits; a GPU has sines, exponentials and arcs of its own, which go on in single precision.
INSTANTIATE_TEST_SUITE_P(On, ScatteringByBatches,
                         ::testing::Values(Runs<MakeRowScatterer>{"host", RowBatches::on_host, 0},
                                           Runs<MakeRowScatterer>{"cuda", make_cuda_row_scatterer, 1e-5}),
                         named_by_device);

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
  const auto check = [](const Case& tested, const Launched<RowBatches>& found) {
    EXPECT_GT(found.counts->ended, tested.options.pruning ? 1'500u : 5'000u);
    if (tested.options.max_after_scattering == 0) return;
    EXPECT_GT(found.counts->mirrored, tested.options.pruning ? 1'000u : 10'000u);
    EXPECT_GT(found.counts->diffracted, tested.options.pruning ? 9'000u : 200'000u);
  };
  expect_all_same_by_batches<RowBatches>(scattering_cases(), GetParam(), check);
}

// Another interaction after the scattering has its own powers, which lie among the others.
TEST_P(ScatteringByBatches, ArrivesAsRowByRowBesideTwoInteractions) {
  const testing::Environment environment(city(), 20);
  Case tested{"two interactions after the scattering", all_drawn_by_chance(), antenna_at({131, 128, 12})};
  tested.options.max_after_scattering = 2;
  const Launched<RowBatches> found = expect_same_by_batches<RowBatches>(environment, tested, {}, GetParam());
  EXPECT_GT(found.counts->diffracted, 5'000u);
}

TEST_P(ScatteringByBatches, ArrivesTheSameFromTransmittersAtOnce) {
  expect_same_from_transmitters_at_once<RowBatches>(all_drawn_by_chance(), GetParam().make);
}

TEST(ScatteringOnHost, ArrivesTheSameFromBatchesOfAnySize) {
  std::vector<MakeRowScatterer> ways;
  for (const ScatterCapacity& capacity :
       {ScatterCapacity{}, ScatterCapacity{.rows = 50, .members = 1}, ScatterCapacity{.rows = 1, .members = 1}}) {
    ways.push_back([=](const EnvironmentView& view) { return make_host_row_scatterer(view, capacity); });
  }
  const testing::Environment environment(city(60), tile_side_m);
  EXPECT_EQ(expect_same_by_batches_of_any_size<RowBatches>(environment, all_drawn_by_chance(), ways),
            2 * environment.tiling.tiles.size() + environment.tiling.edges.size());
}

TEST(ScatteringOnHost, IsNotAskedForWhatItDoesNotCompute) {
  RayLaunchingOptions none = all_effects();
  none.max_scatterings = 0;
  expect_not_asked_for_what_is_not_computed<RowBatches>({none});
}

TEST_P(ScatteringByBatches, LeavesSingleRaysAsTheyAre) {
  const std::vector<Ray> rays = expect_same_single_rays<RowBatches>(GetParam(), 0);
  const auto is_scattered = [](const Ray& ray) { return ray.mechanism == Mechanism::scattering; };
  EXPECT_GT(std::count_if(rays.begin(), rays.end(), is_scattered), 5);
}

TEST(ScatteringOnHost, ReadsNothingButTheCopies) {
  RayLaunchingOptions options = all_effects();
  options.scattering_lobe_exponent = 2;
  EXPECT_GT(expect_same_from_copies<RowBatches>(options).counts->diffracted, 20'000u);
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

// Against one item after the other, as the CPU draws, with certain and impossible ones among them.
TEST(OrderedSelection, DrawsWhatIsDrawnOneByOne) {
  for (const std::uint32_t count : {0u, 1u, 127u, 128u, 129u, 5000u}) {
    for (const std::uint64_t seed : {3u, 4u, 5u}) {
      const auto chances_of = [](std::uint32_t item) {
        return item % 7 == 0 ? EvenDraw::certain : EvenDraw::chances(item % 5 == 0 ? 0 : 0.3 * hashed_fraction(item));
      };
      EvenDraw draw(seed);
      std::vector<std::uint32_t> expected, found(count, no_index);
      for (std::uint32_t item = 0; item < count; ++item) {
        if (draw.takes(chances_of(item))) expected.push_back(item);
      }
      SelectionMemory memory;
      const std::uint32_t drawn = draw_in_order(HostBlock(), memory, count, seed, chances_of,
                                                [&](std::uint32_t place, std::uint32_t item) { found[place] = item; });
      found.resize(drawn);
      EXPECT_EQ(found, expected);
    }
  }
}

}  // namespace
}  // namespace tesseray::test
