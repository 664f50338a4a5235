// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/visibility/rows/packed_rows.h"
#include "core/visibility/rows/search_costs.h"
#include "core/visibility/visibility.h"

namespace tesseray {

std::unique_ptr<Visibility> compute_visibility(const Occlusion& occlusion, const Tiling& tiling,
                                               const VisibilityOptions& options, Progress& progress) {
  // Of the time, putting rows together takes about a tenth.
  constexpr double when_found = 0.9;
  progress.begin_stage("visibility");
  PartOfStage finding(progress, 0, when_found), merging(progress, when_found, 1);
  HalfRowFinder finder(occlusion, tiling, options);
  const SearchCosts costs(finder, 0, finding);
  const std::vector<HalfRows> halves = find_halves(finder, 0, finder.element_count(), costs, finding);
  return whole_rows(static_cast<std::uint32_t>(tiling.tiles.size()), static_cast<std::uint32_t>(tiling.edges.size()),
                    halves, merging);
}

}  // namespace tesseray
