// SPDX-License-Identifier: GPL-3.0-or-later
// Figures of a tiling that several tests look at.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

#include "core/tiling/tiling.h"
#include "tests/support/synthetic_city.h"

namespace tesseray::testing {

inline Tiling tiled(const Scene& scene, const TilingOptions& options = {}) {
  return tile_scene(scene, options, no_progress());
}

inline Scene with_prisms(std::vector<Prism> prisms) {
  Scene scene = flat_ground(100, 100);
  scene.prisms = std::move(prisms);
  return scene;
}

inline std::int64_t count(const Tiling& tiling, SurfaceKind kind) {
  return std::count_if(tiling.tiles.begin(), tiling.tiles.end(), [kind](const Tile& t) { return t.kind == kind; });
}
inline std::int64_t count(const Tiling& tiling, EdgeKind kind) {
  return std::count_if(tiling.edges.begin(), tiling.edges.end(),
                       [kind](const EdgeSegment& e) { return e.kind == kind; });
}

inline double total_area(const Tiling& tiling, SurfaceKind kind) {
  double sum = 0;
  for (const Tile& tile : tiling.tiles) sum += tile.kind == kind ? tile.area_m2() : 0;
  return sum;
}
inline double total_length(const Tiling& tiling, EdgeKind kind) {
  double sum = 0;
  for (const EdgeSegment& edge : tiling.edges) sum += edge.kind == kind ? edge.length_m : 0;
  return sum;
}

inline Prism prism_of(std::int64_t building_id, Rings rings, double bottom_z, double top_z) {
  Prism prism = box_prism(building_id, {0, 0}, {1, 1}, bottom_z, top_z);
  prism.rings = std::move(rings);
  return prism;
}

// Turned about (50, 50) and snapped, as a surveyed building would be.
inline Rings turned(const Rings& rings, double angle) {
  Rings result = rings;
  for (Ring& ring : result) {
    for (Vec2& p : ring) {
      const Vec2 d = p - Vec2{50, 50};
      p = {snapped(50 + std::cos(angle) * d.x - std::sin(angle) * d.y),
           snapped(50 + std::sin(angle) * d.x + std::cos(angle) * d.y)};
    }
  }
  return result;
}

}  // namespace tesseray::testing
