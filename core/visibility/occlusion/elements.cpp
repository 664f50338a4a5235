// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/visibility/occlusion/elements.h"

#include <tbb/parallel_for.h>

namespace tesseray {

Vec3 lifted_point(const Tile& tile) { return tile.centroid + lift_m * tile.normal; }
Vec3 lifted_point(const EdgeSegment& edge) { return edge.midpoint + lift_m * bisector(edge); }

Element tile_element(const Tile& tile, std::uint32_t number) {
  return {lifted_point(tile), tile.centroid, tile.normal, number, Element::Kind::tile, false};
}

Element edge_element(const EdgeSegment& edge, std::uint32_t number) {
  return {lifted_point(edge), lifted_point(edge), edge.direction, number, Element::Kind::edge, false};
}

std::vector<Element> make_elements(const OcclusionView& occlusion, const Tiling& tiling) {
  std::vector<Element> elements;
  elements.reserve(tiling.tiles.size() + tiling.edges.size());
  std::uint32_t number = 0;
  for (const Tile& tile : tiling.tiles) elements.push_back(tile_element(tile, number++));
  for (const EdgeSegment& edge : tiling.edges) elements.push_back(edge_element(edge, number++));
  tbb::parallel_for(std::size_t{0}, elements.size(),
                    [&](std::size_t k) { elements[k].is_inside = is_inside_part(occlusion, elements[k].point); });
  return elements;
}

Element free_point_element(const OcclusionView& occlusion, Vec3 point) {
  return {point, point, {}, no_index, Element::Kind::free_point, is_inside_part(occlusion, point)};
}

}  // namespace tesseray
