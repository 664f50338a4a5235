// SPDX-License-Identifier: GPL-3.0-or-later
// Into sight near uneven ground: the wave runs along it there as it does behind crests. Farther below the line of
// sight uneven ground reflects as a whole (docs/physics.md §6).
#include <cmath>
#include <optional>

#include "core/base/units.h"
#include "core/propagation/launch.h"
#include "core/propagation/rooftop_line.h"

namespace tesseray {
namespace {

bool reflects_as_whole(const LeftInSight& left) { return left.along_ground || left.over_uneven_ground; }

}  // namespace

bool Launch::uneven_ground_counts_in_sight() const {
  // Its reflections are in phase with the direct ray.
  return screens_count_in_sight() && limits_.may_reflect(0, 0) && view_.summation != Summation::power;
}

bool Launch::find_wave_along_ground(const StraightWay& way, std::uint32_t number, Vec3 point, ThreadState& state,
                                    RooftopWave& wave) const {
  if (!uneven_ground_counts_in_sight()) return false;
  // An edge lies at roofs that stand for others; what goes through a building goes below them.
  const bool is_edge = environment_.points.is_edge(number), with_roofs = !is_edge && way.building == nullptr;
  const RooftopTarget target = is_edge ? rooftop_target(point) : rooftop_target(number, point);
  if (!environment_.over_rooftops.find_along_ground(rooftop_rays(), target, with_roofs, state.rooftop_work,
                                                    wave.path)) {
    return false;
  }
  complete_rooftop_wave(point, state, wave);
  return true;
}

void Launch::arrive_along_ground(const StraightWay& way, std::uint32_t number, const RooftopWave& wave,
                                 ThreadState& state) {
  const Vec3 ground_normal = ground_normal_behind(wave, number);
  VegetationAtTarget attenuation =
      attenuation_of_building(way, wave.end) * vegetation_to_target(transmitter_.position, number, ground_normal);
  LeftByRoofs by_ground = left_by_way_of_ground(wave, number, ground_normal);
  attenuation.companion *= by_ground.amplitude;
  // Of the same phase; the way by the ground is the longer one.
  if (by_ground.offset_m < 0) by_ground.offset_m += 2 * pi / link_.wave_number();
  const bool is_direct = way.building == nullptr;
  if (is_direct) reached_over_rooftops_[number] |= with_ground_as_target;
  if (is_direct && environment_.points.is_receiver(number)) {
    const std::size_t receiver = number - environment_.points.element_count();
    left_in_sight_[receiver] = {.with_ground = left_along_ground(wave).amplitude, .along_ground = true};
  }
  arrive({wave.source, wave.strength, way.mechanism, wave.departure_gain, way.chain, false, attenuation,
          by_ground.offset_m, ground_normal},
         number, state);
}

Launch::LeftByRoofs Launch::left_along_ground(const RooftopWave& wave) const {
  const Vec3 straight = wave.end - transmitter_.position;
  const ComplexVec3 alone = (1 / norm(straight)) * link_.depart(normalized(straight)).field,
                    field = leg_to(wave.source, wave.end).amplitude * wave.strength;
  const double power = squared_norm(alone);
  if (!(power > 0)) return {};
  const Complex turn = field.x * conj(alone.x) + field.y * conj(alone.y) + field.z * conj(alone.z);
  return {std::sqrt(squared_norm(field) / power), -std::atan2(turn.im, turn.re) / link_.wave_number()};
}

std::optional<Launch::GroundBelowSight> Launch::ground_below_sight(const StraightWay& way, std::uint32_t number,
                                                                   ThreadState& state) const {
  const std::uint32_t ground = ground_below(number);
  if (way.building != nullptr || ground == no_index || !uneven_ground_counts_in_sight()) return std::nullopt;
  OverRooftopPaths::Workspace& work = state.rooftop_work;
  const Vec3 antenna = transmitter_.position, target = environment_.points.arrival(number),
             centroid = environment_.tiling.tiles[ground].centroid;
  if (!environment_.over_rooftops.find_reflection(rooftop_rays(), rooftop_target(number, target), work)) {
    return std::nullopt;
  }
  const RooftopLine line(antenna, target, 0);
  const Vec3 normal = ground_normal_between(line, work.ground.ground.front(), centroid);
  const TerrainReflection& reflection = work.reflection;
  const double amplitude = norm(reflection.factor);
  if (!(amplitude > 0)) return GroundBelowSight{{0, 0}, normal};
  const double by_plane_m = norm(mirrored(target, centroid, normal) - antenna), straight_m = norm(target - antenna);
  // Of all lengths of the same phase the one nearest to the shortest way.
  const double wavelength_m = 2 * pi / link_.wave_number();
  const double of_phase_m = straight_m - std::atan2(reflection.factor.im, reflection.factor.re) / link_.wave_number();
  double length_m = of_phase_m + wavelength_m * std::round((reflection.way_m - of_phase_m) / wavelength_m);
  if (length_m < straight_m) length_m += wavelength_m;
  return GroundBelowSight{{amplitude * by_plane_m / straight_m, length_m - by_plane_m}, normal};
}

bool Launch::is_reflected_along_ground(const InteractionChain& chain, std::uint32_t number) const {
  return environment_.points.is_receiver(number) && !chain.over_rooftops && !chain.through_building &&
         !chain.is_scattered() && chain.length == 1 && chain.elements[0] == receiver_ground(number) &&
         reflects_as_whole(left_in_sight_[number - environment_.points.element_count()]);
}

std::vector<Vec3> Launch::trace_along_ground(std::uint32_t number) const {
  ThreadState state;
  RooftopWave wave;
  const Vec3 target = environment_.points.arrival(number);
  const StraightWay way{environment_.occlusion, Mechanism::direct, {}, nullptr};
  if (find_wave_along_ground(way, number, target, state, wave)) {
    return {transmitter_.position, reflection_below(wave, number, target), target};
  }
  ground_below_sight(way, number, state);
  const RooftopLine line(transmitter_.position, target, 0);
  const Vec2 place = state.rooftop_work.reflection.place, at = line.at(place.x);
  return {transmitter_.position, {at.x, at.y, place.y - line.bulge_at(place.x)}, target};
}

}  // namespace tesseray
