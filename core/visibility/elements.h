// SPDX-License-Identifier: GPL-3.0-or-later
// Tiles and edge segments as the elements of one relation: where each is seen, and which pairs face each other.
#pragma once

#include <cstdint>
#include <vector>

#include "core/geometry/vector.h"
#include "core/tiling/tiling.h"
#include "core/visibility/occlusion_view.h"
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
Element free_point_element(const OcclusionView& occlusion, Vec3 point);

// True when p lies in front of the plane of a tile.
inline bool in_front(const Element& tile, Vec3 p) { return dot(tile.axis, p - tile.anchor) > in_front_m; }

// True when two edge segments lie on one line, within a micrometre.
bool on_one_line(const Element& edge_a, const Element& edge_b);

// Everything that two elements need to see each other but a free path between them. Symmetric bit for bit.
inline bool face_each_other(const Element& a, const Element& b) {
  if (a.number == b.number || a.is_inside || b.is_inside) return false;
  if (a.kind == Element::Kind::tile && !in_front(a, b.anchor)) return false;
  if (b.kind == Element::Kind::tile && !in_front(b, a.anchor)) return false;
  return a.kind != Element::Kind::edge || b.kind != Element::Kind::edge || !on_one_line(a, b);
}

inline bool within(double max_distance_m, Vec3 a, Vec3 b) {
  return squared_norm(b - a) <= max_distance_m * max_distance_m;
}

}  // namespace tesseray
