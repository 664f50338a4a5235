// SPDX-License-Identifier: GPL-3.0-or-later
#include <algorithm>

#include "core/visibility/elements.h"
#include "core/visibility/sight_search.h"
#include "core/visibility/visibility.h"

namespace tesseray {

std::vector<std::uint32_t> visible_from(const Occlusion& occlusion, const Tiling& tiling, Vec3 point,
                                        const VisibilityOptions& options) {
  std::vector<std::uint32_t> seen;
  const OcclusionView& view = occlusion.view();
  if (is_inside_part(view, point)) return seen;
  const auto add_if_free = [&](std::size_t element, Vec3 target) {
    if (within(options.max_distance_m, point, target) && path_is_free(view, point, target) &&
        !is_inside_part(view, target)) {
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

struct PointVisibility::Impl {
  Impl(const OcclusionView& view, const Tiling& tiling)
      : elements(make_elements(view, tiling)),
        grid(view, elements),
        scene{view, elements, static_cast<std::uint32_t>(tiling.tiles.size()), grid} {}

  std::vector<Element> elements;
  SightGrid grid;
  SightScene scene;
};

PointVisibility::PointVisibility(const Occlusion& occlusion, const Tiling& tiling)
    : impl_(std::make_unique<Impl>(occlusion.view(), tiling)) {}
PointVisibility::~PointVisibility() = default;
PointVisibility::PointVisibility(PointVisibility&&) noexcept = default;
PointVisibility& PointVisibility::operator=(PointVisibility&&) noexcept = default;

std::vector<std::uint32_t> PointVisibility::visible_from(Vec3 point, const VisibilityOptions& options) const {
  std::vector<std::uint32_t> seen;
  SightSearch search(impl_->scene, options.max_distance_m);
  search.find_all(free_point_element(impl_->scene.occlusion, point), seen);
  std::sort(seen.begin(), seen.end());
  return seen;
}

}  // namespace tesseray
