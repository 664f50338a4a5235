// SPDX-License-Identifier: GPL-3.0-or-later
// One ray at one target, with its ground-reflected companion at ground tiles.
#pragma once

#include <algorithm>

#include "core/physics/knife_edge.h"
#include "core/propagation/rays/arrivals.h"
#include "core/propagation/rays/ground_plane.h"
#include "core/propagation/rays/in_step_past_edge.h"
#include "core/propagation/rays/local_mean.h"
#include "core/propagation/tubes/any_order.h"
#include "core/propagation/tubes/launch_view.h"
#include "core/propagation/tubes/left_near_edge.h"
#include "core/propagation/tubes/reflected_along.h"
#include "core/propagation/vegetation/vegetation_loss.h"

namespace tesseray {

// A ray on its last leg.
struct RayEnding {
  const VirtualSource& source;
  const ComplexVec3& strength;  // after the last interaction, for a ray along the leg's direction
  Mechanism mechanism;
  double departure_gain;
  const InteractionChain& chain;
  bool coherent_ground_reflection;  // the one ray that joins the direct ray in amplitude at walls and roofs
  VegetationAtTarget attenuation;   // on all legs, by vegetation and walls
  double companion_offset_m = 0;    // of the companion alone, like VirtualSource::offset_m
  Vec3 ground_normal = {};          // of the plane that reflects the companion; none: the ground tile's own
  // Where uneven ground reflects the companion; nullptr: in that plane.
  const Vec3* ground_place = nullptr;
  WaveAlongGround along_ground = {};  // the ray and its companion, in sight over uneven ground
  double stands_for = 1;              // Tube::stands_for
};

// Of what a ray's companion leaves behind by `leg`, the place that has to lie above the plane that reflects it. Over
// the roofs and along the ground that is the edge's on the way: it goes on level from there, which on a slope is below
// the ground where an image lies aside.
TESSERAY_HD inline Vec3 place_above_plane(const TargetPointsView& points, const InteractionChain& chain,
                                          const VirtualSource& source, const Leg& leg) {
  std::size_t length = chain.length;
  while (length > 0 && points.is_tile(chain.elements[length - 1])) --length;
  return length == 0 && source.is_edge() ? source.edge_midpoint : leg.from;
}

// Whether it runs along uneven ground in sight: from the last place over which the ground bends it.
TESSERAY_HD inline bool comes_along_ground(const RayEnding& ending) {
  return ending.chain.length == 0 && !ending.chain.over_rooftops && ending.source.is_edge();
}

// The ground tile that has reflected a ray since it left the antenna, its scattering tile or its last edge that does
// not stand upon it; no_index where there is none.
TESSERAY_HD inline std::uint32_t last_ground(const EnvironmentView& environment, const InteractionChain& chain) {
  const std::size_t first = chain.is_scattered() ? 1 : 0;
  LastPart part;
  for (std::size_t i = chain.length; i-- > first;) {
    const std::uint32_t element = chain.elements[i];
    if (!environment.points.is_tile(element)) {
      part.pass_edge(environment.edge(element).direction);
    } else if (environment.points.is_ground(element)) {
      return part.has_ground(environment.tiles[element].normal) ? element : no_index;
    }
  }
  return no_index;
}

// Whether what a chain, in part or all of it, sends over a ground tile is the companion of another ray there: it comes
// from ground as steep as that.
TESSERAY_HD inline bool is_companion(const EnvironmentView& environment, const InteractionChain& chain,
                                     std::uint32_t ground_below) {
  constexpr double as_steep = 0.9994;  // cos 2°
  const std::uint32_t ground = last_ground(environment, chain);
  return ground != no_index && dot(environment.tiles[ground].normal, environment.tiles[ground_below].normal) > as_steep;
}

// The same of what it sends to a ground tile, with which its companions come.
TESSERAY_HD inline bool comes_as_companion(const EnvironmentView& environment, const InteractionChain& chain,
                                           std::uint32_t target) {
  const TargetPointsView& points = environment.points;
  return points.is_tile(target) && points.is_ground(target) && is_companion(environment, chain, target);
}

// The last element that a ray meets but for the ground, since it left the antenna or its scattering tile; no_index
// where there is none.
TESSERAY_HD inline std::uint32_t last_above_ground(const EnvironmentView& environment, const InteractionChain& chain) {
  for (std::size_t i = chain.length; i-- > (chain.is_scattered() ? 1u : 0u);) {
    const std::uint32_t element = chain.elements[i];
    if (!environment.points.is_tile(element) || !environment.points.is_ground(element)) return element;
  }
  return no_index;
}

// Whether that is a wall or an upright edge.
TESSERAY_HD inline bool comes_from_upright(const EnvironmentView& environment, const InteractionChain& chain) {
  const std::uint32_t element = chain.over_rooftops ? no_index : last_above_ground(environment, chain);
  if (element == no_index) return false;
  return environment.points.is_tile(element) ? environment.tiles[element].kind == SurfaceKind::wall
                                             : stands_on({0, 0, 1}, environment.edge(element).direction);
}

// A ray as it arrives.
struct ArrivedRay {
  Arrival arrival;
  Complex received;  // the receiver's amplitude, without phase
  double length_m = 0;
  bool is_companion = false;  // at receivers a ray of its own, with the ground in its chain
  // Unit, of travel on its last leg, by which its phase changes about the target. Uneven ground has a plane that stands
  // for it there: the places where it is drawn, which the arrival comes from, jump from target to target.
  Vec3 phase_direction;
  // At receivers, where the mean is summed: how far the ray is in step with the direct one; and its reflection, where
  // that comes with it beyond the limits.
  double in_step = 0;
  ReflectionInStep reflection;
};

// A way from an image that a chain's tiles have mirrored, as it leaves the chain's place before `first`.
TESSERAY_HD inline Vec3 mirrored_back(const EnvironmentView& environment, const InteractionChain& chain,
                                      std::size_t first, Vec3 way) {
  for (std::size_t i = chain.length; i-- > first;) {
    const std::uint32_t element = chain.elements[i];
    if (environment.points.is_tile(element)) way = mirrored(way, environment.tiles[element].normal);
  }
  return way;
}

namespace ray_ending_detail {

// Whether it adds up in amplitude with the others that do so.
TESSERAY_HD inline bool is_coherent(const LaunchView& launch, const RayEnding& ending, std::uint32_t number) {
  if (launch.summation != Summation::local_mean) return launch.summation == Summation::coherent;
  // Elsewhere pairs are known: at ground tiles each ray comes with its companion, at receivers they are found
  // afterwards (ground_pairs.h). A building in the way takes power alone. What is in step with the direct ray otherwise
  // joins it in arrive().
  const TargetPointsView& points = launch.environment.points;
  const bool is_straight =
      ending.mechanism == Mechanism::direct || (ending.chain.through_building && ending.chain.length == 0);
  return (is_straight || ending.coherent_ground_reflection) && points.is_tile(number) && !points.is_ground(number);
}

// How far it is in step with the direct ray to a wall or a roof, whose reflection it is.
TESSERAY_HD inline double in_step_with_direct(const LaunchView& launch, const RayEnding& ending, Vec3 direction,
                                              std::uint32_t number) {
  const EnvironmentView& environment = launch.environment;
  const Vec3 straight = normalized(environment.points.arrival(number) - launch.antenna);
  return coherence(straight, direction, environment.tiles[ending.chain.last()].normal, launch.link.wave_number);
}

TESSERAY_HD inline ArrivedRay arrived(const LaunchView& launch, const RayEnding& ending, double departure_gain,
                                      const ComplexVec3& field, Vec3 direction, double length_m, std::uint32_t number,
                                      bool is_companion) {
  const bool is_direct = ending.mechanism == Mechanism::direct;
  ArrivedRay ray{{}, launch.link.receive(field, direction), length_m, is_companion, direction};
  Arrival& arrival = ray.arrival;
  arrival.path_gain = squared_norm(ray.received);
  arrival.basic_gain = basic_gain(arrival.path_gain, departure_gain, launch.link.receive_gain(direction));
  // The length has the phase; near roofs and ground that may be one of less than the straight way.
  arrival.excess_length_m = std::max(length_m - launch.straight_distances[number], 0.0);
  arrival.travel_direction = direction;
  arrival.stands_for = ending.stands_for;
  arrival.mechanism = is_direct && is_companion ? Mechanism::reflection : ending.mechanism;
  arrival.coherent = is_coherent(launch, ending, number);
  if (launch.summation == Summation::local_mean && arrival.coherent && ending.coherent_ground_reflection) {
    arrival.in_step = in_step_with_direct(launch, ending, direction, number);
  }
  arrival.amplitude = arrival.coherent ? exp_j(-launch.link.wave_number * length_m) * ray.received : ray.received;
  return ray;
}

// Where the companion leaves the antenna, which comes to the target's image along `leg`. False behind two edges, where
// it is nearly as the ray itself does.
TESSERAY_HD inline bool find_departure(const LaunchView& launch, const RayEnding& ending, const Leg& leg,
                                       Vec3& direction) {
  const InteractionChain& chain = ending.chain;
  direction = ending.source.is_edge() ? (1 / leg.rho_m) * (leg.from - ending.source.point) : leg.direction;
  direction = mirrored_back(launch.environment, chain, 0, direction);
  int diffractions = 0;
  for (std::size_t i = 0; i < chain.length; ++i) {
    diffractions += launch.environment.points.is_tile(chain.elements[i]) ? 0 : 1;
  }
  return diffractions < 2;
}

// Whether it has met tiles, and no edge.
TESSERAY_HD inline bool is_of_tiles_alone(const TargetPointsView& points, const InteractionChain& chain) {
  for (std::size_t i = 0; i < chain.length; ++i) {
    if (!points.is_tile(chain.elements[i])) return false;
  }
  return chain.length > 0;
}

}  // namespace ray_ending_detail

// The field of a ray's companion as it comes to the ground along `leg`, over the amplitude of that way. It leaves the
// antenna in another direction than the ray: the pattern may have its null in one of them, and a slanted polarisation
// turns with the direction; and it meets walls at other angles. Over the roofs and along uneven ground both leave as
// one. `rays`: as those of reflected_along().
template <class Rays>
TESSERAY_HD LinkView::Departure sent_to_ground(const RayEnding& ending, const Leg& leg, const Rays& rays) {
  const LaunchView& launch = rays.view();
  const InteractionChain& chain = ending.chain;
  const bool leaves_as_one = chain.over_rooftops || comes_along_ground(ending);
  // A straight ray's is known from its departure on, whatever the ray itself has of the pattern.
  if (chain.length == 0 && !leaves_as_one) {
    const Vec3* const place = ending.ground_place;
    LinkView::Departure sent =
        launch.link.depart(place == nullptr ? leg.direction : normalized(*place - launch.antenna));
    sent.field = transported(sent.field, leg.direction);
    return sent;
  }
  if (!leaves_as_one && ray_ending_detail::is_of_tiles_alone(launch.environment.points, chain)) {
    LinkView::Departure sent = reflected_along(chain, leg.direction, rays);
    if (ending.coherent_ground_reflection) {
      sent.field = direct_ray_reflected_along(leg.direction, launch.environment.tiles[chain.last()], launch);
    }
    return sent;
  }
  LinkView::Departure sent{transported(ending.strength, leg.direction), ending.departure_gain};
  if (leaves_as_one || !launch.link.departs_unevenly()) return sent;
  Vec3 departure;
  if (!(ending.departure_gain > 0) || !ray_ending_detail::find_departure(launch, ending, leg, departure)) return sent;
  sent.relative_gain = launch.link.transmit_gain(departure);
  sent.field = std::sqrt(sent.relative_gain / ending.departure_gain) * sent.field;
  return sent;
}

// Of the ground or of a wall, in space or as walls mirror it.
struct ReflectingPlane {
  Vec3 point, normal;  // unit

