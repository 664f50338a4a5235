// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/propagation/rooftops/own_roof_in_sight.h"

#include <algorithm>
#include <cmath>

#include "core/propagation/rooftops/past_own_roof.h"

namespace tesseray {

Complex past_own_roof(const OwnRoofEdge& own, double end_z, Vec2 other, const rooftop_detail::EdgeFaces& faces,
                      double horizontal_share, double wavelength_m) {
  if (!own.counts()) return {1, 0};
  const rooftop_detail::Bend bend{.before = {0, end_z},
                                  .edge = {own.from_end_m, own.edge_z},
                                  .after = other,
                                  .sine = std::max(own.edge.sine(), rooftop_detail::least_sine)};
  const auto [horizontal, vertical] = rooftop_detail::past_own_roof(bend, faces, wavelength_m);
  // The power of both, in the mean of their phases.
  const Complex mean = horizontal_share * horizontal + (1 - horizontal_share) * vertical;
  const double size = norm(mean),
               power = horizontal_share * squared_norm(horizontal) + (1 - horizontal_share) * squared_norm(vertical);
  const Complex all = size > 0 ? (std::sqrt(power) / size) * mean : Complex{std::sqrt(power), 0};
  const double nu = -fresnel_parameter_of_detour(own.longer_m, wavelength_m);
  return Complex{1, 0} + part_in_sight(nu) * (all - Complex{1, 0});
}

}  // namespace tesseray
