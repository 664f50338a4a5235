// SPDX-License-Identifier: GPL-3.0-or-later
// The tiles of one prism: its walls, then its roof.
#pragma once

#include <cstdint>
#include <vector>

#include "core/tiling/walls.h"

namespace tesseray {

// Where a wall's or roof's tiles are in a list of tiles.
struct TileRange {
  std::uint32_t begin = 0, end = 0;
};

// Tiles carry their slot (tile_id.h, counted within the prism) in `id` until the building's number is added; −1, −2, …
// where their wall has no row left for them.
struct PrismTiles {
  std::vector<Tile> tiles;
  std::vector<TileRange> wall_tiles;  // per wall
  TileRange roof_tiles;
  TilingCounts counts;
};

// How many slots a prism's tiles and its edge segments need: from its own shape alone.
std::uint64_t slot_count(const Prism& prism, const std::vector<Wall>& walls, const TilingOptions& options);

// The slots of one wall: columns along it and one more for the corner at its end, rows counted from the top, some
// more than an ordinary wall needs. Eaves take the top row's. Tiles and edge segments are numbered apart, by the same
// slots.
struct WallSlots {
  double column_m = 0;
  std::uint64_t columns = 0, rows = 0;
  std::uint64_t count() const { return (columns + 1) * rows; }
  std::uint64_t slot(double u, std::uint64_t row) const {
    return static_cast<std::uint64_t>(u / column_m) * rows + row;
  }
  std::uint64_t corner_slot(std::uint64_t row) const { return columns * rows + row; }
  bool has_row(std::uint64_t row) const { return row < rows; }
};
WallSlots wall_slots(const Wall& wall, double height_m, const TilingOptions& options);

PrismTiles tile_prism(const Scene& scene, const PrismIndex& index, std::uint32_t prism, const PrismWalls& walls,
                      const TilingOptions& options);

}  // namespace tesseray
