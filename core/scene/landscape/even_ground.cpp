// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/scene/landscape/even_ground.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <span>

namespace tesseray {
namespace {

// Cells without a number: not looked at or rough, of a plane to the bit, and in a part that is being searched.
constexpr std::uint32_t no_plane = 0xffffffffu, exact_plane = no_plane - 1, searched = no_plane - 2;
// Rounding takes half a step; the other half is left to the plane that is fitted.
constexpr double tolerance_m = coordinate_step_m, exact_m = 1e-9;

struct Cell {
  std::uint32_t column = 0, row = 0;
};

// Heights in a plane, over a node's place in the grid from `origin` on.
struct GridPlane {
  Cell origin;
  double height = 0, per_column = 0, per_row = 0;

  double at(std::uint32_t column, std::uint32_t row) const {
    return height + per_column * (static_cast<double>(column) - origin.column) +
           per_row * (static_cast<double>(row) - origin.row);
  }
};

class PartSearch {
 public:
  PartSearch(const Terrain& terrain, std::vector<std::uint32_t>& plane_of_cell)
      : terrain_(terrain),
        columns_(terrain.columns - 1),
        rows_(terrain.rows - 1),
        seed_columns_(std::min(seed_cells, columns_)),
        seed_rows_(std::min(seed_cells, rows_)),
        plane_of_cell_(plane_of_cell) {}

  // Calls add(plane), which gives the plane's number, for each part that is no plane to the bit. Parts that begin in an
  // exact plane go first: level water stays level, whatever its shore does.
  template <class Add>
  void for_parts(const Add& add) {
    for (const double within_m : {exact_m, tolerance_m}) {
      for (std::uint32_t row = 0; row + seed_rows_ <= rows_; ++row) {
        for (std::uint32_t column = 0; column + seed_columns_ <= columns_; ++column) {
          if (!begins_part({column, row}, within_m)) continue;
          const GridPlane plane = grown_from({column, row});
          const std::uint32_t number = farthest_m(plane, cells_) <= exact_m ? exact_plane : add(plane);
          for (const Cell cell : cells_) plane_of(cell) = number;
        }
      }
    }
  }

 private:
  // Terrain models in centimetres have less of a plane by chance. Small terrains begin with what they have.
  static constexpr std::uint32_t seed_cells = 5;

  std::uint32_t& plane_of(Cell cell) {
    return plane_of_cell_[static_cast<std::size_t>(cell.row) * columns_ + cell.column];
  }
  double height_of(std::uint32_t column, std::uint32_t row) const {
    return static_cast<double>(terrain_.node(column, row));
  }

  template <class Visit>
  static void for_nodes(Cell cell, const Visit& visit) {
    visit(cell.column, cell.row);
    visit(cell.column + 1, cell.row);
    visit(cell.column, cell.row + 1);
    visit(cell.column + 1, cell.row + 1);
  }

  bool begins_part(Cell seed, double within_m) {
    // Of three nodes in line, each within so much of a plane.
    const double most_bend_m = 4 * within_m;
    for (std::uint32_t i = seed.column; i + 2 <= seed.column + seed_columns_; ++i) {
      const double bend = height_of(i, seed.row) - 2 * height_of(i + 1, seed.row) + height_of(i + 2, seed.row);
      if (std::fabs(bend) > most_bend_m) return false;
    }
    seed_.clear();
    for (std::uint32_t row = seed.row; row < seed.row + seed_rows_; ++row) {
      for (std::uint32_t column = seed.column; column < seed.column + seed_columns_; ++column) {
        if (plane_of({column, row}) != no_plane) return false;
        seed_.push_back({column, row});
      }
    }
    return farthest_m(fitted(seed, seed_), seed_) <= within_m;
  }

  // By least squares, over the nodes of cells. REQUIRES: some.
  GridPlane fitted(Cell origin, std::span<const Cell> cells) const {
    const double from_m = height_of(origin.column, origin.row);
    double n = 0, x = 0, y = 0, z = 0, xx = 0, xy = 0, yy = 0, xz = 0, yz = 0;
    for (const Cell cell : cells) {
      for_nodes(cell, [&](std::uint32_t column, std::uint32_t row) {
        const double i = static_cast<double>(column) - origin.column, j = static_cast<double>(row) - origin.row;
        const double h = height_of(column, row) - from_m;
        n += 1;
        x += i;
        y += j;
        z += h;
        xx += i * i;
        xy += i * j;
        yy += j * j;
        xz += i * h;
        yz += j * h;
      });
    }
    const double of_xx = xx - x * x / n, of_xy = xy - x * y / n, of_yy = yy - y * y / n;
    const double of_xz = xz - x * z / n, of_yz = yz - y * z / n, determinant = of_xx * of_yy - of_xy * of_xy;
    GridPlane plane{.origin = origin};
    plane.per_column = (of_yy * of_xz - of_xy * of_yz) / determinant;
    plane.per_row = (of_xx * of_yz - of_xy * of_xz) / determinant;
    plane.height = from_m + (z - plane.per_column * x - plane.per_row * y) / n;
    return plane;
  }

