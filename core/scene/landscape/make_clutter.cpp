// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/scene/landscape/make_clutter.h"

#include <algorithm>
#include <cmath>

#include "core/scene/ground_plan/polygon.h"

namespace tesseray {
namespace {

// Areas over more cells than this get larger ones.
constexpr double most_cells = 16e6;

double cell_size_m(const Rectangle& extent) {
  const Vec2 size = extent.max - extent.min;
  return std::max(1.0, std::ceil(std::sqrt(size.x * size.y / most_cells)));
}

Clutter empty_grid(const Rectangle& extent) {
  Clutter clutter;
  clutter.step_x = clutter.step_y = cell_size_m(extent);
  clutter.south_west = {std::floor(extent.min.x), std::floor(extent.min.y)};
  clutter.columns = static_cast<std::uint32_t>(std::ceil((extent.max.x - clutter.south_west.x) / clutter.step_x));
  clutter.rows = static_cast<std::uint32_t>(std::ceil((extent.max.y - clutter.south_west.y) / clutter.step_y));
  clutter.cells.assign(static_cast<std::size_t>(clutter.columns) * clutter.rows, 0);
  return clutter;
}

Rings moved(const Rings& rings, Vec2 by) {
  Rings result = rings;
  for (Ring& ring : result) {
    for (Vec2& p : ring) p = p + by;
  }
  return result;
}

// The numbers of the cells whose middles lie between two places along an axis: from begin to before end.
struct Run {
  std::uint32_t begin = 0, end = 0;
};
Run middles_between(double low, double high, double first, double step, std::uint32_t count) {
  const auto number = [&](double place) {
    return static_cast<std::uint32_t>(std::clamp(std::ceil((place - first) / step - 0.5), 0.0, double{1} * count));
  };
  return {number(low), number(high)};
}

void fill(const Rings& rings, std::uint8_t clutter_class, Clutter& clutter) {
  const Rectangle box = bounds(rings);
  const Run rows = middles_between(box.min.y, box.max.y, clutter.south_west.y, clutter.step_y, clutter.rows);
  std::vector<Interval> inside;
  for (std::uint32_t row = rows.begin; row < rows.end; ++row) {
    inside.clear();
    const Vec2 start{box.min.x, clutter.south_west.y + (row + 0.5) * clutter.step_y};
    append_inside_intervals(rings, start, {1, 0}, box.max.x - box.min.x, inside);
    for (const Interval& run : inside) {
      const Run columns =
          middles_between(start.x + run.low, start.x + run.high, clutter.south_west.x, clutter.step_x, clutter.columns);
      const auto line = clutter.cells.begin() + static_cast<std::ptrdiff_t>(row) * clutter.columns;
      std::fill(line + columns.begin, line + std::max(columns.begin, columns.end), clutter_class);
    }
  }
}

}  // namespace

Clutter make_clutter(const RawClutter& raw, const Rectangle& extent, Vec2 origin) {
  Clutter clutter = raw.grid ? *raw.grid : empty_grid(extent);
  if (raw.grid) clutter.south_west = clutter.south_west - origin;
  clutter.classes = raw.classes;
  for (const RawClutterArea& area : raw.areas) {
    for (const Rings& rings : area.parts) fill(moved(rings, Vec2{} - origin), area.clutter_class, clutter);
  }
  return clutter;
}

}  // namespace tesseray
