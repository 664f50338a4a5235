// SPDX-License-Identifier: GPL-3.0-or-later
// Absorbing screens between transmitter and receiver in a vertical plane (docs/physics.md §6; ITU-R P.526 §4). An
// edge's ν is a pure number, positive where the edge obstructs the straight line.
#pragma once

#include <cmath>
#include <span>

#include "core/base/host_device.h"
#include "core/base/units.h"
#include "core/geometry/vector.h"
#include "core/physics/complex.h"
#include "core/physics/transition_function.h"

namespace tesseray {

// Edges below this ν count as free of loss in the methods that use the approximate J.
inline constexpr double negligible_fresnel_parameter = -0.78;

// ν of an edge `clearance_m` above the straight line (negative: below), between terminals at these distances along the
// line. REQUIRES: distances and wavelength are positive.
TESSERAY_HD inline double fresnel_parameter(double clearance_m, double distance_1_m, double distance_2_m,
                                            double wavelength_m) {
  return clearance_m * std::sqrt(2.0 * (distance_1_m + distance_2_m) / (wavelength_m * distance_1_m * distance_2_m));
}

// The same of an edge between two points, in the order of their distances (x; y: height; m).
TESSERAY_HD inline double fresnel_parameter_between(Vec2 from, Vec2 edge, Vec2 to, double wavelength_m) {
  const double before = edge.x - from.x, after = to.x - edge.x;
  const double clearance = edge.y - (from.y + (to.y - from.y) * before / (before + after));
  return fresnel_parameter(clearance, before, after, wavelength_m);
}

// |ν| = 2√(Δ/λ), of an edge by which the way is Δ longer than the straight one.
TESSERAY_HD inline double fresnel_parameter_of_detour(double longer_m, double wavelength_m) {
  return longer_m > 0 ? 2 * std::sqrt(longer_m / wavelength_m) : 0.0;
}

// How far a value is from one limit to another, 0 … 1, where one factor gives way to another without a step. All of one
// unit.
TESSERAY_HD inline double share_between(double value, double from, double to) {
  if (value <= from) return 0;
  return value < to ? (value - from) / (to - from) : 1;
}

// In sight an edge's part does not end at once where it costs nothing, since its phase is not nothing there.
inline constexpr double least_nu_in_sight = -1.5;
// How much of it counts, by its ν: 0 … 1.
TESSERAY_HD inline double part_in_sight(double nu) {
  return 1 - share_between(-nu, -negligible_fresnel_parameter, -least_nu_in_sight);
}

// Field behind one screen over the field without it: (1+j)/2 ∫_ν^∞ e^{−jπt²/2} dt, phase against the straight line.
TESSERAY_HD inline Complex knife_edge_factor(double nu) {
  constexpr double root_half_pi = 1.25331413731550025121;
  const double z = root_half_pi * std::fabs(nu);
  // (1+j)/2 · √(2/π) · tail
  constexpr double scale = 0.5 / root_half_pi;
  const Complex beyond = Complex{scale, scale} * fresnel_tail(z);
  return nu >= 0.0 ? beyond : Complex{1.0, 0.0} - beyond;
}

// No less than the magnitude of that field in the shadow, from ν > 0 on: its first asymptotic term, 1/(√2 π ν), and
// some.
TESSERAY_HD inline double shadow_bound(double nu) { return 0.2253 / nu; }

// J(ν), dB, by the approximation of P.526, which is 0 at and below −0.78.
TESSERAY_HD inline double approximate_knife_edge_loss_db(double nu) {
  if (nu <= negligible_fresnel_parameter) return 0.0;
  const double shifted = nu - 0.1;
  return 6.9 + 20.0 * std::log10(std::sqrt(shifted * shifted + 1.0) + shifted);
}

// The loss over all edges of a profile by Deygout's method (1966), each secondary edge less T_c of P.526 §4.3: the
// quick mode for rows of roofs. dB relative to free space along the straight line; 0 for fewer than three points.
// `profile`: the transmitter, the edges and the receiver (x: distance, y: height; m), x strictly increasing.
double deygout_loss_db(std::span<const Vec2> profile, double wavelength_m);

}  // namespace tesseray
