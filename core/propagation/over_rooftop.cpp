// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/propagation/over_rooftop.h"

#include <array>
#include <cmath>

#include "core/base/infinity.h"
#include "core/physics/knife_edge.h"
#include "core/physics/multiple_screens.h"
#include "core/physics/screen_choice.h"

namespace tesseray {
namespace {

// The field behind absorbing screens, at the points of `screens` between its ends, over that of free space; `profile`:
// with all other edges.
Complex screens_factor(OverRooftop method, std::span<const Vec2> screens, std::span<const Vec2> profile,
                       double wavelength_m) {
  if (method != OverRooftop::deygout) return multiple_screen_factor(screens, wavelength_m);
  return {std::pow(10.0, -deygout_loss_db(profile, wavelength_m) / 20.0), 0};
}

}  // namespace

void follow_bends(Vec3 from, Vec3 to, const RooftopBends& bends, RooftopPath& path) {
  const Vec2 way = to.xy() - from.xy();
  const double distance = norm(way);
  const Vec2 direction = (1.0 / distance) * way;
  path.edges.clear();
  path.length_m = 0;
  Vec2 before{0, from.z};
  for (std::uint32_t i = 0; i < bends.count; ++i) {
    const Vec2 edge = bends.edges[i];
    path.edges.push_back({from.x + direction.x * edge.x, from.y + direction.y * edge.x, edge.y});
    path.length_m += norm(edge - before);
    before = edge;
  }
  path.length_m += norm(Vec2{distance, to.z} - before);
  path.departure = normalized(path.edges.front() - from);
  path.arrival = normalized(to - path.edges.back());
  path.horizontal = bends.horizontal;
  path.vertical = bends.vertical;
}

double OverRooftopPaths::roof_below(Vec3 point) const {
  constexpr double below_m = 1e-3;
  const double surface_z = index_.surface_height(point.xy());
  const bool is_roof = index_.prism_at({point.x, point.y, surface_z - below_m}) >= 0;
  return is_roof && point.z >= surface_z ? surface_z : -infinity;
}

double OverRooftopPaths::left_in_sight(const RooftopRays& rays, const RooftopTarget& target, OverRooftop method,
                                       Workspace& work) const {
  constexpr double same_height_m = 0.01;
  const double distance = norm(target.point.xy() - rays.from.xy());
  if (distance < rooftop_detail::least_horizontal_distance_m) return 1;
  const RooftopLine line(rays.from, target.point, rooftop_detail::margin_m(distance, rays.wavelength_m));
  for (;; work.memory.grow()) {
    ProfileRow<1> row = work.memory.row();
    if (!RooftopProfileTrace<ProfileRow<1>>(profiles_.view(), line, row).run()) continue;
    if (target.normal.z == 1) {
      // The edges of the roof that the target lies in have the target on their face, not behind them.
      std::uint32_t edges = row.size() - 1;
      while (edges > 1 && std::fabs(row[edges - 1].y - target.point.z) < same_height_m) --edges;
      row.shorten(edges);
      row.push({distance, line.end_z}, 0);
    }
    const ScreenChoice choice = choose_screens(row, rays.wavelength_m);
    if (choice.count < 3) return 1;
    std::array<Vec2, most_screens + 2> screens;
    for (std::uint32_t c = 0; c < choice.count; ++c) screens[c] = row[choice.indices[c]];
    return norm(screens_factor(method, std::span(screens).first(choice.count), work.memory.first_points(row.size()),
                               rays.wavelength_m));
  }
}

bool OverRooftopPaths::find(const RooftopRays& rays, const RooftopTarget& target, OverRooftop method, Workspace& work,
                            RooftopPath& path) const {
  for (;; work.memory.grow()) {
    ProfileRow<1> row = work.memory.row();
    const auto behind_screens = [&](std::span<const Vec2> screens) {
      return screens_factor(method, screens, work.memory.first_points(row.size()), rays.wavelength_m);
    };
    find_rooftop_bends(profiles_.view(), rays, target, row, behind_screens, work.bends);
    if (work.bends.outcome != RooftopBends::Outcome::no_room) break;
  }
  if (work.bends.outcome != RooftopBends::Outcome::found) return false;
  follow_bends(rays.from, target.point, work.bends, path);
  return true;
}

}  // namespace tesseray
