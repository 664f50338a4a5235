// SPDX-License-Identifier: GPL-3.0-or-later
// Searches by blocks of threads, on the host and on the GPU if there is one, against every pair by the exact test.
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <cstddef>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "core/base/error.h"
#include "core/tiling/tiling.h"
#include "core/visibility/visibility.h"
#include "cuda/backend.h"
#include "cuda/block_horizon.h"
#include "cuda/cuda_sight_runner.h"
#include "cuda/found_rows.h"
#include "cuda/halves_to_find.h"
#include "cuda/rows_by_blocks.h"
#include "cuda/scene_copy.h"
#include "cuda/shared_loop.h"
#include "cuda/sight_scene.h"
#include "small_cities.h"
#include "tests/support/all_pairs.h"
#include "tests/support/synthetic_city.h"
#include "tests/unit/cuda/on_host_and_gpu.h"

namespace tesseray::test {
namespace {

using Rows = std::vector<std::vector<std::uint32_t>>;

Rows rows_of(const Visibility& visibility) {
  Rows rows(visibility.element_count());
  for (std::uint32_t element = 0; element < rows.size(); ++element) visibility.read_row(element, rows[element]);
  return rows;
}

class Blocks : public OnHostAndGpu<MakeSightRunner> {
 protected:
  static const MakeSightRunner& make_runner() { return GetParam().make; }
};

INSTANTIATE_TEST_SUITE_P(On, Blocks,
                         ::testing::Values(Runs<MakeSightRunner>{"host", make_host_sight_runner},
                                           Runs<MakeSightRunner>{"cuda", make_cuda_sight_runner}),
                         named_by_device);

struct City {
  explicit City(const Scene& scene, double tile_area_m2 = 100)
      : occlusion(scene), tiling(tile_scene(scene, {.tile_area_m2 = tile_area_m2}, no_progress())) {}
  Rows by_blocks(const MakeSightRunner& make_runner, const VisibilityOptions& options = {}) const {
    return rows_of(
        *compute_visibility_by_blocks(make_runner, occlusion, tiling, options, no_progress(), Searchers::blocks));
  }
  Rows plain(const VisibilityOptions& options = {}) const {
    return rows_of(*testing::compute_visibility_of_all_pairs(occlusion, tiling, options, no_progress()));
  }

  Occlusion occlusion;
  Tiling tiling;
};

void expect_rows_of_all_pairs_on_hard_cities(std::uint32_t seed, const MakeSightRunner& make_runner) {
  for (CityOptions options : hard_cities()) {
    options.seed = seed;
    const City city(make_city(options));
    EXPECT_EQ(city.by_blocks(make_runner), city.plain()) << options.name << ", seed " << seed;
  }
}

TEST_P(Blocks, FindTheRowsOfAllPairsOnHardCities) { expect_rows_of_all_pairs_on_hard_cities(31, make_runner()); }

TEST_P(Blocks, FindTheRowsOfAllPairsOnMoreHardCities) { expect_rows_of_all_pairs_on_hard_cities(32, make_runner()); }

// Large enough for far rings, blocks of cells and hills that hide.
TEST_P(Blocks, FindTheRowsOfAllPairsOnSyntheticCities) {
  for (const std::uint64_t seed : {1, 2}) {
    testing::SyntheticCityOptions options;
    options.width_m = seed == 1 ? 1200 : 500;
    options.depth_m = seed == 1 ? 260 : 500;
    options.hill_m = seed == 2 ? 60 : 15;
    options.seed = seed + 40;
    const City city(testing::synthetic_city(options), 180);
    EXPECT_EQ(city.by_blocks(make_runner()), city.plain()) << "seed " << seed;
  }
}

TEST_P(Blocks, FindTheRowsWithSmallTilesAndMaximumDistance) {
  CityOptions options = hard_cities().back();
  options.blocks = 3;
  const City city(make_city(options), 20);
  const VisibilityOptions near = {.max_distance_m = 60};
  EXPECT_EQ(city.by_blocks(make_runner(), near), city.plain(near));
}

// What does not fit is searched again until it does; the rows stay the same.
TEST_P(Blocks, FindTheSameRowsInTooLittleMemory) {
  const City city(make_city(hard_cities().front()));
  const std::size_t elements = city.tiling.tiles.size() + city.tiling.edges.size();
  const auto expected = city.plain();
  const auto expect_the_same = [&](const BatchCapacity& small, const char* what) {
    const auto make_small = [&](const SightSceneView& scene, const BatchCapacity&) {
      return make_runner()(scene, small);
    };
    EXPECT_EQ(city.by_blocks(make_small), expected) << small.sources << " sources, too little room for " << what;
  };
  // For one source alone there is always room.
  const std::size_t one = elements, runs_of_one = 5;
  for (const std::uint32_t sources : {64u, 1000u}) {
    expect_the_same({sources, 2, one, runs_of_one, one, runs_of_one}, "anything");
  }
  const BatchCapacity plenty = {300, 2, 16 * elements, 1000, 16 * elements, 4000};
  BatchCapacity small = plenty;
  small.numbers = one;
  expect_the_same(small, "numbers");
  small = plenty;
  small.runs = runs_of_one;
  expect_the_same(small, "runs");
  small = plenty;
  small.candidates = one;
  expect_the_same(small, "candidates");
  small = plenty;
  small.candidate_runs = runs_of_one;
  expect_the_same(small, "runs of candidates");
}

// The CPU's search and a runner wait for each other: the CPU until the runner has begun, and the runner's batches do
// not end before the stage is a little further.
class Meeting final : public Progress {
 public:
  void advance(double fraction) override {
    change([&] { fraction_ = std::max(fraction_, fraction); });
  }
  // Asked by the CPU with what it has taken in hand.
  bool is_cancelled() const override {
    std::unique_lock lock(mutex_);
    has_changed_.wait(lock, [&] { return begun_ > 0; });
    return is_cancelled_;
  }
  void begin(std::size_t sources) {
    change([&] { begun_ += sources; });
  }
  void cancel() {
    change([&] { is_cancelled_ = true; });
  }
  void wait_for(double least) const {
    std::unique_lock lock(mutex_);
    has_changed_.wait(lock, [&] { return fraction_ >= least; });
  }
  double fraction() const { return fraction_; }
  std::size_t begun() const { return begun_; }

