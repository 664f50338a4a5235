// SPDX-License-Identifier: GPL-3.0-or-later
#include <tbb/enumerable_thread_specific.h>

#include <bit>
#include <utility>

#include "core/base/parallel.h"
#include "core/visibility/packed_rows.h"
#include "core/visibility/row_codec.h"
#include "core/visibility/sight_search.h"
#include "core/visibility/visibility.h"

namespace tesseray {

namespace {

// Sorts by marking numbers in a bitmap, and its words in another: rows are long, and the range is short.
class NumberSorter {
 public:
  explicit NumberSorter(std::size_t numbers) : marks_(numbers / 64 + 1), marked_words_(marks_.size() / 64 + 1) {}

  // REQUIRES: no number twice.
  void sort(std::vector<std::uint32_t>& numbers) {
    for (const std::uint32_t number : numbers) {
      marks_[number / 64] |= std::uint64_t{1} << number % 64;
      marked_words_[number / 4096] |= std::uint64_t{1} << number / 64 % 64;
    }
    auto out = numbers.begin();
    for (std::size_t words = 0; out != numbers.end(); ++words) {
      for (std::uint64_t marked = std::exchange(marked_words_[words], 0); marked != 0; marked &= marked - 1) {
        const std::size_t word = 64 * words + static_cast<std::size_t>(std::countr_zero(marked));
        for (std::uint64_t marks = std::exchange(marks_[word], 0); marks != 0; marks &= marks - 1) {
          *out++ = static_cast<std::uint32_t>(64 * word) + static_cast<std::uint32_t>(std::countr_zero(marks));
        }
      }
    }
  }

 private:
  std::vector<std::uint64_t> marks_, marked_words_;  // all clear between calls
};

// What a thread keeps from block to block.
struct Worker {
  SightSearch search;
  NumberSorter sorter;
  std::vector<std::uint32_t> row;
};

}  // namespace

std::unique_ptr<Visibility> compute_visibility(const Occlusion& occlusion, const Tiling& tiling,
                                               const VisibilityOptions& options, Progress& progress) {
  constexpr std::size_t block = 64;
  const std::vector<Element> elements = make_elements(occlusion.view(), tiling);
  const SightGrid grid(occlusion.view(), elements);
  const SightScene scene = {occlusion.view(), elements, static_cast<std::uint32_t>(tiling.tiles.size()), grid};
  std::vector<HalfRows> halves((elements.size() + block - 1) / block);
  tbb::enumerable_thread_specific<Worker> workers([&] {
    return Worker{SightSearch(scene, options.max_distance_m), NumberSorter(elements.size()), {}};
  });
  progress.begin_stage("visibility");
  parallel_blocks(elements.size(), block, progress, [&](std::size_t begin, std::size_t end) {
    auto& [search, sorter, row] = workers.local();
    HalfRows& half = halves[begin / block];
    for (std::size_t element = begin; element < end; ++element) {
      row.clear();
      search.find_above(elements[element], row);
      sorter.sort(row);
      ++half.rows;
      append_row(row, half.bytes);
    }
  });
  return whole_rows(static_cast<std::uint32_t>(tiling.tiles.size()), static_cast<std::uint32_t>(tiling.edges.size()),
                    halves, progress);
}

}  // namespace tesseray
