// SPDX-License-Identifier: GPL-3.0-or-later
#include "cuda/rows_by_blocks.h"

#include <algorithm>
#include <utility>

#include "core/base/error.h"
#include "core/base/parallel.h"
#include "core/visibility/rows/packed_rows.h"

namespace tesseray {
namespace {

constexpr std::uint32_t sources_per_batch = 8192, batches_in_flight = 3, points_per_batch = 64;
constexpr std::size_t rows_per_half = 64;

// The runs of a batch by source: those of source s are items[offsets[s]] … items[offsets[s + 1] − 1].
struct RunsBySource {
  std::vector<std::uint32_t> offsets, items;

  RunsBySource(std::span<const FoundRun> runs, std::size_t sources) : offsets(sources + 1, 0), items(runs.size()) {
    for (const FoundRun& run : runs) ++offsets[run.source + 1];
    for (std::size_t s = 0; s < sources; ++s) offsets[s + 1] += offsets[s];
    std::vector<std::uint32_t> next(offsets.begin(), offsets.end() - 1);
    for (std::uint32_t r = 0; r < runs.size(); ++r) items[next[runs[r].source]++] = r;
  }
};

// Merges the runs of a source, each of ascending numbers, into `row`.
void read_row(const FoundBatch& found, const RunsBySource& runs, std::size_t source, std::vector<std::uint32_t>& row) {
  row.clear();
  for (std::uint32_t k = runs.offsets[source]; k < runs.offsets[source + 1]; ++k) {
    const FoundRun& run = found.runs[runs.items[k]];
    const std::span<const std::uint32_t> numbers = found.numbers.subspan(run.begin, run.count);
    const auto middle = static_cast<std::ptrdiff_t>(row.size());
    row.insert(row.end(), numbers.begin(), numbers.end());
    std::inplace_merge(row.begin(), row.begin() + middle, row.end());
  }
}

// Searches again, in ever smaller batches, for the sources whose runs had no room; fills their rows.
void search_again(SightRunner& runner, std::uint32_t slot, std::span<const Element> sources,
                  const SightSearchLimits& limits, std::vector<std::uint32_t> left,
                  std::vector<std::vector<std::uint32_t>>& rows) {
  std::size_t batch_size = std::max<std::size_t>(1, left.size() / 2);
  while (!left.empty()) {
    const std::size_t count = std::min(batch_size, left.size());
    std::vector<Element> batch;
    for (std::size_t k = 0; k < count; ++k) batch.push_back(sources[left[k]]);
    runner.start(slot, batch, limits);
    const FoundBatch found = runner.finish(slot);
    const RunsBySource runs(found.runs, count);
    std::vector<std::uint32_t> still_left;
    for (std::uint32_t k = 0; k < count; ++k) {
      if (found.has_overflowed[k] != 0) {
        still_left.push_back(left[k]);
      } else {
        read_row(found, runs, k, rows[left[k]]);
      }
    }
    if (still_left.size() == 1 && count == 1) {
      throw Error(ErrorKind::internal, "search_without_room", "the rows of one element do not fit a whole batch");
    }
    if (!still_left.empty()) batch_size = std::max<std::size_t>(1, batch_size / 2);
    still_left.insert(still_left.end(), left.begin() + static_cast<std::ptrdiff_t>(count), left.end());
    left = std::move(still_left);
  }
}

// `found`: what was started last in the slot, which has finished.
std::vector<std::vector<std::uint32_t>> finished_rows(const FoundBatch& found, SightRunner& runner, std::uint32_t slot,
                                                      std::span<const Element> sources,
                                                      const SightSearchLimits& limits) {
  const RunsBySource runs(found.runs, sources.size());
  std::vector<std::vector<std::uint32_t>> rows(sources.size());
  parallel_blocks(sources.size(), rows_per_half, no_progress(), [&](std::size_t begin, std::size_t end) {
    for (std::size_t s = begin; s != end; ++s) {
      if (found.has_overflowed[s] == 0) read_row(found, runs, s, rows[s]);
    }
  });
  std::vector<std::uint32_t> left;
  for (std::uint32_t s = 0; s < sources.size(); ++s) {
    if (found.has_overflowed[s] != 0) left.push_back(s);
  }
  if (!left.empty()) search_again(runner, slot, sources, limits, std::move(left), rows);
  return rows;
}

// Codes what a batch found, with all of whose sources it came to an end.
void code_halves(const FoundBatch& found, std::span<HalfRows> halves) {
  const std::size_t sources = found.has_overflowed.size();
  const RunsBySource runs(found.runs, sources);
  parallel_blocks(sources, rows_per_half, no_progress(), [&](std::size_t begin, std::size_t end) {
    std::vector<std::uint32_t> row;
    HalfRows half;
    for (std::size_t s = begin; s != end; ++s) {
      if (runs.offsets[s + 1] - runs.offsets[s] == 1) {
        const FoundRun& run = found.runs[runs.items[runs.offsets[s]]];
        half.add(found.numbers.subspan(run.begin, run.count));
      } else {
        read_row(found, runs, s, row);
        half.add(row);
      }
    }
    // A copy has no room for more.
    halves[begin / rows_per_half] = half;
  });
}

// The rows as halves of the relation, coded.
void code_halves(const std::vector<std::vector<std::uint32_t>>& rows, std::span<HalfRows> halves) {
  parallel_blocks(rows.size(), rows_per_half, no_progress(), [&](std::size_t begin, std::size_t end) {
    for (std::size_t r = begin; r < end; ++r) halves[begin / rows_per_half].add(rows[r]);
  });
}

}  // namespace

std::vector<std::vector<std::uint32_t>> rows_of_batch(SightRunner& runner, std::uint32_t slot,
                                                      std::span<const Element> sources,
                                                      const SightSearchLimits& limits) {
  runner.start(slot, sources, limits);
  return finished_rows(runner.finish(slot), runner, slot, sources, limits);
}

std::unique_ptr<Visibility> compute_visibility_by_blocks(const MakeSightRunner& make_runner, const Occlusion& occlusion,
                                                         const Tiling& tiling, const VisibilityOptions& options,
                                                         Progress& progress) {
  // Putting rows together takes about as long as finding them.
  progress.begin_stage("visibility");
  PartOfStage finding(progress, 0, 0.5), merging(progress, 0.5, 1);
  const std::vector<Element> elements = make_elements(occlusion.view(), tiling);
  const SightSceneArrays arrays(occlusion.view(), elements);
  const SightSceneView view = arrays.view();
  const std::unique_ptr<SightRunner> runner =
      make_runner(view, suitable_capacity(elements.size(), sources_per_batch, batches_in_flight));
  const SightSearchLimits limits = {.above_only = true, .max_distance_m = options.max_distance_m};

  const std::size_t batch = std::max<std::size_t>(1, runner->max_batch() / rows_per_half) * rows_per_half;
  const std::size_t batches = (elements.size() + batch - 1) / batch;
  std::vector<HalfRows> halves((elements.size() + rows_per_half - 1) / rows_per_half);
  const auto sources_of = [&](std::size_t b) {
    return std::span(elements).subspan(b * batch, std::min(batch, elements.size() - b * batch));
  };
  const auto slot_of = [&](std::size_t b) { return static_cast<std::uint32_t>(b % runner->slots()); };
  for (std::size_t b = 0; b < std::min<std::size_t>(batches, runner->slots()); ++b) {
    runner->start(slot_of(b), sources_of(b), limits);
  }
  for (std::size_t b = 0; b < batches; ++b) {
    finding.throw_if_cancelled();
    const FoundBatch found = runner->finish(slot_of(b));
    const std::span of_batch = std::span(halves).subspan(b * batch / rows_per_half);
    if (std::find(found.has_overflowed.begin(), found.has_overflowed.end(), 1) == found.has_overflowed.end()) {
      code_halves(found, of_batch);
    } else {
      code_halves(finished_rows(found, *runner, slot_of(b), sources_of(b), limits), of_batch);
    }
    if (b + runner->slots() < batches) runner->start(slot_of(b), sources_of(b + runner->slots()), limits);
    finding.advance(static_cast<double>(b + 1) / static_cast<double>(batches));
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
