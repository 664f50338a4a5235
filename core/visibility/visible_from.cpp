// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/visibility/elements.h"
#include "core/visibility/visibility.h"

namespace tesseray {

std::vector<std::uint32_t> visible_from(const Occlusion& occlusion, const Tiling& tiling, Vec3 point,
                                        const VisibilityOptions& options) {
  std::vector<std::uint32_t> seen;
  const auto add_if_free = [&](std::size_t element, Vec3 target) {
    if (within(options.max_distance_m, point, target) && occlusion.is_free(point, target)) {
      seen.push_back(static_cast<std::uint32_t>(element));
    }
  };
  for (std::size_t t = 0; t < tiling.tiles.size(); ++t) {
    const Tile& tile = tiling.tiles[t];
    if (dot(tile.normal, point - tile.centroid) > in_front_m) add_if_free(t, lifted_point(tile));
  }
  for (std::size_t e = 0; e < tiling.edges.size(); ++e) {
    add_if_free(tiling.tiles.size() + e, lifted_point(tiling.edges[e]));
  }
  return seen;
}

}  // namespace tesseray
