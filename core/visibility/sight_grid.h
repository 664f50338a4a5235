// SPDX-License-Identifier: GPL-3.0-or-later
// Elements and occluders in cells of the ground plan, and blocks of cells: what a search from a point goes through.
#pragma once

#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "core/visibility/elements.h"
#include "core/visibility/occlusion_view.h"

namespace tesseray {

// Bounds of what a cell or a block holds. Empty: top_z = −∞.
struct SightBounds {
  Rectangle box;  // of points and anchors of elements and of the centres of parts
  double bottom_z = std::numeric_limits<double>::infinity();
  double top_z = -std::numeric_limits<double>::infinity();
  // The terrain lies nowhere below this over the whole square; −∞ where part of the square has no terrain.
  double lowest_terrain_z = -std::numeric_limits<double>::infinity();

  void extend(Vec3 p);
  void extend(const SightBounds& other);
};

class SightGrid {
 public:
  static constexpr std::int32_t block_cells = 4;  // cells along a block's side

  SightGrid(const OcclusionView& occlusion, const std::vector<Element>& elements);

  // Cells and blocks are numbered row by row from the south-west.
  std::int32_t block_columns() const { return block_columns_; }
  std::int32_t block_rows() const { return block_rows_; }
  std::int32_t columns() const { return block_columns_ * block_cells; }
  std::int32_t rows() const { return block_rows_ * block_cells; }
  double cell_m() const { return cell_m_; }
  // The square of the cells or blocks (low_i, low_j) … (high_i, high_j), all included.
  Rectangle cell_square(std::int32_t low_i, std::int32_t low_j, std::int32_t high_i, std::int32_t high_j) const;
  // The cell of a place; places outside of the grid take the nearest.
  std::int32_t column_of(double x) const;
  std::int32_t row_of(double y) const;

  const SightBounds& cell_bounds(std::size_t cell) const { return cell_bounds_[cell]; }
  const SightBounds& block_bounds(std::int32_t i, std::int32_t j) const {
    return block_bounds_[static_cast<std::size_t>(j) * static_cast<std::size_t>(block_columns_) +
                         static_cast<std::size_t>(i)];
  }
  std::size_t cell(std::int32_t i, std::int32_t j) const {
    return static_cast<std::size_t>(j) * static_cast<std::size_t>(columns()) + static_cast<std::size_t>(i);
  }

  // The elements of a cell but its flat roofs, by falling height of their points; then its flat roofs, likewise.
  std::span<const Element> standing(std::size_t cell) const {
    return {elements_.data() + first_[cell], elements_.data() + first_roof_[cell]};
  }
  std::span<const Element> roofs(std::size_t cell) const {
    return {elements_.data() + first_roof_[cell], elements_.data() + first_[cell + 1]};
  }
  // The parts on the ground whose centres lie in the cell.
  std::span<const std::uint32_t> parts(std::size_t cell) const {
    return {parts_.data() + first_part_[cell], parts_.data() + first_part_[cell + 1]};
  }
  const Rectangle& part_bounds(std::uint32_t part) const { return part_bounds_[part]; }

 private:
  void lay_out(const std::vector<Element>& elements);
  void sort_elements(const std::vector<Element>& elements);
  void sort_parts(const OcclusionView& occlusion);
  void bound_cells(const OcclusionView& occlusion);
  std::size_t cell_of(Vec2 p) const;

  Vec2 origin_;
  double cell_m_ = 24;
  std::int32_t block_columns_ = 0, block_rows_ = 0;
  std::vector<Element> elements_;  // by cell
  std::vector<std::uint32_t> first_, first_roof_;
  std::vector<std::uint32_t> parts_, first_part_;
  std::vector<Rectangle> part_bounds_;
  std::vector<SightBounds> cell_bounds_, block_bounds_;
};

}  // namespace tesseray
