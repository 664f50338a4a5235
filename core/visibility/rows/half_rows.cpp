// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/visibility/rows/half_rows.h"

namespace tesseray {

HalfRowFinder::HalfRowFinder(const Occlusion& occlusion, const Tiling& tiling, const VisibilityOptions& options)
    : elements_(make_elements(occlusion.view(), tiling)),
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
