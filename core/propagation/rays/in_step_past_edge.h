// SPDX-License-Identifier: GPL-3.0-or-later
// How far what an upright edge diffracts, and what a wall reflects, is in step with the direct ray past it.
// docs/physics.md §3.
#pragma once

#include <cmath>

#include "core/base/host_device.h"
#include "core/base/units.h"
#include "core/geometry/vector.h"
#include "core/physics/knife_edge.h"
#include "core/propagation/rays/ground_plane.h"
#include "core/tiling/tiling.h"

namespace tesseray {

// 0 … 1, of what an upright wall reflects of the direct ray, `longer_m` longer than that: all of it where the antenna
// hangs within a metre of the wall and the two have nearly the same phase all around the target, so that they cancel.
TESSERAY_HD inline double in_step_before_wall(double antenna_before_wall_m, double longer_m, double wave_number) {
  constexpr double near_m = 1, far_m = 2, same_rad = 1, apart_rad = 2;
  return (1 - share_between(antenna_before_wall_m, near_m, far_m)) *
         (1 - share_between(wave_number * longer_m, same_rad, apart_rad));
}

// 0 … 1, of the ray from the antenna `from` by `at`, on the edge, to the target. At the boundary of the edge's shadow
// the two are one field, which rises to that of free space where ν is −0.78: all of it counts up to there, and none
// from −1.5 on, as of roofs in sight. Less of it where a face's reflection has its own boundary: the reflected ray, of
// which the edge sends the other part, counts by its power as far as it is not in step itself.
TESSERAY_HD inline double in_step_past_edge(const EdgeSegment& edge, Vec3 from, Vec3 at, Vec3 to, double wave_number) {
  if (!stands_on({0, 0, 1}, edge.direction)) return 0;
  const double bent_m = norm(at - from) + norm(to - at), wavelength_m = 2 * pi / wave_number;
  const auto nu_beside = [&](double way_m) { return fresnel_parameter_of_detour(bent_m - way_m, wavelength_m); };
  double in_step = part_in_sight(-nu_beside(norm(to - from)));
  if (!(in_step > 0)) return 0;
  for (const Vec3 normal : {edge.normal_0, edge.normal_n}) {
    const double before_face_m = dot(from - edge.midpoint, normal);
    if (!(before_face_m > 0)) continue;
    const double reflected_m = norm(to - mirrored(from, edge.midpoint, normal));
    const double apart = share_between(nu_beside(reflected_m), 0, -negligible_fresnel_parameter);
    in_step *= apart + (1 - apart) * in_step_before_wall(before_face_m, reflected_m - norm(to - from), wave_number);
  }
  return in_step;
}

}  // namespace tesseray
