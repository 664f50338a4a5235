// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/propagation/launching/ground_tiles.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <optional>

namespace tesseray {
namespace {

std::vector<IndexedTile> ground_of(const Tiling& tiling) {
  std::vector<IndexedTile> ground;
  for (const Tile& tile : tiling.tiles) {
    if (tile.kind != SurfaceKind::ground) break;  // it comes first
    ground.push_back({tile.id, tile.kind, tile.centroid});
  }
  return ground;
}

constexpr double most_sides = 10;

}  // namespace

GroundTiles::GroundTiles(const Scene& scene, const Tiling& tiling, bool are_asked)
    : scene_(scene),
      tiling_(tiling),
      tiles_(are_asked ? ground_of(tiling) : std::vector<IndexedTile>()),
      index_(tiles_) {
  for (std::size_t t = 0; t < tiles_.size(); ++t) {
    const Tile& tile = tiling.tiles[t];
    farthest_corner_m_ = std::max(farthest_corner_m_, 1.001 * std::hypot(tile.half_u.x, tile.half_v.y));
  }
}

std::uint32_t GroundTiles::near(Vec2 place) const {
  const std::optional<NearestTile> nearest = index_.nearest_2d(place);
  if (!nearest) return no_index;
  if (is_on(nearest->tile, place)) return nearest->tile;
  // The middle of a part of a cell may be nearer than that of the tile on which the place is.
  for (const std::uint32_t tile : index_.within(place, farthest_corner_m_)) {
    if (is_on(tile, place)) return tile;
  }
  const Tile& tile = tiling_.tiles[nearest->tile];
  const double sides = nearest->distance_m / tile.side_m();
  return sides <= 1 || (sides <= most_sides && goes_on_to(place, tile)) ? nearest->tile : no_index;
}

bool GroundTiles::is_on(std::uint32_t tile, Vec2 place) const {
  constexpr double border = 1 + 1e-4;  // of half a side: which of two tiles has it, rounding decides
  const Tile& ground = tiling_.tiles[tile];
  const Vec2 from_middle = place - ground.centroid.xy();
  return std::fabs(from_middle.x) <= border * ground.half_u.x && std::fabs(from_middle.y) <= border * ground.half_v.y;
}

bool GroundTiles::goes_on_to(Vec2 place, const Tile& tile) const {
  constexpr double as_high_m = 0.3;
  const double rise_m = -dot(tile.normal.xy(), place - tile.centroid.xy()) / tile.normal.z;
  return std::fabs(tile.centroid.z + rise_m - scene_.terrain.height_at(place)) <= as_high_m;
}

}  // namespace tesseray
