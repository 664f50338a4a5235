// SPDX-License-Identifier: GPL-3.0-or-later
// Two edges of one face along which the wave between them runs (docs/physics.md §5.5). Near the face it is cancelled by
// its own reflection but for what the surface's impedance leaves, and the second edge diffracts its slope.
//
// How it works. At the angle ψ over the face an edge sends A(ψ) + Γ A(−ψ) with Γ = (sin ψ − Δ)/(sin ψ + Δ), as a point
// on the face would of which A(ψ) is the pattern; and so does the other edge take what comes. What goes from the one
// to the other is what goes between two points of a surface of impedance Δ, on which ∂u/∂n = jkΔ u at either of them:
// (A₁ + Δ A₁′)(A₂ + Δ A₂′) times what the surface leaves.
#pragma once

#include <cmath>

#include "core/physics/diffraction.h"

namespace tesseray {

// 1 − F(x) of the transition function at complex x: what a surface of impedance Δ leaves of a wave that runs along it
// for r, with x = k r Δ²/2 (Sommerfeld). Within 1e-3 of it. REQUIRES: Re x ≥ 0, but for rounding.
TESSERAY_HD inline Complex attenuation_along_surface(Complex x) {
  constexpr double most_of_series = 20, root_pi = 1.7724538509055160273;
  const Complex one{1, 0}, z2{-x.im, x.re};  // z² = jx
  if (squared_norm(x) > most_of_series * most_of_series) {
    const Complex q = one / (2.0 * z2);
    Complex sum = one;
    for (int m = 13; m >= 3; m -= 2) sum = one - m * (q * sum);
    return q * sum;
  }
  // F = √π z e^{z²} − 2z² Σ (2z²)^m / (2m + 1)!!
  Complex sum = one, term = one;
  for (int m = 1; m < 120 && squared_norm(term) > 1e-24; ++m) {
    term = (2.0 / (2 * m + 1)) * (z2 * term);
    sum = sum + term;
  }
  const Complex root_x = sqrt_decaying(x), turn = std::exp(-x.im) * exp_j(x.re);
  constexpr double root_half = 0.70710678118654752440;
  const Complex z = Complex{root_half, root_half} * (root_x.re < 0 ? -root_x : root_x);
  return one - root_pi * (z * turn) + 2.0 * (z2 * sum);
}

// One end of the way between the edges: the surface there, and the sine of the angle by which the way rises over it.
struct FaceAtEnd {
  Complex permittivity;
  double sine = 0;
};

// The way from one edge to another of the same face: at this edge and at the other one.
struct CommonFace {
  FaceAtEnd here, there;
  double distance_m = 0;
  Vec3 normal;  // of the face at this edge
  bool is_one = false;
};

// How the ray runs along a face at one edge, to it from another one or from it to that.
struct AlongFace {
  bool is_along = false;
  double angle = 0;              // about the edge, over the face, rad
  BoundaryImpedances impedance;  // over sin β₀
  BoundaryImpedances factor;     // of the coefficients
};

namespace physics_detail {

// Between two points of surfaces of these impedances, over the same without them: 2 along a conductor's that reflects
// with Γ = 1. The surfaces meet below the way, by which a ray would be longer by x/k; all of both waves' reflections is
// there when x is much more than 1.
TESSERAY_HD inline Complex left_between(Complex here, Complex there, const CommonFace& face, double wave_number) {
  constexpr double root_pi = 1.7724538509055160273, root_half = 0.70710678118654752440;
  const double along = wave_number * face.distance_m, sines = face.here.sine * face.there.sine;
  const double x = 0.5 * along * sines, root = std::sqrt(x);
  const Complex eighth{root_half, root_half};
  const Complex lit = Complex{1, 0} - (1 / root_pi) * (eighth * fresnel_tail(root));
  const Complex sloping = 2.0 * (lit + (root / root_pi) * (eighth * exp_j(-x)));
  const Complex product = here * there;
  const Complex along_surface = 2.0 * attenuation_along_surface((0.5 * along) * product);
  const Complex numerator =
      (4 * sines) * lit + along_surface * (product * sloping + face.there.sine * here + face.here.sine * there);
  const Complex at_here = Complex{face.here.sine, 0} + here, at_there = Complex{face.there.sine, 0} + there;
  return numerator / at_here / at_there;
}

// Brings the parts at both edges to the size of a wave between them, whatever the impedance.
TESSERAY_HD inline Complex scale_of(Complex impedance, double distance_m, double wave_number) {
  return Complex{1, 0} + std::sqrt(wave_number * distance_m) * impedance;
}

TESSERAY_HD inline AlongFace along_face_at(const CommonFace& face, double sin_beta) {
  const BoundaryImpedances impedance = boundary_impedances(face.here.permittivity, 0);
  AlongFace along;
  along.is_along = true;
  along.angle = std::asin(std::fmin(face.here.sine / sin_beta, 1.0));
  along.impedance = {(1 / sin_beta) * impedance.te, (1 / sin_beta) * impedance.tm};
  return along;
}

// One term T = cot θ F(x) of D, θ = ε/2n and x = 2kL sin²(ε/2), with its slope and curvature in ε, without the step at
// the shadow boundary; the curvature asymptotically.
struct EdgeTerm {
  Complex value, slope, curvature;
};

template <TransitionAccuracy accuracy>
TESSERAY_HD inline EdgeTerm edge_term(double epsilon, double n, double kl) {
  const double theta = 0.5 / n * epsilon, reduced = theta - pi * std::round(theta / pi);
  const double half_sine = std::sin(n * reduced), half_cosine = std::cos(n * reduced);
  const double sine = std::sin(reduced), cosine = std::cos(reduced);
  const bool is_at_boundary = std::fabs(sine) < 1e-6;
  const double ratio = is_at_boundary ? n : half_sine / sine;
  const double side = reduced > -boundary_tolerance ? 1 : -1;
  const double root_2kl = std::sqrt(2 * kl), root = root_2kl * std::fabs(half_sine), x = root * root;
  const Complex tail = scaled_fresnel_tail_to<accuracy>(root), turned{-2 * tail.im, 2 * tail.re};  // F/√x
  const Complex f = root * turned, rest{f.im, 1 - f.re};                                           // j (1 − F)
  // T′ = F (cot θ cot(ε/2)/2 − csc² θ/2n) − j (1 − F) kL cot θ sin ε, whose first part vanishes at the boundary.
  Complex slope = (-2 * kl * ratio * cosine * half_cosine) * rest;
  if (!is_at_boundary) {
    slope = slope + (0.5 * (cosine / sine) * root_2kl * half_cosine * (half_sine < 0 ? -1 : 1)) * turned -
            (0.5 / (n * sine * sine)) * f;
  }
  // T″ → csc² θ cot θ/2n² · jx (F − 2jx (1 − F)), of which the last tends to 1.
  constexpr double far = 1e4;
  const Complex difference = turned - 2 * root * rest;
  const Complex curvature =
      x > far ? Complex{cosine / (sine * sine * sine), 0}
              : (2 * kl * ratio * ratio * side * ratio * root_2kl * cosine) * Complex{-difference.im, difference.re};
  return {(root_2kl * side * ratio * cosine) * turned, slope, (0.5 / (n * n)) * curvature};
}

// The same over the angles ±h about ε: the mean and the slope between.
template <TransitionAccuracy accuracy>
TESSERAY_HD inline EdgeTerm edge_term_about(double epsilon, double h, double n, double kl) {
  constexpr double least_angle = 1e-3;
  const double theta = 0.5 / n * epsilon, reduced = theta - pi * std::round(theta / pi);
  // Across the shadow boundary the term steps by the wave that is lit there.
  if (h < least_angle || 2 * n * std::fabs(reduced) <= h) return edge_term<accuracy>(epsilon, n, kl);
  const Complex above = edge_term<accuracy>(epsilon + h, n, kl).value;
  const Complex below = edge_term<accuracy>(epsilon - h, n, kl).value;
  return {0.5 * (above + below), (0.5 / h) * (above - below), {}};
}

}  // namespace physics_detail

// For a ray that comes along the face from the other edge.
TESSERAY_HD inline AlongFace arriving_along(const CommonFace& face, double sin_beta, double wave_number) {
  using namespace physics_detail;
  AlongFace along = along_face_at(face, sin_beta);
  const BoundaryImpedances impedance = boundary_impedances(face.here.permittivity, 0);
  const Complex one{1, 0};
  along.factor = {one / scale_of(impedance.te, face.distance_m, wave_number),
                  one / scale_of(impedance.tm, face.distance_m, wave_number)};
  return along;
}

// For a ray that goes along the face to the other edge.
TESSERAY_HD inline AlongFace leaving_along(const CommonFace& face, double sin_beta, double wave_number) {
  using namespace physics_detail;
  AlongFace along = along_face_at(face, sin_beta);
  const BoundaryImpedances here = boundary_impedances(face.here.permittivity, 0),
                           there = boundary_impedances(face.there.permittivity, 0);
  along.factor = {
      scale_of(there.te, face.distance_m, wave_number) * left_between(here.te, there.te, face, wave_number),
      scale_of(there.tm, face.distance_m, wave_number) * left_between(here.tm, there.tm, face, wave_number)};
  return along;
}

// The coefficients of a wedge to which the ray comes along its source-side face, or along one of whose faces it leaves.
// `observer_angle` and `observer` are those of the face itself in the latter case. One L for all boundaries.
// REQUIRES: incidence.in_air; its source angle is 0 where the ray comes along that face.
template <TransitionAccuracy accuracy = TransitionAccuracy::fast>
TESSERAY_HD inline WedgeDiffraction coefficients_along_faces(const WedgeIncidence& w, const AlongFace& from,
                                                             const AlongFace& to, double observer_angle,
                                                             CosSin observer, double distance_m, double wave_number) {
  using namespace physics_detail;
  const bool to_n = to.is_along && observer_angle > 0.5 * pi * w.n;
  const bool from_0 = from.is_along, both = from_0 && to_n;
  const double apart = std::fabs(observer_angle - w.source_angle), together = observer_angle + w.source_angle;
  const double kl = wave_number * distance_m, h = both ? 0.0 : (from_0 ? from.angle : to.angle);
  const EdgeTerm incident = edge_term_about<accuracy>(pi - apart, h, w.n, kl);
  // What the other face reflects.
  const EdgeTerm reflected =
      both ? EdgeTerm{} : edge_term_about<accuracy>(to_n ? pi - together : pi + together, h, w.n, kl);
  const WedgeFaces faces = wedge_faces(w, observer_angle, observer);
  const FresnelCoefficients& other = to_n ? faces.reflection_0 : faces.reflection_n;
  const double magnitude = -1.0 / (2.0 * w.n * std::sqrt(2.0 * pi * wave_number) * w.sin_beta);
  constexpr double root_half = 0.70710678118654752440;
  const Complex common{magnitude * root_half, -magnitude * root_half};
  const auto coefficient = [&](Complex gamma, Complex from_impedance, Complex to_impedance, Complex factor) {
    const Complex first = both ? from_impedance + to_impedance : (from_0 ? from_impedance : to_impedance);
    const Complex second = both ? from_impedance * to_impedance : Complex{};
    const auto of = [&](const EdgeTerm& term) { return term.value + first * term.slope + second * term.curvature; };
    return common * factor * (of(incident) + gamma * of(reflected));
  };
  const Complex one{1, 0};
  const auto factor = [&](Complex of_from, Complex of_to) {
    return (from_0 ? of_from : one) * (to.is_along ? of_to : one);
  };
  return {coefficient(other.te, from.impedance.te, to.impedance.te, factor(from.factor.te, to.factor.te)),
          coefficient(other.tm, from.impedance.tm, to.impedance.tm, factor(from.factor.tm, to.factor.tm))};
}

namespace physics_detail {

// −D_s and −D_h along k_d over sin β₀ sin β, as those of coefficients_along().
template <TransitionAccuracy accuracy>
TESSERAY_HD inline bool coefficients_along_faces(const WedgeIncidence& w, const AlongFace& from, const AlongFace& to,
                                                 Vec3 k_d, double distance_m, double wave_number, WedgeDiffraction& d) {
  if (!w.in_air) return false;
  const double along_tangent = dot(k_d, w.tangent), along_normal = dot(k_d, w.normal);
  const double sine_squared = along_tangent * along_tangent + along_normal * along_normal;
  if (sine_squared < 1e-12) return false;
  const double sine = std::sqrt(sine_squared), inverse = 1.0 / sine, exterior = pi * w.n;
  double angle = angle_from_face(along_tangent, along_normal, sine);
  CosSin observer{along_tangent * inverse, along_normal * inverse};
  if (to.is_along) {
    const bool is_n = angle > 0.5 * exterior && angle < pi + 0.5 * exterior;
    angle = is_n ? exterior : 0;
    observer = is_n ? w.exterior : CosSin{};
  } else if (angle > exterior + face_tolerance) {
    return false;
  }
  d = tesseray::coefficients_along_faces<accuracy>(w, from, to, std::fmin(angle, exterior), observer, distance_m,
                                                   wave_number);
  const double scale = -inverse / w.sin_beta;
  d = {scale * d.soft, scale * d.hard};
  return true;
}

}  // namespace physics_detail

// diffracted_field() of such a wedge.
template <TransitionAccuracy accuracy = TransitionAccuracy::fast>
TESSERAY_HD inline ComplexVec3 diffracted_along_faces(const WedgeIncidence& w, const AlongFace& from,
                                                      const AlongFace& to, const ComplexVec3& incident, Vec3 k_i,
                                                      Vec3 k_d, double distance_m, double wave_number) {
  WedgeDiffraction d;
  if (!physics_detail::coefficients_along_faces<accuracy>(w, from, to, k_d, distance_m, wave_number, d)) return {};
  return physics_detail::sent_of(d, w.edge, incident, k_i, k_d);
}

// incident_field() of such a wedge.
template <TransitionAccuracy accuracy = TransitionAccuracy::fast>
TESSERAY_HD inline ComplexVec3 incident_along_faces(const WedgeIncidence& w, const AlongFace& from, const AlongFace& to,
                                                    const ComplexVec3& diffracted, Vec3 k_i, Vec3 k_d,
                                                    double distance_m, double wave_number) {
  WedgeDiffraction d;
  if (!physics_detail::coefficients_along_faces<accuracy>(w, from, to, k_d, distance_m, wave_number, d)) return {};
  return physics_detail::come_of(d, w, diffracted, k_i, k_d);
}

}  // namespace tesseray
