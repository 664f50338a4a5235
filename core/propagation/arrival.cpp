// SPDX-License-Identifier: GPL-3.0-or-later
// One ray at one target, with its ground-reflected companion at ground tiles.
#include <algorithm>

#include "core/propagation/launch.h"

namespace tesseray {
namespace {

// A null of a pattern must not turn into an infinite loss between isotropic antennas.
constexpr double least_pattern_gain = 1e-6;

}  // namespace

void Launch::add_arrival(const Ending& ending, const ComplexVec3& field, Vec3 direction, double length_m,
                         std::uint32_t number, bool companion, ThreadState& state) {
  const RayLaunchingOptions& options = environment_.options;
  const bool is_direct = ending.mechanism == Mechanism::direct;
  const bool with_direct = is_direct || ending.coherent_ground_reflection;
  const Complex received = link_.receive(field, direction);

  Arrival arrival;
  arrival.path_gain = squared_norm(received);
  arrival.basic_gain = arrival.path_gain / (std::max(ending.departure_gain, least_pattern_gain) *
                                            std::max(link_.receive_gain(direction), least_pattern_gain));
  arrival.excess_length_m = length_m - straight_distance(number);
  arrival.travel_direction = direction;
  arrival.mechanism = is_direct && companion ? Mechanism::reflection : ending.mechanism;
  arrival.coherent =
      options.summation == Summation::coherent || (options.summation == Summation::local_mean && with_direct);
  const bool recorded = options.rays_per_receiver > 0 && environment_.points.is_receiver(number);
  const Complex phased = arrival.coherent || recorded ? exp_j(-link_.wave_number() * length_m) * received : received;
  arrival.amplitude = phased;
  state.sums[sum_index(number)].add(arrival);
  add_wideband(arrival, ending.chain, number, companion, state);
  if (recorded && arrival.path_gain > 0) {
    state.recorded.push_back({number - environment_.points.element_count(), arrival.path_gain, length_m,
                              std::atan2(phased.im, phased.re), ending.chain});
  }
}

void Launch::arrive(const Ending& ending, std::uint32_t number, ThreadState& state) {
  if (ending.chain.is_scattered()) {
    arrive_scattered(ending, number, state);
    return;
  }
  const Vec3 target = environment_.points.arrival(number);
  const Leg leg = leg_to(ending.source, target);
  add_arrival(ending, (leg.amplitude * ending.attenuation.ray) * transported(ending.strength, leg.direction),
              leg.direction, leg.length_m, number, false, state);
  if (!environment_.points.is_tile(number)) return;
  const Tile& tile = environment_.tiling.tiles[number];
  if (tile.kind != SurfaceKind::ground) return;

  // The companion: reflected at the tile's plane, so that it seems to end at the target's image.
  const Leg image_leg = leg_to(ending.source, mirrored(target, tile.centroid, tile.normal));
  if (dot(image_leg.from - tile.centroid, tile.normal) <= 0 || dot(image_leg.direction, tile.normal) >= 0) return;
  const ComplexVec3 incident =
      (image_leg.amplitude * ending.attenuation.companion) * transported(ending.strength, image_leg.direction);
  const ComplexVec3 reflected = specularly_reflected(incident, image_leg.direction, tile);
  add_arrival(ending, reflected, mirrored(image_leg.direction, tile.normal), image_leg.length_m, number, true, state);
}

}  // namespace tesseray
