// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/propagation/launching/ground_tiles.h"

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

}  // namespace

GroundTiles::GroundTiles(const Tiling& tiling, bool are_asked)
    : tiling_(tiling), tiles_(are_asked ? ground_of(tiling) : std::vector<IndexedTile>()), index_(tiles_) {}

std::uint32_t GroundTiles::near(Vec2 place) const {
  const std::optional<NearestTile> nearest = index_.nearest_2d(place);
  return nearest && nearest->distance_m <= tiling_.tiles[nearest->tile].side_m() ? nearest->tile : no_index;
}

}  // namespace tesseray
