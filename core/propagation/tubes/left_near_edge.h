// SPDX-License-Identifier: GPL-3.0-or-later
// What roofs and uneven ground near the line of sight leave of what comes to an edge, for host and device.
#pragma once

#include <cstdint>

#include "core/propagation/rays/ground_plane.h"
#include "core/propagation/tubes/launch_view.h"

namespace tesseray {

// Of what comes straight from the antenna to an edge segment. REQUIRES: something comes near to some edges.
TESSERAY_HD inline const LeftAlongEdge& left_along_edge(const LaunchView& launch, std::uint32_t element,
                                                        bool through_building) {
  const TargetPointsView& points = launch.environment.points;
  return launch.left_along_edges[element - points.tile_count + (through_building ? points.edge_count : 0)];
}

// The same at a place of the segment; all of it where nothing comes near.
TESSERAY_HD inline LeftAtKellerPoint left_at_edge(const LaunchView& launch, std::uint32_t element,
                                                  bool through_building, Vec3 place) {
  const LeftAlongEdge& along = left_along_edge(launch, element, through_building);
  if (along.count == 0) return {};
  const EdgeSegment& edge = launch.environment.edge(element);
  return left_at(launch.left_at_places + along.first, along.count, dot(place - edge.midpoint, edge.direction));
}

// Of a ray from the antenna that the edge sends to a target over that ground tile (no_index: over none), by walls
// behind the edge, too. `source`: of the ray, with the edge. Where the wave runs along the ground before an upright
// edge it is one of a ray and its reflection, keeps its form over the height, and goes to the target from the middle
// between the places where the edge sends these two there.
TESSERAY_HD inline LeftAtKellerPoint left_at_edge(const LaunchView& launch, std::uint32_t element,
                                                  bool through_building, const VirtualSource& source, Vec3 target,
                                                  std::uint32_t ground) {
  const Vec3 place = leg_to(source, target).from;
  const LeftAtKellerPoint left = left_at_edge(launch, element, through_building, place);
  if (!(left.along_ground > 0) || ground == no_index || !stands_on({0, 0, 1}, source.edge_direction)) return left;
  const double ground_z = launch.environment.tiles[ground].centroid.z;
  const double of_image_z = leg_to(source, {target.x, target.y, 2 * ground_z - target.z}).from.z;
  const bool is_reflected_behind = of_image_z >= ground_z - in_ground_plane_m;
  if (is_reflected_behind) return left;
  const Vec3 middle{place.x, place.y, ground_z + 0.5 * (place.z - of_image_z)};
  return between(left, left_at_edge(launch, element, through_building, middle), left.along_ground);
}

// Of a ray that an edge segment diffracts to a point of a number, of its field there without the roofs and the uneven
// ground near the direct ray. Where that runs along the ground it has the ground's reflection with it, which no tile
// sends once more. `source`: of the ray, with the edge, after `before`.
TESSERAY_HD inline LeftAtKellerPoint left_near_edge(const LaunchView& launch, const InteractionChain& before,
                                                    std::uint32_t element, const VirtualSource& source, Vec3 point,
                                                    std::uint32_t number) {
  const EnvironmentView& environment = launch.environment;
  const bool through_building = before.through_building;
  if (launch.left_along_edges == nullptr || before.length > 1 || before.over_rooftops || before.is_scattered() ||
      left_along_edge(launch, element, through_building).count == 0) {
    return {};
  }
  const std::uint32_t below = environment.ground_below(number);
  if (before.length == 0) return left_at_edge(launch, element, through_building, source, point, below);
  if (!environment.points.is_tile(before.last()) || !environment.points.is_ground(before.last())) return {};
  // As far as the direct ray to there, which comes to the edge higher up, has it not with it.
  const Tile& ground = environment.tiles[before.last()];
  VirtualSource direct = source;
  direct.point = mirrored(source.point, ground.centroid, ground.normal);
  const double along_ground = left_at_edge(launch, element, through_building, direct, point, below).along_ground;
  return {{1 - along_ground, 0}, along_ground};
}

}  // namespace tesseray
