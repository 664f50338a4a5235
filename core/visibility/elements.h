// SPDX-License-Identifier: GPL-3.0-or-later
// Tiles and edge segments as the elements of one relation: where each is seen, and which pairs face each other.
#pragma once

#include <cstdint>
#include <vector>

#include "core/geometry/vector.h"
#include "core/tiling/tiling.h"
#include "core/visibility/visibility.h"

namespace tesseray {

struct Elements {
  std::uint32_t tile_count = 0;
  std::vector<Vec3> points;   // lifted centroids and midpoints: the ends of the segments of sight
  std::vector<Vec3> anchors;  // what must lie in front of another tile's plane: centroids, lifted midpoints
  std::vector<Vec3> axes;     // a tile's unit normal, an edge segment's unit direction

  std::uint32_t size() const { return static_cast<std::uint32_t>(points.size()); }
  bool is_tile(std::uint32_t element) const { return element < tile_count; }
};

Elements make_elements(const Tiling& tiling);

// True when p lies in front of the plane of the tile.
inline bool in_front(const Elements& elements, std::uint32_t tile, Vec3 p) {
  return dot(elements.axes[tile], p - elements.anchors[tile]) > in_front_m;
}

// True when the edge segments lie on one line, within a micrometre.
bool on_one_line(const Elements& elements, std::uint32_t edge_a, std::uint32_t edge_b);

// Everything that two elements need to see each other but free space between them. Symmetric bit for bit.
inline bool face_each_other(const Elements& elements, std::uint32_t a, std::uint32_t b) {
  if (a == b) return false;
  if (elements.is_tile(a) && !in_front(elements, a, elements.anchors[b])) return false;
  if (elements.is_tile(b) && !in_front(elements, b, elements.anchors[a])) return false;
  return elements.is_tile(a) || elements.is_tile(b) || !on_one_line(elements, a, b);
}

inline bool within(double max_distance_m, Vec3 a, Vec3 b) {
  return squared_norm(b - a) <= max_distance_m * max_distance_m;
}

}  // namespace tesseray