  // By so much a node of the cells lies off the plane.
  double farthest_m(const GridPlane& plane, std::span<const Cell> cells) const {
    double farthest = 0;
    for (const Cell cell : cells) farthest = std::max(farthest, off_m(plane, cell));
    return farthest;
  }
  double off_m(const GridPlane& plane, Cell cell) const {
    double off = 0;
    for_nodes(cell, [&](std::uint32_t column, std::uint32_t row) {
      off = std::max(off, std::fabs(height_of(column, row) - plane.at(column, row)));
    });
    return off;
  }

  // The plane that holds the most cells around the seed, of which those are left in cells_. Each fits the cells that
  // the one before held, and holds what it was found to.
  GridPlane grown_from(Cell seed) {
    constexpr int most_fits = 40;  // most take ten
    GridPlane plane = fitted(seed, seed_);
    find_held(plane, cells_);
    for (int fits = 0; fits < most_fits; ++fits) {
      const GridPlane next = fitted(seed, cells_);
      find_held(next, more_);
      if (more_.size() <= cells_.size()) break;
      plane = next;
      std::swap(cells_, more_);
    }
    return plane;
  }

  // The cells of no plane, linked with the plane's origin, all of whose nodes lie within the tolerance of it.
  void find_held(const GridPlane& plane, std::vector<Cell>& held) {
    held.clear();
    const auto take = [&](std::uint32_t column, std::uint32_t row) {
      const Cell cell{column, row};
      if (column >= columns_ || row >= rows_ || plane_of(cell) != no_plane || off_m(plane, cell) > tolerance_m) return;
      plane_of(cell) = searched;
      held.push_back(cell);
    };
    take(plane.origin.column, plane.origin.row);
    for (std::size_t k = 0; k < held.size(); ++k) {
      const Cell cell = held[k];
      take(cell.column + 1, cell.row);
      take(cell.column - 1, cell.row);  // below 0 is beyond all columns
      take(cell.column, cell.row + 1);
      take(cell.column, cell.row - 1);
    }
    for (const Cell cell : held) plane_of(cell) = no_plane;
  }

  const Terrain& terrain_;
  std::uint32_t columns_, rows_;  // of cells
  std::uint32_t seed_columns_, seed_rows_;
  std::vector<std::uint32_t>& plane_of_cell_;
  std::vector<Cell> seed_, cells_, more_;
};

}  // namespace

EvenGround::EvenGround(const Terrain& terrain)
    : south_west_(terrain.south_west), step_x_(terrain.step_x), step_y_(terrain.step_y) {
  if (terrain.columns < 2 || terrain.rows < 2) return;
  columns_ = terrain.columns - 1;
  rows_ = terrain.rows - 1;
  plane_of_cell_.assign(static_cast<std::size_t>(columns_) * rows_, no_plane);
  PartSearch(terrain, plane_of_cell_).for_parts([&](const GridPlane& plane) {
    const Vec2 origin = south_west_ + Vec2{step_x_ * plane.origin.column, step_y_ * plane.origin.row};
    planes_.push_back({{origin.x, origin.y, plane.height}, {plane.per_column / step_x_, plane.per_row / step_y_}});
    return static_cast<std::uint32_t>(planes_.size() - 1);
  });
  if (planes_.empty()) plane_of_cell_ = {};
}

const EvenPlane* EvenGround::plane_of(std::uint32_t column, std::uint32_t row) const {
  if (planes_.empty() || column >= columns_ || row >= rows_) return nullptr;
  const std::uint32_t number = plane_of_cell_[static_cast<std::size_t>(row) * columns_ + column];
  return number < planes_.size() ? &planes_[number] : nullptr;
}

const EvenPlane* EvenGround::plane_at(Vec2 p) const {
  const double u = (p.x - south_west_.x) / step_x_, v = (p.y - south_west_.y) / step_y_;
  if (!(u >= 0 && v >= 0 && u < columns_ && v < rows_)) return nullptr;
  return plane_of(static_cast<std::uint32_t>(u), static_cast<std::uint32_t>(v));
}

}  // namespace tesseray
