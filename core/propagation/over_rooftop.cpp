// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/propagation/over_rooftop.h"

#include <cmath>

#include "core/base/infinity.h"
#include "core/physics/knife_edge.h"
#include "core/physics/multiple_screens.h"

namespace tesseray {

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

bool OverRooftopPaths::find(const RooftopRays& rays, const RooftopTarget& target, OverRooftop method, Workspace& work,
                            RooftopPath& path) const {
  for (;; work.memory.grow()) {
    ProfileRow<1> row = work.memory.row();
    const auto screens_factor = [&](std::span<const Vec2> screens) {
      if (method != OverRooftop::deygout) return multiple_screen_factor(screens, rays.wavelength_m);
      const double loss_db = deygout_loss_db(work.memory.first_points(row.size()), rays.wavelength_m);
      return Complex{std::pow(10.0, -loss_db / 20.0), 0};
    };
    find_rooftop_bends(profiles_.view(), rays, target, row, screens_factor, work.bends);
    if (work.bends.outcome != RooftopBends::Outcome::no_room) break;
  }
  if (work.bends.outcome != RooftopBends::Outcome::found) return false;
  follow_bends(rays.from, target.point, work.bends, path);
  return true;
}

}  // namespace tesseray
