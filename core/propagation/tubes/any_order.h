// SPDX-License-Identifier: GPL-3.0-or-later
// Which interactions a ray may meet in either order, for host and device: level ground mirrors walls and upright edges
// in themselves.
#pragma once

#include <cmath>
#include <cstdint>

#include "core/propagation/tubes/launch_view.h"

namespace tesseray {

// True when a ray that meets a tile and then an element goes the same way as one that meets the element first: at level
// ground and walls or upright edges, within 2°. On slopes the ground is another one there.
TESSERAY_HD inline bool has_any_order(const EnvironmentView& environment, const Tile& tile, std::uint32_t element) {
  constexpr double cos_along = 0.9994, cos_across = 0.0349;
  const bool is_level = tile.normal.z > cos_along, is_upright = std::fabs(tile.normal.z) < cos_across;
  if (!environment.points.is_tile(element)) {
    return is_level && std::fabs(environment.edge(element).direction.z) > cos_along;
  }
  const double next_z = environment.tiles[element].normal.z;
  return is_level ? std::fabs(next_z) < cos_across : is_upright && next_z > cos_along;
}

// The same of two elements that a ray meets one after the other.
TESSERAY_HD inline bool have_any_order(const EnvironmentView& environment, std::uint32_t one, std::uint32_t next) {
  const TargetPointsView& points = environment.points;
  return (points.is_tile(one) && has_any_order(environment, environment.tiles[one], next)) ||
         (points.is_tile(next) && has_any_order(environment, environment.tiles[next], one));
}

}  // namespace tesseray
