// SPDX-License-Identifier: GPL-3.0-or-later
// The launcher's rays for wideband outputs: where each one departs, and what it adds at its target; nothing where they
// are not wanted.
#include <algorithm>

#include "core/propagation/launching/launch_arrivals.h"
#include "core/propagation/launching/ray_path.h"
#include "core/propagation/launching/rooftop_waves.h"
#include "core/propagation/launching/scattered_power.h"
#include "core/propagation/launching/scattering_tiles.h"

namespace tesseray {
namespace {

// Of a path by a plane, which may reflect it right where it begins.
Vec3 departure_direction(const PathByPlane& path) {
  const std::vector<Vec3>& points = path.points;
  const auto next = std::find_if(points.begin() + 1, points.end() - 1,
                                 [&](Vec3 point) { return norm(point - points.front()) > in_ground_plane_m; });
  return normalized(*next - points.front());
}

}  // namespace

WidebandTable LaunchArrivals::empty_wideband_table() const {
  return {setting_.sum_count(), environment_.options.wideband, environment_.options.delay_profile_rays};
}

Vec3 LaunchArrivals::departure_direction(const InteractionChain& chain, std::uint32_t number, Vec3 target) const {
  if (chain.over_rooftops) {
    const FirstLevelRecord::FirstEdge& first = first_edges_[chain.length > 0 ? chain.elements[0] : number];
    return departure_over_rooftops(environment_.tiling, transmitter_.position, first, chain, target);
  }
  if (chain.length == 0) return normalized(target - transmitter_.position);
  const std::vector<Vec3> points =
      trace_chain(environment_.tiling, chain, VirtualSource{transmitter_.position}, target);
  return normalized(points[1] - points[0]);
}

Vec3 LaunchArrivals::departure_direction(const RayEnding& ending, const ArrivedRay& ray, std::uint32_t number) const {
  const TargetPoints& points = environment_.points;
  const Vec3 target = points.arrival(number);
  if (!ray.is_companion) return departure_direction(ending.chain, number, target);
  if (ending.ground_place != nullptr) return normalized(*ending.ground_place - transmitter_.position);
  InteractionChain before_ground = ending.chain;
  if (points.is_receiver(number)) before_ground.pop();
  const ReflectingPlane plane = reflecting_plane(view_.environment, ending, setting_.ground_below(number), target);
  if (before_ground.over_rooftops) {
    return departure_direction(before_ground, number, mirrored(target, plane.point, plane.normal));
  }
  const VirtualSource antenna{transmitter_.position};
  return tesseray::departure_direction(trace_by_plane(environment_, before_ground, plane, antenna, target));
}

void LaunchArrivals::add_wideband(const RayEnding& ending, const ArrivedRay& ray, std::uint32_t number,
                                  ThreadArrivals& state) const {
  if (!state.wideband.wanted()) return;
  const Arrival& arrival = ray.arrival;
  WidebandArrival added;
  added.path_gain = added.strongest_gain = arrival.path_gain;
  added.excess_length_m = arrival.excess_length_m;
  added.stands_for = arrival.stands_for;
  if (state.wideband.wants_angles()) {
    added.look = -1.0 * arrival.travel_direction;
    added.add_look(arrival.path_gain, added.look);
    added.departures.add(arrival.path_gain, departure_direction(ending, ray, number));
  }
  state.wideband.add(setting_.sum_index(number), added);
}

void ScatteringTiles::collect_departures(const Tube& tube, std::uint32_t tile, double power, AfterScattering after) {
  if (!environment_.options.wideband) return;
  const Vec3 direction = arrivals_.departure_direction(tube.chain, tile, environment_.tiling.tiles[tile].centroid);
  diffuse_departures_[diffuse_.place(tile, after)].add(power, direction);
}

const DirectionMoments& ScatteringTiles::departures_of(std::uint32_t tile, AfterScattering after) const {
  static constexpr DirectionMoments unknown{};
  if (diffuse_departures_.empty()) return unknown;
  return diffuse_departures_[diffuse_.place(tile, after)];
}

void ScatteringTiles::add_wideband(const DiffuseBeam& beam, const DirectionMoments& departures,
                                   const DiffuseTarget& at_target, std::uint32_t number, Vec3 direction,
                                   ThreadArrivals& state) const {
  if (!state.wideband.wanted() || !(beam.power > 0)) return;
  WidebandArrival ray;
  ray.path_gain = at_target.gain_factor * beam.power;
  ray.strongest_gain = at_target.gain_factor * beam.strongest;
  ray.excess_length_m = beam.excess / beam.power;
  ray.stands_for = at_target.stands_for;
  if (state.wideband.wants_angles()) {
    const Vec3 look = -1.0 * beam.direction;
    ray.look = -1.0 * beam.strongest_direction;
    const bool has_companion = at_target.rays_per_ray > 1;
    const double ground =
        has_companion ? ground_factor(scattering_view_.columns, number, direction, 1) : beam.with_ground;
    ray.add_look(ray.path_gain / ground, look);
    if (ground > 1) {
      const Vec3 normal = environment_.tiling.tiles[setting_.ground_below(number)].normal;
      ray.add_look(ray.path_gain * (ground - 1) / ground, mirrored(look, normal));
    }
    ray.departures.add(at_target.gain_factor, departures);
  }
  state.wideband.add(setting_.sum_index(number), ray);
}

DirectionMoments ScatteringTiles::departures_with_ground(std::uint32_t tile, AfterScattering after,
                                                         double by_ground) const {
  DirectionMoments all = departures_of(tile, after);
  if (!(by_ground > 0)) return all;
  all.add(by_ground, departures_of(tile, after));
  const std::optional<AfterScattering> reflected = with_reflection(after);
  if (reflected && static_cast<std::size_t>(*reflected) < diffuse_.kinds()) {
    all.add(-by_ground, departures_of(tile, *reflected));
  }
  return all;
}

void ScatteringTiles::add_wideband(std::uint32_t tile, AfterScattering after, double density, double by_ground,
                                   double length_m, const DiffuseTarget& at_target, std::uint32_t number,
                                   Vec3 direction, ThreadArrivals& state) const {
  if (!state.wideband.wanted()) return;
  const DiffusePower source = diffuse_.with_ground(tile, after, by_ground);
  const double power = density * source.power, more_m = length_m - at_target.straight_distance_m;
  const DiffuseBeam beam{power,     density * (source.length + more_m * source.power), power, direction,
                         direction, source.power / diffuse_.at(tile, after).power};
  DirectionMoments departures;
  departures.add(density, departures_with_ground(tile, after, by_ground));
  add_wideband(beam, departures, at_target, number, direction, state);
}

void ScatteredPower::add_wideband(const EdgeSegment& edge, std::uint32_t place, const DiffuseEdgeSum& sum,
                                  const DiffractedWays& ways, const DiffuseTarget& at_target,
                                  ThreadState& state) const {
  if (!state.arrivals.wideband.wanted()) return;
  const std::uint32_t number = state.observers.numbers()[place];
  const auto without_ground = static_cast<double>(state.diffracted.power[place]);
  DiffuseBeam beam{static_cast<double>(sum.power),
                   static_cast<double>(sum.excess),
                   static_cast<double>(sum.strongest),
                   {},
                   {},
                   static_cast<double>(sum.power) / without_ground};
  DirectionMoments departures;
  if (scattering_.know_departures()) {
    departures.add(beam.with_ground, state.beam_departures.at(place));
    const EdgeArrivals& arrivals = state.beam_arrivals;
    beam.direction =
        (1 / without_ground) * (arrivals.along[place] * edge.direction + arrivals.across[place] * ways.across);
    beam.strongest_direction = normalized(ways.strongest);
  }
  const Vec3 from_midpoint = normalized(environment_.points.arrival(number) - edge.midpoint);
  scattering_.add_wideband(beam, departures, at_target, number, from_midpoint, state.arrivals);
}

}  // namespace tesseray
