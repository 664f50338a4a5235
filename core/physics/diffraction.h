// SPDX-License-Identifier: GPL-3.0-or-later
// Uniform diffraction at a wedge whose faces reflect: Kouyoumjian and Pathak's coefficients with Holm's lossy faces
// (docs/physics.md §5; Proc. IEEE 62(11) 1974 1448; IEEE TAP 48(8) 2000 1211).
#pragma once

#include <cmath>

#include "core/base/host_device.h"
#include "core/base/units.h"
#include "core/geometry/vector.h"
#include "core/physics/angle_functions.h"
#include "core/physics/complex.h"
#include "core/physics/fresnel.h"
#include "core/physics/transition_function.h"

namespace tesseray {

// An edge between two flat faces. tangent_0 lies in the 0-face, at right angles to the edge and away from it;
// normal_0 points into the air; normal_0 = direction × tangent_0. Angles about the edge count from the 0-face through
// the air, 0 … exterior_angle (rad, above π). eps_0, eps_n: complex relative permittivities of the faces.
// round_as_screen: what comes round by both faces counts in full, as behind an absorbing screen, and not by what both
// reflect.
struct Wedge {
  Vec3 direction{0, 0, 1}, tangent_0{1, 0, 0}, normal_0{0, 1, 0};
  double exterior_angle = 1.5 * pi;
  Complex eps_0{5, 0}, eps_n{5, 0};
  bool round_as_screen = false;
};

// Whether faces of these permittivities are an absorbing screen's, of whose wedge round_as_screen is true.
TESSERAY_HD constexpr bool is_screen(Complex eps_0, Complex eps_n) { return !reflects(eps_0) && !reflects(eps_n); }

// Coefficients (√m) for the electric field parallel to the edge's plane of incidence (soft) and across it (hard), and
// what a ray that meets the edge askew makes of either in the other: `turned` of soft in hard, −`turned` of hard in
// soft.
struct WedgeDiffraction {
  Complex soft, hard, turned{};
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
// The frame is that of the face nearer to the source, which takes the part of the 0-face.
struct WedgeIncidence {
  Vec3 edge{0, 0, 1}, tangent{1, 0, 0}, normal{0, 1, 0};  // the source-side face
  double n = 1.5;                                         // exterior angle / π
  double inverse_two_n = 1.0 / 3.0;
  double sin_beta = 1.0;
  double cos_beta = 0.0;                      // of the ray's direction against the edge, turned over with the frame
  double source_angle = 0;                    // φ', at most nπ/2
  double cos_source = 1, sin_source = 0;      // of φ'
  CosSin source_scaled;                       // of φ'/2n
  CosSin half_step{0.5, 0.8660254037844386};  // of π/2n
  CosSin exterior{0, -1};                     // of nπ
  CosSin twice_exterior{-1, 0};               // of 2nπ
  Complex eps_0{5, 0};                        // of the source-side face
  FresnelCoefficients reflection_0;           // at the source's angle, on the source-side face
  Complex eps_n{5, 0};                        // of the other face
  bool round_as_screen = false;               // as of Wedge
  bool from_other_face = false;               // true when the wedge's n-face is the source's
  bool in_air = false;                        // false when the source lies inside the solid or on the edge
};

namespace physics_detail {

// A shadow boundary is met to within this, rad: a few roundings of an angle.
inline constexpr double boundary_tolerance = 4e-15;

// Directions that lie inside a face to within rounding count as lying on it, rad.
inline constexpr double face_tolerance = 1e-9;

// The angle of a vector from the face, with angles just below 2π taken as on the face.
TESSERAY_HD inline double angle_from_face(double along_tangent, double along_normal, double length) {
  if (along_normal < 0.0 && along_normal > -face_tolerance * length && along_tangent > 0.0) return 0.0;
  return angle_of(along_tangent, along_normal, length);
}

// cot(θ) F(x) with x = 2kL sin²(ε/2) and θ = ε/2n (mod π), by cos θ, sin θ, and cos b = −cos ε. At the shadow boundary
// cot is singular and F vanishes; their product is taken as (cot θ |sin ε/2|) · (F / |sin ε/2|), whose first factor
// tends to ±n and whose second is regular. On the boundary itself (ε = 0) the point counts as lit: D takes the side on
// which the direct or reflected ray is still there.
template <TransitionAccuracy accuracy>
TESSERAY_HD inline Complex boundary_term(double cos_theta, double sin_theta, double cos_b, double n, double two_kl) {
  const double half_sine_squared = 0.5 * (1.0 + cos_b);
  if constexpr (accuracy == TransitionAccuracy::fast) {
    const double x = two_kl * half_sine_squared;
    if (x > transition_series_from) {
      // Far from the boundary: F's large-argument series, and one reciprocal for cot θ and 1/x.
      const double inverse = 1.0 / (sin_theta * x);
      const double q = sin_theta * inverse;
      const double cotangent = cos_theta * x * inverse;
      return cotangent * transition_series(q);
    }
  }
  double factor;  // cot θ |sin ε/2|
  double half_sine;
  if (half_sine_squared < 1e-8 && std::fabs(sin_theta) < 0.5) {
    // Small ε: ε/2n = tan θ to the order ε², free of the cancellation in 1 + cos b.
    const double tangent = sin_theta / cos_theta;
    half_sine = n * std::fabs(tangent);
    factor = tangent > -boundary_tolerance ? n : -n;
  } else {
    half_sine = std::sqrt(half_sine_squared > 0.0 ? half_sine_squared : 0.0);
    factor = cos_theta / sin_theta * half_sine;
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
  w.sin_beta = std::sqrt(sine_squared);
  w.cos_beta = dot(k_i, wedge.direction);
  double angle = physics_detail::angle_from_face(along_tangent, along_normal, w.sin_beta);
  if (angle > wedge.exterior_angle + physics_detail::face_tolerance) return w;
  angle = angle < wedge.exterior_angle ? angle : wedge.exterior_angle;
  w.in_air = true;
  along_tangent /= w.sin_beta;
  along_normal /= w.sin_beta;
  w.inverse_two_n = 0.5 / w.n;
  w.half_step = cos_sin_quarter(w.inverse_two_n * pi);
  w.exterior = cos_sin_turn(wedge.exterior_angle);
  const double c = w.exterior.cos, s = w.exterior.sin;
  w.twice_exterior = {c * c - s * s, 2.0 * s * c};
  w.from_other_face = angle > 0.5 * wedge.exterior_angle;
  if (w.from_other_face) {
    angle = wedge.exterior_angle - angle;
    w.cos_beta = -w.cos_beta;
    w.cos_source = c * along_tangent + s * along_normal;
    w.sin_source = s * along_tangent - c * along_normal;
    w.tangent = c * wedge.tangent_0 + s * wedge.normal_0;
    w.normal = s * wedge.tangent_0 - c * wedge.normal_0;
    w.eps_0 = wedge.eps_n;
    w.eps_n = wedge.eps_0;
  } else {
    w.cos_source = along_tangent;
    w.sin_source = along_normal;
    w.tangent = wedge.tangent_0;
    w.normal = wedge.normal_0;
    w.eps_0 = wedge.eps_0;
    w.eps_n = wedge.eps_n;
  }
  w.round_as_screen = wedge.round_as_screen;
  w.source_angle = angle;
  w.source_scaled = cos_sin_quarter(w.inverse_two_n * angle);
  w.reflection_0 = fresnel(w.eps_0, w.sin_beta * std::fabs(w.sin_source));
  return w;
}

// The same for another ray from the same source: along one edge only the angle to it, β₀, changes, which is much
// cheaper than to prepare anew. `cos_beta`: of its direction against Wedge::direction. REQUIRES: incidence.in_air,
// sin_beta > 0.
TESSERAY_HD inline void turn_incidence(WedgeIncidence& incidence, double sin_beta, double cos_beta) {
  incidence.sin_beta = sin_beta;
  incidence.cos_beta = incidence.from_other_face ? -cos_beta : cos_beta;
  incidence.reflection_0 = fresnel(incidence.eps_0, sin_beta * std::fabs(incidence.sin_source));
}

// How the plane of the edge is turned from the plane of incidence on a face, to which Γ_TE and Γ_TM belong, by α: its
// square cosine and sine, and their product. It is right where the face's reflection ends; elsewhere it is the same
// there and back and for the two halves of a flat surface, of which nothing comes, and nothing at grazing angles,
// faster than what the edge sends there, and where an end is behind the face (docs/physics.md §5.2). The angles count
// from the face.
struct TurnAtFace {
  double squared_cos = 1, squared_sin = 0, cos_sin = 0;

  TurnAtFace() = default;
  // `cos_beta`: of the ray's direction against the edge that has the face's normal to the left of its tangent.
  TESSERAY_HD TurnAtFace(double cos_beta, CosSin source, CosSin observer) {
    const double sines = source.sin * observer.sin;
    // Straight onto the face and back there is no plane of incidence.
    const bool both_before = source.sin > 0.0 && observer.sin > 0.0 && sines < 1.0 - 1e-15;
    if (!both_before) return;
    const double sum = source.sin + observer.sin, sine = 8.0 * sines * sines / (sum * sum * sum);
    const double tangent = 0.5 * cos_beta * sine * (source.cos - observer.cos) / (1.0 - sines);
    squared_cos = 1.0 / (1.0 + tangent * tangent);
    squared_sin = 1.0 - squared_cos;
    cos_sin = tangent * squared_cos;
  }
};

// The terms of D without what the faces make of them: those of the incident wave that are singular at the shadow
// boundaries of a source nearer to the 0-face and of one nearer to the n-face than the observer, and of what the faces
// reflect.
struct WedgeTerms {
  Complex past_0, past_n, reflected_0, reflected_n;
};

// What the faces make of them.
struct WedgeFaces {
  FresnelCoefficients reflection_0, reflection_n;
  // Source and observer exchanged take each other's angle: then the two terms of the incident wave are exchanged, too.
  bool source_is_nearer_0 = true;
  bool round_as_screen = false;
  TurnAtFace turn_0, turn_n;

  TESSERAY_HD WedgeDiffraction sum(const WedgeTerms& terms) const {
    const Complex incident = source_is_nearer_0 ? terms.past_0 : terms.past_n,
                  round = source_is_nearer_0 ? terms.past_n : terms.past_0;
    const FresnelCoefficients &r0 = reflection_0, &rn = reflection_n;
    if (turn_0.squared_sin == 0.0 && turn_n.squared_sin == 0.0) {
      const auto in_plane = [&](Complex gamma_0, Complex gamma_n) {
        return incident + (round_as_screen ? round : gamma_0 * gamma_n * round) + gamma_0 * terms.reflected_0 +
               gamma_n * terms.reflected_n;
      };
      return {in_plane(r0.te, rn.te), in_plane(r0.tm, rn.tm)};
    }
    WedgeDiffraction d{incident + round, incident + round};
    const auto add = [&](const TurnAtFace& turn, Complex te, Complex tm) {
      d.soft = d.soft + turn.squared_cos * te - turn.squared_sin * tm;
      d.hard = d.hard + turn.squared_cos * tm - turn.squared_sin * te;
      d.turned = d.turned + turn.cos_sin * (te + tm);
    };
    add(turn_0, r0.te * terms.reflected_0, r0.tm * terms.reflected_0);
    add(turn_n, rn.te * terms.reflected_n, rn.tm * terms.reflected_n);
    if (!round_as_screen) {
      const Complex one{1, 0}, te = 0.5 * ((r0.te * rn.te - one) * round), tm = 0.5 * ((r0.tm * rn.tm - one) * round);
      add(turn_0, te, tm);
      add(turn_n, te, tm);
    }
    return d;
  }
};

// Each face reflects as a half-space, at the grazing angle of that end which is nearer to it: of the source or of the
// observer. The angles count from the source-side face.
TESSERAY_HD inline WedgeFaces wedge_faces(const WedgeIncidence& w, double observer_angle, CosSin observer) {
  const CosSin source{w.cos_source, w.sin_source};
  const CosSin source_from_n = difference(w.exterior, source), observer_from_n = difference(w.exterior, observer);
  const auto reflected = [&](Complex permittivity, CosSin from_face) {
    return fresnel(permittivity, w.sin_beta * std::fabs(from_face.sin));
  };
  WedgeFaces faces;
  faces.source_is_nearer_0 = observer_angle >= w.source_angle;
  faces.round_as_screen = w.round_as_screen;
  faces.reflection_0 = faces.source_is_nearer_0 ? w.reflection_0 : reflected(w.eps_0, observer);
  faces.reflection_n = reflected(w.eps_n, faces.source_is_nearer_0 ? observer_from_n : source_from_n);
  if (w.cos_beta != 0.0) {
    faces.turn_0 = TurnAtFace(w.cos_beta, source, observer);
    faces.turn_n = TurnAtFace(-w.cos_beta, source_from_n, observer_from_n);
  }
  return faces;
}

// The coefficients towards an observer at angle φ from the source-side face; `observer` are its cosine and sine.
// REQUIRES: incidence.in_air, 0 ≤ observer_angle ≤ nπ.
template <TransitionAccuracy accuracy = TransitionAccuracy::fast>
TESSERAY_HD inline WedgeDiffraction wedge_coefficients(const WedgeIncidence& w, double observer_angle, CosSin observer,
                                                       const DistanceParameters& distances, double wave_number) {
  // Of (φ ∓ φ')/2n, from which follow the arguments of the four cotangents, and of b = φ ∓ φ'.
  const CosSin scaled = cos_sin_quarter(w.inverse_two_n * observer_angle);
  const CosSin half_minus = difference(scaled, w.source_scaled), half_plus = sum(scaled, w.source_scaled);
  const CosSin source{w.cos_source, w.sin_source};
  const CosSin b_minus = difference(observer, source), b_plus = sum(observer, source);

  // One term of side +1: cot((π+b)/2n) F(kL a⁺(b)), or of side −1: cot((π−b)/2n) F(kL a⁻(b)). The nearest boundary
  // has N = 0 while cos θ > 0; beyond, b turns back by 2nπ: N = +1 for side +1, and the sign of −θ for side −1.
  const auto term = [&](double side, CosSin half_b, CosSin b, double distance_m) {
    const double cos_theta = w.half_step.cos * half_b.cos - side * w.half_step.sin * half_b.sin;
    const double sin_theta = w.half_step.sin * half_b.cos + side * w.half_step.cos * half_b.sin;
    const double turn = side < 0.0 && sin_theta > 0.0 ? -1.0 : 1.0;
    const double cos_to_boundary =
        cos_theta >= 0.0 ? b.cos : b.cos * w.twice_exterior.cos + turn * b.sin * w.twice_exterior.sin;
    return physics_detail::boundary_term<accuracy>(cos_theta, sin_theta, cos_to_boundary, w.n,
                                                   2.0 * wave_number * distance_m);
  };
  const WedgeTerms terms{
      term(-1.0, half_minus, b_minus, distances.incident_m), term(1.0, half_minus, b_minus, distances.incident_m),
      term(-1.0, half_plus, b_plus, distances.reflection_0_m), term(1.0, half_plus, b_plus, distances.reflection_n_m)};
  const WedgeDiffraction d = wedge_faces(w, observer_angle, observer).sum(terms);
  const double magnitude = -1.0 / (2.0 * w.n * std::sqrt(2.0 * pi * wave_number) * w.sin_beta);
  constexpr double root_half = 0.70710678118654752440;
  const Complex common{magnitude * root_half, -magnitude * root_half};
  return {common * d.soft, common * d.hard, common * d.turned};
}

// About the power that a wedge diffracts along k_d (unit), over that of the incident ray had it gone on to the
// observer: a quarter on a shadow boundary, and with x = 2kL sin²(ε/2) of the nearest boundary 1/(16π x) far from all
// of them, as the coefficients' leading terms have it. Within a factor of ten or so, but where terms cancel; for draws
// by chance, which stay without bias whatever it says. REQUIRES: incidence.in_air, k_d not along the edge.
TESSERAY_HD inline double estimated_diffraction_share(const WedgeIncidence& w, Vec3 k_d, double distance_m,
                                                      double wave_number) {
  const double along_tangent = dot(k_d, w.tangent), along_normal = dot(k_d, w.normal);
  const double inverse = 1.0 / std::sqrt(along_tangent * along_tangent + along_normal * along_normal);
  const CosSin observer{along_tangent * inverse, along_normal * inverse}, source{w.cos_source, w.sin_source};
  const double cos_incident = difference(observer, source).cos;
  const CosSin plus = sum(observer, source);
  const double cos_reflected_n = plus.cos * w.twice_exterior.cos + plus.sin * w.twice_exterior.sin;
  const double nearest = std::fmin(cos_incident, std::fmin(plus.cos, cos_reflected_n));
  const double x = wave_number * distance_m * std::fmax(1.0 + nearest, 0.0);
  return 1.0 / (4.0 + 16.0 * pi * x);
}

namespace physics_detail {

// The coefficients along k_d over −sin β₀ sin β, as the axes below want them. False when that direction lies inside the
// solid or along the edge.
template <TransitionAccuracy accuracy>
TESSERAY_HD inline bool coefficients_along(const WedgeIncidence& w, Vec3 k_d, const DistanceParameters& distances,
                                           double wave_number, WedgeDiffraction& d) {
  if (!w.in_air) return false;
  const double along_tangent = dot(k_d, w.tangent), along_normal = dot(k_d, w.normal);
  const double sine_squared = along_tangent * along_tangent + along_normal * along_normal;
  if (sine_squared < 1e-12) return false;
  const double sine = std::sqrt(sine_squared);
  const double angle = angle_from_face(along_tangent, along_normal, sine);
  if (angle > pi * w.n + face_tolerance) return false;
  const double inverse = 1.0 / sine;
  const CosSin observer{along_tangent * inverse, along_normal * inverse};
  d = wedge_coefficients<accuracy>(w, angle < pi * w.n ? angle : pi * w.n, observer, distances, wave_number);
  const double scale = -inverse / w.sin_beta;
  d = {scale * d.soft, scale * d.hard, scale * d.turned};
  return true;
}

// sin β times β̂ = φ̂ × k and φ̂ = ê × k/|·| of a ray along k that leaves the edge, with the double product written out;
// of one that comes to it, φ̂' points the other way.
TESSERAY_HD inline Vec3 soft_axis(Vec3 edge, Vec3 k) { return dot(k, edge) * k - edge; }
TESSERAY_HD inline Vec3 hard_axis(Vec3 edge, Vec3 k) { return cross(edge, k); }

}  // namespace physics_detail

namespace physics_detail {

// −[(D_s E·β̂' − D_t E·φ̂') β̂ + (D_h E·φ̂' + D_t E·β̂') φ̂] with D_t of WedgeDiffraction::turned: the field that leaves
// the edge along k_d of the one that comes along k_i. `d` as coefficients_along() gives it.
TESSERAY_HD inline ComplexVec3 sent_of(const WedgeDiffraction& d, Vec3 edge, const ComplexVec3& incident, Vec3 k_i,
                                       Vec3 k_d) {
  const Complex along_edge = dot(incident, edge) - dot(k_i, edge) * dot(incident, k_i);
  const Complex across_edge = dot(incident, cross(k_i, edge));
  const Complex soft = d.soft * along_edge - d.turned * across_edge;
  const Complex hard = d.hard * across_edge + d.turned * along_edge;
  return soft * soft_axis(edge, k_d) + hard * hard_axis(edge, k_d);
}

// The field that comes along k_i, of which sent_of() is `sent`. Of what the coefficients send nothing, nothing.
TESSERAY_HD inline ComplexVec3 come_of(const WedgeDiffraction& d, const WedgeIncidence& w, const ComplexVec3& sent,
                                       Vec3 k_i, Vec3 k_d) {
  // Over sin β₀ sin β each, as the coefficients are.
  const auto part = [&](Vec3 axis) { return 1 / (squared_norm(axis) * w.sin_beta * w.sin_beta) * dot(sent, axis); };
  const Complex soft_out = part(soft_axis(w.edge, k_d)), hard_out = part(hard_axis(w.edge, k_d));
  const auto over = [](Complex out, Complex by) { return squared_norm(by) > 0 ? out / by : Complex{}; };
  Complex soft = over(soft_out, d.soft), hard = over(hard_out, d.hard);
  if (squared_norm(d.turned) > 0) {
    const Complex determinant = d.soft * d.hard + d.turned * d.turned;
    soft = over(d.hard * soft_out + d.turned * hard_out, determinant);
    hard = over(d.soft * hard_out - d.turned * soft_out, determinant);
  }
  return -1.0 * (soft * soft_axis(w.edge, k_i) + hard * hard_axis(w.edge, k_i));
}

}  // namespace physics_detail

// The diffracted field at the edge, in the direction k_d (unit), without the spreading factor and the phase along k_d.
// Zero when a direction lies inside the solid or along the edge.
template <TransitionAccuracy accuracy = TransitionAccuracy::fast>
TESSERAY_HD inline ComplexVec3 diffracted_field(const WedgeIncidence& w, const ComplexVec3& incident, Vec3 k_i,
                                                Vec3 k_d, const DistanceParameters& distances, double wave_number) {
  WedgeDiffraction d;
  if (!physics_detail::coefficients_along<accuracy>(w, k_d, distances, wave_number, d)) return {};
  return physics_detail::sent_of(d, w.edge, incident, k_i, k_d);
}

// The field that has come to the edge along k_i, of which the wedge makes `diffracted` along k_d: the same the other
// way round. Of what it sends nothing there, nothing.
template <TransitionAccuracy accuracy = TransitionAccuracy::fast>
TESSERAY_HD inline ComplexVec3 incident_field(const WedgeIncidence& w, const ComplexVec3& diffracted, Vec3 k_i,
                                              Vec3 k_d, const DistanceParameters& distances, double wave_number) {
  WedgeDiffraction d;
  if (!physics_detail::coefficients_along<accuracy>(w, k_d, distances, wave_number, d)) return {};
  return physics_detail::come_of(d, w, diffracted, k_i, k_d);
}

// The same for one observer, with one distance parameter for all boundaries.
template <TransitionAccuracy accuracy = TransitionAccuracy::fast>
TESSERAY_HD inline ComplexVec3 diffracted_field(const Wedge& wedge, const ComplexVec3& incident_at_edge, Vec3 k_i,
                                                Vec3 k_d, double distance_m, double wave_number) {
  return diffracted_field<accuracy>(wedge_incidence(wedge, k_i), incident_at_edge, k_i, k_d,
                                    {distance_m, distance_m, distance_m}, wave_number);
}

}  // namespace tesseray
