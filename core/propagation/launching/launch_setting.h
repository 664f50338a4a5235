// SPDX-License-Identifier: GPL-3.0-or-later
// One transmitter in its environment: what stays the same throughout its launch. Internal to core/propagation.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "core/propagation/launching/launch_environment.h"
#include "core/propagation/rays/link.h"
#include "core/propagation/tubes/ray_ending.h"
#include "core/propagation/tubes/tube.h"

namespace tesseray {

// Keeps references to both.
struct LaunchSetting {
  LaunchSetting(const LaunchEnvironment& environment, const Transmitter& transmitter);
  LaunchSetting(const LaunchSetting&) = delete;
  LaunchSetting& operator=(const LaunchSetting&) = delete;

  // What it takes at each tile, edge and receiver.
  static constexpr std::uint64_t bytes_per_number = sizeof(double);

  // Whether there are rays over the roofs at all.
  bool goes_over_rooftops() const {
    return environment.options.over_rooftop != OverRooftop::none && limits.may_diffract(0, 0);
  }
  bool wants_wideband() const { return environment.options.wideband || environment.options.delay_profile_rays > 0; }

  // Elements and receivers.
  std::uint32_t number_count() const {
    return environment.points.element_count() + environment.points.receiver_count();
  }
  std::size_t sum_count() const {
    return std::size_t{environment.points.target_tile_count()} + environment.points.receiver_count();
  }
  // REQUIRES: a receiver, or a tile when tiles are targets.
  std::size_t sum_index(std::uint32_t number) const {
    const TargetPoints& points = environment.points;
    return points.is_receiver(number) ? points.target_tile_count() + (number - points.element_count()) : number;
  }
  // From the transmitter to a target, m.
  double straight_distance(std::uint32_t number) const { return straight_distances[number]; }

  // The ground tile below a receiver; no_index where it does not stand over the ground.
  std::uint32_t receiver_ground(std::uint32_t number) const {
    return environment.view.receiver_grounds[number - environment.points.element_count()];
  }
  // The same of any target.
  std::uint32_t ground_below(std::uint32_t number) const;
  // The ground tile that stands for what the ground reflects to a target: below it, or before the foot of a wall.
  std::uint32_t ground_before(std::uint32_t number) const;

  // Nearer to the antenna its pattern may change from end to end of a tile.
  double pattern_near_m(const Tile& tile) const;
  bool is_pattern_near(std::uint32_t element) const;

  bool is_in_reach(std::uint32_t element, int interactions) const {
    return interactions + environment.reach.least_interactions(element) <= environment.options.max_bounces;
  }
  bool can_arrive_from(std::uint32_t element) const {
    return environment.points.tiles_are_targets() || !environment.receiver_rows.seen_from(element).empty();
  }
  bool may_do_anything(std::uint32_t element, int reflections, int diffractions) const;
  // The same of a ray with this chain.
  bool may_go_on(const InteractionChain& chain, std::uint32_t element, int reflections, int diffractions) const;
  // True when what has been scattered meets an edge after this element, the first that follows.
  bool goes_on_at_edge(AfterScattering after, std::uint32_t first_element) const;

  // What vegetation leaves from a point to a target, and by way of the ground below it: of a plane with this normal, if
  // any, else of the tile's.
  VegetationAtTarget vegetation_to_target(Vec3 from, std::uint32_t number, Vec3 ground_normal) const;
  // The factor of the amplitude between an element and a number that it sees; ground targets take the answer of their
  // tile's centroid for the ray and its companion, or beside the tile's row that of a receiver over it.
  double vegetation_between(std::uint32_t element, std::uint32_t member) const;

  const LaunchEnvironment& environment;
  const Transmitter& transmitter;
  const Link link;
  const InteractionLimits limits;
  const VegetationLoss vegetation;
  const std::vector<double> straight_distances;  // m, by number
  const LaunchView view;                         // before anything is reached
};

}  // namespace tesseray
