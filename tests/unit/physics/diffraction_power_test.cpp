// SPDX-License-Identifier: GPL-3.0-or-later
// The form for vectors repeats the scalar coefficients.
#include "core/physics/diffraction_power.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>

namespace tesseray {
namespace {

constexpr double wave_number = 17.8;

struct Case {
  double n, source_angle, observer_angle, beta, distance_m;
};

// Soft and hard |D|² · 8π k n² sin²β₀ of the scalar coefficients.
std::pair<double, double> scalar_power(const Case& c, Complex eps_0, Complex eps_n) {
  Wedge wedge;
  wedge.exterior_angle = c.n * pi;
  wedge.eps_0 = eps_0;
  wedge.eps_n = eps_n;
  const Vec3 to_source{std::sin(c.beta) * std::cos(c.source_angle), std::sin(c.beta) * std::sin(c.source_angle),
                       -std::cos(c.beta)};
  const WedgeIncidence incidence = wedge_incidence(wedge, -to_source);
  const WedgeDiffraction d = wedge_coefficients<TransitionAccuracy::accurate>(
      incidence, c.observer_angle, {std::cos(c.observer_angle), std::sin(c.observer_angle)},
      {c.distance_m, c.distance_m, c.distance_m}, wave_number);
  const double scale = 8 * pi * wave_number * c.n * c.n * std::sin(c.beta) * std::sin(c.beta);
  return {scale * squared_norm(d.soft), scale * squared_norm(d.hard)};
}

template <class Real>
std::pair<double, double> vector_power(const Case& c, Complex eps_0, Complex eps_n) {
  const PowerWedge<Real> wedge = power_wedge<Real>(c.n * pi);
  const double sin_beta = std::sin(c.beta);
  const auto seen_at = [&](double angle) {
    return FacesSeen<Real>{face_reflection<Real>(fresnel(eps_0, sin_beta * std::fabs(std::sin(angle)))),
                           face_reflection<Real>(fresnel(eps_n, sin_beta * std::fabs(std::sin(c.n * pi - angle))))};
  };
  Real soft = 0, hard = 0;
  diffraction_power<Real>(wedge, wedge_angle<Real>(c.source_angle, c.n), seen_at(c.source_angle),
                          wedge_angle<Real>(c.observer_angle, c.n), seen_at(c.observer_angle),
                          static_cast<Real>(2 * wave_number * c.distance_m), soft, hard);
  return {static_cast<double>(soft), static_cast<double>(hard)};
}

Case random_case(std::mt19937& random) {
  const auto uniform = [&](double low, double high) {
    return low + (high - low) * (static_cast<double>(random()) / 4294967296.0);
  };
  Case c{};
  c.n = uniform(1.1, 2.0);
  c.source_angle = uniform(0.01, 0.5 * c.n * pi);
  c.observer_angle = uniform(0.01, c.n * pi - 0.01);
  c.beta = uniform(0.3, 0.5 * pi);
  c.distance_m = std::pow(10.0, uniform(0.0, 2.5));
  return c;
}

// Where both ends are before one face, powers leave out that a ray which meets the edge askew has another plane of
// incidence there: such a ray meets it straight.
Case past_the_edge(Case c) {
  const bool both_before_0 = c.observer_angle < pi, both_before_n = c.n * pi - c.source_angle < pi;
  if (both_before_0 || both_before_n) c.beta = 0.5 * pi;
  return c;
}

// The rational forms of the Fresnel integral are within 3e-5 of its value, which leaves 1e-6 of F (docs/physics.md
// §5.3), and the four terms partly cancel. The larger of both powers is what errors count against: one of them may
// vanish.
TEST(DiffractionPower, RepeatsTheScalarCoefficientsInDouble) {
  std::mt19937 random(1);
  for (int i = 0; i < 20000; ++i) {
    const Case c = past_the_edge(random_case(random));
    const Complex eps_0{5, -0.2}, eps_n = i % 4 == 0 ? Complex{1, 0} : Complex{3, -0.5};
    const auto [soft, hard] = scalar_power(c, eps_0, eps_n);
    const auto [soft_v, hard_v] = vector_power<double>(c, eps_0, eps_n);
    const double tolerance = 2e-4 * std::max(soft, hard) + 1e-6;
    EXPECT_NEAR(soft_v, soft, tolerance) << c.n << ' ' << c.source_angle << ' ' << c.observer_angle;
    EXPECT_NEAR(hard_v, hard, tolerance) << c.n << ' ' << c.source_angle << ' ' << c.observer_angle;
  }
}

TEST(DiffractionPower, IsWithinATenthOfADecibelInFloat) {
  std::mt19937 random(2);
  int compared = 0;
  for (int i = 0; i < 20000; ++i) {
    const Case c = past_the_edge(random_case(random));
    const auto [soft, hard] = scalar_power(c, {5, -0.2}, {5, -0.2});
    const auto [soft_v, hard_v] = vector_power<float>(c, {5, -0.2}, {5, -0.2});
    // Sums of four terms that cancel have no digits left; count against the weight of a single term.
    if (std::max(soft, hard) < 1e-2) continue;
    ++compared;
    EXPECT_NEAR(10 * std::log10(soft_v + hard_v), 10 * std::log10(soft + hard), 0.1)
        << c.n << ' ' << c.source_angle << ' ' << c.observer_angle << ' ' << c.distance_m;
  }
  EXPECT_GT(compared, 15000);
}

TEST(DiffractionPower, StaysFiniteAcrossTheShadowBoundary) {
  for (int step = -50; step <= 50; ++step) {
    Case c{1.5, 0.7, 0.7 + pi + 1e-6 * step, 0.5 * pi, 20};
    const auto [soft, hard] = vector_power<float>(c, {5, -0.2}, {5, -0.2});
    const auto [soft_s, hard_s] = scalar_power(c, {5, -0.2}, {5, -0.2});
    EXPECT_NEAR(10 * std::log10(soft), 10 * std::log10(soft_s), 0.1) << step;
    EXPECT_NEAR(10 * std::log10(hard), 10 * std::log10(hard_s), 0.1) << step;
  }
}

}  // namespace
}  // namespace tesseray
