// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/scene/ground_plan/outer_walls.h"

#include <algorithm>

#include "core/scene/ground_plan/polygon.h"

namespace tesseray {
namespace {

// How far the nearest point of a wall is from its start; `from_ends_m` keeps it from both ends, or in the middle.
double along_wall(Vec2 start, Vec2 end, Vec2 p, double from_ends_m) {
  const double length_m = norm(end - start), margin_m = std::min(from_ends_m, 0.5 * length_m);
  return std::clamp(dot(p - start, end - start) / length_m, margin_m, length_m - margin_m);
}

}  // namespace

PlaceAtWalls OuterWalls::place_at(Vec3 p) const {
  // At a corner the way from one wall may lead to the next; acute corners take a few turns.
  constexpr int most_turns = 8;
  PlaceAtWalls found{.place = p.xy()};
  for (int turn = 0; turn < most_turns; ++turn) {
    const Vec3 here = at_height(found.place, p.z);
    const std::vector<Wall> walls = walls_near(here);
    if (walls.empty()) return found;
    const Vec2 before = found.place;
    for (const Wall& wall : walls) {
      const double missing_m = wall_clearance_m - wall.in_front_of(found.place);
      if (missing_m > 0 && is_outer(wall, here)) found.place = found.place + missing_m * wall.outwards;
    }
    if (found.place == before) break;
  }
  const std::vector<Wall> left = walls_near(at_height(found.place, p.z));
  return left.empty() ? found : PlaceAtWalls{.place = p.xy(), .enclosed = left.front().prism};
}

std::vector<OuterWalls::Wall> OuterWalls::walls_near(Vec3 p) const {
  // Less than what points are moved to, so that those who were, and are written and read again, stay where they are.
  constexpr double near_m = wall_clearance_m - 1e-6;
  std::vector<Wall> walls;
  for (const std::uint32_t i : index_.candidates(grown({p.xy(), p.xy()}, near_m))) {
    const Prism& prism = scene_.prisms[i];
    if (p.z <= prism.bottom_z || p.z >= prism.top_z) continue;
    for (const Ring& ring : prism.rings) {
      Vec2 start = ring.back();
      for (const Vec2 end : ring) {
        const Vec2 along = (1 / norm(end - start)) * (end - start);
        const Wall wall{.prism = i, .start = start, .end = end, .outwards = {along.y, -along.x}};
        const Vec2 nearest = start + along_wall(start, end, p.xy(), 0) * along;
        if (norm(p.xy() - nearest) < near_m && wall.in_front_of(p.xy()) >= -rounding_m) walls.push_back(wall);
        start = end;
      }
    }
  }
  return walls;
}

bool OuterWalls::is_outer(const Wall& wall, Vec3 p) const {
  const Vec2 along = (1 / norm(wall.end - wall.start)) * (wall.end - wall.start);
  const Vec2 beside = wall.start + along_wall(wall.start, wall.end, p.xy(), wall_clearance_m) * along;
  return index_.prism_at(at_height(beside + wall_clearance_m * wall.outwards, p.z)) < 0;
}

}  // namespace tesseray
