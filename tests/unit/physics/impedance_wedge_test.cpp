// SPDX-License-Identifier: GPL-3.0-or-later
// The wedge's coefficients against Maliuzhinets' exact solution for a plane wave at a wedge whose faces have impedances
// (Sov. Phys. Doklady 3 (1958) 752).
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <complex>
#include <random>
#include <vector>

#include "core/physics/diffraction.h"

namespace tesseray {
namespace {

using Number = std::complex<double>;

// Maliuzhinets' function ψ_Φ of a wedge with the half angle Φ in the air.
class MaliuzhinetsFunction {
 public:
  explicit MaliuzhinetsFunction(double half_angle) : half_angle_(half_angle), at_quarter_(integral(0.5 * pi)) {}

  Number operator()(Number z) const {
    if (z.real() < 0) z = -z;
    if (z.real() < 2 * half_angle_ + 0.5) return integral(z);
    // ψ(z + π/2) ψ(z − π/2) = ψ(π/2)² cos(πz/4Φ).
    return at_quarter_ * at_quarter_ * std::cos(0.25 * pi / half_angle_ * (z - 0.5 * pi)) / (*this)(z - pi);
  }

 private:
  // exp(−½ ∫ (cosh zs − 1)/(s cosh(πs/2) sinh(2Φs)) ds) for |Re z| < 2Φ + π/2, by Simpson's rule.
  Number integral(Number z) const {
    constexpr int steps = 1000;
    constexpr double end = 60, step = end / steps;
    Number sum = 0;
    for (int i = 0; i <= steps; ++i) {
      const double s = i == 0 ? 1e-4 * step : i * step;
      const Number value = (std::cosh(z * s) - 1.0) / (s * std::cosh(0.5 * pi * s) * std::sinh(2 * half_angle_ * s));
      sum += (i == 0 || i == steps ? 1.0 : (i % 2 == 1 ? 4.0 : 2.0)) * value;
    }
    return std::exp(-step / 6 * sum);
  }

