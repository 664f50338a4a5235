// SPDX-License-Identifier: GPL-3.0-or-later
// What a tube does where it hits: the rays that a tile reflects and an edge segment diffracts, inline for host and
// device. docs/propagation-cost.md says how hits are found.
//
// `Rays` is whose rays they are: the CPU's launch (bounce.cpp) or a batch of tubes (cuda/bounce_batch.h). It has
//   const LaunchView& view() const;
//   LinkView::Departure departure(chain, direction) const;       what leaves the transmitter, or the scattering tile
//   ComplexVec3 reflected(chain, incident, incidence, tile) const;
//   double vegetation_between(element, number) const;            factor of the amplitude
//   bool may_go_on(chain, element, reflections, diffractions) const;
//   void arrive(RayEnding, number);
//   Tube& new_child();                                           a new tube, as Tube() makes it
#pragma once

#include <cmath>

#include "core/propagation/rays/pruning.h"
#include "core/propagation/tubes/any_order.h"
#include "core/propagation/tubes/draws_past_edge.h"
#include "core/propagation/tubes/edge_image.h"
#include "core/propagation/tubes/left_near_edge.h"
#include "core/propagation/tubes/past_corners.h"
#include "core/propagation/tubes/ray_ending.h"
#include "core/propagation/tubes/reflected_along.h"
#include "core/propagation/tubes/tube_at_edge.h"

