// SPDX-License-Identifier: GPL-3.0-or-later
// Elements and occluders in cells of the ground plan, and cells in blocks: what a search from a point goes through.
//
// Everything that is looked at in numbers is kept as arrays of floats, relative to the south-west corner of its block
// and to a reference height, so that it can be taken many at a time and keeps its precision.
#pragma once

#include <array>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "core/visibility/cell_grid.h"
#include "core/visibility/elements.h"
#include "core/visibility/occlusion_view.h"
#include "core/visibility/sight_margins.h"

namespace tesseray {

// Elements as arrays; padded, so that whole vectors may be read from any of them.
struct ElementArrays {
  std::vector<float> x, y, z;
  std::vector<float> nx, ny,
      nz;  // unit normals of tiles; zero for edge segments
  std::vector<std::uint32_t> number;
};

// Pieces of walls, each within one cell, from a point along a direction that is as long as the piece; the solid is on
// the left. Heights count from the reference.
struct WallArrays {
  std::vector<float> x, y, along_x, along_y;
  std::vector<float> bottom_z, top_z;  // bottom −10⁹ for parts on the ground
};

// What a cell, or a block of cells, holds at most. Heights count from the reference; −∞ for nothing.
struct alignas(64) SquareBounds {
  static constexpr float none = -std::numeric_limits<float>::infinity();
  float top_z = none;  // of everything: targets, occluders, terrain
  float target_top_z = none, wall_top_z = none, terrain_top_z = none;
  // The terrain lies nowhere below this over the whole square; −∞ where a part of the square has no terrain.
  float terrain_low_z = std::numeric_limits<float>::infinity();
  bool has_raised_part = false;
  float roof_top_z = none, roof_low_z = std::numeric_limits<float>::infinity();  // of flat roofs as targets
  // Of a cell alone: its elements, of which those from first_roof on are flat roofs, and its walls.
  std::uint32_t first_element = 0, first_roof = 0, end_element = 0;
  std::uint32_t first_wall = 0, end_wall = 0;
  std::uint32_t first_part = 0, end_part = 0;  // SightGrid::centred_parts

  void extend(const SquareBounds& other);
};

class SightGrid {
 public:
  static constexpr std::int32_t block_cells = 4;  // cells along a block's side
  static constexpr std::int32_t cells_per_block = block_cells * block_cells;

  SightGrid(const OcclusionView& occlusion, const std::vector<Element>& elements);

  double cell_m() const { return cells_.step_m; }
  double block_m() const { return cells_.step_m * block_cells; }
  std::int32_t columns() const { return cells_.columns; }
  std::int32_t rows() const { return cells_.rows; }
  std::int32_t block_columns() const { return cells_.columns / block_cells; }
  std::int32_t block_rows() const { return cells_.rows / block_cells; }
  std::int32_t column(double x) const { return cells_.column(x); }
  std::int32_t row(double y) const { return cells_.row(y); }
  bool covers(Vec2 p) const { return whole_.contains(p); }
  // The square of the cells (low_i, low_j) … (high_i, high_j), all included.
  Rectangle square(std::int32_t low_i, std::int32_t low_j, std::int32_t high_i, std::int32_t high_j) const {
    return cells_.square(low_i, low_j, high_i, high_j);
  }
  Vec2 corner(std::int32_t i, std::int32_t j) const {
    return {cells_.origin.x + i * cells_.step_m, cells_.origin.y + j * cells_.step_m};
  }

  // Cells are numbered block by block, row by row within each.
  std::uint32_t block_index(std::int32_t block_i, std::int32_t block_j) const {
    return static_cast<std::uint32_t>(block_j * block_columns() + block_i);
  }
  std::uint32_t cell_index(std::int32_t i, std::int32_t j) const {
    return block_index(i / block_cells, j / block_cells) * cells_per_block +
           static_cast<std::uint32_t>(j % block_cells * block_cells + i % block_cells);
  }
  Vec2 block_corner(std::uint32_t cell) const { return block_corners_[cell / cells_per_block]; }
  // The tops of what cells and blocks hold, again.
  const float* cell_tops() const { return cell_tops_.data(); }
  const float* block_tops() const { return block_tops_.data(); }
  const SquareBounds& cell(std::uint32_t cell) const { return cell_bounds_[cell]; }
  const SquareBounds& block(std::uint32_t block) const { return block_bounds_[block]; }

  // Ask memory for what will be read of a cell soon: first its bounds, then what it holds.
  void prefetch_bounds(std::uint32_t cell) const { __builtin_prefetch(&cell_bounds_[cell]); }
  void prefetch_contents(std::uint32_t cell) const {
    const SquareBounds& bounds = cell_bounds_[cell];
    if (bounds.first_wall < bounds.end_wall) {
      for (const std::vector<float>* numbers :
           {&walls_.x, &walls_.y, &walls_.along_x, &walls_.along_y, &walls_.bottom_z, &walls_.top_z}) {
        __builtin_prefetch(numbers->data() + bounds.first_wall);
      }
    }
    if (bounds.first_element < bounds.end_element) {
      for (const std::vector<float>* numbers :
           {&elements_.x, &elements_.y, &elements_.z, &elements_.nx, &elements_.ny, &elements_.nz}) {
        __builtin_prefetch(numbers->data() + bounds.first_element);
      }
    }
  }

  double reference_z() const { return reference_z_; }
  const SightMargins& margins() const { return margins_; }

  // The elements of a cell but its flat roofs, by falling height; then its flat roofs, likewise.
  const ElementArrays& elements() const { return elements_; }

  // The pieces of walls of a cell, by falling top. Walls are left out that a neighbour on the ground covers up to their
  // tops: whoever passes one below its top is inside of the neighbour, and has met or will meet a wall between solid
  // and air.
  const WallArrays& walls() const { return walls_; }

  // The parts whose centres lie in the cell: each part is of one cell.
  std::span<const std::uint32_t> centred_parts(const SquareBounds& cell) const {
    return {centred_parts_.items.data() + cell.first_part, centred_parts_.items.data() + cell.end_part};
  }
  const Rectangle& part_bounds(std::uint32_t part) const { return part_bounds_[part]; }

 private:
  void place_elements(const std::vector<Element>& elements);
  void place_walls(const OcclusionView& occlusion);
  void place_parts(const OcclusionView& occlusion);
  void bound_terrain(const OcclusionView& occlusion);
  void bound_blocks();
  float height(double z) const { return static_cast<float>(z - reference_z_); }
  template <class Visit>
  void for_each_piece(const WallSide& wall, const Visit& visit) const;

  CellGrid cells_;
  Rectangle whole_;
  double reference_z_ = 0;
  SightMargins margins_;
  std::vector<Vec2> block_corners_;
  ElementArrays elements_;
  WallArrays walls_;
  CellLists centred_parts_;
  std::vector<Rectangle> part_bounds_;
  std::vector<SquareBounds> cell_bounds_, block_bounds_;
  std::vector<float> cell_tops_, block_tops_;
};

}  // namespace tesseray
