// SPDX-License-Identifier: GPL-3.0-or-later
#include <bit>
#include <utility>

#include "core/base/parallel.h"
#include "core/visibility/packed_rows.h"
#include "core/visibility/row_codec.h"
#include "core/visibility/sight_search.h"
#include "core/visibility/visibility.h"

namespace tesseray {

namespace {

// Sorts by marking numbers in a bitmap: rows are long, and the range is short.
class NumberSorter {
 public:
  explicit NumberSorter(std::size_t numbers) : marks_((numbers + 63) / 64) {}

  // REQUIRES: no number twice.
  void sort(std::vector<std::uint32_t>& numbers) {
    for (const std::uint32_t number : numbers) marks_[number / 64] |= std::uint64_t{1} << number % 64;
    auto out = numbers.begin();
    for (std::size_t word = 0; out != numbers.end(); ++word) {
      for (std::uint64_t marks = std::exchange(marks_[word], 0); marks != 0; marks &= marks - 1) {
        *out++ = static_cast<std::uint32_t>(64 * word) + static_cast<std::uint32_t>(std::countr_zero(marks));
      }
    }
  }

 private:
  std::vector<std::uint64_t> marks_;  // all clear between calls
};

}  // namespace

std::unique_ptr<Visibility> compute_visibility(const Occlusion& occlusion, const Tiling& tiling,
                                               const VisibilityOptions& options, Progress& progress) {
  constexpr std::size_t block = 64;
  const std::vector<Element> elements = make_elements(occlusion.view(), tiling);
  const SightGrid grid(occlusion.view(), elements);
  std::vector<HalfRows> halves((elements.size() + block - 1) / block);
  progress.begin_stage("visibility");
  parallel_blocks(elements.size(), block, progress, [&](std::size_t begin, std::size_t end) {
    SightSearch search(occlusion.view(), grid, options.max_distance_m);
    NumberSorter sorter(elements.size());
    HalfRows& half = halves[begin / block];
    std::vector<std::uint32_t> row;
    for (std::size_t element = begin; element < end; ++element) {
      row.clear();
      search.find_above(elements[element], row);
      sorter.sort(row);
      half.lengths.push_back(static_cast<std::uint32_t>(row.size()));
      append_row(row, half.bytes);
    }
  });
  return whole_rows(static_cast<std::uint32_t>(tiling.tiles.size()), static_cast<std::uint32_t>(tiling.edges.size()),
                    halves, progress);
}

}  // namespace tesseray