  double half_angle_;
  Number at_quarter_;
};

// Each face reflects (sin φ − s)/(sin φ + s) at the grazing angle φ, whatever that is: of a half-space s = √(ε − cos²
// φ) for the electric field along the edge, and that over ε for the magnetic field.
struct ImpedanceFaces {
  Number sine_0, sine_n;
};

// The sum of D's four terms far from all boundaries, from what is left of the spectrum at the edge's two saddles.
Number exact_terms(double n, double source, double observer, const ImpedanceFaces& faces) {
  const double half_angle = 0.5 * n * pi;
  const MaliuzhinetsFunction psi(half_angle);
  const Number theta_0 = std::asin(faces.sine_0), theta_n = std::asin(faces.sine_n);
  const auto all = [&](Number a) {
    return psi(a + half_angle + 0.5 * pi - theta_n) * psi(a + half_angle - 0.5 * pi + theta_n) *
           psi(a - half_angle - 0.5 * pi + theta_0) * psi(a - half_angle + 0.5 * pi - theta_0);
  };
  const double from_middle = source - half_angle;
  const auto spectrum = [&](double a) {
    return std::cos(from_middle / n) / (std::sin(a / n) - std::sin(from_middle / n)) * all(a) / all(from_middle);
  };
  return 2.0 * (spectrum(observer - half_angle + pi) - spectrum(observer - half_angle - pi));
}

struct Ends {
  double n, source, observer;
};

double boundary_distance(const Ends& ends) {
  const double minus = std::fabs(ends.observer - ends.source), plus = ends.observer + ends.source;
  return std::fmin(std::fabs(minus - pi), std::fmin(std::fabs(plus - pi), std::fabs(plus - (2 * ends.n - 1) * pi)));
}

Ends random_ends(std::mt19937& random) {
  const auto uniform = [&](double low, double high) { return low + (high - low) * (random() / 4294967296.0); };
  const double n = uniform(1.1, 1.9);
  return {n, uniform(0.05, n * pi - 0.05), uniform(0.05, n * pi - 0.05)};
}

// Of both polarisations, the four terms' sum as the coefficients have it, so far away that F = 1.
std::array<Number, 2> terms(const Ends& ends, Complex eps_0, Complex eps_n) {
  constexpr double wave_number = 2 * pi, far_m = 1e9;
  Wedge wedge;
  wedge.exterior_angle = ends.n * pi;
  wedge.eps_0 = eps_0;
  wedge.eps_n = eps_n;
  const WedgeIncidence w = wedge_incidence(wedge, {-std::cos(ends.source), -std::sin(ends.source), 0});
  const double angle = w.from_other_face ? wedge.exterior_angle - ends.observer : ends.observer;
  const WedgeDiffraction d = wedge_coefficients<TransitionAccuracy::accurate>(
      w, angle, {std::cos(angle), std::sin(angle)}, {far_m, far_m, far_m}, wave_number);
  const Number scale = -2 * ends.n * std::sqrt(2 * pi * wave_number) * std::polar(1.0, 0.25 * pi);
  return {scale * Number(d.soft.re, d.soft.im), scale * Number(d.hard.re, d.hard.im)};
}

// The impedance of a half-space as a wave at this grazing angle has it.
Number sine_of(Complex reflection, double grazing) {
  const Number gamma(reflection.re, reflection.im);
  return std::sin(grazing) * (1.0 - gamma) / (1.0 + gamma);
}

// A half-space's impedance hardly changes with the angle: for the exact solution each face has that of the end nearer
// to it. Soft and hard.
std::array<Number, 2> exact(const Ends& ends, Complex eps_0, Complex eps_n) {
  const double first = std::fmin(ends.source, ends.observer),
               last = ends.n * pi - std::fmax(ends.source, ends.observer);
  const FresnelCoefficients gamma_0 = fresnel(eps_0, std::fabs(std::sin(first))),
                            gamma_n = fresnel(eps_n, std::fabs(std::sin(last)));
  const auto of = [&](Complex reflection_0, Complex reflection_n) {
    return exact_terms(ends.n, ends.source, ends.observer,
                       {sine_of(reflection_0, std::asin(std::fabs(std::sin(first)))),
                        sine_of(reflection_n, std::asin(std::fabs(std::sin(last))))});
  };
  return {of(gamma_0.te, gamma_n.te), of(gamma_0.tm, gamma_n.tm)};
}

TEST(ImpedanceWedge, TheExactSolutionIsThatOfAConductor) {
  std::mt19937 random(1);
  for (int i = 0; i < 50; ++i) {
    const Ends ends = random_ends(random);
    if (boundary_distance(ends) < 0.1) continue;
    const Complex conductor = perfect_conductor_permittivity;
    const std::array<Number, 2> conducting = terms(ends, conductor, conductor);
    const Number soft = exact_terms(ends.n, ends.source, ends.observer, {1e6, 1e6}),
                 hard = exact_terms(ends.n, ends.source, ends.observer, {1e-7, 1e-7});
    EXPECT_LE(std::abs(soft - conducting[0]), 1e-4 * (1 + std::abs(soft))) << ends.n;
    EXPECT_LE(std::abs(hard - conducting[1]), 1e-4 * (1 + std::abs(hard))) << ends.n;
  }
}

struct Faces {
  Complex eps_0, eps_n;
};
constexpr std::array<Faces, 3> materials{
    {{{5.31, -0.5}, {5.31, -0.5}}, {{3.91, -0.1}, {6.3, -0.2}}, {{2.7, 0}, {9, -3}}}};

template <class Judge>
int compare(std::vector<Ends> all_ends, Judge judge) {
  int compared = 0;
  for (const Ends& ends : all_ends) {
    if (boundary_distance(ends) < 0.12) continue;
    for (const Faces& faces : materials) {
      judge(terms(ends, faces.eps_0, faces.eps_n), exact(ends, faces.eps_0, faces.eps_n));
      ++compared;
    }
  }
  return compared;
}

// Luebbers' coefficients are up to 11 dB above it there, 2.4 dB in the mean at corners of 90°.
TEST(ImpedanceWedge, ShadowsAreThoseOfTheExactSolution) {
  std::mt19937 random(2);
  std::vector<Ends> in_shadow;
  while (in_shadow.size() < 60) {
    const Ends ends = random_ends(random);
    if (std::fabs(ends.observer - ends.source) > pi) in_shadow.push_back(ends);
  }
  const int compared = compare(in_shadow, [](const std::array<Number, 2>& ours, const std::array<Number, 2>& right) {
    for (const std::size_t p : {0u, 1u}) {
      EXPECT_NEAR(20 * std::log10(std::abs(ours[p])), 20 * std::log10(std::abs(right[p])), 0.6);
    }
  });
  EXPECT_GT(compared, 100);
}

// Of corners of 90°, absolutely, since the sum vanishes in places; Luebbers' is 0.7 off, rms.
TEST(ImpedanceWedge, InSightTheTermsAreNearThoseOfTheExactSolution) {
  std::mt19937 random(3);
  std::vector<Ends> in_sight;
  while (in_sight.size() < 80) {
    Ends ends = random_ends(random);
    ends.source *= 1.5 / ends.n;
    ends.observer *= 1.5 / ends.n;
    ends.n = 1.5;
    if (std::fabs(ends.observer - ends.source) < pi) in_sight.push_back(ends);
  }
  double squares = 0;
  const int compared = compare(in_sight, [&](const std::array<Number, 2>& ours, const std::array<Number, 2>& right) {
    for (const std::size_t p : {0u, 1u}) squares += std::norm(ours[p] - right[p]);
  });
  EXPECT_GT(compared, 100);
  EXPECT_LT(std::sqrt(squares / (2 * compared)), 0.3);
}

}  // namespace
}  // namespace tesseray
