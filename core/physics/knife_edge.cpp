// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/physics/knife_edge.h"

#include <algorithm>
#include <cstddef>

#include "core/base/infinity.h"

namespace tesseray {
namespace {

using Profile = std::span<const Vec2>;

struct MainEdge {
  std::size_t index = 0;
  double nu = -infinity;
};

// The edge with the largest ν between the profile's ends, the last of equals. REQUIRES: at least three points.
MainEdge main_edge(Profile profile, double wavelength_m) {
  MainEdge found;
  for (std::size_t i = 1; i + 1 < profile.size(); ++i) {
    const double nu = fresnel_parameter_between(profile.front(), profile[i], profile.back(), wavelength_m);
    if (nu >= found.nu) found = {i, nu};
  }
  return found;
}

// P.526's T_c for a main and a secondary edge of one path, dB.
double spacing_correction_db(Profile path, const MainEdge& main, std::size_t secondary, double wavelength_m) {
  const std::size_t first = std::min(main.index, secondary), second = std::max(main.index, secondary);
  const double a = path[first].x - path.front().x;
  const double b = path[second].x - path[first].x;
  const double c = path.back().x - path[second].x;
  const double alpha = std::atan(std::sqrt(b * (a + b + c) / (a * c)));
  const double p = main.nu;
  const double q = std::max(0.0, fresnel_parameter_between(path.front(), path[secondary], path.back(), wavelength_m));
  // The exponent vanishes at grazing; below the line of sight the correction does not apply.
  constexpr double grazing = 1e-9;
  if (p < -grazing) return 0.0;
  const double weight = p > grazing ? std::pow(q / p, 2.0 * p) : 1.0;
  return (12.0 - 20.0 * std::log10(2.0 / (1.0 - alpha / pi))) * weight;
}

// The loss of a path's main edge, and of all its other edges together.
struct DeygoutLoss {
  double main_db = 0, others_db = 0;
};

DeygoutLoss deygout(Profile path, double wavelength_m, DeygoutCorrection correction) {
  DeygoutLoss loss;
  if (path.size() < 3) return loss;
  const MainEdge main = main_edge(path, wavelength_m);
  if (main.nu <= negligible_fresnel_parameter) return loss;
  loss.main_db = approximate_knife_edge_loss_db(main.nu);
  const auto add_side = [&](std::size_t begin, std::size_t end) {
    const Profile side = path.subspan(begin, end - begin + 1);
    DeygoutLoss part = deygout(side, wavelength_m, correction);
    if (correction == DeygoutCorrection::spacing && part.main_db > 0.0) {
      const std::size_t secondary = begin + main_edge(side, wavelength_m).index;
      part.main_db = std::max(0.0, part.main_db - spacing_correction_db(path, main, secondary, wavelength_m));
    }
    loss.others_db += part.main_db + part.others_db;
  };
  add_side(0, main.index);
  add_side(main.index, path.size() - 1);
  return loss;
}

// Bullington's steepest lines of sight from either end, over the edges.
struct HorizonSlopes {
  double slope_from_transmitter = -infinity;
  double slope_from_receiver = -infinity;
};

HorizonSlopes horizon_slopes(Profile profile) {
  HorizonSlopes slopes;
  const Vec2 from = profile.front(), to = profile.back();
  for (const Vec2 edge : profile.subspan(1, profile.size() - 2)) {
    slopes.slope_from_transmitter = std::max(slopes.slope_from_transmitter, (edge.y - from.y) / (edge.x - from.x));
    slopes.slope_from_receiver = std::max(slopes.slope_from_receiver, (edge.y - to.y) / (to.x - edge.x));
  }
  return slopes;
}

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

double epstein_peterson_loss_db(Profile profile, double wavelength_m) {
  double loss = 0.0;
  for (std::size_t i = 1; i + 1 < profile.size(); ++i) {
    loss += approximate_knife_edge_loss_db(
        fresnel_parameter_between(profile[i - 1], profile[i], profile[i + 1], wavelength_m));
  }
  return loss;
}

double double_edge_spacing_loss_db(Profile profile) {
  if (profile.size() != 4) return 0.0;
  const double a = profile[1].x - profile[0].x, b = profile[2].x - profile[1].x, c = profile[3].x - profile[2].x;
  return decibels((a + b) * (b + c) / (b * (a + b + c)));
}

double deygout_loss_db(Profile profile, double wavelength_m, DeygoutCorrection correction) {
  const DeygoutLoss loss = deygout(profile, wavelength_m, correction);
  return loss.main_db + loss.others_db;
}

double bullington_parameter(Profile profile, double wavelength_m) {
  if (profile.size() < 3) return -infinity;
  const Vec2 from = profile.front(), to = profile.back();
  const double distance = to.x - from.x;
  const HorizonSlopes slopes = horizon_slopes(profile);
  if (slopes.slope_from_transmitter <= (to.y - from.y) / distance) return main_edge(profile, wavelength_m).nu;
  const double edge_distance = (to.y - from.y + slopes.slope_from_receiver * distance) /
                               (slopes.slope_from_transmitter + slopes.slope_from_receiver);
  const Vec2 edge{from.x + edge_distance, from.y + slopes.slope_from_transmitter * edge_distance};
  return fresnel_parameter_between(from, edge, to, wavelength_m);
}

double bullington_loss_db(Profile profile, double wavelength_m) {
  if (profile.size() < 3) return 0.0;
  const double loss = approximate_knife_edge_loss_db(bullington_parameter(profile, wavelength_m));
  const double distance_km = (profile.back().x - profile.front().x) / 1000.0;
  return loss + (1.0 - std::exp(-loss / 6.0)) * (10.0 + 0.02 * distance_km);
}

// The double Fresnel integral is the bivariate normal orthant probability at arguments turned by e^{jπ/4}. Plackett's
// identity, continued analytically, leaves one integral over a finite range:
//   A = F(ν₁) F(ν₂) + (1/2π) ∫_0^{asin ρ} exp(−j (h² + g² − 2hg sin θ) / (2 cos² θ)) dθ,
// with h = √π ν₁, g = √π ν₂ (both over the whole path) and ρ the correlation of the two heights.
Complex double_knife_edge_factor(Profile profile, double wavelength_m) {
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
