// SPDX-License-Identifier: GPL-3.0-or-later
// The wave along uneven ground and over the round earth, and what such ground reflects (docs/physics.md §6).
#include <algorithm>
#include <cmath>
#include <functional>

#include "core/base/infinity.h"
#include "core/physics/multiple_screens.h"
#include "core/physics/screen_choice.h"
#include "core/physics/smooth_earth.h"
#include "core/propagation/rooftops/edges_in_sight.h"
#include "core/propagation/rooftops/over_rooftop.h"
#include "core/propagation/rooftops/side_crossings_in_vectors.h"

namespace tesseray {

bool OverRooftopPaths::find_along_ground(const RooftopRays& rays, const RooftopTarget& target, bool with_roofs,
                                         Workspace& work, RooftopPath& path) const {
  const RooftopSceneView& scene = profiles_.view();
  const Vec3 way = target.point - rays.from;
  const double distance = norm(way.xy());
  GroundNearSight& ground = work.ground;
  ground.clear();
  if (distance < rooftop_detail::least_horizontal_distance_m) return false;
  const RooftopLine line(rays.from, target.point,
                         rooftop_detail::margin_m(distance, rays.wavelength_m, GroundNearSight::least_nu));
  if (is_ground_level_ && line.curvature == 0) return false;
  // To what stands over the ground it reflects from farther below, too.
  if (!target.is_over_ground && !GroundNearSight::may_come_near(scene, line, rays.wavelength_m)) return false;
  ground.find(scene.terrain, line, rays.wavelength_m);
  if (ground.vertices.empty()) return false;
  for (;; work.memory.grow()) {
    ProfileRow<1> row = work.memory.row();
    RooftopProfileTrace<ProfileRow<1>, SideCrossingsInVectors> trace(scene, line, row);
    if (!(with_roofs ? trace.run_over_roofs(ground.vertices) : trace.run_over_ground(ground.vertices))) continue;
    const ScreenChoice choice = choose_screens(row, rays.wavelength_m, GroundNearSight::least_nu);
    rooftop_detail::ChosenPath chosen = rooftop_detail::chosen_path(scene, line, row, choice);
    rooftop_detail::thin_out_crests(rays.wavelength_m, chosen);
    rooftop_detail::leave_out_deep_crests(rays.wavelength_m, chosen);
    const std::uint32_t last = chosen.count - 2;
    if (last > 0 && !chosen.is_crest[last] && is_own_roof(target, chosen.points[last].y)) chosen.erase(last);
    if (std::find(chosen.is_crest, chosen.is_crest + chosen.count, true) == chosen.is_crest + chosen.count) {
      return false;
    }
    const auto screens = [&](std::span<const Vec2> points, const ProfileGrounds& grounds) {
      return multiple_screen_factors(points, rays.wavelength_m, grounds);
    };
    const bool is_straight_before = ground.is_straight_before && chosen.points[1].x == ground.vertices.front().x,
               is_straight_behind =
                   ground.is_straight_behind && chosen.points[chosen.count - 2].x == ground.vertices.back().x;
    rooftop_detail::pass_screens(scene, rays, target, line, row, chosen, {{is_straight_before}, {is_straight_behind}},
                                 screens, work.bends);
    follow_bends(rays.from, target.point, work.bends, path);
    path.departure = path.departure_to_keller_point = normalized(way);
    path.is_in_sight = true;
    path.passes_roofs = with_roofs;
    path.is_straight_behind = is_straight_behind;
    path.meets_roofs = !std::all_of(chosen.is_crest + 1, chosen.is_crest + chosen.count - 1, std::identity());
    return true;
  }
}

double OverRooftopPaths::share_without_roofs(const RooftopRays& rays, const RooftopTarget& target,
                                             std::span<const Vec2> over, Workspace& work) const {
  const double distance = norm(target.point.xy() - rays.from.xy());
  const RooftopLine line(rays.from, target.point,
                         rooftop_detail::margin_m(distance, rays.wavelength_m, least_nu_of_roofs_near_way));
  for (;; work.memory.grow()) {
    ProfileRow<1> row = work.memory.row();
    RooftopProfileTrace<ProfileRow<1>, SideCrossingsInVectors> trace(profiles_.view(), line, row);
    if (trace.run_over_roofs()) return share_over_roofs(row, over, rays.wavelength_m);
  }
}

WaveOverGround OverRooftopPaths::wave_over_earth(const RooftopRays& rays, const RooftopTarget& target,
                                                 std::span<const Vec2> over, Workspace& work) const {
  const RooftopSceneView& scene = profiles_.view();
  const double distance = norm(target.point.xy() - rays.from.xy());
  const RooftopLine line(rays.from, target.point, 0);
  WaveOverGround wave;
  wave.share = share_of_smooth_ground(scene.terrain, line, over);
  if (!(wave.share > 0)) return {};
  wave.share *= share_without_roofs(rays, target, over, work);
  if (!(wave.share > 0)) return {};
  const BoundaryImpedances of = boundary_impedances(rays.permittivities[scene.ground_material], 0);
  const double radius_m = 0.5 / line.curvature;
  const SmoothEarth across(radius_m, rays.wavelength_m, of.te), upright(radius_m, rays.wavelength_m, of.tm);
  const bool is_across = rays.horizontal_share > 0, is_upright = rays.horizontal_share < 1;
  if (is_across) wave.share = std::min(wave.share, across.share_at(distance));
  if (is_upright) wave.share = std::min(wave.share, upright.share_at(distance));
  if (!(wave.share > 0)) return {};
  const double from_m = rays.from.z - scene.terrain.height_at(line.at(0)),
               to_m = target.point.z - scene.terrain.height_at(line.at(distance));
  if (is_across) wave.horizontal = across.factor(distance, from_m, to_m);
  if (is_upright) wave.vertical = upright.factor(distance, from_m, to_m);
  return wave;
}

WaveOverGround OverRooftopPaths::wave_behind_crests(const RooftopRays& rays, const RooftopTarget& target,
                                                    std::span<const Vec2> over, Workspace& work) const {
  // Deeper in the shadow the reflection all but cancels the straight wave, of which there is nothing then, and has
  // errors of its own size.
  constexpr double all_nu = 0.4, none_nu = 0.6;
  const auto is_deeper = [&](Vec2 point) {
    return fresnel_parameter_between(over.front(), point, over.back(), rays.wavelength_m) >= none_nu;
  };
  if (std::any_of(over.begin() + 1, over.end() - 1, is_deeper)) return {};
  WaveOverGround wave;
  wave.share = share_without_roofs(rays, target, over, work);
  if (!(wave.share > 0)) return {};
  GroundNearSight& ground = work.ground;
  ground.find(profiles_.view().terrain, RooftopLine(rays.from, target.point, infinity), rays.wavelength_m);
  wave.share *= std::clamp((none_nu - ground.nearest_nu) / (none_nu - all_nu), 0.0, 1.0);
  const Vec2 from{0, rays.from.z}, to{ground.ground.back().x, target.point.z};
  const bool are_above = from.y > ground.ground.front().y && to.y > ground.ground.back().y;
  if (!(wave.share > 0) || ground.is_straight || !are_above) return {};
  const auto along = [&](bool is_horizontal) {
    const ReflectingGround as{rays.permittivities[profiles_.view().ground_material], is_horizontal};
    return Complex{1, 0} + work.grazed_ground.reflected(ground.ground, {}, from, to, rays.wavelength_m, as);
  };
  if (rays.horizontal_share > 0) wave.horizontal = along(true);
  if (rays.horizontal_share < 1) wave.vertical = along(false);
  return wave;
}

bool OverRooftopPaths::find_reflection(const RooftopRays& rays, const RooftopTarget& target, bool roofs_hide,
                                       Workspace& work) const {
  // Physical optics of ground far below the line of sight, where the integral equation would cost more; between some of
  // both. What comes over its crests and is reflected before the target is in the integral equation alone.
  constexpr double far_below_nu = -3, near_nu = -2, all_nu = -1.5;
  const GroundNearSight& ground = work.ground;
  if (ground.is_straight) return false;
  const RooftopLine line(rays.from, target.point, infinity);
  for (;; work.memory.grow()) {
    ProfileRow<1> row = work.memory.row();
    RooftopProfileTrace<ProfileRow<1>, SideCrossingsInVectors> trace(profiles_.view(), line, row);
    if (!trace.run_over_roofs()) continue;
    const std::span<const Vec2> points = work.memory.first_points(row.size());
    const std::span<const Vec2> screens = points.subspan(1, roofs_hide ? points.size() - 2 : 0);
    const Vec2 from = points.front(), to = points.back();
    const double grazed = std::clamp((ground.nearest_nu - far_below_nu) / (near_nu - far_below_nu), 0.0, 1.0);
    const bool is_plane = ground.ground.size() == 2;
    const bool are_above = from.y > ground.ground.front().y && to.y > ground.ground.back().y;
    work.has_all_of_ground = !is_plane && ground.nearest_nu > all_nu && are_above;
    const auto reflected = [&](bool is_horizontal) {
      const ReflectingGround as{rays.permittivities[profiles_.view().ground_material], is_horizontal};
      work.reflection.find(ground.ground, screens, from, to, rays.wavelength_m, as);
      if (is_plane || grazed == 0 || !are_above) return work.reflection.factor;
      return (1 - grazed) * work.reflection.factor +
             grazed * work.grazed_ground.reflected(ground.ground, screens, from, to, rays.wavelength_m, as);
    };
    if (rays.horizontal_share > 0) work.reflected_horizontal = reflected(true);
    if (rays.horizontal_share < 1) work.reflected_vertical = reflected(false);
    break;
  }
  const double near_horizon = share_near_horizon(ground.nearest_nu);
  if (!(near_horizon > 0)) return true;
  const Vec2 ends[] = {{0, rays.from.z}, {line.length_m, target.point.z}};
  const WaveOverGround wave = wave_over_earth(rays, target, ends, work);
  const double share = near_horizon * wave.share;
  // With the straight wave it is the whole one.
  const auto as_along_earth = [&](Complex reflected, Complex whole) {
    return reflected + share * (whole - Complex{1, 0} - reflected);
  };
  work.reflected_horizontal = as_along_earth(work.reflected_horizontal, wave.horizontal);
  work.reflected_vertical = as_along_earth(work.reflected_vertical, wave.vertical);
  return true;
}

}  // namespace tesseray
