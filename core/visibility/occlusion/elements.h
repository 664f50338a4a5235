// SPDX-License-Identifier: GPL-3.0-or-later
// Tiles and edge segments as the elements of one relation: where each is seen, and which pairs face each other.
#pragma once

#include <cstdint>
#include <vector>

#include "core/geometry/vector.h"
#include "core/tiling/tiling.h"
#include "core/visibility/occlusion/occlusion_view.h"
#include "core/visibility/visibility.h"

namespace tesseray {

struct Element {
  enum class Kind : std::uint8_t { tile, edge, free_point };
  Vec3 point;   // lifted centroid or midpoint: the end of segments of sight
  Vec3 anchor;  // what must lie in front of another tile's plane: centroid, lifted midpoint
  Vec3 axis;    // a tile's unit normal, an edge segment's unit direction
  std::uint32_t number = no_index;
  Kind kind = Kind::free_point;
  bool is_inside = false;  // within a part of the scene: sees nothing
};

// The elements of a tiling, by number.
std::vector<Element> make_elements(const OcclusionView& occlusion, const Tiling& tiling);
// One of them; `is_inside` is not looked for.
Element tile_element(const Tile& tile, std::uint32_t number);
Element edge_element(const EdgeSegment& edge, std::uint32_t number);
Element free_point_element(const OcclusionView& occlusion, Vec3 point);

// True when p lies in front of the plane of a tile.
TESSERAY_HD inline bool in_front(const Element& tile, Vec3 p) { return dot(tile.axis, p - tile.anchor) > in_front_m; }

// True when p lies on the line of an edge segment, within a micrometre.
TESSERAY_HD inline bool is_passed_by(const Element& edge, Vec3 p) {
  constexpr double one_line_m = 1e-6;
  return squared_norm(cross(p - edge.anchor, edge.axis)) <= one_line_m * one_line_m;
}

// True when two edge segments lie on one line.
TESSERAY_HD inline bool on_one_line(const Element& edge_a, const Element& edge_b) {
  return is_passed_by(edge_b, edge_a.anchor) && is_passed_by(edge_a, edge_b.anchor);
}

// Everything that two elements need to see each other but a free path between them. Symmetric bit for bit.
TESSERAY_HD inline bool face_each_other(const Element& a, const Element& b) {
  if (a.number == b.number || a.is_inside || b.is_inside) return false;
  if (a.kind == Element::Kind::tile && !in_front(a, b.anchor)) return false;
  if (b.kind == Element::Kind::tile && !in_front(b, a.anchor)) return false;
  return a.kind != Element::Kind::edge || b.kind != Element::Kind::edge || !on_one_line(a, b);
}

TESSERAY_HD inline bool within(double max_distance_m, Vec3 a, Vec3 b) {
  return squared_norm(b - a) <= max_distance_m * max_distance_m;
}

}  // namespace tesseray
