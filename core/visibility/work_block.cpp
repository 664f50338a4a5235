// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/visibility/work_block.h"

#include <tbb/parallel_for.h>
#include <tbb/task_arena.h>

#include <algorithm>

#include "core/base/large_pages.h"
#include "core/visibility/row_codec.h"

namespace tesseray {

namespace {

// Each part of the elements is turned at once, reading all of the block: few parts, but some for every thread.
constexpr std::uint32_t parts_per_thread = 3;

// Calls visit(source, first, count) for the runs of all rows of the block.
template <class Visit>
void for_each_run_of(const std::vector<HalfRows>& halves, std::uint32_t first_source, const Visit& visit) {
  std::uint32_t source = first_source;
  for (const HalfRows& half : halves) {
    const std::uint8_t* bytes = half.bytes.data();
    for (std::uint32_t row = 0; row < half.rows; ++row, ++source) {
      bytes = for_each_run(bytes, [&](std::uint32_t first, std::uint32_t count) { visit(source, first, count); });
    }
  }
}

struct Turned {
  std::vector<std::uint8_t> bytes;
  std::vector<std::uint64_t> ends;  // of its stretches, from its begin
  std::uint64_t pairs = 0;
};

// For the elements begin … end − 1: by whom in the block they were found.
Turned turned(const std::vector<HalfRows>& halves, std::uint32_t first_source, std::uint32_t begin, std::uint32_t end) {
  std::vector<std::uint64_t> offsets(end - begin + 1, 0);
  const auto clipped = [begin, end](std::uint32_t first, std::uint32_t count, const auto& visit) {
    const std::uint32_t low = std::max(first, begin), high = std::min(first + count, end);
    for (std::uint32_t other = low; other < high; ++other) visit(other - begin);
  };
  for_each_run_of(halves, first_source, [&](std::uint32_t, std::uint32_t first, std::uint32_t count) {
    clipped(first, count, [&](std::uint32_t place) { ++offsets[place + 1]; });
  });
  for (std::size_t k = 1; k < offsets.size(); ++k) offsets[k] += offsets[k - 1];
  LargePageVector<std::uint32_t> sources(offsets.back());
  std::vector<std::uint64_t> next(offsets.begin(), offsets.end() - 1);
  for_each_run_of(halves, first_source, [&](std::uint32_t source, std::uint32_t first, std::uint32_t count) {
    clipped(first, count, [&](std::uint32_t place) { sources[next[place]++] = source; });
  });
  Turned result;
  result.pairs = offsets.back();
  for (std::uint32_t place = 0; place < end - begin; ++place) {
    append_row({sources.data() + offsets[place], sources.data() + offsets[place + 1]}, result.bytes);
    if ((begin + place + 1) % rows_per_stretch == 0 || begin + place + 1 == end) {
      result.ends.push_back(result.bytes.size());
    }
  }
  return result;
}

}  // namespace

WorkBlock make_work_block(std::uint32_t first, std::uint32_t end, std::uint32_t element_count,
                          const std::vector<HalfRows>& halves, const Progress& progress) {
  WorkBlock block;
  block.index = {first, end, {0}, {}};
  std::uint32_t rows = 0;
  for (const HalfRows& half : halves) {
    block.bytes.insert(block.bytes.end(), half.bytes.begin(), half.bytes.end());
    rows += half.rows;
    if (rows % rows_per_stretch == 0 || rows == end - first) block.index.forward.push_back(block.bytes.size());
  }

  const std::uint32_t stretches = (element_count + rows_per_stretch - 1) / rows_per_stretch;
  const std::uint32_t most_parts =
      parts_per_thread * static_cast<std::uint32_t>(tbb::this_task_arena::max_concurrency());
  const std::uint32_t part_rows = (stretches + most_parts - 1) / most_parts * rows_per_stretch;
  const std::uint32_t parts = (element_count + part_rows - 1) / part_rows;
  std::vector<Turned> turned_parts(parts);
  tbb::parallel_for(std::uint32_t{0}, parts, [&](std::uint32_t part) {
    progress.throw_if_cancelled();
    const std::uint32_t begin = part * part_rows;
    turned_parts[part] = turned(halves, first, begin, std::min(element_count - begin, part_rows) + begin);
  });
  block.index.backward.push_back(block.bytes.size());
  for (const Turned& part : turned_parts) {
    const std::uint64_t offset = block.bytes.size();
    for (const std::uint64_t stretch_end : part.ends) block.index.backward.push_back(offset + stretch_end);
    block.bytes.insert(block.bytes.end(), part.bytes.begin(), part.bytes.end());
    block.pairs += part.pairs;
  }
  return block;
}

}  // namespace tesseray
