// SPDX-License-Identifier: GPL-3.0-or-later
// The wave that goes along a smooth spherical earth, behind its horizon and shortly before it (docs/physics.md §6;
// ITU-R P.526 §3.1).
#pragma once

#include "core/physics/complex.h"

namespace tesseray {

// Airy's function of the first kind. REQUIRES: |arg z| is π/3 or more, or |z| is small: digits are lost elsewhere.
Complex airy_function(Complex z);

// A round earth and a wave over it, of one polarisation.
class SmoothEarth {
 public:
  // `impedance`: Δ of the ground at grazing, ∂u/∂n = jkΔ u (BoundaryImpedances).
  SmoothEarth(double radius_m, double wavelength_m, Complex impedance);

  // How far the series below serves at a distance, 0 … 1: not where it would take too many terms, nor over ground that
  // conducts so well that an upright wave keeps to it.
  double share_at(double distance_m) const;

  // Field over the one in free space between points at two heights over the earth, with phase against their straight
  // line, of the paraxial wave: the residue series (V. A. Fock, Electromagnetic Diffraction and Propagation Problems,
  // 1965) whose first term is in P.526. Behind the horizon a few terms do, and before it more. REQUIRES: the earth
  // reaches up to the straight line within ν = −0.5; share_at(distance_m) is not 0.
  Complex factor(double distance_m, double height_m, double other_height_m) const;

 private:
  // In these units all earths are one: of distances, (λ a²/π)^⅓, and of heights, (a λ²/8π²)^⅓.
  double distance_unit_m_, height_unit_m_;
  // By how much the height at which the field would vanish lies below the ground.
  Complex depth_;
};

}  // namespace tesseray
