// SPDX-License-Identifier: GPL-3.0-or-later
// Past several houses in a row: the corners that come near the line of sight are screens one behind the other, and what
// they leave of the direct ray stands for all that corners and walls of that side send nearly along it (docs/physics.md
// §3.2).
#pragma once

#include <cmath>

#include "core/base/host_device.h"
#include "core/base/units.h"
#include "core/physics/knife_edge.h"
#include "core/propagation/rays/virtual_source.h"
#include "core/propagation/tubes/launch_view.h"

namespace tesseray {

namespace past_corners_detail {

// The corners and walls that a ray meets, among tiles of the ground.
struct UprightElements {
  bool are_all = true;  // nothing else, and ground once at most
  int edges = 0;
  std::uint32_t first = no_index, ground = no_index;
};

TESSERAY_HD inline UprightElements upright_elements(const EnvironmentView& environment, const InteractionChain& chain) {
  UprightElements found;
  for (std::size_t i = 0; i < chain.length; ++i) {
    const std::uint32_t element = chain.elements[i];
    const bool is_tile = environment.points.is_tile(element);
    if (is_tile && environment.points.is_ground(element)) {
      if (found.ground != no_index) found.are_all = false;
      found.ground = element;
      continue;
    }
    const bool is_upright = is_tile ? environment.tiles[element].kind == SurfaceKind::wall
                                    : environment.edge(element).kind == EdgeKind::corner;
    if (!is_upright) found.are_all = false;
    if (!is_tile) ++found.edges;
    if (found.first == no_index) found.first = element;
  }
  return found;
}

// Than the direct ray or, with ground, than its reflection there. Behind two edges the source's place is none of the
// antenna's.
TESSERAY_HD inline double longer_than_straight_m(const LaunchView& launch, std::uint32_t ground,
                                                 const VirtualSource& source, Vec3 target) {
  const double length_m = leg_to(source, target).length_m;
  if (ground == no_index) return length_m - norm(target - launch.antenna);
  const Tile& tile = launch.environment.tiles[ground];
  return length_m - norm(mirrored(target, tile.centroid, tile.normal) - launch.antenna);
}

// The same by the plan, in which the ground mirrors nothing: free of what roofs and ground make of phases. `way`: the
// straight one.
TESSERAY_HD inline double longer_in_plan_m(const VirtualSource& source, Vec3 target, Vec3 way) {
  const Vec2 from = source.point.xy(), edge = source.edge_midpoint.xy(), to = target.xy();
  const double in_plan_m = norm(way.xy());
  const double bent_m = source.is_edge() ? norm(edge - from) + norm(to - edge) : norm(to - from);
  return (bent_m - in_plan_m) * (in_plan_m / norm(way));
}

}  // namespace past_corners_detail

// The amplitude that is left of a ray to a number: what does not count as the direct one's.
TESSERAY_HD inline double left_beside_past_corners(const LaunchView& launch, const InteractionChain& chain,
                                                   const VirtualSource& source, std::uint32_t number) {
  if (launch.past_corners == nullptr || !launch.past_corners[number].any()) return 1;
  if (chain.over_rooftops || chain.through_building || chain.is_scattered()) return 1;
  const EnvironmentView& environment = launch.environment;
  const past_corners_detail::UprightElements elements = past_corners_detail::upright_elements(environment, chain);
  if (!elements.are_all || elements.first == no_index) return 1;
  const Vec3 target = environment.points.arrival(number), way = target - launch.antenna;
  const double longer_m = elements.edges > 1
                              ? past_corners_detail::longer_than_straight_m(launch, elements.ground, source, target)
                              : past_corners_detail::longer_in_plan_m(source, target, way);
  const double near = part_in_sight(-fresnel_parameter_of_detour(longer_m, 2 * pi / launch.link.wave_number));
  if (!(near > 0)) return 1;
  const Vec3 place = environment.points.is_tile(elements.first) ? environment.tiles[elements.first].centroid
                                                                : environment.edge(elements.first).midpoint;
  const PastCorners& past = launch.past_corners[number];
  const double taken =
      near * (cross(way.xy(), place.xy() - launch.antenna.xy()) > 0 ? past.taken_left : past.taken_right);
  return taken < 1 ? std::sqrt(1 - taken) : 0.0;
}

}  // namespace tesseray
