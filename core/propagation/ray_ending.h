// SPDX-License-Identifier: GPL-3.0-or-later
// One ray at one target, with its ground-reflected companion at ground tiles.
#pragma once

#include <algorithm>

#include "core/propagation/arrivals.h"
#include "core/propagation/launch_view.h"
#include "core/propagation/vegetation_loss.h"

namespace tesseray {

// A ray on its last leg.
struct RayEnding {
  const VirtualSource& source;
  const ComplexVec3& strength;  // after the last interaction, for a ray along the leg's direction
  Mechanism mechanism;
  double departure_gain;
  const InteractionChain& chain;
  bool coherent_ground_reflection;  // the one ray that joins the direct ray in amplitude at a receiver point
  VegetationAtTarget attenuation;   // on all legs, by vegetation and walls
};

// A ray as it arrives.
struct ArrivedRay {
  Arrival arrival;
  Complex received;  // the receiver's amplitude, without phase
  double length_m = 0;
  bool is_companion = false;
};

namespace ray_ending_detail {

// A null of a pattern must not turn into an infinite loss between isotropic antennas.
inline constexpr double least_pattern_gain = 1e-6;

TESSERAY_HD inline ArrivedRay arrived(const LaunchView& launch, const RayEnding& ending, const ComplexVec3& field,
                                      Vec3 direction, double length_m, std::uint32_t number, bool is_companion) {
  const bool is_direct = ending.mechanism == Mechanism::direct;
  const bool with_direct = is_direct || ending.coherent_ground_reflection;
  ArrivedRay ray{{}, launch.link.receive(field, direction), length_m, is_companion};
  Arrival& arrival = ray.arrival;
  arrival.path_gain = squared_norm(ray.received);
  constexpr double least = least_pattern_gain;
  arrival.basic_gain = arrival.path_gain /
                       (std::max(ending.departure_gain, least) * std::max(launch.link.receive_gain(direction), least));
  arrival.excess_length_m = length_m - launch.straight_distances[number];
  arrival.travel_direction = direction;
  arrival.mechanism = is_direct && is_companion ? Mechanism::reflection : ending.mechanism;
  arrival.coherent =
      launch.summation == Summation::coherent || (launch.summation == Summation::local_mean && with_direct);
  arrival.amplitude = arrival.coherent ? exp_j(-launch.link.wave_number * length_m) * ray.received : ray.received;
  return ray;
}

}  // namespace ray_ending_detail

// Calls add(ArrivedRay) for the ray at a target, and for its companion. REQUIRES: the ray is not scattered.
template <class Add>
TESSERAY_HD void arrive(const LaunchView& launch, const RayEnding& ending, std::uint32_t number, const Add& add) {
  const TargetPointsView& points = launch.environment.points;
  const Vec3 target = points.arrival(number);
  const Leg leg = leg_to(ending.source, target);
  add(ray_ending_detail::arrived(launch, ending,
                                 (leg.amplitude * ending.attenuation.ray) * transported(ending.strength, leg.direction),
                                 leg.direction, leg.length_m, number, false));
  if (!points.is_tile(number) || !points.is_ground(number)) return;

  // The companion: reflected at the tile's plane, so that it seems to end at the target's image.
  const Tile& tile = launch.environment.tiles[number];
  const Leg image_leg = leg_to(ending.source, mirrored(target, tile.centroid, tile.normal));
  if (dot(image_leg.from - tile.centroid, tile.normal) <= 0 || dot(image_leg.direction, tile.normal) >= 0) return;
  const ComplexVec3 incident =
      (image_leg.amplitude * ending.attenuation.companion) * transported(ending.strength, image_leg.direction);
  const ComplexVec3 reflected = specularly_reflected(launch, incident, image_leg.direction, tile);
  add(ray_ending_detail::arrived(launch, ending, reflected, mirrored(image_leg.direction, tile.normal),
                                 image_leg.length_m, number, true));
}

}  // namespace tesseray
