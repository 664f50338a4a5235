// SPDX-License-Identifier: GPL-3.0-or-later
// What vertical planes cut, as plain arrays for host and device: the sides of all footprints by cells, and the terrain.
#pragma once

#include <cstdint>

#include "core/geometry/vector.h"
#include "core/scene/terrain_view.h"
#include "core/visibility/cell_grid.h"

namespace tesseray {

// A side of a footprint, from its beginning along the vector to its end.
struct RoofSide {
  Vec2 begin, along;
  double top_z = 0;  // m
  std::uint16_t material = 0;
};

// Owns nothing.
struct RooftopSceneView {
  CellGrid grid;
  // Cell by cell, each cell's one after the other: a line reads them as they lie. Those of cell c begin at
  // first_of_cell[c] and end before first_of_cell[c + 1].
  const RoofSide* sides = nullptr;
  std::uint32_t side_count = 0;
  const std::uint32_t* first_of_cell = nullptr;
  const double* top_of_cell = nullptr;  // m; −∞ for empty cells
  TerrainView terrain;
  double highest_ground_m = 0;
  std::uint16_t ground_material = 0;
};

}  // namespace tesseray
