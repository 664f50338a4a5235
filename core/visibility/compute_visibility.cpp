// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/base/parallel.h"
#include "core/visibility/half_rows.h"
#include "core/visibility/packed_rows.h"
#include "core/visibility/visibility.h"

namespace tesseray {

std::unique_ptr<Visibility> compute_visibility(const Occlusion& occlusion, const Tiling& tiling,
                                               const VisibilityOptions& options, Progress& progress) {
  constexpr std::size_t block = HalfRowFinder::elements_per_task;
  HalfRowFinder finder(occlusion, tiling, options);
  std::vector<HalfRows> halves((finder.element_count() + block - 1) / block);
  progress.begin_stage("visibility");
  parallel_blocks(finder.element_count(), block, progress, [&](std::size_t begin, std::size_t end) {
    halves[begin / block] = finder.find(static_cast<std::uint32_t>(begin), static_cast<std::uint32_t>(end));
  });
  return whole_rows(static_cast<std::uint32_t>(tiling.tiles.size()), static_cast<std::uint32_t>(tiling.edges.size()),
                    halves, progress);
}

}  // namespace tesseray
