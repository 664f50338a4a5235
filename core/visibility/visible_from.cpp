// SPDX-License-Identifier: GPL-3.0-or-later
#include <algorithm>

#include "core/visibility/elements.h"
#include "core/visibility/sight_search.h"
#include "core/visibility/visibility.h"

namespace tesseray {

namespace {

std::vector<std::uint32_t> seen_by(const Element& source, const OcclusionView& view, const Tiling& tiling,
                                   const VisibilityOptions& options) {
  std::vector<std::uint32_t> seen;
  if (source.is_inside) return seen;
  const auto add_if_seen = [&](const Element& target) {
    if (face_each_other(source, target) && within(options.max_distance_m, source.point, target.point) &&
        path_is_free(view, source.point, target.point) && !is_inside_part(view, target.point)) {
      seen.push_back(target.number);
    }
  };
  std::uint32_t number = 0;
  for (const Tile& tile : tiling.tiles) add_if_seen(tile_element(tile, number++));
  for (const EdgeSegment& edge : tiling.edges) add_if_seen(edge_element(edge, number++));
  return seen;
}

}  // namespace

std::vector<std::uint32_t> visible_from(const Occlusion& occlusion, const Tiling& tiling, Vec3 point,
                                        const VisibilityOptions& options) {
  const OcclusionView& view = occlusion.view();
  return seen_by(free_point_element(view, point), view, tiling, options);
}

std::vector<std::uint32_t> visible_from_tile(const Occlusion& occlusion, const Tiling& tiling, std::uint32_t tile,
                                             const VisibilityOptions& options) {
  const OcclusionView& view = occlusion.view();
  Element source = tile_element(tiling.tiles[tile], tile);
  source.is_inside = is_inside_part(view, source.point);
  return seen_by(source, view, tiling, options);
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
