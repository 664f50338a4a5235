// SPDX-License-Identifier: GPL-3.0-or-later
// How a side is cut into tile sides: paper 000, equations (1) to (3).
#pragma once

#include <cmath>
#include <cstdint>

#include "core/scene/scene.h"

namespace tesseray {

// Into how many equal pieces a length is cut, so that a piece is near `tile_side_m`; at least one.
// Snapping moves a length by up to 1.4 steps: remainders that near to one half count as one half, so that a rotated
// copy of a building has as many tiles.
inline std::uint32_t subdivisions(double length_m, double tile_side_m) {
  constexpr double tie_m = 4 * coordinate_step_m;
  const double quotient = std::floor((length_m + tie_m) / tile_side_m);
  const double remainder = length_m - quotient * tile_side_m;
  const double pieces = remainder <= tile_side_m / 2 + tie_m ? quotient : quotient + 1;
  return pieces < 1 ? 1 : static_cast<std::uint32_t>(pieces);
}

}  // namespace tesseray
