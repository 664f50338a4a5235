// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/support/exact_knife_edges.h"

#include <cmath>

#include "core/base/units.h"
#include "core/physics/knife_edge.h"

namespace tesseray {
namespace {

// Nodes and weights of the 8-point Gauss–Legendre rule on [−1, 1], positive half.
constexpr double gauss_node[4] = {0.1834346424956498, 0.5255324099163290, 0.7966664774136267, 0.9602898564975363};
constexpr double gauss_weight[4] = {0.3626837833783620, 0.3137066458778873, 0.2223810344533745, 0.1012285362903763};

template <class Function>
Complex gauss_panel(double from, double to, const Function& function) {
  const double centre = 0.5 * (from + to), half = 0.5 * (to - from);
  Complex sum;
  for (int i = 0; i < 4; ++i) {
    const double step = half * gauss_node[i];
    sum = sum + gauss_weight[i] * (function(centre - step) + function(centre + step));
  }
  return half * sum;
}

}  // namespace

double knife_edge_loss_db(double nu) { return -decibels(squared_norm(knife_edge_factor(nu))); }

// The double Fresnel integral is the bivariate normal orthant probability at arguments turned by e^{jπ/4}. Plackett's
// identity, continued analytically, leaves one integral over a finite range:
//   A = F(ν₁) F(ν₂) + (1/2π) ∫_0^{asin ρ} exp(−j (h² + g² − 2hg sin θ) / (2 cos² θ)) dθ,
// with h = √π ν₁, g = √π ν₂ (both over the whole path) and ρ the correlation of the two heights.
Complex double_knife_edge_factor(std::span<const Vec2> profile, double wavelength_m) {
  const Vec2 from = profile.front(), to = profile.back();
  const double a = profile[1].x - from.x, b = profile[2].x - profile[1].x, c = to.x - profile[2].x;
  const double nu_1 = fresnel_parameter_between(from, profile[1], to, wavelength_m);
  const double nu_2 = fresnel_parameter_between(from, profile[2], to, wavelength_m);
  const double correlation = std::sqrt(a * c / ((a + b) * (b + c)));
  const double h = std::sqrt(pi) * nu_1, g = std::sqrt(pi) * nu_2;
  // With τ = tan θ: dθ = dτ/(1 + τ²), 1/cos²θ = 1 + τ², sin θ/cos²θ = τ √(1 + τ²).
  const double end = correlation / std::sqrt(1.0 - correlation * correlation);
  const auto phase = [&](double tau) {
    const double square = 1.0 + tau * tau;
    return 0.5 * (h * h + g * g) * square - h * g * tau * std::sqrt(square);
  };
  const auto integrand = [&](double tau) { return (1.0 / (1.0 + tau * tau)) * exp_j(-phase(tau)); };
  // Panels of at most about one radian of phase, by the bound of its derivative at the end.
  const double steepest =
      (h * h + g * g) * end + std::fabs(h * g) * (1.0 + 2.0 * end * end) / std::sqrt(1.0 + end * end);
  const int panels = static_cast<int>(std::fmin(8.0 + steepest * end, 20000.0));
  Complex sum;
  for (int i = 0; i < panels; ++i) sum = sum + gauss_panel(end * i / panels, end * (i + 1) / panels, integrand);
  return knife_edge_factor(nu_1) * knife_edge_factor(nu_2) + (0.5 / pi) * sum;
}

}  // namespace tesseray
