// SPDX-License-Identifier: GPL-3.0-or-later
#include "cuda/rows_by_blocks.h"

#include <algorithm>
#include <deque>
#include <exception>
#include <thread>

#include "core/base/parallel.h"
#include "core/visibility/rows/half_rows.h"
#include "core/visibility/rows/packed_rows.h"
#include "cuda/found_rows.h"
#include "cuda/halves_to_find.h"
#include "cuda/shared_loop.h"

namespace tesseray {
namespace {

constexpr std::uint32_t sources_per_batch = 8192, batches_in_flight = 3, points_per_batch = 64;

// Some halves of the relation, by blocks of threads.
class HalvesByBlocks {
 public:
  HalvesByBlocks(const MakeSightRunner& make_runner, const Occlusion& occlusion, const Tiling& tiling,
                 const VisibilityOptions& options)
      : elements_(make_elements(occlusion.view(), tiling)),
        scene_(occlusion.view(), elements_),
        view_(scene_.view()),
        runner_(make_runner(view_, suitable_capacity(elements_.size(), sources_per_batch, batches_in_flight))),
        limits_{.above_only = true, .max_distance_m = options.max_distance_m} {}

  // Those that it gets from `left`, until none are. `coding`: the loops by which it codes what was found.
  void find(HalvesToFind& left, std::span<HalfRows> halves, SharedLoop& coding, const Progress& progress) {
    for (std::uint32_t slot = 0; slot < runner_->slots(); ++slot) start(slot, left);
    while (!in_flight_.empty()) {
      progress.throw_if_cancelled();
      const Batch batch = in_flight_.front();
      in_flight_.pop_front();
      finish_halves(*runner_, batch.slot, sources_of(batch.range), limits_,
                    halves.subspan(batch.range.begin, batch.range.size()), coding);
      left.have_found(batch.range.size());
      start(batch.slot, left);
    }
  }

 private:
  struct Batch {
    std::uint32_t slot;
    HalvesToFind::Range range;
  };

  std::span<const Element> sources_of(HalvesToFind::Range range) const {
    const std::size_t begin = range.begin * rows_per_half;
    return std::span(elements_).subspan(begin, std::min(range.size() * rows_per_half, elements_.size() - begin));
  }

  void start(std::uint32_t slot, HalvesToFind& left) {
    const HalvesToFind::Range range = left.take_first(std::max<std::size_t>(1, runner_->max_batch() / rows_per_half));
    if (range.is_empty()) return;
    runner_->start(slot, sources_of(range), limits_);
    in_flight_.push_back({slot, range});
  }

  std::vector<Element> elements_;
  SightSceneArrays scene_;
  SightSceneView view_;
  std::unique_ptr<SightRunner> runner_;
  SightSearchLimits limits_;
  std::deque<Batch> in_flight_;
};

// Halves by the CPU's search, on all threads, as long as there are some; what blocks have found is coded first, since
// they wait for it.
void find_by_cpu(HalfRowFinder& finder, HalvesToFind& left, std::span<HalfRows> halves, SharedLoop& coding,
                 const Progress& progress) {
  parallel_blocks(halves.size(), 1, no_progress(), [&](std::size_t, std::size_t) {
    coding.help();
    const HalvesToFind::Range range = left.take_last();
    if (range.is_empty()) return;
    progress.throw_if_cancelled();
    const std::size_t begin = range.begin * rows_per_half;
    const std::size_t end = std::min<std::size_t>(begin + rows_per_half, finder.element_count());
    halves[range.begin] = finder.find(static_cast<std::uint32_t>(begin), static_cast<std::uint32_t>(end));
    left.have_found(1);
  });
}

// Runs both at once, each of which gives up `left` for the other when it fails; throws what failed.
template <class Beside, class Here>
void run_beside(HalvesToFind& left, const Beside& beside, const Here& here) {
  std::exception_ptr failure;
  {
    const std::jthread thread([&] {
      try {
        beside();
      } catch (...) {
        failure = std::current_exception();
        left.give_up();
      }
    });
    try {
      here();
    } catch (...) {
      left.give_up();
      throw;
    }
  }
  if (failure) std::rethrow_exception(failure);
}

}  // namespace

std::unique_ptr<Visibility> compute_visibility_by_blocks(const MakeSightRunner& make_runner, const Occlusion& occlusion,
                                                         const Tiling& tiling, const VisibilityOptions& options,
                                                         Progress& progress, Searchers searchers) {
  // Putting rows together takes about as long as finding them.
  progress.begin_stage("visibility");
  PartOfStage finding(progress, 0, 0.5), merging(progress, 0.5, 1);
  const std::size_t elements = tiling.tiles.size() + tiling.edges.size();
  std::vector<HalfRows> halves((elements + rows_per_half - 1) / rows_per_half);
  HalvesToFind left(halves.size(), searchers == Searchers::blocks_and_cpu, finding);
  SharedLoop coding;
  const auto by_blocks = [&] {
    HalvesByBlocks(make_runner, occlusion, tiling, options).find(left, halves, coding, finding);
  };
  if (searchers == Searchers::blocks) {
    by_blocks();
  } else {
    run_beside(left, by_blocks, [&] {
      HalfRowFinder finder(occlusion, tiling, options);
      find_by_cpu(finder, left, halves, coding, finding);
    });
  }
  return whole_rows(static_cast<std::uint32_t>(tiling.tiles.size()), static_cast<std::uint32_t>(tiling.edges.size()),
                    halves, merging);
}

PointVisibilityByBlocks::PointVisibilityByBlocks(const MakeSightRunner& make_runner, const Occlusion& occlusion,
                                                 const Tiling& tiling)
    : occlusion_(occlusion.view()),
      scene_(occlusion.view(), make_elements(occlusion.view(), tiling)),
      view_(scene_.view()),
      runner_(make_runner(view_, suitable_capacity(tiling.tiles.size() + tiling.edges.size(), points_per_batch, 1))) {}

std::vector<std::vector<std::uint32_t>> PointVisibilityByBlocks::visible_from(std::span<const Vec3> points,
                                                                              const VisibilityOptions& options) {
  std::vector<std::vector<std::uint32_t>> seen;
  const SightSearchLimits limits = {.above_only = false, .max_distance_m = options.max_distance_m};
  for (std::size_t begin = 0; begin < points.size(); begin += points_per_batch) {
    std::vector<Element> sources;
    for (const Vec3 point : points.subspan(begin, std::min<std::size_t>(points_per_batch, points.size() - begin))) {
      sources.push_back(free_point_element(occlusion_, point));
    }
    for (std::vector<std::uint32_t>& row : rows_of_batch(*runner_, 0, sources, limits)) seen.push_back(std::move(row));
  }
  return seen;
}

}  // namespace tesseray
