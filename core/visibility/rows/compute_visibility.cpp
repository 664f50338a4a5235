// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/base/parallel.h"
#include "core/visibility/rows/half_rows.h"
#include "core/visibility/rows/packed_rows.h"
#include "core/visibility/visibility.h"

namespace tesseray {

namespace {

std::vector<HalfRows> found_halves(const Occlusion& occlusion, const Tiling& tiling, const VisibilityOptions& options,
                                   Progress& progress) {
  constexpr std::size_t block = HalfRowFinder::elements_per_task;
  HalfRowFinder finder(occlusion, tiling, options);
  std::vector<HalfRows> halves((finder.element_count() + block - 1) / block);
  parallel_blocks(finder.element_count(), block, progress, [&](std::size_t begin, std::size_t end) {
    halves[begin / block] = finder.find(static_cast<std::uint32_t>(begin), static_cast<std::uint32_t>(end));
  });
  return halves;
}

}  // namespace

std::unique_ptr<Visibility> compute_visibility(const Occlusion& occlusion, const Tiling& tiling,
                                               const VisibilityOptions& options, Progress& progress) {
  // Of the time, putting rows together takes about a tenth.
  constexpr double when_found = 0.9;
  progress.begin_stage("visibility");
  PartOfStage finding(progress, 0, when_found), merging(progress, when_found, 1);
  const std::vector<HalfRows> halves = found_halves(occlusion, tiling, options, finding);
  return whole_rows(static_cast<std::uint32_t>(tiling.tiles.size()), static_cast<std::uint32_t>(tiling.edges.size()),
                    halves, merging);
}

}  // namespace tesseray