namespace tesseray {

// What a tube leaves an element with: the ray's state after its last interaction.
struct Outgoing {
  const VirtualSource& source;
  const ComplexVec3& strength;
  double departure_gain;
  const InteractionChain& chain;
  int reflections, diffractions;
  double attenuation;  // factor of the amplitude on all legs, the next one included; not in `strength`
  // Elsewhere on the next element strength² may be as much, where the pattern changes from end to end of it.
  double greatest_squared_strength = 0;
  double stands_for = 1;  // Tube::stands_for
};

namespace bounced_rays_detail {

// Sources nearer than this to a tile's plane graze it, as an edge does its own faces, and are not reflected.
inline constexpr double least_height_m = 1e-3;
// An edge segment that the last source sees under more than this angle has its incident field evaluated at each Keller
// point, rad.
inline constexpr double wide_segment = 0.1;
// A diffracted ray this near to the vertical plane, as seen from its nearer end, goes the way of the ray over the
// roofs: the tangent of 15°.
inline constexpr double near_plane = 0.26794919243112270647;

// True when the field of a tube at an edge segment must be known point by point, which is possible before the first
// diffraction: straight from the antenna, where it costs least, from images that are near, and to receivers, at which
// pairs of rays may cancel. Elsewhere the field of the midpoint, turned, serves.
TESSERAY_HD inline bool differs_along(const Tube& tube, double edge_length_m, bool to_receiver) {
  if (tube.diffractions > 0) return false;
  return tube.reflections == 0 || to_receiver || edge_length_m > wide_segment * tube.length_m;
}

// L for a wave with two radii of curvature at the edge (docs/physics.md §5.2, the general form): rho_e the incident
// wavefront's radius in the plane of ray and edge, s from edge to observer; m.
TESSERAY_HD inline double general_distance_parameter_m(double rho_e, double radius_1, double radius_2, double s,
                                                       double sin_beta) {
  return s * (rho_e + s) * radius_1 * radius_2 * sin_beta * sin_beta / (rho_e * (radius_1 + s) * (radius_2 + s));
}

}  // namespace bounced_rays_detail

// Whether a ray with so many interactions may do anything at an element, as far as the limits go.
TESSERAY_HD inline bool may_do_anything(const LaunchView& launch, std::uint32_t element, int reflections,
                                        int diffractions) {
  if (launch.environment.points.is_edge(element)) return launch.limits.may_diffract(reflections, diffractions);
  return launch.limits.may_reflect(reflections, diffractions) || launch.limits.may_scatter(reflections, diffractions);
}

// Adds the tube that goes on to `element`, unless it is too weak or may do nothing there.
template <class Rays>
TESSERAY_HD void go_on(const Outgoing& outgoing, std::uint32_t element, Rays& rays) {
  if (!rays.may_go_on(outgoing.chain, element, outgoing.reflections, outgoing.diffractions)) return;
  const LaunchView& launch = rays.view();
  const Leg leg = leg_to(outgoing.source, launch.environment.points.reference(element));
  const double squared_strength = std::max(squared_norm(outgoing.strength), outgoing.greatest_squared_strength);
  const double own_gain = launch.link.unit_gain * squared_strength * leg.amplitude * leg.amplitude *
                          (outgoing.attenuation * outgoing.attenuation);
  if (own_gain < launch.link.least_gain) return;
  double path_gain = outgoing.stands_for * own_gain, stands_for = outgoing.stands_for;
  if (launch.roulette_gain != nullptr) {
    const auto certain = static_cast<double>(launch.roulette_gain[element]);
    if (path_gain < certain) {
      const double probability = path_gain / certain;
      if (hashed_fraction(outgoing.chain.seed_to(element)) >= probability) return;
      stands_for /= probability;
      path_gain = certain;
    }
  }

  Tube& child = rays.new_child();
  child.source = outgoing.source;
  child.strength = transported(outgoing.strength, leg.direction);
  child.direction = leg.direction;
  child.path_gain = path_gain;
  child.length_m = leg.length_m;
  child.attenuation = outgoing.attenuation;
  child.departure_gain = static_cast<float>(outgoing.departure_gain);
  child.stands_for = static_cast<float>(stands_for);
  child.element = element;
  child.reflections = static_cast<std::uint8_t>(outgoing.reflections);
  child.diffractions = static_cast<std::uint8_t>(outgoing.diffractions);
  child.chain = outgoing.chain;
  if (launch.environment.points.is_edge(element)) {
    const EdgeSegment& edge = launch.environment.edge(element);
    const WaveAtEdge wave = wave_at_edge(outgoing.source, leg, edge.midpoint, edge.direction);
    child.source = wave.source;
    child.strength = wave.strength_factor * child.strength;
    child.radius_1_m = wave.radius_1_m;
    child.radius_2_m = wave.radius_2_m;
  }
}

// What the last edge of a tube's chain, from which it has come to its tile, sends to `target`, a point of a number, if
// the tile were not there. The tube's strength is that of the ray to the tile's middle, and near a shadow boundary what
// an edge sends changes much across one tile. Zero into the solid. What comes to a second edge is taken to be as it is
// for the tube's own ray; the distance parameter is that of one edge, for how the wave curves that another has sent is
// not known any more. REQUIRES: that last place is an edge.
template <class Rays>
TESSERAY_HD LinkView::Departure sent_by_edge(const Tube& tube, Vec3 target, std::uint32_t number, const Rays& rays) {
  const LaunchView& launch = rays.view();
  const EnvironmentView& environment = launch.environment;
  const std::uint32_t edge_element = tube.chain.last();
  InteractionChain before = tube.chain;
  before.pop();
  const EdgeSegment& edge = environment.edge(edge_element);
  const Vec3 source = tube.source.point;
  const LitEdge lit(launch, launch.wedge_of(edge), edge_element, before, source);
  const EdgeIncidence at_edge(lit.wedge, edge, lit.source);
  const double wave_number = launch.link.wave_number;
  const Leg leg = leg_to(tube.source, target);
  const RayOverEdge ray(at_edge, lit, source, leg, wave_number);
  LinkView::Departure departure{{}, static_cast<double>(tube.departure_gain)};
  if (tube.diffractions == 1) {
    departure = reflected_along(before, ray.k_i, rays);
    departure.field =
        left_near_edge(launch, before, edge_element, tube.source, target, number).factor * departure.field;
  } else {
    // Where diffract() has evaluated it.
    const Vec3 tile = environment.points.onward(tube.element);
    const EdgeIncidence to_tile(absorbing_along(lit.wedge, edge, tile - edge.midpoint), edge, lit.source);
    const RayOverEdge known(to_tile, lit, source, leg_to(tube.source, tile), wave_number);
    departure.field = transported(known.incident(transported(tube.strength, known.k_d), wave_number), ray.k_i);
  }
  departure.field = ray.diffracted(departure.field, wave_number);
  return departure;
}

// True for a tube that nothing has bounced since it came over the roofs.
TESSERAY_HD inline bool comes_straight_over_roofs(const Tube& tube) {
  return tube.chain.over_rooftops && tube.chain.length == 0;
}

// What the members of a tile's row are asked with for the rays of one tube; false when it lights nothing by way of the
// tile.
TESSERAY_HD inline bool reflection_bounds(const LaunchView& launch, const Tube& tube, const Tile& tile,
                                          const TileFrame& frame, IntervalBounds& bounds) {
  const VirtualSource& source = tube.source;
  constexpr double least_height_m = bounced_rays_detail::least_height_m;
  if (!source.is_edge()) {
    const Vec3 point = frame.coordinates(source.point);
    if (point.z < least_height_m) return false;
    bounds = tile_bounds(point);
    return true;
  }
  const LitPart part =
      comes_straight_over_roofs(tube) ? lit_part_in_planes(source, launch.antenna, tile) : lit_part(source, tile);
  if (part.empty()) return false;
  const Vec3 one_end = frame.coordinates(source.edge_midpoint + part.low * source.edge_direction);
  const Vec3 other_end = frame.coordinates(source.edge_midpoint + part.high * source.edge_direction);
  if (std::max(one_end.z, other_end.z) < least_height_m) return false;
  bounds = tile_bounds(one_end, other_end);
  return true;
}

// The point of a row member that a reflection is about: where it arrives, else from where it goes on.
TESSERAY_HD inline Vec3 reflection_target(const TargetPointsView& points, std::uint32_t target) {
  const std::uint32_t number = target & RowTarget::number_mask;
  return (target & RowTarget::arrives) != 0 ? points.arrival(number) : points.reference(number);
}

// A tube's source, mirrored, where it is an edge.
TESSERAY_HD inline EdgeImage edge_image(const LaunchView& launch, const Tube& tube, const VirtualSource& image,
                                        const Tile& tile, const TileFrame& frame) {
  if (!comes_straight_over_roofs(tube)) return {image, frame};
  return {image, frame, mirrored(launch.antenna, tile.centroid, tile.normal), mirrored(Vec3{0, 0, 1}, tile.normal)};
}

// Whether the wave of an edge's image reaches a target that the interval search found.
TESSERAY_HD inline bool reaches(const EdgeImage& image, const TargetPointsView& points, std::uint32_t target) {
  return image.reaches(reflection_target(points, target), bounced_rays_detail::least_height_m);
}

// True when the direct ray to a number has with it what the ground reflects (`as`: with_ground_as_…).
TESSERAY_HD inline bool is_with_direct(const LaunchView& launch, const Tube& tube, const Tile& tile,
                                       std::uint32_t number, std::uint8_t as) {
  return tube.interactions() == 0 && !tube.chain.through_building && tile.kind == SurfaceKind::ground &&
         launch.reached_over_rooftops != nullptr && (launch.reached_over_rooftops[number] & as) != 0;
}

// True when a point lies between the antenna and a target in the plan: nothing behind either stands in the way from the
// one to the other.
TESSERAY_HD inline bool lies_between_ends(const LaunchView& launch, Vec3 point, Vec3 target) {
  const Vec2 way = target.xy() - launch.antenna.xy();
  const double along = dot(way, point.xy() - launch.antenna.xy());
  return along > 0 && along < dot(way, way);
}

// The same, and in the vertical plane through both, or nearly so.
TESSERAY_HD inline bool lies_between(const LaunchView& launch, Vec3 point, Vec3 target) {
  if (!lies_between_ends(launch, point, target)) return false;
  const Vec2 from = launch.antenna.xy(), way = target.xy() - from, there = point.xy() - from;
  const double nearer_end_m = std::min(norm(there), norm(point.xy() - target.xy()));
  return std::fabs(cross(way, there)) <= bounced_rays_detail::near_plane * nearer_end_m * norm(way);
}

// True when the ground below a receiver has reflected there what a ground tile before it would, of a ray over the
// roofs or through a building.
TESSERAY_HD inline bool is_reflected_below(const LaunchView& launch, const Tube& tube, const Tile& tile,
                                           const Leg& from_image, std::uint32_t number) {
  const std::uint8_t as = tube.chain.over_rooftops      ? with_ground_below
                          : tube.chain.through_building ? with_ground_through_building
                                                        : 0;
  if (launch.reached_over_rooftops == nullptr || (launch.reached_over_rooftops[number] & as) == 0 ||
      tube.chain.length != 0 || tile.kind != SurfaceKind::ground) {
    return false;
  }
  const TargetPointsView& points = launch.environment.points;
  if (tube.element == launch.environment.receiver_grounds[number - points.element_count()]) return true;
  const Vec3 target = points.arrival(number), way = from_image.direction;
  const Vec3 place = target - (dot(target - tile.centroid, tile.normal) / dot(way, tile.normal)) * way;
  return lies_between(launch, place, target);
}

// Where the ray from a source to a target crosses a tile's plane.
TESSERAY_HD inline Vec3 crossing(const Leg& leg, const Tile& tile) {
  const double to_plane_m = dot(tile.centroid - leg.from, tile.normal) / dot(leg.direction, tile.normal);
  return leg.from + to_plane_m * leg.direction;
}

// True when a place lies behind the tile that is to reflect a ray there, but for rounding.
TESSERAY_HD inline bool lies_behind(Vec3 place, const Tile& tile) {
  constexpr double in_plane_m = 1e-3;
  return dot(place - tile.centroid, tile.normal) < -in_plane_m;
}

// True when a tube's ray to a place of its element meets each surface or edge in front of the tile that reflects it
// there: tubes are found by the middles of elements, and to another place the ray may cross a tile's plane behind it.
// Where that stands for a ray of the other order, which the middles may have missed, it is none the less right; at
// receivers and over the ground that one is asked for (ray_legs.h).
TESSERAY_HD inline bool comes_from_front(const LaunchView& launch, const Tube& tube, Vec3 place) {
  const EnvironmentView& environment = launch.environment;
  const InteractionChain& chain = tube.chain;
  VirtualSource source = tube.source;
  std::uint32_t next = tube.element;
  for (std::size_t i = chain.length; i-- > 0;) {
    const std::uint32_t element = chain.elements[i];
    if (!environment.points.is_tile(element)) return true;
    const Tile& tile = environment.tiles[element];
    if (lies_behind(place, tile) && !has_any_order(environment, tile, next)) return false;
    if (i == 0) return true;
    place = crossing(leg_to(source, place), tile);
    source = mirrored(source, tile.centroid, tile.normal);
    next = element;
  }
  return true;
}

// One hit: a tube that a tile reflects to a target. `image`: the tube's source, mirrored.
template <class Rays>
TESSERAY_HD void reflect(const Tube& tube, const Tile& tile, const VirtualSource& image, std::uint32_t target,
                         Rays& rays) {
  const std::uint32_t number = target & RowTarget::number_mask;
  const bool over_rooftops = tube.chain.over_rooftops;
  const TargetPointsView& points = rays.view().environment.points;
  const Leg leg = leg_to(image, reflection_target(points, target));
  if (!comes_from_front(rays.view(), tube, crossing(leg, tile))) return;
  const double vegetation = tube.attenuation * rays.vegetation_between(tube.element, number);
  const auto stands_for = static_cast<double>(tube.stands_for);
  InteractionChain chain = tube.chain;
  chain.push(tube.element);
  const LaunchView& launch = rays.view();
  const bool arrives = (target & RowTarget::arrives) != 0 && chain.may_arrive() &&
                       !comes_as_companion(launch.environment, tube.chain, number) &&
                       !is_reflected_below(launch, tube, tile, leg, number) &&
                       !is_with_direct(launch, tube, tile, number, with_ground_as_target);
  const bool goes_on = (target & RowTarget::goes_on) != 0 && !over_rooftops &&
                       !is_with_direct(launch, tube, tile, number, with_ground_as_element);
  LinkView::Departure departure{{}, static_cast<double>(tube.departure_gain)};
  if (tube.diffractions == 0) {
    // Free of the rounding to centroids: the planes and the last direction say all of the ray.
    departure = reflected_along(chain, leg.direction, rays);
  } else {
    const Vec3 incidence = mirrored(leg.direction, tile.normal);
    const bool is_from_edge = tube.chain.length > 0 && points.is_edge(tube.chain.last());
    if (is_from_edge) {
      departure =
          sent_by_edge(tube, mirrored(reflection_target(points, target), tile.centroid, tile.normal), number, rays);
    } else {
      departure.field = transported(tube.strength, incidence);
    }
    if (!(squared_norm(departure.field) > 0)) return;
    departure.field = rays.reflected(chain, departure.field, incidence, tile);
  }
  if (arrives) {
    const Mechanism mechanism = over_rooftops           ? Mechanism::over_rooftop
                                : tube.diffractions > 0 ? Mechanism::diffraction
                                                        : Mechanism::reflection;
    const bool ground_reflection =
        tube.interactions() == 0 && !tube.chain.through_building && tile.kind == SurfaceKind::ground;
    ComplexVec3 field = ground_reflection ? direct_ray_reflected_along(leg.direction, tile, launch) : departure.field;
    if (ground_reflection && launch.past_corners != nullptr) field = launch.past_corners[number].factor() * field;
    const double left = vegetation * left_beside_past_corners(launch, chain, image, number);
    rays.arrive(standing_for(stands_for, RayEnding{image, field, mechanism, departure.relative_gain, chain,
                                                   ground_reflection, VegetationAtTarget{left, left}}),
                number);
  }
  if (goes_on) {
    go_on(standing_for(stands_for, Outgoing{image, departure.field, departure.relative_gain, chain,
                                            tube.reflections + 1, tube.diffractions, vegetation}),
          number, rays);
  }
}

// True when the vertical plane between the antenna and a target meets the line of an edge segment, where the edge goes
// on as far: above the straight way, or, of what that passes in sight, anywhere.
TESSERAY_HD inline bool stands_between(const LaunchView& launch, std::uint32_t edge_element, Vec3 target,
                                       bool in_sight) {
  const EnvironmentView& environment = launch.environment;
  const Vec3 along = environment.edge(edge_element).direction;
  const EdgeRun& run = environment.edge_runs[edge_element - environment.points.tile_count];
  const Vec2 way = target.xy() - launch.antenna.xy(), to_run = run.midpoint.xy() - launch.antenna.xy();
  const double across = cross(way, along.xy());
  const double part = cross(to_run, along.xy()) / across, place = cross(to_run, way) / across;
  // In parallel planes neither is a number, or both are infinite.
  const bool meets = place >= -run.half_length_m - run.before_m && place <= run.half_length_m + run.after_m;
  if (!(part > 0 && part < 1 && meets)) return false;
  if (in_sight) return true;
  return run.midpoint.z + place * along.z > launch.antenna.z + part * (target.z - launch.antenna.z);
}

// True when a chain of edges, from its element `first` on, meets those before its last between the antenna and a
// target: each where its Keller point is for the way straight from the antenna to that of the next.
TESSERAY_HD inline bool comes_by_edges_between(const LaunchView& launch, const InteractionChain& chain,
                                               std::size_t first, Vec3 keller_point_of_last, Vec3 target) {
  const EnvironmentView& environment = launch.environment;
  Vec3 next = keller_point_of_last;
  for (std::size_t i = chain.length - std::size_t{1}; i-- > first;) {
    const Vec3 along = environment.edge(chain.elements[i]).direction;
    const EdgeRun& run = environment.edge_runs[chain.elements[i] - environment.points.tile_count];
    const double place = keller_point(launch.antenna, next, run.midpoint, along);
    next = run.midpoint + std::max(-run.half_length_m, std::min(place, run.half_length_m)) * along;
    if (!lies_between_ends(launch, next, target)) return false;
  }
  return true;
}

// True when a ray over the roofs or past them, which may have the ground before them with it, stands for one that the
// chain diffracts, last at this point, to a target or an element (`as`: lit_as_…). Over or past one edge alone
// (over_one_edge_as_…) both go the same way, however far from the plane the Keller point lies where the plane meets the
// edge at an angle. What has come through a building goes another way.
TESSERAY_HD inline bool is_over_rooftops(const LaunchView& launch, const InteractionChain& chain, Vec3 keller_point,
                                         std::uint32_t number, std::uint8_t as) {
  if (launch.reached_over_rooftops == nullptr || (launch.reached_over_rooftops[number] & as) == 0) return false;
  if (chain.through_building) return false;
  const TargetPointsView& points = launch.environment.points;
  const std::uint32_t begin = chain.elements[0];
  const std::uint8_t comes_by_ground = as == lit_as_target ? by_ground_as_target : by_ground_as_element;
  const bool has_ground =
      launch.is_antenna_over_ground || (launch.reached_over_rooftops[number] & comes_by_ground) != 0;
  const bool by_ground = has_ground && !chain.is_scattered() && points.is_tile(begin) && points.is_ground(begin);
  const std::size_t first_edge = by_ground ? 1 : 0;
  for (std::size_t i = first_edge; i < chain.length; ++i) {
    const std::uint32_t element = chain.elements[i];
    if (!points.is_edge(element) || launch.environment.edge(element).kind == EdgeKind::corner) return false;
  }
  const Vec3 target = as == lit_as_target ? points.arrival(number) : points.onward(number);
  if (lies_between(launch, keller_point, target)) {
    return comes_by_edges_between(launch, chain, first_edge, keller_point, target);
  }
  const std::uint16_t past = as == lit_as_target ? past_one_edge_as_target : past_one_edge_as_element;
  const bool is_past = (launch.reached_over_rooftops[number] & past) != 0;
  const std::uint16_t over = as == lit_as_target ? over_one_edge_as_target : over_one_edge_as_element;
  const bool is_over = (launch.reached_over_rooftops[number] & over) != 0;
  return chain.length == first_edge + 1 && (is_over || is_past) &&
         stands_between(launch, chain.last(), target, is_past);
}

namespace bounced_rays_detail {

// `incidence`: that of the tube, or another for a target along a face that absorbs. `onwards`: of the edge and the
// target, to which `leg` leads.
template <class Rays>
TESSERAY_HD void diffract(const TubeAtEdge& at_edge, const EdgeIncidence& incidence, CommonFace onwards, const Leg& leg,
                          std::uint32_t target, Rays& rays) {
  const Tube& tube = at_edge.tube;
  const InteractionChain& chain = at_edge.chain;
  const LaunchView& launch = rays.view();
  const std::uint32_t number = target & RowTarget::number_mask;
  const Vec3 point = target_past_edge(launch.environment.points, target);
  if (!(leg.rho_m > 0) || !comes_from_front(launch, tube, leg.from)) return;
  const bool arrives = (target & RowTarget::arrives) != 0 && chain.may_arrive() &&
                       !comes_as_companion(launch.environment, chain, number) &&
                       !is_over_rooftops(launch, chain, leg.from, number, lit_as_target);
  const bool goes_on =
      (target & RowTarget::goes_on) != 0 && !is_over_rooftops(launch, chain, leg.from, number, lit_as_element);
  if (!arrives && !goes_on) return;
  auto stands_for = static_cast<double>(tube.stands_for);
  if (!is_drawn(launch, tube, incidence, leg, chain, number, stands_for)) return;
  const double wave_number = launch.link.wave_number;
  RayOverEdge ray(incidence, at_edge.lit, tube.source.point, leg, wave_number);
  if (onwards.is_one) ray.to = leaving_along(onwards, ray.incidence.sin_beta, wave_number);
  if (tube.radius_1_m != tube.radius_2_m) {
    const double distance_m = general_distance_parameter_m(leg.rho_m, tube.radius_1_m, tube.radius_2_m, leg.distance_m,
                                                           ray.incidence.sin_beta);
    ray.distances = {distance_m, distance_m, distance_m};
  }
  LinkView::Departure incident =
      differs_along(tube, at_edge.edge.length_m, launch.environment.points.is_receiver(number))
          ? reflected_along(tube.chain, ray.k_i, rays)
          : LinkView::Departure{transported(tube.strength, ray.k_i), static_cast<double>(tube.departure_gain)};
  const LeftAtKellerPoint left = left_near_edge(launch, tube.chain, tube.element, at_edge.source, point, number);
  incident.field = left.factor * incident.field;
  const ComplexVec3 diffracted = ray.diffracted(incident.field, wave_number);
  if (!(squared_norm(diffracted) > 0)) return;
  const double vegetation = tube.attenuation * rays.vegetation_between(tube.element, number);
  if (arrives) {
    const double left_over = vegetation * left_beside_past_corners(launch, chain, at_edge.source, number);
    rays.arrive(
        standing_for(stands_for, RayEnding{at_edge.source, diffracted, Mechanism::diffraction, incident.relative_gain,
                                           chain, false, VegetationAtTarget{left_over, left_over}}),
        number);
  }
  if (goes_on) {
    go_on(standing_for(stands_for, Outgoing{at_edge.source, diffracted, incident.relative_gain, chain, tube.reflections,
                                            tube.diffractions + 1, vegetation}),
          number, rays);
  }
}

}  // namespace bounced_rays_detail

// One hit: a tube that an edge segment diffracts to a target. REQUIRES: at_edge.incidence.in_air().
template <class Rays>
TESSERAY_HD void diffract(const TubeAtEdge& at_edge, std::uint32_t target, Rays& rays) {
  const Tube& tube = at_edge.tube;
  const TargetPointsView& points = rays.view().environment.points;
  const std::uint32_t number = target & RowTarget::number_mask;
  const bool arrives = (target & RowTarget::arrives) != 0 && at_edge.chain.may_arrive();
  if (!arrives && !rays.may_go_on(at_edge.chain, number, tube.reflections, tube.diffractions + 1)) return;
  const Vec3 point = target_past_edge(points, target), way = point - at_edge.edge.midpoint;
  const Leg leg = leg_to(at_edge.source, point);
  CommonFace onwards;
  if (points.is_edge(number)) {
    onwards =
        common_face(rays.view(), at_edge.edge, rays.view().environment.edge(number), leg.direction, leg.distance_m);
  }
  if (!onwards.is_one && !points.is_receiver(number) && runs_along_a_face(way, at_edge.edge)) {
    const EdgeIncidence along(absorbing_along(at_edge.lit.wedge, at_edge.edge, way), at_edge.edge, at_edge.lit.source);
    bounced_rays_detail::diffract(at_edge, along, onwards, leg, target, rays);
    return;
  }
  bounced_rays_detail::diffract(at_edge, at_edge.incidence, onwards, leg, target, rays);
}

}  // namespace tesseray
