// SPDX-License-Identifier: GPL-3.0-or-later
// What vertical planes cut, as plain arrays for host and device: the sides of all footprints by cells, and the terrain.
#pragma once

#include <cstdint>

#include "core/base/host_device.h"
#include "core/geometry/vector.h"
#include "core/scene/terrain_view.h"
#include "core/visibility/occlusion/cell_grid.h"

namespace tesseray {

// Sides of footprints, in columns: each from its beginning along a vector to its end, with those of the sides before
// and after it in its ring. The solid is on their left. Owns nothing.
struct RoofSidesView {
  const double *begin_x = nullptr, *begin_y = nullptr, *along_x = nullptr, *along_y = nullptr;
  const double *before_x = nullptr, *before_y = nullptr, *after_x = nullptr, *after_y = nullptr;
  const double* top_z = nullptr;  // m
  const std::uint16_t* material = nullptr;
  const std::uint32_t* roof = nullptr;  // see ProfileEdge
};

// The terrain by square blocks of its cells: how high it is there at most. Beyond its border it goes on as it is there.
// Owns nothing.
struct TerrainBlocksView {
  static constexpr std::uint32_t side = 4;  // cells

  std::uint32_t columns = 0, rows = 0;
  const float* highest_m = nullptr;  // row by row

  TESSERAY_HD static std::uint32_t count(std::uint32_t nodes) { return nodes > 1 ? (nodes - 1 + side - 1) / side : 0; }
};

// Owns nothing.
struct RooftopSceneView {
  CellGrid grid;
  // Cell by cell, each cell's one after the other: a line reads them as they lie. Those of cell c begin at
  // first_of_cell[c] and end before first_of_cell[c + 1].
  RoofSidesView sides;
  std::uint32_t side_count = 0;
  const std::uint32_t* first_of_cell = nullptr;
  const double* top_of_cell = nullptr;  // m; −∞ for empty cells
  TerrainView terrain;
  TerrainBlocksView terrain_blocks;
  double highest_ground_m = 0;
  std::uint16_t ground_material = 0, roof_material = 0;
};

}  // namespace tesseray
