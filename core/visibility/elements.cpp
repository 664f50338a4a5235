// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/visibility/elements.h"

namespace tesseray {

namespace {

constexpr double one_line_m = 1e-6;

bool passes(const Element& edge, Vec3 p) {
  return squared_norm(cross(p - edge.anchor, edge.axis)) <= one_line_m * one_line_m;
}

}  // namespace

Vec3 lifted_point(const Tile& tile) { return tile.centroid + lift_m * tile.normal; }
Vec3 lifted_point(const EdgeSegment& edge) { return edge.midpoint + lift_m * bisector(edge); }

std::vector<Element> make_elements(const OcclusionView& occlusion, const Tiling& tiling) {
  std::vector<Element> elements;
  elements.reserve(tiling.tiles.size() + tiling.edges.size());
  std::uint32_t number = 0;
  for (const Tile& tile : tiling.tiles) {
    elements.push_back({lifted_point(tile), tile.centroid, tile.normal, number++, Element::Kind::tile, false});
  }
  for (const EdgeSegment& edge : tiling.edges) {
    elements.push_back({lifted_point(edge), lifted_point(edge), edge.direction, number++, Element::Kind::edge, false});
  }
  for (Element& element : elements) element.is_inside = is_inside_part(occlusion, element.point);
  return elements;
}

Element free_point_element(const OcclusionView& occlusion, Vec3 point) {
  return {point, point, {}, no_index, Element::Kind::free_point, is_inside_part(occlusion, point)};
}

bool on_one_line(const Element& edge_a, const Element& edge_b) {
  return passes(edge_a, edge_b.anchor) && passes(edge_b, edge_a.anchor);
}

}  // namespace tesseray
