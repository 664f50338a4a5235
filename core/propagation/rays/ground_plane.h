// SPDX-License-Identifier: GPL-3.0-or-later
// How edges lie to the plane of the ground, and what that makes of rays' ways, for host and device.
#pragma once

#include <cmath>

#include "core/base/host_device.h"
#include "core/geometry/vector.h"

namespace tesseray {

// What comes from an edge in the plane of the ground runs along it, and is reflected there: that all but cancels it.
// So the plane itself counts as in front, within so much: heights of terrains are rounded to single precision.
inline constexpr double in_ground_plane_m = 1e-3;

// Whether ground mirrors an edge in itself, but for 6°: what it reflects before the edge and behind it is one wave
// then.
TESSERAY_HD inline bool stands_on(Vec3 ground_normal, Vec3 edge_direction) {
  constexpr double cos_upright = 0.9945;
  return std::fabs(dot(ground_normal, edge_direction)) > cos_upright;
}

// The last part of a ray's way, looked at from its end on: where the ground of it stands, among upright walls and
// edges, makes no other wave.
class LastPart {
 public:
  // Whether ground of this normal (unit), which is met next, is of that part.
  TESSERAY_HD bool has_ground(Vec3 normal) const { return !is_over_ && (!has_edge_ || stands_on(normal, {0, 0, 1})); }
  // Goes on before an edge of this direction (unit).
  TESSERAY_HD void pass_edge(Vec3 direction) {
    has_edge_ = true;
    is_over_ = is_over_ || !stands_on({0, 0, 1}, direction);
  }

 private:
  bool has_edge_ = false, is_over_ = false;
};

}  // namespace tesseray