 private:
  template <class Change>
  void change(const Change& make) {
    const std::lock_guard lock(mutex_);
    make();
    has_changed_.notify_all();
  }

  mutable std::mutex mutex_;
  mutable std::condition_variable has_changed_;
  double fraction_ = 0;
  std::size_t begun_ = 0;
  bool is_cancelled_ = false;
};

class MeetingRunner final : public SightRunner {
 public:
  MeetingRunner(std::unique_ptr<SightRunner> runner, Meeting& meeting, std::function<void()> before_end)
      : runner_(std::move(runner)), meeting_(meeting), before_end_(std::move(before_end)) {}

  std::uint32_t slots() const override { return runner_->slots(); }
  std::uint32_t max_batch() const override { return runner_->max_batch(); }
  void start(std::uint32_t slot, std::span<const Element> sources, const SightSearchLimits& limits) override {
    runner_->start(slot, sources, limits);
    meeting_.begin(sources.size());
  }
  FoundBatch finish(std::uint32_t slot) override {
    before_end_();
    return runner_->finish(slot);
  }

 private:
  std::unique_ptr<SightRunner> runner_;
  Meeting& meeting_;
  std::function<void()> before_end_;
};

// `before_end` is called before each batch ends.
Rows by_both(const City& city, const MakeSightRunner& make_runner, Meeting& meeting, std::function<void()> before_end) {
  const auto one_half_a_batch = [&](const SightSceneView& scene, BatchCapacity capacity) {
    capacity.sources = rows_per_half;
    return std::make_unique<MeetingRunner>(make_runner(scene, capacity), meeting, before_end);
  };
  return rows_of(*compute_visibility_by_blocks(one_half_a_batch, city.occlusion, city.tiling, {}, meeting,
                                               Searchers::blocks_and_cpu));
}

Scene scene_of_many_halves() { return testing::synthetic_city({.width_m = 300, .depth_m = 300, .seed = 43}); }

TEST_P(Blocks, ShareTheSourcesWithTheCpu) {
  const City city(scene_of_many_halves());
  const std::size_t elements = city.tiling.tiles.size() + city.tiling.edges.size();
  ASSERT_GT(elements, 30 * rows_per_half);
  Meeting meeting;
  // A twentieth of the stage is a tenth of the sources.
  EXPECT_EQ(by_both(city, make_runner(), meeting, [&] { meeting.wait_for(0.05); }), city.plain());
  EXPECT_LT(meeting.begun(), elements);
  EXPECT_EQ(meeting.fraction(), 1);
}

// Whoever fails, the other comes to an end, and what failed is thrown.
TEST_P(Blocks, EndTogetherWithTheCpuWhenOneFails) {
  const City city(scene_of_many_halves());
  const auto failure_of = [&](const auto& before_end) {
    Meeting meeting;
    try {
      by_both(city, make_runner(), meeting, [&] { before_end(meeting); });
    } catch (const Error& error) {
      return error.code();
    }
    return std::string("none");
  };
  EXPECT_EQ(failure_of([](Meeting&) { throw Error(ErrorKind::internal, "gpu_failed", "it stands still"); }),
            "gpu_failed");
  EXPECT_EQ(failure_of([](Meeting& meeting) { meeting.cancel(); }), "cancelled");
  const auto no_room = [](const SightSceneView&, const BatchCapacity&) -> std::unique_ptr<SightRunner> {
    throw Error(ErrorKind::resources, "gpu_too_small", "no room");
  };
  EXPECT_THROW(
      compute_visibility_by_blocks(no_room, city.occlusion, city.tiling, {}, no_progress(), Searchers::blocks_and_cpu),
      Error);
}

TEST(HalvesToFind, AreEachTakenOnceByHoweverMany) {
  constexpr std::size_t halves = 5000;
  HalvesToFind left(halves, true, no_progress());
  std::vector<std::atomic<int>> taken(halves);
  {
    std::vector<std::jthread> threads;
    for (const bool is_first : {true, false, false}) {
      threads.emplace_back([&, is_first] {
        for (;;) {
          const HalvesToFind::Range range = is_first ? left.take_first(7) : left.take_last();
          if (range.is_empty()) return;
          for (std::size_t half = range.begin; half < range.end; ++half) ++taken[half];
        }
      });
    }
  }
  EXPECT_TRUE(std::all_of(taken.begin(), taken.end(), [](int times) { return times == 1; }));
}

TEST(HalvesToFind, LeaveHalfOfTheLastToOthersAndNothingOnceGivenUp) {
  HalvesToFind shared(10, true, no_progress()), alone(10, false, no_progress());
  EXPECT_EQ(alone.take_first(64).size(), 10u);
  EXPECT_EQ(shared.take_first(64).size(), 5u);
  EXPECT_EQ(shared.take_last().begin, 9u);
  EXPECT_EQ(shared.take_first(64).end, 7u);
  shared.give_up();
  EXPECT_TRUE(shared.take_first(64).is_empty());
  EXPECT_TRUE(shared.take_last().is_empty());
}

// Those that help find a part of the loop, and what they find is done when it has run.
TEST(SharedLoop, IsDoneOnceByThoseThatHelpToo) {
  constexpr std::size_t count = 2000;
  SharedLoop loop;
  loop.help();
  std::vector<std::atomic<int>> times(count);
  std::atomic<bool> is_over = false;
  std::atomic<std::size_t> by_helpers = 0;
  {
    std::vector<std::jthread> helpers;
    static thread_local bool is_helper = false;
    for (int t = 0; t < 2; ++t) {
      helpers.emplace_back([&] {
        is_helper = true;
        while (!is_over) loop.help();
      });
    }
    for (int repetition = 1; repetition <= 3; ++repetition) {
      loop.run(count, [&](std::size_t k) {
        ++times[k];
        if (is_helper) ++by_helpers;
        // The one that runs the loop waits for a helper to come.
        while (!is_helper && by_helpers == 0) std::this_thread::yield();
      });
      EXPECT_TRUE(std::all_of(times.begin(), times.end(), [&](int found) { return found == repetition; }));
    }
    is_over = true;
  }
  EXPECT_GT(by_helpers, 0u);
}

TEST(SharedLoop, ThrowsWhatWasThrownWhereItRuns) {
  SharedLoop loop;
  std::atomic<bool> is_over = false;
  std::atomic<int> done = 0;
  {
    const std::jthread helper([&] {
      while (!is_over) loop.help();
    });
    const auto fail = [&](std::size_t) {
      ++done;
      throw Error(ErrorKind::internal, "failed", "it does");
    };
    EXPECT_THROW(loop.run(100, fail), Error);
    is_over = true;
  }
  EXPECT_EQ(done, 100);
  EXPECT_NO_THROW(loop.run(0, [](std::size_t) { FAIL(); }));
}

TEST_P(Blocks, FindWhatPointsSee) {
  for (CityOptions options : hard_cities()) {
    options.seed = 33;
    const Scene scene = make_city(options);
    const City city(scene);
    testing::Random random(7);
    std::vector<Vec3> points;
    for (int k = 0; k < 80; ++k) {
      const Tile& tile = city.tiling.tiles[random.below(static_cast<std::uint32_t>(city.tiling.tiles.size()))];
      points.push_back(tile.centroid + random.uniform(0.5, 3) * tile.normal + Vec3{0, 0, random.uniform(0, 20)});
    }
    // Over, at and beside corners, and in the planes of walls.
    for (std::size_t k = 0; k < scene.prisms.size(); k += 5) {
      const Prism& prism = scene.prisms[k];
      const Vec2 corner = prism.rings[0][0], beyond = corner + 0.5 * (corner - prism.rings[0][1]);
      points.push_back({corner.x, corner.y, prism.top_z + 4});
      points.push_back({corner.x, corner.y, prism.top_z});
      points.push_back({beyond.x, beyond.y, prism.top_z - 1});
    }
    points.push_back({-500, 900, 40});  // outside of the grid of cells
    points.push_back({20, 20, -300});   // below the ground
    PointVisibilityByBlocks by_blocks(make_runner(), city.occlusion, city.tiling);
    const VisibilityOptions near = {.max_distance_m = 90};
    const Rows all = by_blocks.visible_from(points), nearby = by_blocks.visible_from(points, near);
    std::size_t seen = 0;
    for (std::size_t k = 0; k < points.size(); ++k) {
      EXPECT_EQ(all[k], visible_from(city.occlusion, city.tiling, points[k])) << options.name << " " << k;
      EXPECT_EQ(nearby[k], visible_from(city.occlusion, city.tiling, points[k], near)) << options.name << " " << k;
      seen += all[k].size();
    }
    EXPECT_GT(seen, 1000u) << options.name;
  }
}

// What a GPU gets: nothing but the copies, with garbage behind each.
TEST(SceneCopy, IsAllThatSearchesRead) {
  CityOptions options = hard_cities().back();
  options.blocks = 3;
  const City city(make_city(options));
  std::vector<std::vector<std::byte>> copies;
  SightSceneView copy;
  const auto from_copies = [&](const SightSceneView& scene, const BatchCapacity& capacity) {
    copy = scene;
    for_each_array(copy, [&]<class Item>(const Item*& items, std::size_t count) {
      constexpr std::size_t garbage_items = 64;
      std::vector<std::byte>& bytes = copies.emplace_back((count + garbage_items) * sizeof(Item), std::byte{0xd5});
      std::copy_n(reinterpret_cast<const std::byte*>(items), count * sizeof(Item), bytes.data());
      items = reinterpret_cast<const Item*>(bytes.data());
    });
    return make_host_sight_runner(copy, capacity);
  };
  EXPECT_EQ(city.by_blocks(from_copies), city.plain());
  EXPECT_GE(copies.size(), 13u);
}

// Where azimuths begin, a wall in line with the eye has no bins at all, not all of them.
TEST_P(Blocks, LookAlongAWallWhereAzimuthsBegin) {
  Scene scene = testing::flat_ground(100, 100);
  const Vec3 eye{50, 50, 5};
  Prism prism;
  for (const Vec2 corner : {Vec2{-5, -30}, Vec2{20, -30}, Vec2{20, -20}, Vec2{10, -10}, Vec2{5, -20}, Vec2{-3, -20},
                            Vec2{-3, 5}, Vec2{-5, 5}}) {
    if (prism.rings.empty()) prism.rings.emplace_back();
    prism.rings[0].push_back(eye.xy() + corner);
  }
  prism.bottom_z = 0;
  prism.top_z = 12;
  scene.prisms.push_back(prism);
  const City city(scene);
  PointVisibilityByBlocks by_blocks(make_runner(), city.occlusion, city.tiling);
  const std::vector<std::uint32_t> expected = visible_from(city.occlusion, city.tiling, eye);
  EXPECT_FALSE(expected.empty());
  EXPECT_EQ(by_blocks.visible_from(std::span(&eye, 1)), Rows{expected});
}

TEST(SightScene, HasNoMoreElementsThanABlockHasNumbersFor) {
  EXPECT_NO_THROW(require_searchable(1u << 28u));
  try {
    require_searchable((1u << 28u) + 1);
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::resources);
    EXPECT_EQ(error.code(), "gpu_elements");
  }
}

TEST(BlockHorizon, OrdersFloatsAsIntegers) {
  const float numbers[] = {-std::numeric_limits<float>::infinity(), -2.5F, -1e-30F, 0.0F, 1e-30F, 3.0F, 1e30F};
  for (std::size_t k = 0; k + 1 < std::size(numbers); ++k) {
    EXPECT_LT(ordered(numbers[k]), ordered(numbers[k + 1]));
    EXPECT_EQ(slope_of(ordered(numbers[k])), numbers[k]);
  }
}

TEST(BlockHorizon, KnowsTheLeastSlopeOfAnyRangeOfBins) {
  const auto horizon = std::make_unique<BlockHorizon>();
  const HostBlock block;
  reset_horizon(block, *horizon, 0);
  testing::Random random(3);
  for (std::uint32_t bin = 0; bin < horizon_bins; ++bin) {
    block.raise(horizon->nodes[horizon_bins + bin], ordered(static_cast<float>(random.uniform(-1, 2))));
  }
  settle_horizon(block, *horizon);
  for (int trial = 0; trial < 2000; ++trial) {
    const std::uint32_t first = random.below(horizon_bins), last = first + random.below(horizon_bins - first);
    EXPECT_EQ(least_of_bins(*horizon, first, last),
              *std::min_element(horizon->nodes + horizon_bins + first, horizon->nodes + horizon_bins + last + 1));
  }
  EXPECT_EQ(horizon->nodes[1], least_of_bins(*horizon, 0, horizon_bins - 1));
}

}  // namespace
}  // namespace tesseray::test
