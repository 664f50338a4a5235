// SPDX-License-Identifier: GPL-3.0-or-later
// What leaves the roof that an end stands over, above its edge, for host and device (docs/physics.md §6).
#pragma once

#include <cmath>

#include "core/base/host_device.h"
#include "core/base/units.h"
#include "core/geometry/vector.h"
#include "core/physics/complex.h"
#include "core/physics/diffraction.h"
#include "core/physics/knife_edge.h"
#include "core/propagation/rooftops/roof_edge.h"

namespace tesseray::rooftop_detail {

// How much longer the way by the edge is than the straight one.
TESSERAY_HD inline double detour_m(const Bend& bend) {
  const Bend along = bend.along_edge();
  const double by_edge_m = norm(Vec2{norm(along.incoming()) + norm(along.outgoing()), bend.shift()}),
               straight_m = norm(Vec2{norm(along.after - along.before), bend.shift()});
  return by_edge_m > straight_m ? by_edge_m - straight_m : 0;
}

// How far the mirror image is from sending something past the edge: 0 from where it does, 1 below the roof's plane.
// Between, what it sends fades out as screens have it. `along`: as seen along the edge.
TESSERAY_HD inline double share_beyond_image(const Bend& along) {
  const Vec2 in = along.incoming(), out = along.outgoing();
  if (!(out.y > 0)) return 1;
  return 1 - share_between(std::atan2(out.y, out.x), 0, std::atan2(-in.y, in.x));
}

// The roof reflects, and so does the wall below the edge: with the straight ray, what they diffract is all that there
// is as far as the end's image in the roof sends nothing past the edge. That over the field past a screen. The end over
// the roof is before the edge, and the line to the other one passes above it.
TESSERAY_HD inline PolarizationFields past_own_roof(const Bend& bend, const EdgeFaces& faces, double wavelength_m) {
  const Complex as_screen{1, 0};
  if (bend.before.y - bend.edge.y < on_own_roof_m) return {as_screen, as_screen};
  const Bend along = bend.along_edge();
  const double share = share_beyond_image(along);
  if (!(share > 0)) return {as_screen, as_screen};
  // The roof lies before the edge, however steep the way to it.
  const Wedge wedge{.direction = {0, 1, 0},
                    .tangent_0 = {-1, 0, 0},
                    .normal_0 = {0, 0, 1},
                    .exterior_angle = 1.5 * pi,
                    .eps_0 = faces.roof,
                    .eps_n = faces.wall,
                    .round_as_screen = is_screen(faces.roof, faces.wall)};
  const PolarizationFields diffracted = wedge_fields(along, bend.shift(), wedge, wavelength_m);
  const double longer_m = detour_m(bend);
  const Complex turn = exp_j(-2 * pi / wavelength_m * longer_m),
                screen = knife_edge_factor(-fresnel_parameter_of_detour(longer_m, wavelength_m));
  const auto over_screen = [&](Complex field) {
    return as_screen + share * ((as_screen + turn * field) / screen - as_screen);
  };
  return {over_screen(diffracted.horizontal), over_screen(diffracted.vertical)};
}

}  // namespace tesseray::rooftop_detail