  TESSERAY_HD double height_of(Vec3 place) const { return dot(place - point, normal); }
  TESSERAY_HD bool is_below(Vec3 place) const { return height_of(place) > 0; }
  // Where a line meets it; at its begin where it goes along.
  TESSERAY_HD Vec3 place_between(Vec3 begin, Vec3 end) const {
    const double above_m = height_of(begin), fall_m = above_m - height_of(end);
    return fall_m != 0 ? begin + above_m / fall_m * (end - begin) : begin;
  }
};

TESSERAY_HD inline ReflectingPlane mirrored(const ReflectingPlane& plane, Vec3 on_mirror, Vec3 normal) {
  return {mirrored(plane.point, on_mirror, normal), mirrored(plane.normal, normal)};
}

// The way of a ray's companion, which ends at the target's image in the plane that reflects it.
struct WayByPlane {
  ReflectingPlane plane;   // as the walls mirror it that the ray meets after it
  Leg leg;                 // to the image, from where the chain's walls mirror the source to
  std::size_t before = 0;  // so many of the chain's elements are met before the plane

  // Whether what the ray leaves lies above the plane.
  TESSERAY_HD bool is_from_above() const { return plane.is_below(leg.from); }
  // Where it is reflected, as those walls mirror that.
  TESSERAY_HD Vec3 place() const {
    return is_from_above() ? plane.place_between(leg.from, leg.from + leg.distance_m * leg.direction) : leg.from;
  }
};

// The last wall of a part of a chain as the tiles mirror it that follow; `length`: of that part, > 0.
TESSERAY_HD inline ReflectingPlane last_wall(const EnvironmentView& environment, const InteractionChain& chain,
                                             std::size_t length) {
  const Tile& last = environment.tiles[chain.elements[length - 1]];
  ReflectingPlane wall{last.centroid, last.normal};
  for (std::size_t i = length; i < chain.length; ++i) {
    const Tile& next = environment.tiles[chain.elements[i]];
    wall = mirrored(wall, next.centroid, next.normal);
  }
  return wall;
}

// A plane goes on behind a wall as the wall mirrors it: what the ray meets before the wall it meets there. Where the
// ground falls away from a wall there may be none that reflects, where it falls towards it the one behind the wall is
// left out. False where there is none.
TESSERAY_HD inline bool find_way_by_plane(const EnvironmentView& environment, const InteractionChain& chain,
                                          const VirtualSource& source, const ReflectingPlane& ground, Vec3 target,
                                          WayByPlane& way) {
  constexpr double upright = 0.0349, across = 1e-9;  // 2°; to such a wall a plane goes on as itself
  way = {ground, leg_to(source, mirrored(target, ground.point, ground.normal)), chain.length};
  while (way.before > 0 && environment.points.is_tile(chain.elements[way.before - 1])) {
    const ReflectingPlane wall = last_wall(environment, chain, way.before);
    if (std::fabs(wall.normal.z) > upright || (way.is_from_above() && wall.is_below(way.place()))) break;
    --way.before;
    if (std::fabs(dot(wall.normal, way.plane.normal)) < across) continue;
    way.plane = mirrored(way.plane, wall.point, wall.normal);
    way.leg = leg_to(source, mirrored(target, way.plane.point, way.plane.normal));
    if (way.is_from_above() && wall.is_below(way.place())) return false;
  }
  return dot(way.leg.direction, way.plane.normal) < 0;
}

// The ground from a target's foot to that of an element that stands upright, which it leaves along the plane around:
// the parabola through both.
class GroundUpToFoot {
 public:
  TESSERAY_HD GroundUpToFoot(const EnvironmentView& environment, const ReflectingPlane& around, std::uint32_t element)
      : around_(around) {
    constexpr double around_m = 40, beyond_m = 80;  // the plane has all of the ground up to the first
    const Vec3 middle =
        environment.points.is_tile(element) ? environment.tiles[element].centroid : environment.edge(element).midpoint;
    way_ = {middle.x - around.point.x, middle.y - around.point.y, 0};
    const Vec3 foot{middle.x, middle.y, environment.ground_heights[element]};
    above_m_ = share_between(norm(way_), around_m, beyond_m) * (around.height_of(foot) / around.normal.z);
  }

