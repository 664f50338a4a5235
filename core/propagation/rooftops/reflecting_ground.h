// SPDX-License-Identifier: GPL-3.0-or-later
// Ground as a wave of one polarisation meets it.
#pragma once

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

}  // namespace tesseray
