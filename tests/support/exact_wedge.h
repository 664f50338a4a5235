// SPDX-License-Identifier: GPL-3.0-or-later
// The field that a wedge diffracts from a point source, by Bromwich's integral: exact for faces that conduct, and half
// of that for one that absorbs where an end lies on it. UTD is its leading term, by other formulas.
#pragma once

#include <cmath>
#include <complex>

#include "core/base/units.h"

namespace tesseray {

// About the edge; angles from one face on through the air, rad.
struct WedgeGeometry {
  double n = 1.5;  // exterior angle / π
  double source_m = 0, observer_m = 0, axial_m = 0;
  double source_angle = 0, observer_angle = 0;
};

// What each face does to its image: −1 as a conductor with the electric field along the edge, 1 across it, 0 nothing.
// What comes by way of both has both.
struct FaceReflections {
  std::complex<double> face_0, face_n;  // the one from which angles count, and the other
};

// Over e^{−jkR}/R of the source. −(1/2πn) ∫₀^∞ Σ R sin(b/n)/(cosh(η/n) − cos(b/n)) e^{−jkL}/L dη over the four
// b = π ± (φ − φ'), π ± (φ + φ'), L² = ρ'² + ρ² + 2ρρ' cosh η + z²; along η = t − j tanh t, on which e^{−jkL} falls.
inline std::complex<double> exact_wedge_field(const WedgeGeometry& wedge, FaceReflections reflections,
                                              double wave_number) {
  constexpr int steps = 4000;
  constexpr double step = 6.0 / steps;
  const std::complex<double> j(0, 1);
  const double minus = wedge.observer_angle - wedge.source_angle, plus = wedge.observer_angle + wedge.source_angle;
  const std::complex<double> by_both = reflections.face_0 * reflections.face_n;
  std::complex<double> sum = 0;
  for (int i = 0; i <= steps; ++i) {
    const double t = i * step;
    const std::complex<double> eta = t - j * std::tanh(t), slope = 1.0 - j / (std::cosh(t) * std::cosh(t));
    const std::complex<double> length =
        std::sqrt(wedge.source_m * wedge.source_m + wedge.observer_m * wedge.observer_m +
                  2.0 * wedge.source_m * wedge.observer_m * std::cosh(eta) + wedge.axial_m * wedge.axial_m);
    const auto beta = [&](double angle) {
      return std::sin(angle / wedge.n) / (std::cosh(eta / wedge.n) - std::cos(angle / wedge.n));
    };
    const std::complex<double> betas = by_both * beta(pi + minus) + beta(pi - minus) +
                                       reflections.face_0 * beta(pi - plus) + reflections.face_n * beta(pi + plus);
    sum += (i == 0 ? 0.5 : 1.0) * betas * std::exp(-j * wave_number * length) / length * slope;
  }
  return -step / (2 * pi * wedge.n) * sum;
}

}  // namespace tesseray
