// SPDX-License-Identifier: GPL-3.0-or-later
// Uneven ground between an end of rays over the roofs and the roof next to it: a hill there is no screen before others,
// since what comes over it has run along it (docs/physics.md §6).
#include <algorithm>
#include <cmath>

#include "core/base/infinity.h"
#include "core/physics/knife_edge.h"
#include "core/physics/multiple_screens.h"
#include "core/physics/screen_choice.h"
#include "core/propagation/rooftops/over_rooftop.h"
#include "core/propagation/rooftops/side_crossings_in_vectors.h"

namespace tesseray {
namespace {

// The place of the ground that comes nearest to the straight way, by its ν.
Vec2 nearest_place(std::span<const Vec2> ground, Vec2 from, Vec2 to, double wavelength_m) {
  double nearest_nu = -infinity;
  Vec2 nearest = ground.front();
  for (const Vec2 point : ground.subspan(1, ground.size() - 2)) {
    const double before = point.x - from.x, after = to.x - point.x;
    const double clearance = point.y - from.y - (to.y - from.y) * before / (before + after);
    const double nu = fresnel_parameter(clearance, before, after, wavelength_m);
    if (nu <= nearest_nu) continue;
    nearest_nu = nu;
    nearest = point;
  }
  return nearest;
}

}  // namespace

OverRooftopPaths::GroundUpToRoof OverRooftopPaths::ground_up_to_roof(const RooftopRays& rays, Vec3 end, Vec3 edge,
                                                                     Workspace& work) const {
  // Where the ground hides the edge, the field grows from there upwards as it does behind a crest, of which the chain
  // knows more than an image says.
  constexpr double all_nu = -0.1, none_nu = 0.3;
  GroundUpToRoof up;
  const double distance = norm(edge.xy() - end.xy()), before_m = distance - RooftopProfiles::least_gap_m;
  if (!(before_m > RooftopProfiles::least_gap_m)) return up;
  RooftopRays from_end = rays;
  from_end.from = end;
  RooftopTarget target{end + (before_m / distance) * (edge - end)};
  GroundNearSight& ground = work.ground;
  ground.find(profiles_.view().terrain, RooftopLine(end, target.point, infinity), rays.wavelength_m);
  if (ground.is_straight || ground.ground.size() == 2) return up;
  const Vec2 from{0, end.z}, to{ground.ground.back().x, target.point.z};
  if (!(from.y > ground.ground.front().y && to.y > ground.ground.back().y)) return up;
  const double share = std::clamp((none_nu - ground.nearest_nu) / (none_nu - all_nu), 0.0, 1.0);
  if (!(share > 0)) return up;
  const Vec2 over[] = {from, to};
  up.share = share * share_without_roofs(from_end, target, over, work);
  if (!(up.share > 0)) return up;
  find_reflection(from_end, target, true, work);
  up.horizontal = work.reflected_horizontal;
  up.vertical = work.reflected_vertical;
  const TerrainReflection& reflection = work.reflection;
  const bool has_place = std::isfinite(reflection.way_m);
  const Vec2 place = has_place ? reflection.place : nearest_place(ground.ground, from, to, rays.wavelength_m);
  const RooftopLine line(end, target.point, 0);
  const Vec2 at = line.at(place.x);
  up.place = {at.x, at.y, place.y - line.bulge_at(place.x)};
  up.longer_m = std::max(norm(place - from) + norm(to - place) - norm(to - from), 0.0);
  // What comes up from the foot of the roof's own wall is of no use, as are slopes without end.
  constexpr double least_before_m = 1;
  const double rise = (to.y - place.y) / std::max(to.x - place.x, least_before_m);
  up.image_below_m = std::max(from.y - to.y + rise * to.x, 0.0);
  return up;
}

bool OverRooftopPaths::find_over_roofs(const RooftopRays& rays, const RooftopTarget& target,
                                       std::span<const Vec2> crests, const rooftop_detail::GroundAtEnds& ends,
                                       Workspace& work, RooftopPath& path) const {
  const RooftopSceneView& scene = profiles_.view();
  const double distance = norm(target.point.xy() - rays.from.xy());
  const RooftopLine line(rays.from, target.point, rooftop_detail::margin_m(distance, rays.wavelength_m));
  for (;; work.memory.grow()) {
    ProfileRow<1> row = work.memory.row();
    RooftopProfileTrace<ProfileRow<1>, SideCrossingsInVectors> trace(scene, line, row);
    if (!trace.run_over_roofs(crests)) continue;
    const ScreenChoice choice = choose_screens(row, rays.wavelength_m);
    if (choice.count < 3) return false;
    const rooftop_detail::ChosenPath chosen = rooftop_detail::chosen_path(scene, line, row, choice);
    const auto screens = [&](std::span<const Vec2> points, const ProfileGrounds& grounds) {
      return multiple_screen_factors(points, rays.wavelength_m, grounds);
    };
    rooftop_detail::pass_screens(scene, rays, target, line, row, chosen, ends, screens, work.bends);
    rooftop_detail::pass_roof_edges(rays, target, row, chosen, work.bends);
    rooftop_detail::leave_own_roofs(rays, target, line, row, chosen, work.bends);
    follow_bends(rays.from, target.point, work.bends, path);
    return true;
  }
}

}  // namespace tesseray
