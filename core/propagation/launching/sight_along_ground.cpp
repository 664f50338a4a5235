// SPDX-License-Identifier: GPL-3.0-or-later
// Into sight near uneven ground: the wave runs along it there as it does behind crests. Farther below the line of
// sight uneven ground reflects as a whole (docs/physics.md §6).
#include <cmath>
#include <optional>

#include "core/base/units.h"
#include "core/physics/fresnel.h"
#include "core/propagation/launching/rooftop_waves.h"
#include "core/propagation/rooftops/ground_along_profile.h"
#include "core/propagation/rooftops/reflecting_ground.h"
#include "core/propagation/rooftops/rooftop_line.h"

namespace tesseray {

bool RooftopWaves::uneven_ground_counts_in_sight() const {
  // Its reflections are in phase with the direct ray.
  return screens_count_in_sight() && limits_.may_reflect(0, 0) && view_.summation != Summation::power;
}

bool RooftopWaves::find_along_ground(bool with_roofs, const RooftopTarget& target, Workspace& work,
                                     RooftopWave& wave) const {
  if (!uneven_ground_counts_in_sight()) return false;
  if (!environment_.over_rooftops.find_along_ground(search_rays(), target, with_roofs, work, wave.path)) {
    return false;
  }
  complete(target, work, wave);
  return true;
}

Vec3 RooftopWaves::place_along_ground(const RooftopWave& wave, std::uint32_t number) const {
  const Vec3 place = way_by_ground_below(wave, number).place;
  return {place.x, place.y, environment_.over_rooftops.view().terrain.height_at(place.xy())};
}

LeftOfRay RooftopWaves::left_along_ground(const RooftopWave& wave) const {
  const Vec3 straight = wave.end - transmitter_.position;
  const ComplexVec3 alone = (1 / norm(straight)) * link_.depart(normalized(straight)).field,
                    field = leg_to(wave.source, wave.end).amplitude * wave.strength;
  const double power = squared_norm(alone);
  if (!(power > 0)) return {};
  const Complex turn = field.x * conj(alone.x) + field.y * conj(alone.y) + field.z * conj(alone.z);
  return {std::sqrt(squared_norm(field) / power), link_.seeming_length_m(turn)};
}

Complex RooftopWaves::reflected_along_ground(bool with_roofs, const RooftopTarget& target, LeftOfRay left,
                                             Workspace& work) const {
  const RooftopRays rays = search_rays();
  if (!environment_.over_rooftops.find_reflection(rays, target, with_roofs, work)) return {};
  Complex reflected = Complex{1, 0} - left.amplitude * exp_j(-link_.wave_number() * left.offset_m);
  if (rays.horizontal_share > 0) reflected = reflected + rays.horizontal_share * work.reflected_horizontal;
  if (rays.horizontal_share < 1) reflected = reflected + (1 - rays.horizontal_share) * work.reflected_vertical;
  return reflected;
}

std::optional<RooftopWaves::GroundBelowSight> RooftopWaves::ground_below_sight(
    const StraightWay& way, std::uint32_t number, LeftOfRay left, const RooftopWave* along_ground,
    const std::optional<LeftOfBothWays>& by_roofs, Workspace& work) const {
  const std::uint32_t ground = setting_.ground_before(number);
  if (way.building != nullptr || ground == no_index || !uneven_ground_counts_in_sight()) return std::nullopt;
  if (work.ground.is_straight) return std::nullopt;
  const Tile& tile = environment_.tiling.tiles[ground];
  const Vec3 antenna = transmitter_.position, target = environment_.points.arrival(number), centroid = tile.centroid;
  const RooftopLine line(antenna, target, 0);
  const Vec3 normal = ground_normal_between(line, work.ground.ground.front(), centroid, tile.normal);
  const Vec3 by_plane = mirrored(target, centroid, normal) - antenna;
  const double by_plane_m = norm(by_plane), straight_m = norm(target - antenna);
  const Vec3 departure = (1 / by_plane_m) * by_plane;
  RooftopRays rays = search_rays();
  const FresnelCoefficients gamma = fresnel(rays.permittivities[environment_.over_rooftops.view().ground_material],
                                            std::fabs(dot(departure, normal)));
  rays.horizontal_share =
      horizontal_share_at_plane(normal, gamma, link_.depart(departure).field, departure, rays.horizontal_share);
  environment_.over_rooftops.find_reflection(rays, target_in_sight(number), !by_roofs, work);
  const TerrainReflection& reflection = work.reflection;
  const Vec2 at = line.at(reflection.place.x);
  Vec3 place{at.x, at.y, reflection.place.y - line.bulge_at(reflection.place.x)};
  const auto factor_of = [&](const LeftOfRay& ray) {
    return ray.amplitude * exp_j(-link_.wave_number() * ray.offset_m);
  };
  Complex past_roofs{1, 0};
  if (by_roofs) {
    const auto from_image = environment_.over_rooftops.left_of_reflection(search_rays(), target_in_sight(number), work);
    past_roofs = factor_of(by_roofs->by_ground);
    past_roofs = past_roofs + from_image.share * (from_image.factor - past_roofs);
  }
  Complex taken;
  if (along_ground != nullptr) {
    taken = Complex{1, 0} - factor_of(left);
    if (by_roofs) taken = factor_of(by_roofs->straight) * taken;
    place = place_along_ground(*along_ground, number);
  }
  // With which the plane reflects as the ground does; a wave that both its parts make as nearly as one factor can.
  const FresnelCoefficients wished{past_roofs * work.reflected_horizontal + taken,
                                   past_roofs * work.reflected_vertical + taken};
  const Complex factor = nearest_factor(wished, gamma, rays.horizontal_share);
  const WaveAlongGround as_one = wave_along_ground(work.ground.share_of_one_wave(), dot(target - centroid, normal));
  const double amplitude = norm(factor);
  if (!(amplitude > 0)) return GroundBelowSight{{0, 0}, normal, place, as_one, work.has_all_of_ground};
  // Of all lengths of the same phase the one nearest to the shortest way, or, where both ends see none of the ground,
  // to that by the plane.
  const double way_m = std::isfinite(reflection.way_m) ? reflection.way_m : by_plane_m;
  const double wavelength_m = link_.wavelength_m();
  const double of_phase_m = straight_m + link_.seeming_length_m(factor);
  double length_m = of_phase_m + wavelength_m * std::round((way_m - of_phase_m) / wavelength_m);
  if (length_m < straight_m) length_m += wavelength_m;
  return GroundBelowSight{
      {amplitude * by_plane_m / straight_m, length_m - by_plane_m}, normal, place, as_one, work.has_all_of_ground};
}

std::optional<LeftOfRay> RooftopWaves::left_near_ground(const StraightWay& way, std::uint32_t element, Workspace& work,
                                                        RooftopWave& wave) const {
  const TargetPoints& points = environment_.points;
  // What is reflected at a ground tile itself has not met the ground before.
  if (points.is_tile(element) && points.is_ground(element)) return std::nullopt;
  if (!find_along_ground(way.building == nullptr, target_at(element, points.reference(element)), work, wave)) {
    return std::nullopt;
  }
  return left_along_ground(wave);
}

}  // namespace tesseray
