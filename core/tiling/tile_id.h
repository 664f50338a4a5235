// SPDX-License-Identifier: GPL-3.0-or-later
// Stable numbers of tiles and edge segments.
//
// A ground tile's number comes from its cell in the CRS; a building's tiles are numbered by building and by slot: a
// place on one of its own walls or roofs, counted whether a tile is there or not. (Where parts cut a wall into more
// strips than it has rows, further tiles have the building's last slots.) So editing one building renumbers no other,
// and an extent may grow without renumbering anything. Numbers of tiles stay below 2^53, which JSON and spreadsheets
// hold exactly, for building ids below 2^32; those of buildings' edge segments do not.
#pragma once

#include <cstdint>

namespace tesseray {

inline constexpr int slot_bits = 20;
inline constexpr int cell_bits = 26;

// How many cells there may be from the CRS's origin on to either side.
inline constexpr std::int64_t most_cells_from_origin = std::int64_t{1} << (cell_bits - 1);
constexpr bool is_numbered_cell(std::int64_t column, std::int64_t row) {
  constexpr std::int64_t limit = most_cells_from_origin;
  return column >= -limit && column < limit && row >= -limit && row < limit;
}
// REQUIRES: is_numbered_cell.
constexpr std::int64_t ground_tile_id(std::int64_t column, std::int64_t row) {
  constexpr std::int64_t offset = most_cells_from_origin;
  return ((row + offset) << cell_bits | (column + offset)) + 1;
}
// REQUIRES: 0 ≤ building_id < 2^42, slot < 2^slot_bits.
constexpr std::int64_t building_tile_id(std::int64_t building_id, std::uint64_t slot) {
  return (std::int64_t{1} << (2 * cell_bits)) + 1 + (building_id << slot_bits | static_cast<std::int64_t>(slot));
}

enum class RidgeSide { east, north };
constexpr std::int64_t ridge_id(std::int64_t ground_tile, RidgeSide side) {
  return 2 * ground_tile + (side == RidgeSide::north ? 1 : 0);
}
constexpr std::int64_t building_edge_id(std::int64_t building_id, std::uint64_t slot) {
  return (std::int64_t{1} << (2 * cell_bits + 1)) + 2 + (building_id << slot_bits | static_cast<std::int64_t>(slot));
}

}  // namespace tesseray
