// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/visibility/rows/half_rows.h"

namespace tesseray {

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
        return Worker{SightSearch(scene_, max_distance_m), RowMaker(elements_.size()), {}, {}};
      }) {}

HalfRows HalfRowFinder::find(std::uint32_t begin, std::uint32_t end) {
  auto& [search, row, seen, half] = workers_.local();
  half.clear();
  for (std::uint32_t element = begin; element < end; ++element) {
    seen.clear();
    search.find_above(elements_[element], seen);
    for (const std::uint32_t number : seen) row.add(number);
    half.add(row);
  }
  // A copy has no room for more.
  return half;
}

}  // namespace tesseray
