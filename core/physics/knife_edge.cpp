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

DeygoutLoss deygout(Profile path, double wavelength_m) {
  DeygoutLoss loss;
  if (path.size() < 3) return loss;
  const MainEdge main = main_edge(path, wavelength_m);
  if (main.nu <= negligible_fresnel_parameter) return loss;
  loss.main_db = approximate_knife_edge_loss_db(main.nu);
  const auto add_side = [&](std::size_t begin, std::size_t end) {
    const Profile side = path.subspan(begin, end - begin + 1);
    DeygoutLoss part = deygout(side, wavelength_m);
    if (part.main_db > 0.0) {
      const std::size_t secondary = begin + main_edge(side, wavelength_m).index;
      part.main_db = std::max(0.0, part.main_db - spacing_correction_db(path, main, secondary, wavelength_m));
    }
    loss.others_db += part.main_db + part.others_db;
  };
  add_side(0, main.index);
  add_side(main.index, path.size() - 1);
  return loss;
}

}  // namespace

double deygout_loss_db(Profile profile, double wavelength_m) {
  const DeygoutLoss loss = deygout(profile, wavelength_m);
  return loss.main_db + loss.others_db;
}

}  // namespace tesseray
