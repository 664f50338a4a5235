// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/scene/landscape/terrain_surface.h"

#include <algorithm>
#include <cmath>
#include <cstdint>

#include "core/scene/ground_plan/polygon.h"

namespace tesseray {
namespace {

// p in units of the grid: node (column, row) is at (column, row).
Vec2 grid_position(const Terrain& terrain, Vec2 p) {
  return {(p.x - terrain.south_west.x) / terrain.step_x, (p.y - terrain.south_west.y) / terrain.step_y};
}

// Calls visit(t) for every t in (0, 1) at which from + t·(to − from) is a whole number within [lowest, highest].
template <class Visit>
void for_whole_numbers(double from, double to, double lowest, double highest, const Visit& visit) {
  if (from == to) return;
  const auto first = static_cast<std::int64_t>(std::max(lowest, std::ceil(std::min(from, to))));
  const auto last = static_cast<std::int64_t>(std::min(highest, std::floor(std::max(from, to))));
  for (std::int64_t k = first; k <= last; ++k) visit((static_cast<double>(k) - from) / (to - from));
}

struct HalfPlane {
  double a, b, c;  // a·x + b·y ≥ c is kept
  double excess(Vec2 p) const { return a * p.x + b * p.y - c; }
};

// Sutherland–Hodgman. Of a ring that is not convex the pieces stay joined by lines along the border, which have no
// area: integrals over the result are right.
void clip(const Ring& ring, const HalfPlane& half, Ring& out) {
  out.clear();
  if (ring.empty()) return;
  Vec2 a = ring.back();
  double excess_a = half.excess(a);
  for (const Vec2 b : ring) {
    const double excess_b = half.excess(b);
    if ((excess_a < 0) != (excess_b < 0)) out.push_back(a + (excess_a / (excess_a - excess_b)) * (b - a));
    if (excess_b >= 0) out.push_back(b);
    a = b;
    excess_a = excess_b;
  }
}

// Signed area and first moments of a ring.
struct Moments {
  double area = 0, x = 0, y = 0;
};
Moments moments(const Ring& ring) {
  Moments sum;
  for (std::size_t i = 1; i + 1 < ring.size(); ++i) {
    const double a = 0.5 * cross(ring[i] - ring[0], ring[i + 1] - ring[0]);
    sum.area += a;
    sum.x += a * (ring[0].x + ring[i].x + ring[i + 1].x) / 3;
    sum.y += a * (ring[0].y + ring[i].y + ring[i + 1].y) / 3;
  }
  return sum;
}

void extend_along(const Terrain& terrain, Vec2 a, Vec2 b, HeightRange& heights) {
  heights.extend(terrain.height_at(a));
  heights.extend(terrain.height_at(b));
  const auto visit = [&](double t) { heights.extend(terrain.height_at(a + t * (b - a))); };
  const Vec2 from = grid_position(terrain, a), to = grid_position(terrain, b);
  const double columns = terrain.columns - 1, rows = terrain.rows - 1;
  for_whole_numbers(from.x, to.x, 0, columns, visit);
  for_whole_numbers(from.y, to.y, 0, rows, visit);
  for_whole_numbers(from.x - from.y, to.x - to.y, -rows, columns, visit);
}

}  // namespace

double lowest_height_along(const Terrain& terrain, Vec2 a, Vec2 b) {
  HeightRange heights;
  extend_along(terrain, a, b, heights);
  return heights.lowest;
}

HeightRange heights_under(const Terrain& terrain, const Rings& rings) {
  HeightRange heights;
  for (const Ring& ring : rings) {
    Vec2 a = ring.back();
    for (const Vec2 b : ring) {
      extend_along(terrain, a, b, heights);
      a = b;
    }
  }
  const Rectangle box = bounds(rings);
  const Vec2 low = grid_position(terrain, box.min), high = grid_position(terrain, box.max);
  const auto node_at_least = [](double position) {
    return static_cast<std::uint32_t>(std::max(0.0, std::ceil(position)));
  };
  std::vector<Interval> inside;
  for (std::uint32_t row = node_at_least(low.y); row < terrain.rows && row <= high.y; ++row) {
    inside.clear();
    const double y = terrain.south_west.y + row * terrain.step_y;
    append_inside_intervals(rings, {box.min.x, y}, {1, 0}, box.max.x - box.min.x, inside);
    for (const Interval& interval : inside) {
      const double last = low.x + interval.high / terrain.step_x;
      std::uint32_t column = node_at_least(low.x + interval.low / terrain.step_x);
      for (; column < terrain.columns && column <= last; ++column) {
        heights.extend(static_cast<double>(terrain.node(column, row)));
      }
    }
  }
  return heights;
}

double lowest_height_under(const Terrain& terrain, const Rings& rings) { return heights_under(terrain, rings).lowest; }

double mean_height_under(const Terrain& terrain, const Rings& rings) {
  double area = 0, volume = 0;
  Ring in_grid, strip, half_strip, cell, half_cell, triangle;
  const auto last_cell = [](double position, std::uint32_t nodes) {
    return static_cast<std::uint32_t>(std::clamp(position, 0.0, static_cast<double>(nodes - 2)));
  };
  for (const Ring& ring : rings) {
    in_grid.clear();
    for (const Vec2 p : ring) in_grid.push_back(grid_position(terrain, p));
    const Rectangle box = bounds(in_grid);
    for (std::uint32_t row = last_cell(box.min.y, terrain.rows); row <= last_cell(box.max.y, terrain.rows); ++row) {
      // The border cells reach outwards without end, so that nothing of the polygon is lost.
      clip(in_grid, {0, 1, row == 0 ? box.min.y : 1.0 * row}, half_strip);
      clip(half_strip, {0, -1, row == terrain.rows - 2 ? -box.max.y : -(row + 1.0)}, strip);
      const Rectangle part = bounds(strip);
      if (part.empty()) continue;
      const std::uint32_t last = last_cell(part.max.x, terrain.columns);
      for (std::uint32_t column = last_cell(part.min.x, terrain.columns); column <= last; ++column) {
        clip(strip, {1, 0, column == 0 ? box.min.x : 1.0 * column}, half_cell);
        clip(half_cell, {-1, 0, column == terrain.columns - 2 ? -box.max.x : -(column + 1.0)}, cell);
        const auto height = [&](std::uint32_t c, std::uint32_t r) { return static_cast<double>(terrain.node(c, r)); };
        const double sw = height(column, row), se = height(column + 1, row);
        const double nw = height(column, row + 1), ne = height(column + 1, row + 1);
        for (const bool below_diagonal : {true, false}) {
          const double side = below_diagonal ? 1 : -1;
          clip(cell, {side, -side, side * (1.0 * column - row)}, triangle);
          const Moments m = moments(triangle);
          const double slope_x = below_diagonal ? se - sw : ne - nw, slope_y = below_diagonal ? ne - se : nw - sw;
          area += m.area;
          volume += m.area * sw + slope_x * (m.x - m.area * column) + slope_y * (m.y - m.area * row);
        }
      }
    }
  }
  return volume / area;
}

}  // namespace tesseray
