// SPDX-License-Identifier: GPL-3.0-or-later
#include <cmath>

#include "core/scene/scene.h"

namespace tesseray {

std::uint8_t Clutter::at(Vec2 p) const {
  const double column = std::floor((p.x - south_west.x) / step_x), row = std::floor((p.y - south_west.y) / step_y);
  if (empty() || !(column >= 0 && column < columns && row >= 0 && row < rows)) return 0;
  return cells[static_cast<std::size_t>(row) * columns + static_cast<std::size_t>(column)];
}

double Clutter::loss_db_at(Vec2 p) const {
  const std::uint8_t number = loss_db.empty() ? 0 : at(p);
  return number == 0 ? 0 : loss_db[number - 1u];
}

}  // namespace tesseray
