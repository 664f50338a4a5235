// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/visibility/half_rows.h"

#include <bit>
#include <utility>

#include "core/visibility/row_codec.h"

namespace tesseray {

void NumberSorter::sort(std::vector<std::uint32_t>& numbers) {
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

namespace {

// Costs of all elements before each one, and of all. Roofs and edges look over the houses and see more than walls and
// the ground: they take as long as these in a city of 5 km², twice as long in one of 20 km².
std::vector<std::uint32_t> costs_before(const Tiling& tiling) {
  constexpr std::uint32_t low = 2, high = 3;
  std::vector<std::uint32_t> costs = {0};
  costs.reserve(1 + tiling.tiles.size() + tiling.edges.size());
  for (const Tile& tile : tiling.tiles) costs.push_back(costs.back() + (tile.kind == SurfaceKind::roof ? high : low));
  for (std::size_t edge = 0; edge < tiling.edges.size(); ++edge) costs.push_back(costs.back() + high);
  return costs;
}

}  // namespace

HalfRowFinder::HalfRowFinder(const Occlusion& occlusion, const Tiling& tiling, const VisibilityOptions& options)
    : elements_(make_elements(occlusion.view(), tiling)),
      cost_before_(costs_before(tiling)),
      grid_(occlusion.view(), elements_),
      scene_{occlusion.view(), elements_, static_cast<std::uint32_t>(tiling.tiles.size()), grid_},
      workers_([this, max_distance_m = options.max_distance_m] {
        return Worker{SightSearch(scene_, max_distance_m), NumberSorter(elements_.size()), {}};
      }) {}

HalfRows HalfRowFinder::find(std::uint32_t begin, std::uint32_t end) {
  auto& [search, sorter, row] = workers_.local();
  HalfRows half;
  for (std::uint32_t element = begin; element < end; ++element) {
    row.clear();
    search.find_above(elements_[element], row);
    sorter.sort(row);
    ++half.rows;
    append_row(row, half.bytes);
  }
  return half;
}

}  // namespace tesseray
