// SPDX-License-Identifier: GPL-3.0-or-later
// How far what an upright edge diffracts is in step with the direct ray past it. docs/physics.md §3.
#pragma once

#include <cmath>

#include "core/base/host_device.h"
#include "core/base/units.h"
#include "core/geometry/vector.h"
#include "core/physics/knife_edge.h"
#include "core/propagation/rays/ground_plane.h"
#include "core/tiling/tiling.h"

namespace tesseray {

// ν of a way that is longer than another.
TESSERAY_HD inline double fresnel_parameter_of_detour(double longer_m, double wave_number) {
  return longer_m > 0 ? 2 * std::sqrt(longer_m * wave_number / (2 * pi)) : 0.0;
}

// 0 … 1, of the ray from the antenna `from` by `at`, on the edge, to the target. At the boundary of the edge's shadow
// the two are one field, which rises to that of free space where ν is −0.78: all of it counts up to there, and none
// from −1.5 on, as of roofs in sight. Less of it where a face's reflection has its own boundary: the reflected ray, of
// which the edge sends the other part, counts by its power.
TESSERAY_HD inline double in_step_past_edge(const EdgeSegment& edge, Vec3 from, Vec3 at, Vec3 to, double wave_number) {
  constexpr double all_below = -negligible_fresnel_parameter, none_above = 1.5;
  if (!stands_on({0, 0, 1}, edge.direction)) return 0;
  const double bent_m = norm(at - from) + norm(to - at);
  const double past = fresnel_parameter_of_detour(bent_m - norm(to - from), wave_number);
  if (!(past < none_above)) return 0;
  double in_step = past > all_below ? (none_above - past) / (none_above - all_below) : 1.0;
  for (const Vec3 normal : {edge.normal_0, edge.normal_n}) {
    if (!(dot(from - edge.midpoint, normal) > 0)) continue;
    const double to_image_m = norm(to - mirrored(from, edge.midpoint, normal));
    const double reflected = fresnel_parameter_of_detour(bent_m - to_image_m, wave_number);
    if (reflected < all_below) in_step *= reflected / all_below;
  }
  return in_step;
}

}  // namespace tesseray
