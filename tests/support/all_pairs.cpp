// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/support/all_pairs.h"

#include <vector>

#include "core/base/parallel.h"
#include "core/visibility/occlusion/elements.h"
#include "core/visibility/rows/packed_rows.h"

namespace tesseray::testing {

std::unique_ptr<Visibility> compute_visibility_of_all_pairs(const Occlusion& occlusion, const Tiling& tiling,
                                                            const VisibilityOptions& options, Progress& progress) {
  constexpr std::size_t block = 64;
  const std::vector<Element> elements = make_elements(occlusion.view(), tiling);
  std::vector<HalfRows> halves((elements.size() + block - 1) / block);
  progress.begin_stage("visibility");
  parallel_blocks(elements.size(), block, progress, [&](std::size_t begin, std::size_t end) {
    HalfRows& half = halves[begin / block];
    std::vector<std::uint32_t> row;
    for (std::size_t a = begin; a < end; ++a) {
      row.clear();
      for (std::size_t b = a + 1; b < elements.size(); ++b) {
        if (face_each_other(elements[a], elements[b]) &&
            within(options.max_distance_m, elements[a].point, elements[b].point) &&
            path_is_free(occlusion.view(), elements[a].point, elements[b].point)) {
          row.push_back(elements[b].number);
        }
      }
      half.add(row);
    }
  });
  return whole_rows(static_cast<std::uint32_t>(tiling.tiles.size()), static_cast<std::uint32_t>(tiling.edges.size()),
                    halves, progress);
}

}  // namespace tesseray::testing