  TESSERAY_HD bool bends() const {
    constexpr double straight_m = 1e-3;
    return std::fabs(above_m_) > straight_m;
  }
  // How far a place is on the way, 0 … 1.
  TESSERAY_HD double part_at(Vec3 place) const {
    return clamped_to_unit(dot(place - around_.point, way_) / squared_norm(way_));
  }
  // Through the target's foot and the ground at a part of the way: to the first order a ray that is reflected there is
  // as long by that as by the ground's own plane.
  TESSERAY_HD ReflectingPlane plane_to(double part) const {
    const Vec3 turned = (part * above_m_ / squared_norm(way_)) * way_;
    return {around_.point, normalized((1 / around_.normal.z) * around_.normal - turned)};
  }

 private:
  ReflectingPlane around_;
  Vec3 way_;            // in the ground plan
  double above_m_ = 0;  // of the foot over the plane around
};

// In which a ground tile reflects a ray's companion to a target over it. What walls and upright edges send comes along
// the ground, and is reflected over more of it than a tile, from their foot on.
TESSERAY_HD inline ReflectingPlane reflecting_plane(const EnvironmentView& environment, const RayEnding& ending,
                                                    std::uint32_t ground, Vec3 target) {
  constexpr int turns = 3;
  const Vec3 centroid = environment.tiles[ground].centroid;
  if (squared_norm(ending.ground_normal) > 0) return {centroid, ending.ground_normal};
  const InteractionChain& chain = ending.chain;
  const bool is_along = comes_from_upright(environment, chain) &&
                        (!ending.source.is_edge() || stands_on({0, 0, 1}, ending.source.edge_direction));
  if (!is_along) return {centroid, environment.tiles[ground].normal};
  const ReflectingPlane around{centroid, environment.normals_around[ground]};
  const GroundUpToFoot up_to_foot(environment, around, last_above_ground(environment, chain));
  if (!up_to_foot.bends()) return around;
  double part = 0.5;
  for (int turn = 0; turn < turns; ++turn) {
    WayByPlane way;
    if (!find_way_by_plane(environment, chain, ending.source, up_to_foot.plane_to(part), target, way) ||
        !way.is_from_above() || way.before < chain.length) {
      return around;
    }
    part = up_to_foot.part_at(way.place());
  }
  return up_to_foot.plane_to(part);
}

// What an edge sends of what the plane reflects on the way to it.
TESSERAY_HD inline VirtualSource image_before_edge(VirtualSource source, const ReflectingPlane& plane) {
  source.point = mirrored(source.point, plane.point, plane.normal);
  return source;
}

namespace ray_ending_detail {

// Whether a ray has met an edge, and none but upright walls have reflected it since.
TESSERAY_HD inline bool reflects_at_walls_alone(const EnvironmentView& environment, const InteractionChain& chain) {
  constexpr double upright = 0.0349;  // 2°
  for (std::size_t i = chain.length; i-- > 0;) {
    if (!environment.points.is_tile(chain.elements[i])) return true;
    if (std::fabs(environment.tiles[chain.elements[i]].normal.z) > upright) return false;
  }
  return false;
}

// The last leg of the companion that a plane of the ground reflects on its way to the last edge, which stands upright
// on it: from the edge, to which it comes from the image of what comes there straight. False where it does not pass the
// edge over the plane, where that stands. `plane`: as the walls behind the edge mirror it.
TESSERAY_HD inline bool find_leg_from_edge_behind_ground(const LaunchView& launch, const RayEnding& ending,
                                                         const ReflectingPlane& plane, Vec3 target, Leg& leg) {
  constexpr double below_foot_m = 1;  // the plane may pass so much above the ground there
  const VirtualSource& source = ending.source;
  if (!source.is_edge() || last_ground(launch.environment, ending.chain) != no_index ||
      !reflects_at_walls_alone(launch.environment, ending.chain)) {
    return false;
  }
  if (!stands_on(plane.normal, source.edge_direction) || !plane.is_below(source.point)) return false;
  leg = leg_to(image_before_edge(source, plane), target);
  const double along_edge = dot(leg.from - source.edge_midpoint, source.edge_direction);
  return plane.is_below(leg.from) && std::fabs(along_edge) < source.edge_half_length_m + below_foot_m;
}

// What roofs and uneven ground near the line of sight leave of a companion that the ground reflects before the edge,
// over what they leave of the ray: in the plane, and of the wave along the ground.
struct LeftOfCompanion {
  Complex in_plane{1, 0}, along_ground{0, 0};
};

// The edge at which a straight ray from the antenna is diffracted alone, before walls or none.
struct OneEdge {
  bool is_one = false;
  std::uint32_t element = 0;
  bool through_building = false;
};

TESSERAY_HD inline OneEdge only_edge(const EnvironmentView& environment, const InteractionChain& chain) {
  InteractionChain before = chain;
  while (before.length > 0 && environment.points.is_tile(before.last())) before.pop();
  if (before.length != 1 || chain.over_rooftops || chain.is_scattered()) return {};
  return {true, before.last(), before.through_building};
}

// `place`: on the upright edge that sends both the companion and the ray to a number, by walls or without, where
// that meets the companion.
TESSERAY_HD inline LeftOfCompanion left_of_companion_before_edge(const LaunchView& launch, const RayEnding& ending,
                                                                 Vec3 place, std::uint32_t number) {
  const EnvironmentView& environment = launch.environment;
  const OneEdge edge = only_edge(environment, ending.chain);
  if (!edge.is_one || launch.left_along_edges == nullptr) return {};
  const double amplitude = left_along_edge(launch, edge.element, edge.through_building).amplitude;
  const LeftAtKellerPoint left = left_at_edge(launch, edge.element, edge.through_building, ending.source,
                                              environment.points.arrival(number), environment.ground_below(number));
  const Complex of_ray = amplitude * left.factor;
  if (!(squared_norm(of_ray) > 0)) return {{}, {}};
  const Complex by_ground = left_at_edge(launch, edge.element, edge.through_building, place).by_ground;
  return {(1 - left.along_ground) * (by_ground / of_ray), left.reflected / left.factor};
}

// The same of one that the ground reflects behind an upright edge, which meets that at another `place` than the ray.
TESSERAY_HD inline Complex left_of_companion_behind_edge(const LaunchView& launch, const RayEnding& ending, Vec3 place,
                                                         std::uint32_t number) {
  const EnvironmentView& environment = launch.environment;
  const OneEdge edge = only_edge(environment, ending.chain);
  if (!edge.is_one || launch.left_along_edges == nullptr || !stands_on({0, 0, 1}, ending.source.edge_direction) ||
      left_along_edge(launch, edge.element, edge.through_building).count == 0) {
    return {1, 0};
  }
  const Complex of_ray = left_at_edge(launch, edge.element, edge.through_building, ending.source,
                                      environment.points.arrival(number), environment.ground_below(number))
                             .factor;
  if (!(squared_norm(of_ray) > 0)) return {};
  return left_at_edge(launch, edge.element, edge.through_building, place).factor / of_ray;
}

// How far a ray is in step with the direct one, 0 … 1: that itself, what one upright edge diffracts near the boundary
// of its shadow, on either side of that (in the shadow there is no direct ray), and what a wall reflects beside it.
TESSERAY_HD inline double in_step_with_direct_ray(const LaunchView& launch, const RayEnding& ending,
                                                  std::uint32_t number) {
  const TargetPointsView& points = launch.environment.points;
  const InteractionChain& chain = ending.chain;
  if (chain.length == 0) return ending.mechanism == Mechanism::direct ? 1 : 0;
  if (chain.length > 1 || chain.over_rooftops || chain.through_building) return 0;
  const Vec3 target = points.arrival(number);
  if (points.is_tile(chain.last())) {
    if (launch.environment.tiles[chain.last()].kind != SurfaceKind::wall || chain.is_scattered()) return 0;
    const double longer_m = norm(target - ending.source.point) - norm(target - launch.antenna);
    return in_step_before_wall(norm(ending.source.point - launch.antenna) / 2, longer_m, launch.link.wave_number);
  }
  return in_step_past_edge(launch.environment.edge(chain.last()), launch.antenna, leg_to(ending.source, target).from,
                           target, launch.link.wave_number);
}

// Parts of a ray's amplitude join those of the others that are in step with the direct ray, and with its reflection
// alone.
TESSERAY_HD inline void join(const LaunchView& launch, double in_step, double in_step_reflected, ArrivedRay& ray) {
  ray.arrival.coherent = true;
  ray.arrival.in_step = in_step;
  ray.arrival.in_step_reflected = in_step_reflected;
  ray.arrival.amplitude = exp_j(-launch.link.wave_number * ray.length_m) * ray.received;
}

// The straight ray on the last leg.
TESSERAY_HD inline ArrivedRay arrived_straight(const LaunchView& launch, const RayEnding& ending,
                                               std::uint32_t number) {
  const Leg leg = leg_to(ending.source, launch.environment.points.arrival(number));
  return arrived(launch, ending, ending.departure_gain,
                 (leg.amplitude * ending.attenuation.ray) * transported(ending.strength, leg.direction), leg.direction,
                 leg.length_m, number, false);
}

// The companion by a way to the target's image in a plane of the ground tile, of which `left` is left. It comes in
// along `arrival`, after `length_m`.
TESSERAY_HD inline bool find_companion_in_plane(const LaunchView& launch, const RayEnding& ending,
                                                const WayByPlane& way, const Tile& tile, Complex left, Vec3 arrival,
                                                double length_m, std::uint32_t number, ArrivedRay& companion) {
  const Leg& leg = way.leg;
  const Vec3 normal = way.plane.normal;
  const double amplitude = leg.amplitude * ending.attenuation.companion * norm(left);
  if (!(amplitude > 0)) return false;
  const double offset_m = ending.companion_offset_m - std::atan2(left.im, left.re) / launch.link.wave_number;
  const LinkView::Departure sent = sent_to_ground(ending, leg, ReflectedRays{launch});
  const ComplexVec3 incident = amplitude * sent.field;
  const LinkView::Surface& surface = launch.surface(tile);
  // It comes to the ground as it has left the antenna.
  const bool grazes = ending.chain.length == 0 && tile.kind == SurfaceKind::ground;
  const ComplexVec3 reflected = grazes ? reflected_by_grazed_ground(surface, incident, leg.direction, normal)
                                       : specularly_reflected(surface, incident, leg.direction, normal);
  companion = arrived(launch, ending, sent.relative_gain, reflected, arrival, length_m + offset_m, number, true);
  return true;
}

// Whether the plane is a face of the ridge that sends the ray: what that face reflects is in what the ridge diffracts.
TESSERAY_HD inline bool is_face_of_ridge(const EnvironmentView& environment, const RayEnding& ending,
                                         const ReflectingPlane& plane) {
  const InteractionChain& chain = ending.chain;
  if (chain.length == 0 || chain.over_rooftops || !environment.points.is_edge(chain.last())) return false;
  const EdgeSegment& edge = environment.edge(chain.last());
  const Vec3 half = 0.5 * edge.length_m * edge.direction;
  return edge.kind == EdgeKind::terrain && std::fabs(plane.height_of(edge.midpoint - half)) <= in_ground_plane_m &&
         std::fabs(plane.height_of(edge.midpoint + half)) <= in_ground_plane_m;
}

// The companion that the ground reflects before an upright edge: in a plane, or, where the wave runs along the ground,
// what comes to the edge from the ground right before it, as the ray itself goes.
TESSERAY_HD inline bool find_companion_before_edge(const LaunchView& launch, const RayEnding& ending,
                                                   const WayByPlane& way, const Tile& tile, std::uint32_t number,
                                                   ArrivedRay& companion) {
  const Vec3 target = launch.environment.points.arrival(number);
  Leg from_edge;
  if (!find_leg_from_edge_behind_ground(launch, ending, way.plane, target, from_edge)) return false;
  const LeftOfCompanion left = left_of_companion_before_edge(launch, ending, from_edge.from, number);
  const Complex in_plane = left.in_plane, along = left.along_ground;
  const bool is_in_plane = find_companion_in_plane(launch, ending, way, tile, in_plane, from_edge.direction,
                                                   from_edge.length_m, number, companion);
  if (!(squared_norm(along) > 0)) return is_in_plane;
  const ArrivedRay ray = arrived_straight(launch, ending, number);
  if (!is_in_plane) {
    companion = ray;
    companion.is_companion = true;
    companion.received = {};
    companion.phase_direction = companion.arrival.travel_direction = from_edge.direction;
  }
  const double longer_m = ray.length_m - companion.length_m;
  companion.received = companion.received + exp_j(-launch.link.wave_number * longer_m) * (along * ray.received);
  const double alone = ray.arrival.path_gain;
  companion.arrival.path_gain = squared_norm(companion.received);
  companion.arrival.basic_gain = alone > 0 ? ray.arrival.basic_gain * companion.arrival.path_gain / alone : 0.0;
  return true;
}

}  // namespace ray_ending_detail

// The ray once more, reflected at a ground tile's plane, so that it seems to end at the target's image: its companion.
// False where the tile does not face it, or has nothing to reflect, and where nothing may be reflected at all: else it
// comes beyond the limits, too. REQUIRES: the ray is not scattered.
TESSERAY_HD inline bool find_companion(const LaunchView& launch, const RayEnding& ending, std::uint32_t ground,
                                       std::uint32_t number, ArrivedRay& companion) {
  using namespace ray_ending_detail;
  if (!launch.limits.may_reflect(0, 0)) return false;
  const Tile& tile = launch.environment.tiles[ground];
  const Vec3 target = launch.environment.points.arrival(number);
  const ReflectingPlane plane = reflecting_plane(launch.environment, ending, ground, target);
  if (is_face_of_ridge(launch.environment, ending, plane)) return false;
  WayByPlane way;
  if (!find_way_by_plane(launch.environment, ending.chain, ending.source, plane, target, way)) return false;
  const Vec3 from = place_above_plane(launch.environment.points, ending.chain, ending.source, way.leg);
  if (way.plane.height_of(from) < -in_ground_plane_m) {
    return find_companion_before_edge(launch, ending, way, tile, number, companion);
  }
  const Vec3 arrival = mirrored(way.leg.direction, way.plane.normal);
  const Complex left = left_of_companion_behind_edge(launch, ending, way.leg.from, number);
  if (!find_companion_in_plane(launch, ending, way, tile, left, arrival, way.leg.length_m, number, companion)) {
    return false;
  }
  if (ending.ground_place != nullptr) companion.arrival.travel_direction = normalized(target - *ending.ground_place);
  return true;
}

namespace ray_ending_detail {

// A ray and its companion, reflected at a ground tile, in the local mean.
struct RayWithCompanion {
  double in_step = 0;       // 0 … 1
  Complex companion{0, 0};  // as the receiver takes it, with its phase against the ray's
  double interference = 0;  // what both bring beyond the sum of their powers
};

TESSERAY_HD inline RayWithCompanion with_companion_in_step(const LaunchView& launch, const RayEnding& ending,
                                                           const Tile& ground, const ArrivedRay& ray,
                                                           const ArrivedRay& companion) {
  const double wave_number = launch.link.wave_number;
  const double by_direction = coherence(ray.phase_direction, companion.phase_direction, ground.normal, wave_number);
  // Most bounced rays are out of step: of these the phases are not worked out.
  if (!(by_direction > 0) && !(ending.along_ground.share > 0)) return {};
  const Complex reflected = exp_j(-wave_number * (companion.length_m - ray.length_m)) * companion.received;
  return {in_step(by_direction, ending.along_ground), reflected,
          interference(ray.received, reflected, by_direction, ending.along_ground)};
}

}  // namespace ray_ending_detail

// What the companion that a ground tile reflects to a target brings to the local mean there beside the ray; and itself,
// of a ray that is in step with the direct one.
struct BroughtByCompanion {
  double power = 0;
  ReflectionInStep reflection;
};

TESSERAY_HD inline BroughtByCompanion brought_by_companion(const LaunchView& launch, const RayEnding& ending,
                                                           const ArrivedRay& ray, std::uint32_t ground,
                                                           std::uint32_t number) {
  ArrivedRay companion;
  if (!find_companion(launch, ending, ground, number, companion)) return {};
  const ray_ending_detail::RayWithCompanion both =
      ray_ending_detail::with_companion_in_step(launch, ending, launch.environment.tiles[ground], ray, companion);
  BroughtByCompanion brought{companion.arrival.path_gain + both.interference, {}};
  if (ray.in_step > 0) {
    const Complex phased = exp_j(-launch.link.wave_number * companion.length_m) * companion.received;
    brought.reflection = {phased, both.in_step};
  }
  return brought;
}

// Whether a ray that is as long as the limits allow would be followed once more by way of the ground without them.
TESSERAY_HD inline bool lacks_ground_reflection(const LaunchView& launch, const InteractionChain& chain) {
  if (!launch.limits.may_reflect(0, 0) || last_ground(launch.environment, chain) != no_index) return false;
  if (chain.over_rooftops && chain.length > 0) return true;
  int reflections = 0, diffractions = chain.over_rooftops ? 1 : 0;
  for (std::size_t i = 0; i < chain.length; ++i) {
    ++(launch.environment.points.is_tile(chain.elements[i]) ? reflections : diffractions);
  }
  return !launch.limits.may_reflect(reflections, diffractions);
}

namespace ray_ending_detail {

// At a receiver ground reflections are rays of their own, within the limits. The longest rays would be the only ones
// without; so each brings what it has together with its own, as at tiles.
TESSERAY_HD inline BroughtByCompanion beyond_limits(const LaunchView& launch, const RayEnding& ending,
                                                    const ArrivedRay& ray, std::uint32_t number) {
  const EnvironmentView& environment = launch.environment;
  const std::uint32_t ground = environment.ground_below(number);
  if (ground == no_index || !lacks_ground_reflection(launch, ending.chain)) return {};
  return brought_by_companion(launch, ending, ray, ground, number);
}

// A ray and its companion at a ground tile, of which both join the others where the ray is in step with the direct one:
// what of the companion is in step with the ray, and the rest with other reflections.
TESSERAY_HD inline void bring_together(const LaunchView& launch, const RayEnding& ending, const Tile& ground,
                                       double with_direct, const ArrivedRay& ray, ArrivedRay& companion) {
  const RayWithCompanion both = with_companion_in_step(launch, ending, ground, ray, companion);
  companion.arrival.interference = both.interference;
  if (!(with_direct > 0)) return;
  companion.arrival.interference -=
      with_direct * with_direct * interference(ray.received, both.companion, both.in_step);
  join(launch, with_direct * both.in_step, with_direct * out_of_step(both.in_step), companion);
}

}  // namespace ray_ending_detail

// Calls add(ArrivedRay) for the ray at a target, and for its companion. REQUIRES: the ray is not scattered.
template <class Add>
TESSERAY_HD void arrive(const LaunchView& launch, const RayEnding& ending, std::uint32_t number, const Add& add) {
  const TargetPointsView& points = launch.environment.points;
  ArrivedRay ray = ray_ending_detail::arrived_straight(launch, ending, number);
  // It stands for the straight ray.
  if (comes_along_ground(ending)) ray.arrival.travel_direction = normalized(points.arrival(number) - launch.antenna);
  const bool pairs = launch.summation == Summation::local_mean && !ray.arrival.coherent;
  const double with_direct = pairs ? ray_ending_detail::in_step_with_direct_ray(launch, ending, number) : 0;
  if (pairs && points.is_receiver(number)) {
    ray.in_step = with_direct;
    const BroughtByCompanion brought = ray_ending_detail::beyond_limits(launch, ending, ray, number);
    ray.arrival.interference = brought.power;
    ray.reflection = brought.reflection;
  } else if (with_direct > 0) {
    ray_ending_detail::join(launch, with_direct, 0, ray);
  }
  add(ray);
  if (!points.is_tile(number) || !points.is_ground(number)) return;
  ArrivedRay companion;
  if (!find_companion(launch, ending, number, number, companion)) return;
  if (pairs) {
    ray_ending_detail::bring_together(launch, ending, launch.environment.tiles[number], with_direct, ray, companion);
  }
  add(companion);
}

}  // namespace tesseray
