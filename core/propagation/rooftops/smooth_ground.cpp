// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/propagation/rooftops/smooth_ground.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>

#include "core/physics/knife_edge.h"
#include "core/propagation/rooftops/ground_along_profile.h"
#include "core/propagation/rooftops/ground_near_sight.h"

namespace tesseray {

double share_of_smooth_ground(const TerrainView& terrain, const RooftopLine& line, std::span<const Vec2> over) {
  constexpr int places = 64;
  constexpr double all_m = straight_ground_m, none_m = 2 * straight_ground_m;
  if (line.curvature == 0) return 0;
  const double foot_z = terrain.height_at(line.at(0));
  const double slope = (terrain.height_at(line.at(line.length_m)) - foot_z) / line.length_m;
  if (!(over.front().y > foot_z && over.back().y > foot_z + slope * line.length_m)) return 0;
  double most_m = 0;
  const auto is_off = [&](double distance, double height_m) {
    most_m = std::max(most_m, std::fabs(height_m - foot_z - slope * distance));
    return most_m >= none_m;
  };
  for (const Vec2 point : over.subspan(1, over.size() - 2)) {
    if (is_off(point.x, point.y - line.bulge_at(point.x))) return 0;
  }
  for (int i = 1; i < places; ++i) {
    const double distance = line.length_m * i / places;
    if (is_off(distance, terrain.height_at(line.at(distance)))) return 0;
  }
  return std::min(1.0, (none_m - most_m) / (none_m - all_m));
}

double share_over_roofs(const ProfileRow<1>& roofs, std::span<const Vec2> over, double wavelength_m) {
  constexpr double all_nu = least_nu_of_roofs_near_way, none_nu = GroundNearSight::least_nu;
  double nu = all_nu;
  std::size_t next = 1;
  for (std::uint32_t k = 1; k + 1 < roofs.size(); ++k) {
    const Vec2 roof = roofs[k];
    while (next + 1 < over.size() && over[next].x <= roof.x) ++next;
    const Vec2 from = over[next - 1], to = over[next];
    if (!(from.x < roof.x && roof.x < to.x)) return 0;
    nu = std::max(nu, fresnel_parameter_between(from, roof, to, wavelength_m));
    if (nu >= none_nu) return 0;
  }
  return (none_nu - nu) / (none_nu - all_nu);
}

double share_near_horizon(double nearest_nu) {
  // Farther before it the series takes ever more terms, which cancel.
  constexpr double none_nu = -0.4, all_nu = -0.15;
  return std::clamp((nearest_nu - none_nu) / (all_nu - none_nu), 0.0, 1.0);
}

}  // namespace tesseray
