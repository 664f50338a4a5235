// SPDX-License-Identifier: GPL-3.0-or-later
// Slope diffraction: what the change of the incident field across the edge adds (docs/physics.md §5.5; Hwang and
// Kouyoumjian 1974). Needed where an edge lies near the shadow boundary of the edge before it.
#pragma once

#include "core/physics/diffraction.h"

namespace tesseray {

namespace physics_detail {

// csc²(ε/2n) F_s(2kL sin²(ε/2)) with F_s(x) = 2jx (1 − F(x)); 4j n² kL at the shadow boundary.
template <TransitionAccuracy accuracy>
TESSERAY_HD inline Complex slope_term(double theta, double n, double kl) {
  // θ = ε/2n up to whole turns of π.
  const double reduced = theta - pi * std::round(theta / pi);
  const double half_sine = std::sin(n * reduced);
  const double sine = std::sin(reduced);
  const double ratio = std::fabs(sine) < 1e-9 ? n : half_sine / sine;
  const Complex f = transition_function_to<accuracy>(2.0 * kl * half_sine * half_sine);
  const double scale = 4.0 * kl * ratio * ratio;
  return {scale * f.im, scale * (1.0 - f.re)};  // 2j · 2kL · ratio² · (1 − F)
}

}  // namespace physics_detail

// The asymptotic ∂D/∂φ' (√m per rad), φ' counted from the wedge's own 0-face. The slope field is
// (1/jk) (∂E_i/∂n) (1/sin β₀) ∂D/∂φ', n towards growing φ'. The faces' coefficients are taken as constant in φ'.
// REQUIRES: incidence.in_air, 0 ≤ observer_angle ≤ nπ, counted from the source-side face.
template <TransitionAccuracy accuracy = TransitionAccuracy::fast>
TESSERAY_HD inline WedgeDiffraction wedge_slope_coefficients(const WedgeIncidence& w, double observer_angle,
                                                             const DistanceParameters& distances, double wave_number) {
  const double scale = 0.5 / w.n;
  const double minus = observer_angle - w.source_angle, plus = observer_angle + w.source_angle;
  const auto term = [&](double angle, double distance_m) {
    return physics_detail::slope_term<accuracy>(scale * angle, w.n, wave_number * distance_m);
  };
  const WedgeTerms terms{-term(pi - minus, distances.incident_m), term(pi + minus, distances.incident_m),
                         term(pi - plus, distances.reflection_0_m), -term(pi + plus, distances.reflection_n_m)};
  const WedgeFaces faces = wedge_faces(w, observer_angle, {std::cos(observer_angle), std::sin(observer_angle)});
  const double sense = w.from_other_face ? -1.0 : 1.0;
  const double magnitude = -sense / (4.0 * w.n * w.n * std::sqrt(2.0 * pi * wave_number) * w.sin_beta);
  constexpr double root_half = 0.70710678118654752440;
  const Complex common{magnitude * root_half, -magnitude * root_half};
  const WedgeDiffraction d = faces.sum(terms);
  return {common * d.soft, common * d.hard, common * d.turned};
}

}  // namespace tesseray
