// SPDX-License-Identifier: GPL-3.0-or-later
// Elements and occluders in cells of the ground plan, and blocks of cells: what a search from a point goes through.
#pragma once

#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "core/visibility/cell_grid.h"
#include "core/visibility/elements.h"
#include "core/visibility/occlusion_view.h"

namespace tesseray {

// Bounds of what a cell, or a block of cells, holds.
struct SightBounds {
  // Points and anchors of elements; box empty where there are none.
  Rectangle target_box;
  double target_bottom_z = std::numeric_limits<double>::infinity();
  double target_top_z = -std::numeric_limits<double>::infinity();
  // The highest of the parts that touch the square, −∞ for none.
  double occluder_top_z = -std::numeric_limits<double>::infinity();
  // The terrain lies nowhere below this over the whole square; −∞ where a part of the square has no terrain.
  double lowest_terrain_z = std::numeric_limits<double>::infinity();
  double top_z = -std::numeric_limits<double>::infinity();  // nothing of all this is higher
  // The square itself, with the padding of cell_grid.h.
  Rectangle square;

  void extend_targets(Vec3 p);
  void extend(const SightBounds& other);
};

class SightGrid {
 public:
  static constexpr std::int32_t block_cells = 4;  // cells along a block's side

  SightGrid(const OcclusionView& occlusion, const std::vector<Element>& elements);

  const CellGrid& cells() const { return cells_; }
  std::int32_t block_columns() const { return cells_.columns / block_cells; }
  std::int32_t block_rows() const { return cells_.rows / block_cells; }
  const SightBounds& cell_bounds(std::size_t cell) const { return cell_bounds_[cell]; }
  const SightBounds& block_bounds(std::int32_t i, std::int32_t j) const {
    return block_bounds_[static_cast<std::size_t>(j) * static_cast<std::size_t>(block_columns()) +
                         static_cast<std::size_t>(i)];
  }

  // The elements of a cell but its flat roofs, by falling height of their points; and its flat roofs, likewise.
  std::span<const Element> standing(std::size_t cell) const {
    return {elements_.data() + first_[cell], elements_.data() + first_roof_[cell]};
  }
  std::span<const Element> roofs(std::size_t cell) const {
    return {elements_.data() + first_roof_[cell], elements_.data() + first_[cell + 1]};
  }
  // The walls that touch a cell, by falling top.
  struct CellWall {
    WallSide wall;
    std::uint32_t side = 0;  // its number in OcclusionView::outlines
  };
  std::span<const CellWall> walls(std::size_t cell) const {
    return {walls_.data() + first_wall_[cell], walls_.data() + first_wall_[cell + 1]};
  }
  std::span<const std::uint32_t> raised_parts(std::size_t cell) const { return items_of(raised_parts_, cell); }
  // The parts on the ground whose centres lie in the cell: each part is of one cell.
  std::span<const std::uint32_t> centred_parts(std::size_t cell) const { return items_of(centred_parts_, cell); }
  const Rectangle& part_bounds(std::uint32_t part) const { return part_bounds_[part]; }

 private:
  static std::span<const std::uint32_t> items_of(const CellLists& lists, std::size_t cell) {
    return {lists.items.data() + lists.offsets[cell], lists.items.data() + lists.offsets[cell + 1]};
  }
  void sort_elements(const std::vector<Element>& elements);
  void sort_occluders(const OcclusionView& occlusion);
  void sort_walls(const OcclusionView& occlusion, const CellLists& walls);
  void bound_cells(const OcclusionView& occlusion);
  void bound_blocks();

  CellGrid cells_;
  std::vector<Element> elements_;  // by cell
  std::vector<std::uint32_t> first_, first_roof_;
  std::vector<CellWall> walls_;
  std::vector<std::uint32_t> first_wall_;
  CellLists raised_parts_, centred_parts_;
  std::vector<Rectangle> part_bounds_;
  std::vector<SightBounds> cell_bounds_, block_bounds_;
};

}  // namespace tesseray
