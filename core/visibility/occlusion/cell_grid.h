// SPDX-License-Identifier: GPL-3.0-or-later
// Square cells over the ground plan, row by row from the south-west, and which of them a side comes near.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <utility>
#include <vector>

#include "core/base/host_device.h"
#include "core/geometry/vector.h"

namespace tesseray {

// What stands within this distance of a cell belongs to it: far more than the rounding of whoever walks the cells.
inline constexpr double cell_padding_m = 1e-3;

struct CellGrid {
  Vec2 origin;
  double step_m = 1;
  std::int32_t columns = 0, rows = 0;

  // The cell of a place; places outside of the grid take the nearest cell.
  TESSERAY_HD std::int32_t column(double x) const { return clamped((x - origin.x) / step_m, columns); }
  TESSERAY_HD std::int32_t row(double y) const { return clamped((y - origin.y) / step_m, rows); }

  TESSERAY_HD std::size_t size() const { return static_cast<std::size_t>(columns) * static_cast<std::size_t>(rows); }
  TESSERAY_HD std::size_t index(std::int32_t i, std::int32_t j) const {
    return static_cast<std::size_t>(j) * static_cast<std::size_t>(columns) + static_cast<std::size_t>(i);
  }
  std::size_t index(Vec2 p) const { return index(column(p.x), row(p.y)); }
  Vec2 centre(std::int32_t i, std::int32_t j) const {
    return {origin.x + (i + 0.5) * step_m, origin.y + (j + 0.5) * step_m};
  }
  // The square of the cells (low_i, low_j) … (high_i, high_j), all included.
  Rectangle square(std::int32_t low_i, std::int32_t low_j, std::int32_t high_i, std::int32_t high_j) const {
    return {{origin.x + low_i * step_m, origin.y + low_j * step_m},
            {origin.x + (high_i + 1.0) * step_m, origin.y + (high_j + 1.0) * step_m}};
  }

 private:
  TESSERAY_HD static std::int32_t clamped(double cells, std::int32_t count) {
    return static_cast<std::int32_t>(std::clamp(std::floor(cells), 0.0, static_cast<double>(count - 1)));
  }
};

// A grid over a box with half a cell of air all around, of cells of step_m or so much larger that at most max_cells
// are needed; columns and rows are multiples of `multiple`.
CellGrid make_cell_grid(const Rectangle& box, double step_m, std::int64_t max_cells, std::int32_t multiple = 1);

// Calls visit(i, j) for the cells within the padding of the segment p–q.
template <class Visit>
void for_cells_near(const CellGrid& grid, Vec2 p, Vec2 q, const Visit& visit) {
  const double reach = 0.5 * grid.step_m + cell_padding_m;
  const Vec2 along = q - p;
  const std::int32_t i_begin = grid.column(std::min(p.x, q.x) - cell_padding_m);
  const std::int32_t i_end = grid.column(std::max(p.x, q.x) + cell_padding_m);
  const std::int32_t j_begin = grid.row(std::min(p.y, q.y) - cell_padding_m);
  const std::int32_t j_end = grid.row(std::max(p.y, q.y) + cell_padding_m);
  for (std::int32_t j = j_begin; j <= j_end; ++j) {
    for (std::int32_t i = i_begin; i <= i_end; ++i) {
      // The line misses the square when the square's corners all lie on one side.
      const double distance = std::fabs(cross(along, grid.centre(i, j) - p));
      if (distance <= reach * (std::fabs(along.x) + std::fabs(along.y))) visit(i, j);
    }
  }
}

// Items by cell: those of cell c are items[offsets[c]] … items[offsets[c + 1] − 1], in the order in which they came.
struct CellLists {
  std::vector<std::uint32_t> offsets, items;
};

CellLists make_cell_lists(std::size_t cells, const std::vector<std::pair<std::uint32_t, std::uint32_t>>& cell_and_item);

}  // namespace tesseray
