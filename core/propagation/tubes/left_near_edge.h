// SPDX-License-Identifier: GPL-3.0-or-later
// What roofs and uneven ground near the line of sight leave of what comes to an edge, for host and device.
#pragma once

#include <cstdint>

#include "core/propagation/tubes/launch_view.h"

namespace tesseray {

// What comes to an edge segment at a place of it, of the field that would come there without the roofs and the uneven
// ground near the direct ray. Where that runs along the ground it has the ground's reflection with it, which no tile
// sends once more.
TESSERAY_HD inline LeftAtKellerPoint left_near_edge(const LaunchView& launch, const InteractionChain& before,
                                                    std::uint32_t element, Vec3 place) {
  const TargetPointsView& points = launch.environment.points;
  if (launch.left_along_edges == nullptr || before.length > 1 || before.over_rooftops || before.through_building ||
      before.is_scattered()) {
    return {};
  }
  const LeftAlongEdge& along = launch.left_along_edges[element - points.tile_count];
  if (along.count == 0) return {};
  const EdgeSegment& edge = launch.environment.edge(element);
  const LeftAtKellerPoint left =
      left_at(launch.left_at_places + along.first, along.count, dot(place - edge.midpoint, edge.direction));
  if (before.length == 0) return left;
  const bool is_ground = points.is_tile(before.last()) && points.is_ground(before.last());
  return is_ground ? LeftAtKellerPoint{{1 - left.along_ground, 0}, left.along_ground} : LeftAtKellerPoint{};
}

}  // namespace tesseray
