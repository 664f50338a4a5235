// SPDX-License-Identifier: GPL-3.0-or-later
#include <algorithm>

#include "core/base/parallel.h"
#include "core/visibility/packed_rows.h"
#include "core/visibility/row_codec.h"
#include "core/visibility/sight_search.h"
#include "core/visibility/visibility.h"

namespace tesseray {

std::unique_ptr<Visibility> compute_visibility(const Occlusion& occlusion, const Tiling& tiling,
                                               const VisibilityOptions& options, Progress& progress) {
  constexpr std::size_t block = 64;
  const std::vector<Element> elements = make_elements(occlusion.view(), tiling);
  const SightGrid grid(occlusion.view(), elements);
  std::vector<HalfRows> halves((elements.size() + block - 1) / block);
  progress.begin_stage("visibility");
  parallel_blocks(elements.size(), block, progress, [&](std::size_t begin, std::size_t end) {
    SightSearch search(occlusion.view(), grid, options.max_distance_m);
    HalfRows& half = halves[begin / block];
    std::vector<std::uint32_t> row;
    for (std::size_t element = begin; element < end; ++element) {
      row.clear();
      search.find_above(elements[element], row);
      std::sort(row.begin(), row.end());
      half.lengths.push_back(static_cast<std::uint32_t>(row.size()));
      append_row(row, half.bytes);
    }
  });
  return whole_rows(static_cast<std::uint32_t>(tiling.tiles.size()), static_cast<std::uint32_t>(tiling.edges.size()),
                    halves, progress);
}

}  // namespace tesseray
