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

// 0 … 1, of the ray from the antenna `from` by `at`, on the edge, to the target. At the boundary of the edge's shadow
// the two are one field, which rises to that of free space where ν is −0.78: all of it counts up to there, and none
// from −1.5 on, as of roofs in sight. Less of it where a face's reflection has its own boundary: the reflected ray, of
// which the edge sends the other part, counts by its power.
TESSERAY_HD inline double in_step_past_edge(const EdgeSegment& edge, Vec3 from, Vec3 at, Vec3 to, double wave_number) {
  if (!stands_on({0, 0, 1}, edge.direction)) return 0;
  const double bent_m = norm(at - from) + norm(to - at), wavelength_m = 2 * pi / wave_number;
  const auto nu_beside = [&](double way_m) { return fresnel_parameter_of_detour(bent_m - way_m, wavelength_m); };
  double in_step = part_in_sight(-nu_beside(norm(to - from)));
  if (!(in_step > 0)) return 0;
  for (const Vec3 normal : {edge.normal_0, edge.normal_n}) {
    if (!(dot(from - edge.midpoint, normal) > 0)) continue;
    const double reflected = nu_beside(norm(to - mirrored(from, edge.midpoint, normal)));
    in_step *= share_between(reflected, 0, -negligible_fresnel_parameter);
  }
  return in_step;
}

}  // namespace tesseray
