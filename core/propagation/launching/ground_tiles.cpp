// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/propagation/launching/ground_tiles.h"

#include <cmath>
#include <optional>

namespace tesseray {
namespace {

std::vector<IndexedTile> ground_of(const Tiling& tiling) {
  std::vector<IndexedTile> ground;
  for (const Tile& tile : tiling.tiles) {
    if (tile.kind != SurfaceKind::ground) break;  // it comes first
    ground.push_back({tile.id, tile.kind, tile.centroid, half_in_plan(tile.half_u, tile.half_v)});
  }
  return ground;
}

constexpr double most_sides = 10;

}  // namespace

GroundTiles::GroundTiles(const Scene& scene, const Tiling& tiling, bool are_asked)
    : scene_(scene),
      tiling_(tiling),
      tiles_(are_asked ? ground_of(tiling) : std::vector<IndexedTile>()),
      index_(tiles_) {}

std::uint32_t GroundTiles::near(Vec2 place) const {
  const std::optional<NearestTile> nearest = index_.at_or_nearest_2d(place);
  if (!nearest) return no_index;
  const Tile& tile = tiling_.tiles[nearest->tile];
  const double sides = nearest->distance_m / tile.side_m();
  return sides <= 1 || (sides <= most_sides && goes_on_to(place, tile)) ? nearest->tile : no_index;
}

bool GroundTiles::goes_on_to(Vec2 place, const Tile& tile) const {
  constexpr double as_high_m = 0.3;
  const double rise_m = -dot(tile.normal.xy(), place - tile.centroid.xy()) / tile.normal.z;
  return std::fabs(tile.centroid.z + rise_m - scene_.terrain.height_at(place)) <= as_high_m;
}

}  // namespace tesseray
