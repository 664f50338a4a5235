// SPDX-License-Identifier: GPL-3.0-or-later
// Reflection at flat surfaces (docs/physics.md §1; ITU-R P.2040-3 §2).
#pragma once

#include <cmath>

#include "core/base/host_device.h"
#include "core/physics/complex.h"

namespace tesseray {

// Stands for a perfect conductor, which reflects with Γ_TE = −1 and Γ_TM = +1 at every angle, grazing included.
inline constexpr Complex perfect_conductor_permittivity{1.0, -1e40};

// To [0, 1], by comparisons that compile to two instructions where fmin and fmax are calls.
TESSERAY_HD constexpr double clamped_to_unit(double x) { return x < 0.0 ? 0.0 : (x > 1.0 ? 1.0 : x); }

// Air reflects nothing: as a face's it stands for one that absorbs.
TESSERAY_HD constexpr bool reflects(Complex permittivity) {
  return !(permittivity.re == 1.0 && permittivity.im == 0.0);
}

// te: electric field at right angles to the plane of incidence (soft). tm: in the plane of incidence (hard).
// Signs: a perfect conductor has te = −1 and tm = +1; at normal incidence tm = −te; at grazing both tend to −1.
struct FresnelCoefficients {
  Complex te, tm;
};

// Reflection at a half-space of complex relative permittivity eps_c (Im ≤ 0); cos_incidence is counted from the
// normal. Total: cosines outside [0, 1] are clamped; air (eps_c = 1) reflects nothing, also at grazing.
TESSERAY_HD inline FresnelCoefficients fresnel(Complex eps_c, double cos_incidence) {
  constexpr Complex conductor = perfect_conductor_permittivity;  // device code cannot refer to the constant itself
  if (eps_c == conductor) return {{-1.0, 0.0}, {1.0, 0.0}};
  const double c = clamped_to_unit(cos_incidence);
  // In this order air stays air at the smallest angles.
  const Complex s = sqrt_decaying({(eps_c.re - 1.0) + c * c, eps_c.im});
  const Complex air{c, 0.0};
  const Complex eps_air = c * eps_c;
  const Complex te_sum = air + s;
  const Complex tm_sum = eps_air + s;
  // One reciprocal serves both quotients. The product vanishes only for air at grazing.
  const double te_square = squared_norm(te_sum), tm_square = squared_norm(tm_sum);
  const double product = te_square * tm_square;
  if (product == 0.0) return {};
  const double inverse = 1.0 / product;
  FresnelCoefficients gamma;
  gamma.te = (tm_square * inverse) * ((air - s) * conj(te_sum));
  gamma.tm = (te_square * inverse) * ((eps_air - s) * conj(tm_sum));
  return gamma;
}

// The one factor with which `of` comes nearest to `wished`, of a wave whose horizontal part (te) is such a share of its
// power: 0 where there is nothing of `of`.
TESSERAY_HD inline Complex nearest_factor(const FresnelCoefficients& wished, const FresnelCoefficients& of,
                                          double horizontal_share) {
  const double vertical_share = 1 - horizontal_share;
  const double power = horizontal_share * squared_norm(of.te) + vertical_share * squared_norm(of.tm);
  if (!(power > 0)) return {};
  return (1 / power) * (horizontal_share * wished.te * conj(of.te) + vertical_share * wished.tm * conj(of.tm));
}

// Δ of ∂u/∂n = jkΔ u, the slope that the field over a half-space has along the normal into the air, so that
// Γ = (cos θ − Δ)/(cos θ + Δ). It hardly changes with the angle (T. B. A. Senior, Appl. Sci. Res. B 8 (1960) 418).
struct BoundaryImpedances {
  Complex te, tm;
};

TESSERAY_HD inline BoundaryImpedances boundary_impedances(Complex eps_c, double cos_incidence) {
  const double c = clamped_to_unit(cos_incidence);
  const Complex s = sqrt_decaying({(eps_c.re - 1.0) + c * c, eps_c.im});
  return {s, s / eps_c};
}

// The reflected part of the power of an unpolarised wave.
TESSERAY_HD inline double mean_reflectance(Complex eps_c, double cos_incidence) {
  const FresnelCoefficients gamma = fresnel(eps_c, cos_incidence);
  return 0.5 * (squared_norm(gamma.te) + squared_norm(gamma.tm));
}

// The field after specular reflection of a wave that travels along the unit vector k_i, at a surface with unit
// normal `normal` (either sense), without change of phase by distance. The dyad of docs/physics.md §1 in the basis
// ê⊥ = k_i × n̂; at normal incidence any ê⊥ serves, since Γ_TM = −Γ_TE there.
TESSERAY_HD inline ComplexVec3 reflected_field(const ComplexVec3& incident, Vec3 k_i, Vec3 normal, Complex eps_c) {
  const double cosine = -dot(k_i, normal);
  const FresnelCoefficients gamma = fresnel(eps_c, std::fabs(cosine));
  const Vec3 across = cross(k_i, normal);
  const double sine_squared = squared_norm(across);
  if (sine_squared < 1e-24) return gamma.te * incident;
  const Vec3 k_r = k_i + (2.0 * cosine) * normal;
  const Complex perpendicular = gamma.te * dot(incident, across);
  const Complex parallel = gamma.tm * dot(incident, cross(across, k_i));
  return (1.0 / sine_squared) * (perpendicular * across + parallel * cross(across, k_r));
}

}  // namespace tesseray
