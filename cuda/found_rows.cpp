// SPDX-License-Identifier: GPL-3.0-or-later
#include "cuda/found_rows.h"

#include <algorithm>
#include <utility>

#include "core/base/error.h"

namespace tesseray {
namespace {

using Rows = std::vector<std::vector<std::uint32_t>>;

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

// The runs of a source, each of ascending numbers, as one: where it lies, or merged in `merged`.
std::span<const std::uint32_t> read_row(const FoundBatch& found, const RunsBySource& runs, std::size_t source,
                                        std::vector<std::uint32_t>& merged) {
  const auto numbers_of = [&](std::uint32_t item) {
    const FoundRun& run = found.runs[runs.items[item]];
    return found.numbers.subspan(run.begin, run.count);
  };
  const std::uint32_t first = runs.offsets[source], last = runs.offsets[source + 1];
  if (last - first == 1) return numbers_of(first);
  merged.clear();
  for (std::uint32_t item = first; item < last; ++item) {
    const std::span<const std::uint32_t> numbers = numbers_of(item);
    const auto middle = static_cast<std::ptrdiff_t>(merged.size());
    merged.insert(merged.end(), numbers.begin(), numbers.end());
    std::inplace_merge(merged.begin(), merged.begin() + middle, merged.end());
  }
  return merged;
}

// Calls visit(source, row) for those that came to an end of the sources begin … end − 1.
template <class Visit>
void for_each_row(const FoundBatch& found, const RunsBySource& runs, std::size_t begin, std::size_t end,
                  const Visit& visit) {
  std::vector<std::uint32_t> merged;
  for (std::size_t source = begin; source < end; ++source) {
    if (found.has_overflowed[source] == 0) visit(source, read_row(found, runs, source, merged));
  }
}

// The sources whose runs had no room.
std::vector<std::uint32_t> without_room(const FoundBatch& found) {
  std::vector<std::uint32_t> sources;
  for (std::uint32_t source = 0; source < found.has_overflowed.size(); ++source) {
    if (found.has_overflowed[source] != 0) sources.push_back(source);
  }
  return sources;
}

// Searches again, in ever smaller batches, for the sources whose runs had no room; fills their rows.
void search_again(SightRunner& runner, std::uint32_t slot, std::span<const Element> sources,
                  const SightSearchLimits& limits, std::vector<std::uint32_t> left, Rows& rows) {
  std::size_t batch_size = std::max<std::size_t>(1, left.size() / 2);
  while (!left.empty()) {
    const std::size_t count = std::min(batch_size, left.size());
    std::vector<Element> batch;
    for (std::size_t k = 0; k < count; ++k) batch.push_back(sources[left[k]]);
    runner.start(slot, batch, limits);
    const FoundBatch found = runner.finish(slot);
    for_each_row(
        found, RunsBySource(found.runs, count), 0, count,
        [&](std::size_t k, std::span<const std::uint32_t> row) { rows[left[k]].assign(row.begin(), row.end()); });
    std::vector<std::uint32_t> still_left;
    for (const std::uint32_t k : without_room(found)) still_left.push_back(left[k]);
    if (still_left.size() == 1 && count == 1) {
      throw Error(ErrorKind::internal, "search_without_room", "the rows of one element do not fit a whole batch");
    }
    if (!still_left.empty()) batch_size = std::max<std::size_t>(1, batch_size / 2);
    still_left.insert(still_left.end(), left.begin() + static_cast<std::ptrdiff_t>(count), left.end());
    left = std::move(still_left);
  }
}

// Calls body(begin, end) for the sources begin … end − 1 of each half.
template <class Body>
void for_each_half(std::size_t sources, SharedLoop& loop, const Body& body) {
  loop.run((sources + rows_per_half - 1) / rows_per_half, [&](std::size_t half) {
    const std::size_t begin = half * rows_per_half;
    body(begin, std::min<std::size_t>(begin + rows_per_half, sources));
  });
}

// `found`: what was started last in the slot, which has finished.
Rows finished_rows(const FoundBatch& found, SightRunner& runner, std::uint32_t slot, std::span<const Element> sources,
                   const SightSearchLimits& limits, SharedLoop& loop) {
  const RunsBySource runs(found.runs, sources.size());
  Rows rows(sources.size());
  for_each_half(sources.size(), loop, [&](std::size_t begin, std::size_t end) {
    for_each_row(found, runs, begin, end, [&](std::size_t source, std::span<const std::uint32_t> row) {
      rows[source].assign(row.begin(), row.end());
    });
  });
  if (std::vector<std::uint32_t> left = without_room(found); !left.empty()) {
    search_again(runner, slot, sources, limits, std::move(left), rows);
  }
  return rows;
}

// Codes what a batch found, with all of whose sources it came to an end.
void code_halves(const FoundBatch& found, std::span<HalfRows> halves, SharedLoop& loop) {
  const std::size_t sources = found.has_overflowed.size();
  const RunsBySource runs(found.runs, sources);
  for_each_half(sources, loop, [&](std::size_t begin, std::size_t end) {
    HalfRows half;
    for_each_row(found, runs, begin, end, [&](std::size_t, std::span<const std::uint32_t> row) { half.add(row); });
    // A copy has no room for more.
    halves[begin / rows_per_half] = half;
  });
}

void code_halves(const Rows& rows, std::span<HalfRows> halves, SharedLoop& loop) {
  for_each_half(rows.size(), loop, [&](std::size_t begin, std::size_t end) {
    for (std::size_t r = begin; r < end; ++r) halves[begin / rows_per_half].add(rows[r]);
  });
}

}  // namespace

Rows rows_of_batch(SightRunner& runner, std::uint32_t slot, std::span<const Element> sources,
                   const SightSearchLimits& limits) {
  runner.start(slot, sources, limits);
  SharedLoop loop;
  return finished_rows(runner.finish(slot), runner, slot, sources, limits, loop);
}

void finish_halves(SightRunner& runner, std::uint32_t slot, std::span<const Element> sources,
                   const SightSearchLimits& limits, std::span<HalfRows> halves, SharedLoop& loop) {
  const FoundBatch found = runner.finish(slot);
  if (without_room(found).empty()) {
    code_halves(found, halves, loop);
  } else {
    code_halves(finished_rows(found, runner, slot, sources, limits, loop), halves, loop);
  }
}

}  // namespace tesseray
