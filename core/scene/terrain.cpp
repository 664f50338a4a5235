// SPDX-License-Identifier: GPL-3.0-or-later
#include <algorithm>

#include "core/scene/scene.h"

namespace tesseray {

double Terrain::height_at(Vec2 p) const {
  // In this order of arguments a NaN becomes 0 and stays inside the grid.
  const double u = std::min(std::max(0.0, (p.x - south_west.x) / step_x), static_cast<double>(columns - 1));
  const double v = std::min(std::max(0.0, (p.y - south_west.y) / step_y), static_cast<double>(rows - 1));
  const std::uint32_t column = std::min(static_cast<std::uint32_t>(u), columns - 2);
  const std::uint32_t row = std::min(static_cast<std::uint32_t>(v), rows - 2);
  const double fu = u - column, fv = v - row;
  const double sw = static_cast<double>(node(column, row)), ne = static_cast<double>(node(column + 1, row + 1));
  // Below the south-west to north-east diagonal the triangle has the south-east node, above it the north-west one.
  if (fu >= fv) {
    const double se = static_cast<double>(node(column + 1, row));
    return sw + fu * (se - sw) + fv * (ne - se);
  }
  const double nw = static_cast<double>(node(column, row + 1));
  return sw + fv * (nw - sw) + fu * (ne - nw);
}

}  // namespace tesseray
