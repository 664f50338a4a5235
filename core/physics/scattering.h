// SPDX-License-Identifier: GPL-3.0-or-later
// Diffuse scattering by the Effective Roughness model (docs/physics.md §7; Degli-Esposti, IEEE TAP 49(7) 2001 1111;
// Degli-Esposti et al., IEEE TAP 55(1) 2007 143). Powers only: the phase of a scattered wave is random.
#pragma once

#include <cmath>

#include "core/base/host_device.h"
#include "core/base/units.h"
#include "core/geometry/vector.h"

namespace tesseray {

// What the scattered power is a part of. S² times …
enum class ScatteringModel {
  reciprocal,  // … |Γ(θ_i)| |Γ(θ_s)|: the same with transmitter and receiver exchanged
  reflected,   // … |Γ(θ_i)|²: the reflected power (2007)
  incident,    // … 1: the incident power (2001)
};

// The factor √(1 − S²) on the amplitude of the specular ray, which leaves the scattered power out of it.
// `scattering_coefficient`: S, a ratio of amplitudes, 0 … 1.
TESSERAY_HD inline double specular_reduction(double scattering_coefficient) {
  return std::sqrt(std::fmax(0.0, 1.0 - scattering_coefficient * scattering_coefficient));
}

// The same for rough ground at an angle of incidence: a wave notices the less of its heights the more it grazes
// (Rayleigh), whose phases go with cos θ, and with their square what they scatter.
TESSERAY_HD inline double specular_reduction_of_grazed_ground(double scattering_coefficient, double cos_incidence) {
  return specular_reduction(scattering_coefficient * cos_incidence);
}

// Lambert's lobe per steradian; its integral over the half-space is 1. Zero behind the surface.
TESSERAY_HD inline double lambertian_lobe(double cos_scattering) {
  return (cos_scattering > 0.0 ? cos_scattering : 0.0) / pi;
}

// ∫ ((1 + cos ψ)/2)^α dΩ over the half-space, ψ being the angle to the specular direction. REQUIRES: α ≥ 0.
TESSERAY_HD inline double directive_lobe_integral(int alpha, double cos_incidence) {
  const double sine_squared = 1.0 - cos_incidence * cos_incidence;
  double sum = 0.0;
  double choose = 1.0;    // C(α, j)
  double odd_part = 0.0;  // Σ_{w ≤ (j−1)/2} C(2w, w) (sin²θ_i / 4)^w, one more summand at each odd j
  double odd_term = 1.0;
  for (int j = 0; j <= alpha; ++j) {
    double integral = 2.0 * pi / (j + 1);
    if (j % 2 == 1) {
      const int w = (j - 1) / 2;
      if (w > 0) odd_term *= sine_squared * (2.0 * w - 1.0) / (2.0 * w);
      odd_part += odd_term;
      integral *= cos_incidence * odd_part;
    }
    sum += choose * integral;
    choose *= static_cast<double>(alpha - j) / (j + 1);
  }
  return std::ldexp(sum, -alpha);
}

// A lobe about the specular direction, per steradian; larger α is narrower.
TESSERAY_HD inline double directive_lobe(int alpha, double cos_incidence, double cos_to_specular) {
  const double base = 0.5 * (1.0 + cos_to_specular);
  double power = 1.0;
  for (int i = 0; i < alpha; ++i) power *= base;
  return power / directive_lobe_integral(alpha, cos_incidence);
}

// The solid angle (sr) under which a parallelogram centre ± half_u ± half_v is seen from `point`; 0 … 2π, either side
// (of two triangles: A. van Oosterom and J. Strackee, IEEE Trans. Biomed. Eng. 30(2) 1983 125). Nearer than about
// 1.5 sides the form dS cos θ/r² collects more than this: use it instead.
TESSERAY_HD inline double parallelogram_solid_angle(Vec3 point, Vec3 centre, Vec3 half_u, Vec3 half_v) {
  const Vec3 middle = centre - point, first = middle - half_u - half_v, opposite = middle + half_u + half_v;
  const auto half_of_triangle = [](Vec3 a, Vec3 b, Vec3 c) {
    const double to_a = norm(a), to_b = norm(b), to_c = norm(c);
    return std::atan2(dot(a, cross(b, c)), to_a * to_b * to_c + dot(a, b) * to_c + dot(a, c) * to_b + dot(b, c) * to_a);
  };
  const double half = half_of_triangle(first, middle + half_u - half_v, opposite) +
                      half_of_triangle(first, opposite, middle - half_u + half_v);
  return std::fmin(2.0 * std::fabs(half), 2.0 * pi);
}

}  // namespace tesseray
