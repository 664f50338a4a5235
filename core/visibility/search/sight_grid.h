// SPDX-License-Identifier: GPL-3.0-or-later
// Elements and occluders in cells of the ground plan, and cells in blocks: what a search from a point goes through.
//
// Everything that is looked at in numbers is kept as arrays of floats, relative to the south-west corner of its block
// and to a reference height, so that it can be taken many at a time and keeps its precision.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "core/base/infinity.h"
#include "core/base/large_pages.h"
#include "core/visibility/occlusion/cell_grid.h"
#include "core/visibility/occlusion/elements.h"
#include "core/visibility/occlusion/occlusion_view.h"
#include "core/visibility/search/sight_kernels.h"
#include "core/visibility/search/sight_margins.h"

namespace tesseray {

// A part of the solid scene in the order in which a search meets them.
struct alignas(64) CentredPart {
  Rectangle bounds;
  double bottom_z = 0, top_z = 0;                  // m, as those of FlatPart
  std::uint32_t part = 0;                          // of OcclusionView::parts
  std::uint32_t first_corner = 0, end_corner = 0;  // SightGrid::corners
};

// What a cell, or a block of cells, holds at most. Heights count from the reference; −∞ for nothing.
struct alignas(64) SquareBounds {
  static constexpr float none = -infinity_f;
  float top_z = none;  // of everything: targets, occluders, terrain
  float target_top_z = none, wall_top_z = none, terrain_top_z = none;
  // The terrain lies nowhere below this over the whole square; −∞ where a part of the square has no terrain.
  float terrain_low_z = infinity_f;
  bool has_raised_part = false;
  float roof_top_z = none, roof_low_z = infinity_f;  // of flat roofs as targets
  // Of a cell alone, as lanes of groups whose first ones begin groups: its elements but the flat roofs, these, and its
  // walls.
  std::uint32_t first_element = 0, end_element = 0, first_roof = 0, end_roof = 0;
  std::uint32_t first_wall = 0, end_wall = 0;
  std::uint32_t first_part = 0, end_part = 0;  // SightGrid::centred_parts

  void extend(const SquareBounds& other);
};

// The terrain over a cell lies nowhere above a plane: top_z at the cell's south-western corner, over the reference, and
// a gradient. On a slope that says far more than its highest point does.
struct TerrainPlane {
  float top_z = SquareBounds::none;
  float gradient_x = 0, gradient_y = 0;

  Vec2 gradient() const { return {static_cast<double>(gradient_x), static_cast<double>(gradient_y)}; }
};

class SightGrid {
 public:
  static constexpr std::int32_t block_cells = 4;  // cells along a block's side
  static constexpr std::int32_t cells_per_block = block_cells * block_cells;

  // `targets`: those of the elements that it holds.
  SightGrid(const OcclusionView& occlusion, const std::vector<Element>& elements, ElementRange targets = {});

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
  const TerrainPlane& terrain_plane(std::uint32_t cell) const { return terrain_planes_[cell]; }

  // Ask memory for what will be read of a cell soon: first its bounds, then what it holds.
  void prefetch_bounds(std::uint32_t cell) const { __builtin_prefetch(&cell_bounds_[cell]); }
  void prefetch_contents(std::uint32_t cell) const {
    const SquareBounds& bounds = cell_bounds_[cell];
    if (bounds.first_wall < bounds.end_wall) prefetch(walls_[bounds.first_wall / wall_lanes]);
    if (bounds.first_element < bounds.end_element) prefetch(elements_[bounds.first_element / lanes]);
    if (bounds.first_roof < bounds.end_roof) prefetch(elements_[bounds.first_roof / lanes]);
    if (bounds.first_part < bounds.end_part) prefetch(parts_[bounds.first_part]);
  }

  double reference_z() const { return reference_z_; }
  const SightMargins& margins() const { return margins_; }

  // The elements of a cell but its flat roofs, by falling height; in groups of their own its flat roofs, likewise.
  const ElementGroup* elements() const { return elements_.data(); }

  // The pieces of walls of a cell, by falling top. Walls are left out that a neighbour on the ground covers up to their
  // tops: whoever passes one below its top is inside of the neighbour, and has met or will meet a wall between solid
  // and air.
  const WallPieces* walls() const { return walls_.data(); }

  // The parts whose centres lie in a cell are first_part … end_part − 1 of its bounds: each part is of one cell.
  const CentredPart& centred_part(std::uint32_t k) const { return parts_[k]; }
  // The corners of a part's exterior, counter-clockwise, the first again at the end.
  std::span<const Vec2> corners(const CentredPart& part) const {
    return {corners_.data() + part.first_corner, corners_.data() + part.end_corner};
  }

 private:
  void place_elements(const std::vector<Element>& elements, ElementRange targets);
  // In the lane `at` of all groups.
  void place_element(const Element& element, std::uint32_t cell, std::uint32_t at);
  void place_walls(const OcclusionView& occlusion);
  void place_parts(const OcclusionView& occlusion);
  void bound_terrain(const OcclusionView& occlusion);
  void bound_blocks();
  float height(double z) const { return static_cast<float>(z - reference_z_); }
  template <class Lines>
  static void prefetch(const Lines& lines) {
    for (std::size_t byte = 0; byte < sizeof lines; byte += 64) {
      __builtin_prefetch(reinterpret_cast<const char*>(&lines) + byte);
    }
  }
  template <class Visit>
  void for_each_piece(const WallSide& wall, const Visit& visit) const;

  CellGrid cells_;
  Rectangle whole_;
  double reference_z_ = 0;
  SightMargins margins_;
  std::vector<Vec2> block_corners_;
  LargePageVector<ElementGroup> elements_;
  LargePageVector<WallPieces> walls_;
  LargePageVector<CentredPart> parts_;
  LargePageVector<Vec2> corners_;
  LargePageVector<SquareBounds> cell_bounds_, block_bounds_;
  LargePageVector<TerrainPlane> terrain_planes_;
  std::vector<float> cell_tops_, block_tops_;
};

}  // namespace tesseray
