// SPDX-License-Identifier: GPL-3.0-or-later
// Uniform diffraction at a wedge whose faces reflect: Kouyoumjian and Pathak's coefficients with Luebbers' lossy
// faces (docs/physics.md §5; Proc. IEEE 62(11) 1974 1448; IEEE TAP 32(1) 1984 70).
#pragma once

#include <cmath>

#include "core/base/host_device.h"
#include "core/base/units.h"
#include "core/geometry/vector.h"
#include "core/physics/complex.h"
#include "core/physics/fresnel.h"
#include "core/physics/transition_function.h"

namespace tesseray {

// An edge between two flat faces. tangent_0 lies in the 0-face, at right angles to the edge and away from it;
// normal_0 points into the air; normal_0 = direction × tangent_0. Angles about the edge count from the 0-face through
// the air, 0 … exterior_angle (rad, above π). eps_0, eps_n: complex relative permittivities of the faces.
struct Wedge {
  Vec3 direction{0, 0, 1}, tangent_0{1, 0, 0}, normal_0{0, 1, 0};
  double exterior_angle = 1.5 * pi;
  Complex eps_0{5, 0}, eps_n{5, 0};
};

// Coefficients (√m) for the electric field parallel to the edge's plane of incidence (soft) and across it (hard).
struct WedgeDiffraction {
  Complex soft, hard;
};

// The distance parameter L of each shadow boundary, m. All are equal when the surfaces are flat.
struct DistanceParameters {
  double incident_m = 0, reflection_0_m = 0, reflection_n_m = 0;
};

// L of a wave from a point source: s' from source to edge (unfolded), s from edge to observer.
TESSERAY_HD inline double distance_parameter_m(double source_m, double observer_m, double sin_beta) {
  return source_m * observer_m / (source_m + observer_m) * sin_beta * sin_beta;
}

// How the amplitude falls from an edge: A = √(ρ/(s(ρ+s))), with ρ the incident wavefront's radius in the plane that
// holds the ray and the edge (s' for a point source).
TESSERAY_HD inline double edge_spreading(double rho_e_m, double observer_m) {
  return std::sqrt(rho_e_m / (observer_m * (rho_e_m + observer_m)));
}

// Where the ray from source to observer meets a line: the axial coordinate from `origin` along the unit `direction`.
// The point may lie beyond the ends of the edge; on the line itself it is the midpoint of the two.
TESSERAY_HD inline double keller_point(Vec3 source, Vec3 observer, Vec3 origin, Vec3 direction) {
  const Vec3 to_source = source - origin, to_observer = observer - origin;
  const double z_source = dot(to_source, direction), z_observer = dot(to_observer, direction);
  const double rho_source = norm(to_source - z_source * direction);
  const double rho_observer = norm(to_observer - z_observer * direction);
  const double sum = rho_source + rho_observer;
  if (sum == 0.0) return 0.5 * (z_source + z_observer);
  return (z_source * rho_observer + z_observer * rho_source) / sum;
}

// What the coefficients need of the wedge and the incident ray: prepare once, use for many observers.
// The frame is that of the face nearer to the source, which takes the part of the 0-face; without this relabelling
// the lossy coefficients are not reciprocal.
struct WedgeIncidence {
  Vec3 edge{0, 0, 1}, tangent{1, 0, 0}, normal{0, 1, 0};  // the source-side face
  double n = 1.5;                                         // exterior angle / π
  double sin_beta = 1.0;
  double source_angle = 0;                                         // φ', at most nπ/2
  double cos_source = 1, sin_source = 0;                           // of φ'
  double cos_source_scaled = 1, sin_source_scaled = 0;             // of φ'/2n
  double cos_half_step = 0.5, sin_half_step = 0.8660254037844386;  // of π/2n
  double cos_exterior = 0, sin_exterior = -1;                      // of nπ
  double cos_twice_exterior = -1, sin_twice_exterior = 0;          // of 2nπ
  FresnelCoefficients reflection_0;                                // at the source's angle, on the source-side face
  Complex eps_n{5, 0};                                             // of the other face
  bool from_other_face = false;                                    // true when the wedge's n-face is the source's
  bool in_air = false;  // false when the source lies inside the solid or on the edge
};

namespace physics_detail {

// A shadow boundary is met to within this, rad: a few roundings of an angle.
inline constexpr double boundary_tolerance = 4e-15;

// Directions that lie inside a face to within rounding count as lying on it, rad.
inline constexpr double face_tolerance = 1e-9;

// atan2 in [0, 2π), with angles just below 2π taken as on the 0-face.
TESSERAY_HD inline double angle_from_face(double along_normal, double along_tangent) {
  const double angle = std::atan2(along_normal, along_tangent);
  if (angle >= 0.0) return angle;
  return angle > -face_tolerance ? 0.0 : angle + 2.0 * pi;
}

// cot(θ) F(2kL sin²(ε/2)) with θ = ε/2n (mod π), by cos θ, sin θ, and cos b = −cos ε. At the shadow boundary cot is
// singular and F vanishes; their product is taken as (cot θ |sin ε/2|) · (F / |sin ε/2|), whose first factor tends
// to ±n and whose second is regular. On the boundary itself (ε = 0) the point counts as lit: D takes the side on
// which the direct or reflected ray is still there.
template <TransitionAccuracy accuracy>
TESSERAY_HD inline Complex boundary_term(double cos_theta, double sin_theta, double cos_b, double n, double two_kl) {
  double half_sine_squared = 0.5 * (1.0 + cos_b);
  double factor;  // cot θ |sin ε/2|
  double half_sine;
  if (half_sine_squared > 1e-8) {
    half_sine = std::sqrt(half_sine_squared);
    factor = cos_theta / sin_theta * half_sine;
  } else {
    // Small ε: ε/2n = tan θ to the order ε², free of the cancellation in 1 + cos b.
    const double tangent = sin_theta / cos_theta;
    half_sine = n * std::fabs(tangent);
    factor = tangent > -boundary_tolerance ? n : -n;
  }
  const double root = std::sqrt(two_kl);
  const Complex tail = scaled_fresnel_tail_to<accuracy>(root * half_sine);
  const double scale = 2.0 * root * factor;
  return {-scale * tail.im, scale * tail.re};
}

}  // namespace physics_detail

// Prepares a wedge for a wave that travels along the unit vector k_i.
TESSERAY_HD inline WedgeIncidence wedge_incidence(const Wedge& wedge, Vec3 k_i) {
  WedgeIncidence w;
  w.edge = wedge.direction;
  w.n = wedge.exterior_angle / pi;
  const Vec3 to_source = -k_i;
  double along_tangent = dot(to_source, wedge.tangent_0);
  double along_normal = dot(to_source, wedge.normal_0);
  const double sine_squared = along_tangent * along_tangent + along_normal * along_normal;
  if (sine_squared < 1e-12) return w;
  const double inverse = 1.0 / std::sqrt(sine_squared);
  w.sin_beta = sine_squared * inverse;
  along_tangent *= inverse;
  along_normal *= inverse;
  double angle = physics_detail::angle_from_face(along_normal, along_tangent);
  if (angle > wedge.exterior_angle + physics_detail::face_tolerance) return w;
  angle = std::fmin(angle, wedge.exterior_angle);
  w.in_air = true;
  w.cos_exterior = std::cos(wedge.exterior_angle);
  w.sin_exterior = std::sin(wedge.exterior_angle);
  w.cos_twice_exterior = w.cos_exterior * w.cos_exterior - w.sin_exterior * w.sin_exterior;
  w.sin_twice_exterior = 2.0 * w.sin_exterior * w.cos_exterior;
  w.from_other_face = angle > 0.5 * wedge.exterior_angle;
  Complex eps_source = wedge.eps_0;
  w.eps_n = wedge.eps_n;
  w.tangent = wedge.tangent_0;
  w.normal = wedge.normal_0;
  if (w.from_other_face) {
    angle = wedge.exterior_angle - angle;
    eps_source = wedge.eps_n;
    w.eps_n = wedge.eps_0;
    w.tangent = w.cos_exterior * wedge.tangent_0 + w.sin_exterior * wedge.normal_0;
    w.normal = w.sin_exterior * wedge.tangent_0 - w.cos_exterior * wedge.normal_0;
  }
  w.source_angle = angle;
  w.cos_source = std::cos(angle);
  w.sin_source = std::sin(angle);
  const double scale = 0.5 / w.n;
  w.cos_source_scaled = std::cos(scale * angle);
  w.sin_source_scaled = std::sin(scale * angle);
  w.cos_half_step = std::cos(scale * pi);
  w.sin_half_step = std::sin(scale * pi);
  w.reflection_0 = fresnel(eps_source, w.sin_beta * std::fabs(w.sin_source));
  return w;
}

// The coefficients towards an observer at angle φ from the source-side face; cos_observer, sin_observer belong to it.
// REQUIRES: incidence.in_air, 0 ≤ observer_angle ≤ nπ.
template <TransitionAccuracy accuracy = TransitionAccuracy::fast>
TESSERAY_HD inline WedgeDiffraction wedge_coefficients(const WedgeIncidence& w, double observer_angle,
                                                       double cos_observer, double sin_observer,
                                                       const DistanceParameters& distances, double wave_number) {
  // cos and sin of (φ ∓ φ')/2n, then of (π ± (φ ∓ φ'))/2n: the arguments of the four cotangents.
  const double scaled = observer_angle * 0.5 / w.n;
  const double c = std::cos(scaled), s = std::sin(scaled);
  const double cc = c * w.cos_source_scaled, ss = s * w.sin_source_scaled;
  const double sc = s * w.cos_source_scaled, cs = c * w.sin_source_scaled;
  const double cos_minus = cc + ss, sin_minus = sc - cs;
  const double cos_plus = cc - ss, sin_plus = sc + cs;
  // cos and sin of b = φ ∓ φ'.
  const double ccb = cos_observer * w.cos_source, ssb = sin_observer * w.sin_source;
  const double scb = sin_observer * w.cos_source, csb = cos_observer * w.sin_source;
  const double cos_b_minus = ccb + ssb, sin_b_minus = scb - csb;
  const double cos_b_plus = ccb - ssb, sin_b_plus = scb + csb;

  // One term of side +1: cot((π+b)/2n) F(kL a⁺(b)), or of side −1: cot((π−b)/2n) F(kL a⁻(b)). The nearest boundary
  // has N = 0 while cos θ > 0; beyond, b turns back by 2nπ: N = +1 for side +1, and the sign of −θ for side −1.
  const auto term = [&](double side, double cos_half_b, double sin_half_b, double cos_b, double sin_b,
                        double distance_m) {
    const double cos_theta = w.cos_half_step * cos_half_b - side * w.sin_half_step * sin_half_b;
    const double sin_theta = w.sin_half_step * cos_half_b + side * w.cos_half_step * sin_half_b;
    const double turn = side < 0.0 && sin_theta > 0.0 ? -1.0 : 1.0;
    const double cos_to_boundary =
        cos_theta >= 0.0 ? cos_b : cos_b * w.cos_twice_exterior + turn * sin_b * w.sin_twice_exterior;
    return physics_detail::boundary_term<accuracy>(cos_theta, sin_theta, cos_to_boundary, w.n,
                                                   2.0 * wave_number * distance_m);
  };
  const Complex incident = term(1.0, cos_minus, sin_minus, cos_b_minus, sin_b_minus, distances.incident_m) +
                           term(-1.0, cos_minus, sin_minus, cos_b_minus, sin_b_minus, distances.incident_m);
  const Complex reflected_0 = term(-1.0, cos_plus, sin_plus, cos_b_plus, sin_b_plus, distances.reflection_0_m);
  const Complex reflected_n = term(1.0, cos_plus, sin_plus, cos_b_plus, sin_b_plus, distances.reflection_n_m);

  // Luebbers: each face reflects as a half-space at the grazing angle of the ray on that face's side.
  const double sin_from_n = w.sin_exterior * cos_observer - w.cos_exterior * sin_observer;
  const FresnelCoefficients reflection_n = fresnel(w.eps_n, w.sin_beta * std::fabs(sin_from_n));
  const double magnitude = -1.0 / (2.0 * w.n * std::sqrt(2.0 * pi * wave_number) * w.sin_beta);
  constexpr double root_half = 0.70710678118654752440;
  const Complex common{magnitude * root_half, -magnitude * root_half};
  return {common * (incident + w.reflection_0.te * reflected_0 + reflection_n.te * reflected_n),
          common * (incident + w.reflection_0.tm * reflected_0 + reflection_n.tm * reflected_n)};
}

// The diffracted field at the edge, in the direction k_d (unit): −[D_s (E·β̂') β̂ + D_h (E·φ̂') φ̂], without the
// spreading factor and the phase along k_d. Zero when a direction lies inside the solid or along the edge.
template <TransitionAccuracy accuracy = TransitionAccuracy::fast>
TESSERAY_HD inline ComplexVec3 diffracted_field(const WedgeIncidence& w, const ComplexVec3& incident, Vec3 k_i,
                                                Vec3 k_d, const DistanceParameters& distances, double wave_number) {
  if (!w.in_air) return {};
  const double along_tangent = dot(k_d, w.tangent), along_normal = dot(k_d, w.normal);
  const double sine_squared = along_tangent * along_tangent + along_normal * along_normal;
  if (sine_squared < 1e-12) return {};
  const double angle = physics_detail::angle_from_face(along_normal, along_tangent);
  if (angle > pi * w.n + physics_detail::face_tolerance) return {};
  const double inverse = 1.0 / std::sqrt(sine_squared);
  const WedgeDiffraction d =
      wedge_coefficients<accuracy>(w, angle, along_tangent * inverse, along_normal * inverse, distances, wave_number);
  // φ̂' = −ê × k_i/|·|, β̂' = φ̂' × k_i; φ̂ = ê × k_d/|·|, β̂ = φ̂ × k_d.
  const Vec3 phi_source = cross(k_i, w.edge);
  const Vec3 phi_observer = cross(w.edge, k_d);
  const double scale = -inverse / w.sin_beta;
  const Complex soft = (scale * d.soft) * dot(incident, cross(phi_source, k_i));
  const Complex hard = (scale * d.hard) * dot(incident, phi_source);
  return soft * cross(phi_observer, k_d) + hard * phi_observer;
}

// The same for one observer, with one distance parameter for all boundaries.
template <TransitionAccuracy accuracy = TransitionAccuracy::fast>
TESSERAY_HD inline ComplexVec3 diffracted_field(const Wedge& wedge, const ComplexVec3& incident_at_edge, Vec3 k_i,
                                                Vec3 k_d, double distance_m, double wave_number) {
  return diffracted_field<accuracy>(wedge_incidence(wedge, k_i), incident_at_edge, k_i, k_d,
                                    {distance_m, distance_m, distance_m}, wave_number);
}

}  // namespace tesseray
