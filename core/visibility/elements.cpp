// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/visibility/elements.h"

#include <algorithm>

namespace tesseray {

namespace {

constexpr double one_line_m = 1e-6;

}  // namespace

Vec3 lifted_point(const Tile& tile) { return tile.centroid + lift_m * tile.normal; }
Vec3 lifted_point(const EdgeSegment& edge) { return edge.midpoint + lift_m * bisector(edge); }

Elements make_elements(const Tiling& tiling) {
  Elements elements;
  elements.tile_count = static_cast<std::uint32_t>(tiling.tiles.size());
  const std::size_t count = tiling.tiles.size() + tiling.edges.size();
  elements.points.reserve(count);
  elements.anchors.reserve(count);
  elements.axes.reserve(count);
  for (const Tile& tile : tiling.tiles) {
    elements.points.push_back(lifted_point(tile));
    elements.anchors.push_back(tile.centroid);
    elements.axes.push_back(tile.normal);
  }
  for (const EdgeSegment& edge : tiling.edges) {
    elements.points.push_back(lifted_point(edge));
    elements.anchors.push_back(lifted_point(edge));
    elements.axes.push_back(edge.direction);
  }
  return elements;
}

bool on_one_line(const Elements& elements, std::uint32_t edge_a, std::uint32_t edge_b) {
  const auto [first, second] = std::minmax(edge_a, edge_b);
  const Vec3 between = elements.anchors[second] - elements.anchors[first];
  constexpr double limit = one_line_m * one_line_m;
  return squared_norm(cross(between, elements.axes[first])) <= limit &&
         squared_norm(cross(between, elements.axes[second])) <= limit;
}

}  // namespace tesseray
