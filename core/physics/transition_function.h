// SPDX-License-Identifier: GPL-3.0-or-later
// The transition function of uniform diffraction and the Fresnel integral behind it (docs/physics.md §5.3).
#pragma once

#include <cmath>

#include "core/base/host_device.h"
#include "core/base/units.h"
#include "core/physics/complex.h"

namespace tesseray {

// How the Fresnel integral is evaluated: `fast` is within 1e-6 of F, `accurate` within 1e-12.
enum class TransitionAccuracy { fast, accurate };

namespace physics_detail {

// e^{jz²} ∫_0^z e^{−jt²} dt for z² ≤ 8: z Σ (2jz²)^m / (2m+1)!!, whose terms stay below 10³ there.
TESSERAY_HD inline Complex scaled_fresnel_integral_by_series(double z) {
  const double x = z * z;
  Complex sum{z, 0.0};
  Complex term = sum;
  for (int m = 1; m < 80 && std::fabs(term.re) + std::fabs(term.im) > 1e-18; ++m) {
    const double growth = 2.0 * x / (2 * m + 1);
    term = {-(growth * term.im), growth * term.re};
    sum = sum + term;
  }
  return sum;
}

// e^{jz²} ∫_z^∞ e^{−jt²} dt for z² > 8, by Laplace's continued fraction of e^{Z²} erfc(Z) at Z = z e^{jπ/4}, from its
// end backwards. It converges like e^{−a z √m}: the farther z is, the fewer terms it needs.
TESSERAY_HD inline Complex scaled_fresnel_tail_by_fraction(double z) {
  constexpr double half_root = 0.70710678118654752440;
  const Complex big_z{half_root * z, half_root * z};
  const int terms = 6 + static_cast<int>(360.0 / (z * z));
  Complex fraction = big_z;
  for (int m = terms; m >= 1; --m) fraction = big_z + Complex{0.5 * m, 0.0} / fraction;
  return Complex{0.5 * half_root, -0.5 * half_root} / fraction;
}

// Up to this square of z the series serves, beyond it the fraction.
inline constexpr double most_of_series = 8.0;
inline constexpr double quarter_gaussian = 0.62665706865775012560;  // (√π / 2) / √2

}  // namespace physics_detail

// ∫_z^∞ e^{−jt²} dt for z ≥ 0, to about 1e-14.
TESSERAY_HD inline Complex fresnel_tail(double z) {
  using namespace physics_detail;
  const Complex turn = exp_j(-z * z);
  if (z * z > most_of_series) return turn * scaled_fresnel_tail_by_fraction(z);
  return Complex{quarter_gaussian, -quarter_gaussian} - turn * scaled_fresnel_integral_by_series(z);
}

// The same times e^{jz²}.
TESSERAY_HD inline Complex scaled_fresnel_tail(double z) {
  using namespace physics_detail;
  if (z * z > most_of_series) return scaled_fresnel_tail_by_fraction(z);
  return exp_j(z * z) * Complex{quarter_gaussian, -quarter_gaussian} - scaled_fresnel_integral_by_series(z);
}

// F(x) by the first five terms of its series in q = 1/x, within 4e-7 for x > transition_series_from.
inline constexpr double transition_series_from = 39.0;
TESSERAY_HD constexpr Complex transition_series(double q) {
  return {1.0 - q * q * (0.75 - 6.5625 * q * q), q * (0.5 - 1.875 * q * q)};
}

namespace physics_detail {

// Rational approximations of the auxiliary Fresnel functions f and g, by numerators and denominators: the integral's
// tail is √(π/2) (g − jf) with u = z √(2/π). `Real`: double or float.
template <class Real>
struct FresnelRationals {
  Real f_top, f_bottom, g_top, g_bottom;
};
template <class Real>
[[gnu::always_inline]] TESSERAY_HD inline FresnelRationals<Real> fresnel_rationals(Real u) {
  const Real u2 = u * u, u4 = u2 * u2;
  return {
      .f_top = ((Real(0.5000077809698088) + Real(0.7777158004025756) * u) +
                (Real(0.5186887660228232) + Real(0.6010007782429536) * u) * u2) +
               (Real(0.08773419510262886) + Real(0.16728432638044533) * u) * u4,
      .f_bottom =
          ((Real(1) + Real(1.5562067352253528) * u) + (Real(2.5965048095470067) + Real(1.6353590691450868) * u) * u2) +
          ((Real(1.8873135317118752) + Real(0.27565774824019623) * u) + Real(0.5255389997510916) * u2) * u4,
      .g_top = (Real(0.4999825996357758) + Real(0.2006419420237428) * u) +
               (Real(0.08819157944261725) + Real(0.07495322000192069) * u) * u2,
      .g_bottom =
          ((Real(1) + Real(2.399705046774276) * u) + (Real(3.426373909717588) + Real(3.0986450013844764) * u) * u2) +
          ((Real(2.522680019594166) + Real(0.7997475499955912) * u) + Real(0.7430250332391127) * u2) * u4};
}

}  // namespace physics_detail

// The tail integral for the hot loops: the series where it serves, else the rational approximations.
TESSERAY_HD inline Complex scaled_fresnel_tail_fast(double z) {
  if (z * z > transition_series_from) {
    const Complex f = transition_series(1.0 / (z * z));
    const double scale = 0.5 / z;  // F = 2jz · tail
    return {scale * f.im, -scale * f.re};
  }
  const auto r = physics_detail::fresnel_rationals(0.79788456080286535588 * z);
  constexpr double root_half_pi = 1.25331413731550025121;
  const double inverse = root_half_pi / (r.f_bottom * r.g_bottom);
  return {r.g_top * r.f_bottom * inverse, -r.f_top * r.g_bottom * inverse};
}

template <TransitionAccuracy accuracy>
TESSERAY_HD inline Complex scaled_fresnel_tail_to(double z) {
  if constexpr (accuracy == TransitionAccuracy::fast) {
    return scaled_fresnel_tail_fast(z);
  } else {
    return scaled_fresnel_tail(z);
  }
}
}  // namespace tesseray
