// SPDX-License-Identifier: GPL-3.0-or-later
// The power that a wedge diffracts, in a form without branches for loops over many observers: the coefficients of
// diffraction.h (which the tests hold it against) as |D|², from angles that were prepared once per source and observer
// (docs/physics.md §5.2). Angles are in rad, from a face into the air; n is the exterior angle over π.
#pragma once

#include <cmath>

#include "core/base/host_device.h"
#include "core/physics/diffraction.h"
#include "core/physics/transition_function.h"

namespace tesseray {

// Cosines and sines of half an angle φ about the edge, and of φ/2n. Halves keep their digits at a shadow boundary,
// where 1 + cos(φ ∓ φ') has none.
template <class Real>
struct WedgeAngle {
  Real cos_half = 1, sin_half = 0, cos_scaled = 1, sin_scaled = 0;
};

template <class Real>
TESSERAY_HD WedgeAngle<Real> wedge_angle(double angle, double n) {
  return {static_cast<Real>(std::cos(0.5 * angle)), static_cast<Real>(std::sin(0.5 * angle)),
          static_cast<Real>(std::cos(angle / (2 * n))), static_cast<Real>(std::sin(angle / (2 * n)))};
}

// A face's FresnelCoefficients, by real and imaginary parts.
template <class Real>
struct FaceReflection {
  Real te_re = 0, te_im = 0, tm_re = 0, tm_im = 0;
};

// What the faces reflect at the angles of one end, for the frame in which angles count from the source-side face.
template <class Real>
struct FacesSeen {
  FaceReflection<Real> source_face, other_face;
};

// What a wedge is to all its sources and observers.
template <class Real>
struct PowerWedge {
  Real n = 0;
  Real cos_half_step = 0, sin_half_step = 0;  // of π/2n
  Real cos_exterior = 0, sin_exterior = 0;    // of nπ
};

template <class Real>
TESSERAY_HD PowerWedge<Real> power_wedge(double exterior_angle) {
  const double n = exterior_angle / pi, step = pi / (2 * n);
  return {static_cast<Real>(n), static_cast<Real>(std::cos(step)), static_cast<Real>(std::sin(step)),
          static_cast<Real>(std::cos(exterior_angle)), static_cast<Real>(std::sin(exterior_angle))};
}

template <class Real>
TESSERAY_HD FaceReflection<Real> face_reflection(const FresnelCoefficients& gamma) {
  return {static_cast<Real>(gamma.te.re), static_cast<Real>(gamma.te.im), static_cast<Real>(gamma.tm.re),
          static_cast<Real>(gamma.tm.im)};
}

namespace physics_detail {

// cot θ · F(kL a) of one shadow boundary, side ±1. `root` is √(4kL/π), so that the Fresnel argument is
// u = root · |sin ε/2|; then F = π u (f(u) + j g(u)), and |sin ε/2| / |sin θ| stays finite at the boundary (→ n).
template <class Real>
[[gnu::always_inline]] TESSERAY_HD inline void boundary_term_in_real(const PowerWedge<Real>& w, Real side,
                                                                     Real cos_half, Real sin_half, Real cos_half_b,
                                                                     Real sin_half_b, Real root, Real& re, Real& im) {
  const Real cos_theta = w.cos_half_step * cos_half - side * w.sin_half_step * sin_half;
  const Real sin_theta = w.sin_half_step * cos_half + side * w.cos_half_step * sin_half;
  const Real turn = ((side < 0) & (sin_theta > 0)) ? Real(-1) : Real(1);
  const Real turned = cos_half_b * w.cos_exterior + turn * sin_half_b * w.sin_exterior;
  const Real to_boundary = cos_theta >= 0 ? cos_half_b : turned;
  const Real half_sine = to_boundary < 0 ? -to_boundary : to_boundary;
  const Real magnitude = sin_theta < 0 ? -sin_theta : sin_theta;
  // Below this the quotient is all rounding, and its limit is n.
  const Real least = Real(3e-4);
  const Real safe = magnitude > least ? magnitude : least;
  const Real ratio = magnitude > least ? half_sine / safe : w.n;
  const FresnelRationals<Real> r = fresnel_rationals(root * half_sine);
  const Real signed_cos = sin_theta < 0 ? -cos_theta : cos_theta;
  const Real scale = signed_cos * ratio * Real(3.14159265358979323846) * root;
  re = scale * (r.f_top / r.f_bottom);
  im = scale * (r.g_top / r.g_bottom);
}

// |Sum of the four terms|² of one polarisation, as WedgeFaces::sum has it: those of the incident wave with the second
// one (`turned`) by way of both faces, and what either face reflects.
template <class Real>
[[gnu::always_inline]] TESSERAY_HD inline Real power_of_terms(Real gamma_0_re, Real gamma_0_im, Real gamma_n_re,
                                                              Real gamma_n_im, Real incident_re, Real incident_im,
                                                              Real turned_re, Real turned_im, Real re_0, Real im_0,
                                                              Real re_n, Real im_n) {
  const Real both_re = gamma_0_re * gamma_n_re - gamma_0_im * gamma_n_im;
  const Real both_im = gamma_0_re * gamma_n_im + gamma_0_im * gamma_n_re;
  const Real re = (incident_re + (both_re * turned_re - both_im * turned_im)) +
                  (gamma_0_re * re_0 - gamma_0_im * im_0) + (gamma_n_re * re_n - gamma_n_im * im_n);
  const Real im = (incident_im + (both_re * turned_im + both_im * turned_re)) +
                  (gamma_0_re * im_0 + gamma_0_im * re_0) + (gamma_n_re * im_n + gamma_n_im * re_n);
  return re * re + im * im;
}

}  // namespace physics_detail

// |D|² · 8π k n² sin²β₀ (the square of the four terms' sum, a pure number; |D|² itself is in m) for soft and hard
// polarisation. The source's angle counts from the source-side face (at most nπ/2), the observer's likewise; two_kl is
// 2kL, below 10^12.
template <class Real>
[[gnu::always_inline]] TESSERAY_HD inline void diffraction_power(
    const PowerWedge<Real>& w, const WedgeAngle<Real>& source, const FacesSeen<Real>& from_source,
    const WedgeAngle<Real>& observer, const FacesSeen<Real>& from_observer, Real two_kl, Real& soft, Real& hard) {
  const Real root = std::sqrt(two_kl * Real(0.63661977236758134308));
  // φ − φ' and φ + φ', scaled by 1/2n and halved.
  const Real cc = observer.cos_scaled * source.cos_scaled, ss = observer.sin_scaled * source.sin_scaled;
  const Real sc = observer.sin_scaled * source.cos_scaled, cs = observer.cos_scaled * source.sin_scaled;
  const Real cc_b = observer.cos_half * source.cos_half, ss_b = observer.sin_half * source.sin_half;
  const Real sc_b = observer.sin_half * source.cos_half, cs_b = observer.cos_half * source.sin_half;
  Real re_1, im_1, re_2, im_2, re_0, im_0, re_n, im_n;
  physics_detail::boundary_term_in_real(w, Real(1), cc + ss, sc - cs, cc_b + ss_b, sc_b - cs_b, root, re_1, im_1);
  physics_detail::boundary_term_in_real(w, Real(-1), cc + ss, sc - cs, cc_b + ss_b, sc_b - cs_b, root, re_2, im_2);
  physics_detail::boundary_term_in_real(w, Real(-1), cc - ss, sc + cs, cc_b - ss_b, sc_b + cs_b, root, re_0, im_0);
  physics_detail::boundary_term_in_real(w, Real(1), cc - ss, sc + cs, cc_b - ss_b, sc_b + cs_b, root, re_n, im_n);
  // Each face takes the end that is nearer to it, as wedge_faces has it: half the angle is at most π.
  const bool source_is_nearer = source.cos_half >= observer.cos_half;
  const auto either = [&](Real a, Real b) { return source_is_nearer ? a : b; };
  const FaceReflection<Real>&source_0 = from_source.source_face, &observer_0 = from_observer.source_face,
        &source_n = from_source.other_face, &observer_n = from_observer.other_face;
  const Real incident_re = either(re_2, re_1), incident_im = either(im_2, im_1), turned_re = either(re_1, re_2),
             turned_im = either(im_1, im_2);
  soft =
      physics_detail::power_of_terms(either(source_0.te_re, observer_0.te_re), either(source_0.te_im, observer_0.te_im),
                                     either(observer_n.te_re, source_n.te_re), either(observer_n.te_im, source_n.te_im),
                                     incident_re, incident_im, turned_re, turned_im, re_0, im_0, re_n, im_n);
  hard =
      physics_detail::power_of_terms(either(source_0.tm_re, observer_0.tm_re), either(source_0.tm_im, observer_0.tm_im),
                                     either(observer_n.tm_re, source_n.tm_re), either(observer_n.tm_im, source_n.tm_im),
                                     incident_re, incident_im, turned_re, turned_im, re_0, im_0, re_n, im_n);
}

}  // namespace tesseray
