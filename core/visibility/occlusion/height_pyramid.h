// SPDX-License-Identifier: GPL-3.0-or-later
// A uniform grid with the maximum height of each cell, and of ever larger squares of cells above it, so that a segment
// walks only through the cells that are high enough to meet it.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

#include "core/base/infinity.h"
#include "core/geometry/vector.h"

namespace tesseray {

// Cells of a level are squares of 4 × 4 cells of the level below: shifts of two bits.
inline constexpr int pyramid_shift = 2;
inline constexpr int max_pyramid_levels = 8;
// Segments are taken this much lower than they are when compared with maximum heights: far more than rounding.
inline constexpr double pyramid_margin_m = 1e-6;

// What the walk needs; owns nothing. Cell (i, j) covers [i, i + 1] × [j, j + 1] steps from `origin`.
struct HeightPyramidView {
  Vec2 origin;
  double step_x = 1, step_y = 1;  // m
  std::int32_t columns = 0, rows = 0;
  int levels = 0;
  const float* max_height_m[max_pyramid_levels] = {};  // row by row from the south, −∞ where there is nothing
  std::int32_t level_columns[max_pyramid_levels] = {};
};

// A part of a segment a–b: the points a + t (b − a) with t from `begin` to `end`.
struct Stretch {
  double begin = 0, end = 1;
};

// The part of a segment that lies in one cell, as parameters of the whole segment.
struct CellVisit {
  std::int32_t i = 0, j = 0;
  double t_in = 0, t_out = 1;
};

// Calls visit(CellVisit) for the cells that the segment a–b touches in the ground plan and whose maximum height it does
// not pass above, from a to b; returns true as soon as visit does. A point of the segment within rounding (nanometres)
// of a cell's side may be given to either cell, so what stands on sides must be in both. Only a stretch of the segment
// is walked where one is given.
template <class Visit>
TESSERAY_HD inline bool walk_low_cells(const HeightPyramidView& grid, Vec3 a, Vec3 b, const Visit& visit,
                                       Stretch stretch = {}) {
  if (grid.levels == 0) return false;
  const double ax = (a.x - grid.origin.x) / grid.step_x, ay = (a.y - grid.origin.y) / grid.step_y;
  const double dx = (b.x - a.x) / grid.step_x, dy = (b.y - a.y) / grid.step_y, dz = b.z - a.z;

  // Clip to the grid.
  double t_begin = stretch.begin, t_end = stretch.end;
  const auto clip = [&](double start, double delta, double limit) {
    if (delta == 0) return start >= 0 && start <= limit;
    const double t0 = (delta > 0 ? -start : limit - start) / delta, t1 = (delta > 0 ? limit - start : -start) / delta;
    if (t0 > t_begin) t_begin = t0;
    if (t1 < t_end) t_end = t1;
    return true;
  };
  if (!clip(ax, dx, grid.columns) || !clip(ay, dy, grid.rows) || t_begin > t_end) return false;

  const auto cell_of = [](double position, std::int32_t low, std::int32_t high) {
    return position <= low ? low : position >= high ? high : static_cast<std::int32_t>(position);
  };
  std::int32_t i = cell_of(ax + t_begin * dx, 0, grid.columns - 1);
  std::int32_t j = cell_of(ay + t_begin * dy, 0, grid.rows - 1);
  const double inverse_dx = dx != 0 ? 1 / dx : infinity, inverse_dy = dy != 0 ? 1 / dy : infinity;
  double t = t_begin, z = a.z + t * dz;
  // Nodes larger than what is walked tell nothing that smaller ones do not.
  const double length = (std::fabs(dx) > std::fabs(dy) ? std::fabs(dx) : std::fabs(dy)) * (t_end - t_begin);
  int level = grid.levels - 1;
  while (level > 0 && 1 << (pyramid_shift * level) > length) --level;
  for (;;) {
    const int shift = pyramid_shift * level;
    const std::int32_t node_i = i >> shift, node_j = j >> shift;
    const std::int32_t next_i = (dx > 0 ? node_i + 1 : node_i) << shift;
    const std::int32_t next_j = (dy > 0 ? node_j + 1 : node_j) << shift;
    const double t_x = dx != 0 ? (next_i - ax) * inverse_dx : infinity;
    const double t_y = dy != 0 ? (next_j - ay) * inverse_dy : infinity;
    const double t_leave = t_x < t_y ? t_x : t_y;
    const bool last = t_leave >= t_end;
    double t_out = last ? t_end : t_leave;
    if (t_out < t) t_out = t;
    const double z_out = a.z + t_out * dz;
    const double z_low = (z < z_out ? z : z_out) - pyramid_margin_m;
    const float top = grid.max_height_m[level][static_cast<std::int64_t>(node_j) * grid.level_columns[level] + node_i];
    if (z_low <= static_cast<double>(top)) {
      if (level > 0) {
        --level;
        continue;
      }
      if (visit(CellVisit{i, j, t, t_out})) return true;
    }
    if (last) return false;

    // Step into the neighbouring node; along its side the place is found by rounding, kept inside of the node.
    std::int32_t new_i = i, new_j = j;
    if (t_x <= t_y) {
      new_i = dx > 0 ? next_i : next_i - 1;
      if (level > 0) new_j = cell_of(ay + t_out * dy, node_j << shift, ((node_j + 1) << shift) - 1);
      if (new_j >= grid.rows) new_j = grid.rows - 1;
    } else {
      new_j = dy > 0 ? next_j : next_j - 1;
      if (level > 0) new_i = cell_of(ax + t_out * dx, node_i << shift, ((node_i + 1) << shift) - 1);
      if (new_i >= grid.columns) new_i = grid.columns - 1;
    }
    if (new_i < 0 || new_j < 0 || new_i >= grid.columns || new_j >= grid.rows) return false;
    // A new parent may be low enough to be passed as a whole.
    const int parent_shift = shift + pyramid_shift;
    if (level + 1 < grid.levels &&
        (new_i >> parent_shift != i >> parent_shift || new_j >> parent_shift != j >> parent_shift)) {
      ++level;
    }
    i = new_i;
    j = new_j;
    t = t_out;
    z = z_out;
  }
}

// Owns the levels of a view.
class HeightPyramid {
 public:
  HeightPyramid() = default;
  // `max_height_m` is level 0, columns × rows.
  HeightPyramid(Vec2 origin, double step_x, double step_y, std::int32_t columns, std::int32_t rows,
                std::vector<float> max_height_m);

  // Valid as long as this object lives and stays where it is.
  HeightPyramidView view() const;
  // The highest of all cells; −∞ for none.
  float max_height_m() const;

 private:
  Vec2 origin_;
  double step_x_ = 1, step_y_ = 1;
  std::int32_t columns_ = 0, rows_ = 0;
  std::vector<std::vector<float>> levels_;
};

// The smallest float that is not less than a height.
inline float rounded_up(double height_m) {
  const float nearest = static_cast<float>(height_m);
  return static_cast<double>(nearest) < height_m ? std::nextafter(nearest, infinity_f) : nearest;
}

}  // namespace tesseray
