// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/propagation/rooftops/own_roof_in_sight.h"

#include <algorithm>
#include <cmath>

#include "core/base/units.h"
#include "core/physics/knife_edge.h"
#include "core/propagation/rooftops/roof_edge.h"

namespace tesseray {
namespace {

using rooftop_detail::Bend;

// How far the mirror image is from sending something past the edge: 0 from where it does, 1 below the roof's plane.
// Between, what it sends fades out as screens have it. `bend`: as seen along the edge.
double share_beyond_image(const Bend& bend) {
  const Vec2 in = bend.incoming(), out = bend.outgoing();
  if (!(out.y > 0)) return 1;
  return std::max(0.0, 1 - std::atan2(out.y, out.x) / std::atan2(-in.y, in.x));
}

}  // namespace

Complex past_own_roof(const OwnRoofEdge& own, double end_z, Vec2 other, Complex permittivity, double horizontal_share,
                      double wavelength_m) {
  const Complex as_screen{1, 0};
  if (!own.counts() || end_z - own.edge_z < rooftop_detail::on_own_roof_m) return as_screen;
  const Bend bend{.before = {0, end_z},
                  .edge = {own.from_end_m, own.edge_z},
                  .after = other,
                  .sine = std::max(own.edge.sine(), rooftop_detail::least_sine)};
  const Bend along = bend.along_edge();
  const double share = share_beyond_image(along);
  if (!(share > 0)) return as_screen;
  // The roof lies before the edge, however steep the way to it.
  const Wedge wedge{.direction = {0, 1, 0},
                    .tangent_0 = {-1, 0, 0},
                    .normal_0 = {0, 0, 1},
                    .exterior_angle = 1.5 * pi,
                    .eps_0 = permittivity,
                    .eps_n = permittivity};
  const double shift_m = bend.shift();
  const rooftop_detail::PolarizationFields diffracted =
      rooftop_detail::wedge_fields(along, shift_m, wedge, wavelength_m);
  const double by_edge_m = norm(Vec2{norm(along.incoming()) + norm(along.outgoing()), shift_m}),
               straight_m = norm(Vec2{norm(along.after - along.before), shift_m}),
               longer_m = std::max(by_edge_m - straight_m, 0.0);
  const Complex turn = exp_j(-2 * pi / wavelength_m * longer_m),
                screen = knife_edge_factor(-2 * std::sqrt(longer_m / wavelength_m));
  const auto over_screen = [&](Complex field) {
    return as_screen + share * ((as_screen + turn * field) / screen - as_screen);
  };
  const Complex horizontal = over_screen(diffracted.horizontal), vertical = over_screen(diffracted.vertical);
  // The power of both, in the mean of their phases.
  const Complex mean = horizontal_share * horizontal + (1 - horizontal_share) * vertical;
  const double size = norm(mean),
               power = horizontal_share * squared_norm(horizontal) + (1 - horizontal_share) * squared_norm(vertical);
  return size > 0 ? (std::sqrt(power) / size) * mean : Complex{std::sqrt(power), 0};
}

}  // namespace tesseray
