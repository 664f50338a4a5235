// SPDX-License-Identifier: GPL-3.0-or-later
// Ground as a wave of one polarisation meets it.
#pragma once

#include "core/geometry/vector.h"
#include "core/physics/complex.h"
#include "core/physics/fresnel.h"

namespace tesseray {

struct ReflectingGround {
  Complex permittivity;  // relative
  bool is_horizontal = false;

  // By the sine over the ground.
  Complex coefficient(double sine) const {
    const FresnelCoefficients gamma = fresnel(permittivity, sine);
    return is_horizontal ? gamma.te : gamma.tm;
  }
  // With which a field over it has the slope ∂u/∂n = jkΔ u.
  Complex impedance(double sine) const {
    const BoundaryImpedances of = boundary_impedances(permittivity, sine);
    return is_horizontal ? of.te : of.tm;
  }
};

// The horizontal share of a wave's power, `level` over level ground, at a plane that reflects it with `gamma`. One
// aslant makes some of a wholly horizontal or upright wave the other part, as which it counts where that is 1 % of what
// is reflected: near Brewster's angle it may be most of it. `normal` and `direction` (of travel): unit.
inline double horizontal_share_at_plane(Vec3 normal, const FresnelCoefficients& gamma, const ComplexVec3& field,
                                        Vec3 direction, double level) {
  constexpr double negligible = 0.01;
  const Vec3 across = cross(direction, normal);
  const double all = squared_norm(across) * squared_norm(field);
  if (!(all > 0)) return level;
  const double share = squared_norm(dot(field, across)) / all;
  const double horizontal = share * squared_norm(gamma.te), upright = (1 - share) * squared_norm(gamma.tm);
  if (level == 0 && horizontal <= negligible * upright) return level;
  if (level == 1 && upright <= negligible * horizontal) return level;
  return share;
}

}  // namespace tesseray
