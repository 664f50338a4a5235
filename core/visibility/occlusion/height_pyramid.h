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

// A walk along the segment a–b through the cells that it touches in the ground plan and whose maximum height it does
// not pass above, from a to b, node after node of the pyramid. A point of the segment within rounding (nanometres) of a
// cell's side may be given to either cell, so what stands on sides must be in both. Only a stretch of the segment is
// walked where one is given.
//
// Step by step, so that threads of a GPU that walk side by side come to their cells at the same time
// (cuda/blocked_paths.h).
class LowCellWalk {
 public:
  enum class At : std::uint8_t { the_way, low_cell, end };

  LowCellWalk() = default;
  TESSERAY_HD LowCellWalk(const HeightPyramidView& grid, Vec3 a, Vec3 b, Stretch stretch = {}) {
    if (grid.levels == 0) return;
    start_ = {(a.x - grid.origin.x) / grid.step_x, (a.y - grid.origin.y) / grid.step_y, a.z};
    delta_ = {(b.x - a.x) / grid.step_x, (b.y - a.y) / grid.step_y, b.z - a.z};

    // Clip to the grid.
    double t_begin = stretch.begin;
    t_end_ = stretch.end;
    const auto clip = [&](double start, double delta, double limit) {
      if (delta == 0) return start >= 0 && start <= limit;
      // Both ends are inside: what the divisions below give would be no more than 0 and no less than 1.
      if (delta > 0 ? start >= 0 && limit - start >= delta : start <= limit && start >= -delta) return true;
      const double t0 = (delta > 0 ? -start : limit - start) / delta, t1 = (delta > 0 ? limit - start : -start) / delta;
      if (t0 > t_begin) t_begin = t0;
      if (t1 < t_end_) t_end_ = t1;
      return true;
    };
    if (!clip(start_.x, delta_.x, grid.columns) || !clip(start_.y, delta_.y, grid.rows) || t_begin > t_end_) return;

    is_over_ = false;
    i_ = cell_of(start_.x + t_begin * delta_.x, 0, grid.columns - 1);
    j_ = cell_of(start_.y + t_begin * delta_.y, 0, grid.rows - 1);
    inverse_dx_ = delta_.x != 0 ? 1 / delta_.x : infinity;
    inverse_dy_ = delta_.y != 0 ? 1 / delta_.y : infinity;
    t_ = t_begin;
    z_ = start_.z + t_ * delta_.z;
    // Nodes larger than what is walked tell nothing that smaller ones do not.
    const double dx = std::fabs(delta_.x), dy = std::fabs(delta_.y);
    const double length = (dx > dy ? dx : dy) * (t_end_ - t_begin);
    level_ = grid.levels - 1;
    while (level_ > 0 && 1 << (pyramid_shift * level_) > length) --level_;
  }

  // Goes on by one node. REQUIRES: the grid of the constructor; it has not said `end`.
  TESSERAY_HD At step(const HeightPyramidView& grid) {
    if (is_over_) return At::end;
    const int shift = pyramid_shift * level_;
    const std::int32_t node_i = i_ >> shift, node_j = j_ >> shift;
    const std::int32_t next_i = (delta_.x > 0 ? node_i + 1 : node_i) << shift;
    const std::int32_t next_j = (delta_.y > 0 ? node_j + 1 : node_j) << shift;
    const double t_x = delta_.x != 0 ? (next_i - start_.x) * inverse_dx_ : infinity;
    const double t_y = delta_.y != 0 ? (next_j - start_.y) * inverse_dy_ : infinity;
    const double t_leave = t_x < t_y ? t_x : t_y;
    const bool last = t_leave >= t_end_;
    double t_out = last ? t_end_ : t_leave;
    if (t_out < t_) t_out = t_;
    const double z_out = start_.z + t_out * delta_.z;
    const double z_low = (z_ < z_out ? z_ : z_out) - pyramid_margin_m;
    const float top =
        grid.max_height_m[level_][static_cast<std::int64_t>(node_j) * grid.level_columns[level_] + node_i];
    const bool is_low = z_low <= static_cast<double>(top);
    if (is_low && level_ > 0) {
      --level_;
      return At::the_way;
    }
    cell_ = {i_, j_, t_, t_out};
    is_over_ = last || !leave(grid, t_x <= t_y, next_i, next_j, t_out);
    t_ = t_out;
    z_ = z_out;
    return is_low ? At::low_cell : At::the_way;
  }

  // Where step() said `low_cell`.
  TESSERAY_HD const CellVisit& cell() const { return cell_; }
  // The segment: a, and the way from a to b, in steps of the grid and metres of height.
  TESSERAY_HD const Vec3& start() const { return start_; }
  TESSERAY_HD const Vec3& delta() const { return delta_; }

 private:
  TESSERAY_HD static std::int32_t cell_of(double position, std::int32_t low, std::int32_t high) {
    return position <= low ? low : position >= high ? high : static_cast<std::int32_t>(position);
  }

  // Into the neighbouring node; along its side the place is found by rounding, kept inside of the node. False where the
  // grid ends.
  TESSERAY_HD bool leave(const HeightPyramidView& grid, bool by_x, std::int32_t next_i, std::int32_t next_j,
                         double t_out) {
    const int shift = pyramid_shift * level_;
    std::int32_t new_i = i_, new_j = j_;
    if (by_x) {
      new_i = delta_.x > 0 ? next_i : next_i - 1;
      if (level_ > 0) new_j = within_node(start_.y + t_out * delta_.y, j_ >> shift, shift);
      if (new_j >= grid.rows) new_j = grid.rows - 1;
    } else {
      new_j = delta_.y > 0 ? next_j : next_j - 1;
      if (level_ > 0) new_i = within_node(start_.x + t_out * delta_.x, i_ >> shift, shift);
      if (new_i >= grid.columns) new_i = grid.columns - 1;
    }
    if (new_i < 0 || new_j < 0 || new_i >= grid.columns || new_j >= grid.rows) return false;
    // A new parent may be low enough to be passed as a whole.
    const int parent_shift = shift + pyramid_shift;
    if (level_ + 1 < grid.levels &&
        (new_i >> parent_shift != i_ >> parent_shift || new_j >> parent_shift != j_ >> parent_shift)) {
      ++level_;
    }
    i_ = new_i;
    j_ = new_j;
    return true;
  }
  TESSERAY_HD static std::int32_t within_node(double position, std::int32_t node, int shift) {
    return cell_of(position, node << shift, ((node + 1) << shift) - 1);
  }

  Vec3 start_, delta_;
  double inverse_dx_ = 0, inverse_dy_ = 0, t_ = 0, z_ = 0, t_end_ = 1;
  std::int32_t i_ = 0, j_ = 0;  // the cell at t_
  int level_ = 0;
  bool is_over_ = true;
  CellVisit cell_;
};

// Calls visit(walk) at each cell of such a walk; returns true as soon as visit does.
template <class Visit>
TESSERAY_HD inline bool walk_low_cells(const HeightPyramidView& grid, Vec3 a, Vec3 b, const Visit& visit,
                                       Stretch stretch = {}) {
  LowCellWalk walk(grid, a, b, stretch);
  for (;;) {
    const LowCellWalk::At at = walk.step(grid);
    if (at == LowCellWalk::At::end) return false;
    if (at == LowCellWalk::At::low_cell && visit(walk)) return true;
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
