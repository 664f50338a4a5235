// SPDX-License-Identifier: GPL-3.0-or-later
// Uneven ground between an end of rays over the roofs and the roof next to it: a hill there is no screen before others,
// since what comes over it has run along it (docs/physics.md §6).
#include <algorithm>
#include <cmath>
#include <optional>

#include "core/base/infinity.h"
#include "core/base/units.h"
#include "core/physics/knife_edge.h"
#include "core/physics/multiple_screens.h"
#include "core/physics/screen_choice.h"
#include "core/propagation/rooftops/ground_along_profile.h"
#include "core/propagation/rooftops/over_rooftop.h"
#include "core/propagation/rooftops/side_crossings_in_vectors.h"

namespace tesseray {
namespace {

// Of both polarisations as the rays have them.
Complex reflected(const RooftopRays& rays, const OverRooftopPaths::Workspace& work) {
  return rays.horizontal_share * work.reflected_horizontal + (1 - rays.horizontal_share) * work.reflected_vertical;
}

// How much of the ground below a line counts as uneven, 0 … 1, by what it leaves the straight line from foot to foot
// by: a look at some places tells that it does not of most ways in a town.
double share_of_uneven_ground(const TerrainView& terrain, const RooftopLine& line) {
  constexpr double none_m = 0.25, all_m = 0.5;
  constexpr double least_places = 4, most_places = 64, cells_per_place = 2;
  const double cell_m = std::min(terrain.step_x, terrain.step_y);
  const double places = std::clamp(std::ceil(line.length_m / (cells_per_place * cell_m)), least_places, most_places);
  const double foot_z = terrain.height_at(line.at(0));
  const double slope = (terrain.height_at(line.at(line.length_m)) - foot_z) / line.length_m;
  double most_m = 0;
  for (double i = 1; i < places && most_m < all_m; ++i) {
    const double at = line.length_m * i / places;
    most_m = std::max(most_m, std::fabs(terrain.height_at(line.at(at)) + line.bulge_at(at) - foot_z - slope * at));
  }
  return std::clamp((most_m - none_m) / (all_m - none_m), 0.0, 1.0);
}

// How far below `from` its image is seen from `to` in the direction of a place.
double image_below(Vec2 from, Vec2 place, Vec2 to) {
  // What comes up from the foot of the roof's own wall is of no use, as are slopes without end.
  constexpr double least_before_m = 1;
  const double rise = (to.y - place.y) / std::max(to.x - place.x, least_before_m);
  return std::max(from.y - to.y + rise * to.x, 0.0);
}

// By how much later a reflection comes in at a second place than at a first one, where it is so much of the straight
// wave, if with that it has such a power there: the least phase, 0 … 2π.
double turned_on_between(Complex at_first, double power_at_second) {
  const double amplitude = norm(at_first);
  if (!(amplitude > 0)) return 0;
  const double cosine = std::clamp((power_at_second - 1 - amplitude * amplitude) / (2 * amplitude), -1.0, 1.0);
  const double phase = std::atan2(at_first.im, at_first.re), turned = std::acos(cosine);
  const auto once_around = [](double angle) { return angle - 2 * pi * std::floor(angle / (2 * pi)); };
  return std::min(once_around(phase - turned), once_around(phase + turned));
}

}  // namespace

Vec2 OverRooftopPaths::reflecting_place(Vec2 from, Vec2 to, double wavelength_m, const Workspace& work) {
  if (std::isfinite(work.reflection.way_m)) return work.reflection.place;
  const std::span<const Vec2> inner = std::span(work.ground.ground).subspan(1, work.ground.ground.size() - 2);
  return *std::max_element(inner.begin(), inner.end(), [&](Vec2 a, Vec2 b) {
    return fresnel_parameter_between(from, a, to, wavelength_m) < fresnel_parameter_between(from, b, to, wavelength_m);
  });
}

OverRooftopPaths::GroundUpToRoof OverRooftopPaths::ground_up_to_roof(const RooftopRays& rays, Vec3 end, Vec3 edge,
                                                                     Workspace& work) const {
  // Where the ground hides the edge, the field grows from there upwards as it does behind a crest, of which the chain
  // knows more than an image says.
  constexpr double all_nu = -0.1, none_nu = 0.3;
  GroundUpToRoof up;
  const double distance = norm(edge.xy() - end.xy()), before_m = distance - beside_roof_edge_m;
  if (!(before_m > beside_roof_edge_m)) return up;
  RooftopRays from_end = rays;
  from_end.from = end;
  RooftopTarget target{end + (before_m / distance) * (edge - end)};
  GroundNearSight& ground = work.ground;
  const RooftopLine line(end, target.point, infinity);
  const double uneven = share_of_uneven_ground(profiles_.view().terrain, line);
  if (!(uneven > 0)) return up;
  ground.find(profiles_.view().terrain, line, rays.wavelength_m);
  if (ground.is_straight || ground.ground.size() == 2) return up;
  const Vec2 from{0, end.z}, to{ground.ground.back().x, target.point.z};
  if (!(from.y > ground.ground.front().y && to.y > ground.ground.back().y)) return up;
  const double share = uneven * std::clamp((none_nu - ground.nearest_nu) / (none_nu - all_nu), 0.0, 1.0);
  if (!(share > 0)) return up;
  const Vec2 over[] = {from, to};
  up.share = share * share_without_roofs(from_end, target, over, work);
  if (!(up.share > 0)) return up;
  find_reflection(from_end, target, true, work);
  up.horizontal = work.reflected_horizontal;
  up.vertical = work.reflected_vertical;
  const Vec2 place = reflecting_place(from, to, rays.wavelength_m, work);
  const bool is_seen = std::isfinite(work.reflection.way_m);
  const Vec2 at = line.at(place.x);
  up.place = {at.x, at.y, place.y - line.bulge_at(place.x)};
  up.longer_m = std::max(norm(place - from) + norm(to - place) - norm(to - from), 0.0);
  if (is_seen) {
    up.image_below_m = image_below(from, place, to);
    return up;
  }
  // Where the ends see no ground, what reaches a Fresnel zone above the edge says how the field grows there.
  const double above_m = std::sqrt(rays.wavelength_m * (to.x - place.x));
  const Complex at_edge = reflected(rays, work);
  target.point.z += above_m;
  ground.find(profiles_.view().terrain, RooftopLine(end, target.point, infinity), rays.wavelength_m);
  if (ground.is_straight || !find_reflection(from_end, target, true, work)) return up;
  const double power_above = squared_norm(Complex{1, 0} + reflected(rays, work));
  up.image_below_m = turned_on_between(at_edge, power_above) * to.x * rays.wavelength_m / (2 * pi * above_m);
  return up;
}

Complex OverRooftopPaths::left_from_reflection(const RooftopRays& rays, const RooftopTarget& target, Vec3 place,
                                               Workspace& work) const {
  RooftopRays from_image = rays;
  from_image.from = place + norm(place - rays.from) * normalized(place - target.point);
  from_image.roof = no_roof;
  return left_in_sight(from_image, target, WayInSight::straight, work).factor;
}

OverRooftopPaths::LeftOfReflection OverRooftopPaths::left_of_reflection(const RooftopRays& rays,
                                                                        const RooftopTarget& target,
                                                                        Workspace& work) const {
  // What comes nearest to the straight way reflects most there; where both ends see no ground it hides them.
  constexpr double none_lower_nu = 0.3;
  const RooftopLine line(rays.from, target.point, 0);
  const Vec2 from{0, rays.from.z}, to{line.length_m, target.point.z};
  const Vec2 place = reflecting_place(from, to, rays.wavelength_m, work), at = line.at(place.x);
  const double lower_nu = work.ground.nearest_nu - fresnel_parameter_between(from, place, to, rays.wavelength_m);
  const Vec2 foot = work.ground.ground.front(), slope = work.ground.ground.back() - foot;
  const double rise_m = place.y - foot.y - slope.y * place.x / slope.x;
  const double share =
      std::clamp(1 - lower_nu / none_lower_nu, 0.0, 1.0) * std::clamp(rise_m / straight_ground_m - 1, 0.0, 1.0);
  if (!(share > 0)) return {};
  const FieldPastRoofs straight = left_in_sight(rays, target, WayInSight::straight, work);
  if (!straight.first_edge) return {};
  const auto distance_to = [&](Vec3 edge) { return norm(edge.xy() - rays.from.xy()); };
  const Vec3 reflecting{at.x, at.y, place.y - line.bulge_at(place.x)};
  if (place.x < distance_to(*straight.first_edge) - beside_roof_edge_m) {
    return {share, left_from_reflection(rays, target, reflecting, work)};
  }
  if (!(place.x > distance_to(*straight.last_edge) + beside_roof_edge_m)) return {};
  RooftopRays back = rays;
  back.from = target.point;
  back.roof = target.roof;
  return {share, left_from_reflection(back, {.point = rays.from, .roof = rays.roof}, reflecting, work)};
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
    rooftop_detail::pass_roofs(scene, rays, target, line, row, chosen, ends, screens, work.bends);
    follow_bends(rays.from, target.point, work.bends, path);
    return true;
  }
}

}  // namespace tesseray
