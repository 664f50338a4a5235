// SPDX-License-Identifier: GPL-3.0-or-later
// A terrain's grid as plain numbers, for host and device.
#pragma once

#include <cstddef>
#include <cstdint>

#include "core/base/host_device.h"
#include "core/geometry/vector.h"

namespace tesseray {

// Owns nothing; as Terrain, node (column, row) is height_m[row · columns + column].
struct TerrainView {
  Vec2 south_west;
  double step_x = 0, step_y = 0;
  std::uint32_t columns = 0, rows = 0;
  const float* height_m = nullptr;

  TESSERAY_HD double node(std::uint32_t column, std::uint32_t row) const {
    return static_cast<double>(height_m[static_cast<std::size_t>(row) * columns + column]);
  }
  // Height of the triangulated surface; points outside the grid take the height at the nearest border point.
  TESSERAY_HD double height_at(Vec2 p) const {
    const double u = clamped((p.x - south_west.x) / step_x, columns);
    const double v = clamped((p.y - south_west.y) / step_y, rows);
    const std::uint32_t column = cell_of(u, columns), row = cell_of(v, rows);
    const double fu = u - column, fv = v - row;
    const double sw = node(column, row), ne = node(column + 1, row + 1);
    // Below the south-west to north-east diagonal the triangle has the south-east node, above it the north-west one.
    if (fu >= fv) {
      const double se = node(column + 1, row);
      return sw + fu * (se - sw) + fv * (ne - se);
    }
    const double nw = node(column, row + 1);
    return sw + fv * (nw - sw) + fu * (ne - nw);
  }

 private:
  // A NaN becomes 0 and stays inside the grid.
  TESSERAY_HD static double clamped(double place, std::uint32_t nodes) {
    const double inside = place > 0.0 ? place : 0.0, last = static_cast<double>(nodes - 1);
    return inside < last ? inside : last;
  }
  TESSERAY_HD static std::uint32_t cell_of(double place, std::uint32_t nodes) {
    const auto cell = static_cast<std::uint32_t>(place);
    return cell < nodes - 2 ? cell : nodes - 2;
  }
};

}  // namespace tesseray
