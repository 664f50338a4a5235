// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/propagation/rays/even_tiles.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "core/scene/landscape/even_ground.h"

namespace tesseray {
namespace {

// Whether the plane passes the heights that a tile is made of, at its corners and its middle.
bool holds(const EvenPlane& plane, const Terrain& terrain, const Tile& tile) {
  const Vec2 middle = tile.centroid.xy(), u = tile.half_u.xy(), v = tile.half_v.xy();
  const std::array places{middle, middle - u - v, middle + u - v, middle - u + v, middle + u + v};
  return std::all_of(places.begin(), places.end(), [&](Vec2 place) {
    return std::fabs(terrain.height_at(place) - plane.height_at(place)) <= coordinate_step_m;
  });
}

void lay_into(const EvenPlane& plane, Tile& tile) {
  tile.centroid.z = plane.height_at(tile.centroid.xy());
  tile.normal = plane.normal();
  tile.half_u.z = dot(plane.slope, tile.half_u.xy());
  tile.half_v.z = dot(plane.slope, tile.half_v.xy());
}

}  // namespace

std::unique_ptr<const Tiling> with_even_tiles(const Scene& scene, const Tiling& tiling) {
  const EvenGround ground(scene.terrain);
  if (ground.empty()) return nullptr;
  std::unique_ptr<Tiling> even;
  for (std::size_t t = 0; t < tiling.tiles.size() && tiling.tiles[t].kind == SurfaceKind::ground; ++t) {
    const Tile& tile = tiling.tiles[t];
    const EvenPlane* const plane = ground.plane_at(tile.centroid.xy());
    if (plane == nullptr || !holds(*plane, scene.terrain, tile)) continue;
    if (!even) even = std::make_unique<Tiling>(tiling);
    lay_into(*plane, even->tiles[t]);
  }
  return even;
}

}  // namespace tesseray
