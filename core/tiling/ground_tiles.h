// SPDX-License-Identifier: GPL-3.0-or-later
// The tiles of the ground, on cells aligned to multiples of the tile side in the CRS, and the ridges between them.
#pragma once

#include <cstdint>
#include <vector>

#include "core/scene/ground_plan/prism_index.h"
#include "core/tiling/tiling.h"

namespace tesseray {

// The cells whose centres are in the scene's extent. Cell (column, row) of the CRS covers column·side … +side.
struct GroundGrid {
  double side_m = 0;
  std::int64_t first_column = 0, first_row = 0;
  std::uint32_t columns = 0, rows = 0;
  Vec2 origin;  // of the scene frame

  // South-west corner in the scene frame; column and row count from the first.
  Vec2 corner(std::uint32_t column, std::uint32_t row) const {
    return {static_cast<double>(first_column + column) * side_m - origin.x,
            static_cast<double>(first_row + row) * side_m - origin.y};
  }
};

struct TiledGround {
  GroundGrid grid;
  std::vector<Tile> tiles;             // south to north, west to east
  std::vector<std::uint32_t> tile_at;  // cell → index into tiles, or no_index
};

// Throws Error(resources) when the extent has too many cells, Error(invalid_input) when they are too small to be
// numbered so far from the CRS's origin.
TiledGround tile_ground(const Scene& scene, const PrismIndex& index, const TilingOptions& options, Progress& progress);

// Edges along the sides of neighbouring ground tiles whose exterior angle exceeds ridge_angle_deg.
std::vector<EdgeSegment> find_ridges(const Scene& scene, const PrismIndex& index, const TiledGround& ground,
                                     const TilingOptions& options);

}  // namespace tesseray
