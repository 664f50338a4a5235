// SPDX-License-Identifier: GPL-3.0-or-later
// What the ground about receivers and walls reflects of the rays that arrive there.
#include <algorithm>
#include <cmath>
#include <optional>

#include "core/propagation/launching/launch.h"
#include "core/propagation/launching/launch_arrivals.h"
#include "core/propagation/rooftops/rooftop_line.h"
#include "core/propagation/rows/point_intervals.h"

namespace tesseray {

bool LaunchArrivals::is_reflected_below(const RayEnding& ending, std::uint32_t ground) const {
  return ground != no_index && ending.chain.length > 0 && !ending.chain.is_scattered() &&
         view_.limits.may_reflect(0, 0) && !lacks_ground_reflection(view_, ending.chain);
}

bool LaunchArrivals::is_of_ground_around(const InteractionChain& chain) const {
  return !environment_.over_rooftops.is_ground_level() && comes_from_upright(view_.environment, chain);
}

bool LaunchArrivals::is_reflected_around(const RayEnding& ending, std::uint32_t number) const {
  return view_.summation == Summation::local_mean && ending.stands_for == 1 && is_of_ground_around(ending.chain) &&
         is_reflected_below(ending, setting_.receiver_ground(number)) &&
         last_ground(view_.environment, ending.chain) == no_index;
}

bool LaunchArrivals::comes_with_another(const RayEnding& ending, const ArrivedRay& ray, std::uint32_t number) const {
  if (!environment_.points.is_receiver(number) || view_.summation != Summation::local_mean) return false;
  const InteractionChain& chain = ending.chain;
  if (chain.length < 2 || chain.is_scattered()) return false;
  const std::uint32_t ground = setting_.receiver_ground(number);
  if (ground == no_index || !is_companion(view_.environment, chain, ground)) return false;
  if (ray.arrival.stands_for != 1) return true;
  return !ray.is_companion && is_of_ground_around(chain);
}

RayByGround LaunchArrivals::as_ray_by_ground(const RayEnding& ending, std::uint32_t number) const {
  // Such tiles are as steep as the one below within 2° (is_companion()), and that as the ground around, about as much.
  constexpr double tilts = 0.07, rounding_m = 0.1;
  const std::uint32_t ground = setting_.receiver_ground(number);
  const Vec3 normal = view_.environment.normals_around[ground];
  const std::uint32_t tile = last_ground(view_.environment, ending.chain);
  const Tile& reflecting = environment_.tiling.tiles[tile];
  const VirtualSource& source = ending.source;
  const Vec3 from = leg_to(source, environment_.points.arrival(number)).from;
  // Mirrored in a plane, it is moved in the plan by twice its height and how far that falls. An edge behind the ground
  // stays where it is.
  const double height_m = std::fabs(dot(from - environment_.tiling.tiles[ground].centroid, normal));
  const double moved_m = 2 * height_m * (norm(normal.xy()) / normal.z + tilts);
  std::size_t last = ending.chain.length;
  while (ending.chain.elements[last - 1] != tile && environment_.points.is_tile(ending.chain.elements[last - 1]))
    --last;
  const bool is_mirrored = ending.chain.elements[last - 1] == tile;
  const bool is_along = source.is_edge() && !stands_on({0, 0, 1}, source.edge_direction);
  const Vec2 along = source.edge_direction.xy();
  return {.receiver = number - environment_.points.element_count(),
          .way = way_of(ending.chain),
          .from = from.xy(),
          .edge_direction = is_along ? (1 / norm(along)) * along : Vec2{},
          .within_m = is_mirrored ? rounding_m + moved_m : rounding_m,
          .tilt = 1 - dot(reflecting.normal, normal),
          .held = HeldRay(ending, number)};
}

void LaunchArrivals::arrive_by_ground_alone() {
  std::vector<const RaysByGround*> by_ground;
  std::vector<const PairableRays*> arrived;
  for (const ThreadArrivals& state : threads_) {
    by_ground.push_back(&state.by_ground);
    arrived.push_back(&state.pairable);
  }
  // Of a ray that chance has left out the draws that take it bring the reflection, too.
  const bool draws = draws_by_chance(environment_.options, environment_.points);
  ThreadArrivals& state = threads_.local();
  for (const RayByGround* ray : not_brought(by_ground, arrived)) {
    const HeldRay& held = ray->held;
    const RayEnding ending = held.ending();
    if (draws && ray_legs_.is_free_without(last_ground(view_.environment, ending.chain), ending, held.number)) continue;
    tesseray::arrive(view_, ending, held.number,
                     [&](const ArrivedRay& alone) { add_arrived(ending, alone, held.number, state); });
  }
}

BroughtByCompanion LaunchArrivals::brought_by_reflection_below(const RayEnding& ending, const ArrivedRay& arrived,
                                                               std::uint32_t receiver) const {
  const TargetPoints& points = environment_.points;
  const std::uint32_t ground = view_.environment.receiver_grounds[receiver], number = points.element_count() + receiver;
  if (!is_reflected_below(ending, ground) || is_reflected_around(ending, number)) return {};
  const bool is_around = points.is_edge(ending.chain.last()) || !environment_.over_rooftops.is_ground_level();
  if (is_around && comes_from_upright(view_.environment, ending.chain)) {
    if (!is_free_by_ground_around(ending, number)) return {};
    return brought_by_companion(view_, with_vegetation_by(ground, ending, number), arrived, ground, number);
  }
  const std::uint32_t reflecting = reflecting_ground(ending, ground, number);
  if (reflecting == no_index) return {};
  return brought_by_companion(view_, with_vegetation_by(reflecting, ending, number), arrived, reflecting, number);
}

RayEnding LaunchArrivals::with_vegetation_by(std::uint32_t ground, const RayEnding& ending,
                                             std::uint32_t number) const {
  RayEnding with_vegetation = ending;
  const InteractionChain& chain = ending.chain;
  const VegetationLoss& vegetation = setting_.vegetation;
  if (!vegetation.any() || chain.length == 0) return with_vegetation;
  const TargetPoints& points = environment_.points;
  const Vec3 target = points.arrival(number);
  const ReflectingPlane plane = reflecting_plane(view_.environment, ending, ground, target);
  const PathByPlane path = trace_by_plane(environment_, chain, plane, ray_legs_.first_source(ending), target);
  const Vec3 from = path.before > 0 ? points.reference(chain.elements[path.before - 1]) : path.points.front();
  const Vec3 to = path.before < chain.length ? points.reference(chain.elements[path.before]) : target;
  // On its way to the middle of an element it is reflected elsewhere than on that to the target.
  const Vec3 place = plane.is_below(to)
                         ? plane.place_between(path.points[path.before], mirrored(to, plane.point, plane.normal))
                         : path.place();
  const double straight = vegetation.amplitude(from, to);
  const double by_ground = vegetation.amplitude(from, place) * vegetation.amplitude(place, to);
  // Where nothing comes straight nothing comes by the ground, below the same trees.
  with_vegetation.attenuation.companion *= straight > 0 ? by_ground / straight : 0;
  return with_vegetation;
}

bool LaunchArrivals::is_free_by_ground_around(const RayEnding& ending, std::uint32_t number) const {
  const std::uint32_t ground = setting_.receiver_ground(number);
  return environment_.points.is_edge(ending.chain.last()) ? is_free_around_corner(ending, ground, number)
                                                          : is_free_behind_wall(ending, ground, number);
}

bool LaunchArrivals::find_way_by_ground(const RayEnding& ending, std::uint32_t ground, std::uint32_t number,
                                        WayByPlane& way) const {
  const Vec3 target = environment_.points.arrival(number);
  const ReflectingPlane plane = reflecting_plane(view_.environment, ending, ground, target);
  return find_way_by_plane(view_.environment, ending.chain, ending.source, plane, target, way);
}

bool LaunchArrivals::is_free_around_corner(const RayEnding& ending, std::uint32_t ground, std::uint32_t number) const {
  WayByPlane way;
  if (!find_way_by_ground(ending, ground, number, way)) return false;
  const std::uint32_t corner = ending.chain.last();
  const Vec3 target = environment_.points.arrival(number);
  if (way.is_from_above()) {
    return ray_legs_.comes_to_last(ending, way.leg.from) &&
           ray_legs_.is_free_of_buildings(way.leg.from, corner, way.place()) &&
           ray_legs_.is_free_of_buildings(target, no_index, way.place());
  }
  // With screens the edge knows what roofs leave of it.
  const bool has_screens = setting_.goes_over_rooftops() && environment_.options.over_rooftop == OverRooftop::screens;
  const VirtualSource image = image_before_edge(ending.source, way.plane);
  const Vec3 at_corner = leg_to(image, target).from;
  if (ending.chain.length > 1) return ray_legs_.comes_to_last(ending, at_corner);
  if (has_screens) return true;
  const Vec3 place = way.plane.place_between(image.point, at_corner);
  if (!ray_legs_.is_free_of_buildings(at_corner, corner, place)) return false;
  // The building that a ray goes through does not hide the antenna.
  return ending.chain.through_building || ray_legs_.is_free_of_buildings(transmitter_.position, no_index, place);
}

bool LaunchArrivals::is_free_behind_wall(const RayEnding& ending, std::uint32_t ground, std::uint32_t number) const {
  WayByPlane way;
  if (!find_way_by_ground(ending, ground, number, way)) return false;
  // Else it is the wall that reflects last, and what comes to it there comes to its middle, too.
  if (!way.is_from_above() || way.before < ending.chain.length) return true;
  const Tile& tile = environment_.tiling.tiles[ending.chain.last()];
  const Vec3 at_wall = ReflectingPlane{tile.centroid, tile.normal}.place_between(way.leg.from, way.place());
  return ray_legs_.comes_to_last(ending, at_wall) &&
         ray_legs_.is_free_of_buildings(at_wall, ending.chain.last(), way.place()) &&
         ray_legs_.is_free_of_buildings(environment_.points.arrival(number), no_index, way.place());
}

std::optional<Vec3> LaunchArrivals::place_in_plane_of(std::uint32_t ground, const RayEnding& ending,
                                                      std::uint32_t number) const {
  const Tile& tile = environment_.tiling.tiles[ground];
  const VirtualSource image = mirrored(ending.source, tile.centroid, tile.normal);
  InteractionChain chain = ending.chain;
  chain.push(ground);
  const RayEnding reflected{image, ending.strength, ending.mechanism, ending.departure_gain, chain, false, {}};
  return ray_legs_.place_on(ground, reflected, number);
}

bool LaunchArrivals::is_sent_by_tile(Vec3 place) const {
  const std::uint32_t ground = environment_.ground_tiles.near(place.xy());
  return ground != no_index && environment_.ground_tiles.is_on(ground, place.xy());
}

bool LaunchArrivals::is_reflected_without_tile(const RayEnding& ending, std::uint32_t number) const {
  const InteractionChain& chain = ending.chain;
  const std::uint32_t ground = setting_.receiver_ground(number);
  if (!environment_.over_rooftops.is_ground_level() || ground == no_index || chain.length == 0 ||
      chain.is_scattered() || chain.over_rooftops || chain.through_building ||
      !environment_.points.is_tile(chain.last()) || !view_.limits.may_reflect(0, 0) ||
      last_ground(view_.environment, chain) != no_index || lacks_ground_reflection(view_, chain)) {
    return false;
  }
  const std::optional<Vec3> place = place_in_plane_of(ground, ending, number);
  if (!place || is_sent_by_tile(*place)) return false;
  // Before a wall any tile that sees it sends the reflection there.
  constexpr double same_m = 1e-3;
  const Tile& tile = environment_.tiling.tiles[ground];
  const Vec3 image = mirrored(ending.source.point, tile.centroid, tile.normal);
  const Vec3 met_last =
      ReflectingPlane{tile.centroid, tile.normal}.place_between(image, environment_.points.arrival(number));
  return norm(met_last - *place) < same_m;
}

std::uint32_t LaunchArrivals::reflecting_ground(const RayEnding& ending, std::uint32_t ground,
                                                std::uint32_t number) const {
  // In the plane below the receiver it may lie on another tile, whose plane has it elsewhere again; or on ground
  // without one, where the plane of the nearest goes on.
  const std::optional<Vec3> below = place_in_plane_of(ground, ending, number);
  if (!below) return no_index;
  if (TileFrame(environment_.tiling.tiles[ground]).holds(*below)) return ground;
  const std::uint32_t met = environment_.ground_tiles.near(below->xy());
  return met != no_index && place_in_plane_of(met, ending, number) ? met : no_index;
}

bool LaunchArrivals::arrives_along_ground(const RayEnding& ending, std::uint32_t number) const {
  constexpr double of_height = 0.01;
  const InteractionChain& chain = ending.chain;
  const std::uint32_t ground = setting_.receiver_ground(number);
  const bool straight_through = chain.through_building && chain.length == 0;
  const bool in_sight_along_ground =
      chain.length == 0 && !chain.over_rooftops && squared_norm(ending.ground_normal) > 0;
  const bool from_edge = chain.length == 0 ? ending.source.is_edge() : environment_.points.is_edge(chain.last());
  if (ground == no_index || !(from_edge || straight_through || in_sight_along_ground) ||
      !view_.limits.may_reflect(0, 0) || lacks_ground_reflection(view_, chain)) {
    return false;
  }
  // Of what comes over the roofs, too: single tiles of a terrain have its model's noise.
  const bool straight_over = chain.over_rooftops && chain.length == 0 && !environment_.over_rooftops.is_ground_level();
  if (straight_through || in_sight_along_ground || straight_over) return true;
  const Tile& tile = environment_.tiling.tiles[ground];
  const Vec3 target = environment_.points.arrival(number), edge = leg_to(ending.source, target).from;
  double bulge_m = 0;
  if (chain.over_rooftops) {
    // The tile's plane does not bend with the earth.
    const Vec3 antenna = transmitter_.position;
    bulge_m = RooftopLine(antenna, target, 0).bulge_at(norm(edge.xy() - antenna.xy()));
  }
  const double above_m = dot(edge - Vec3{0, 0, bulge_m} - tile.centroid, tile.normal);
  if (!(above_m < of_height * dot(target - tile.centroid, tile.normal))) return false;
  // Before an upright edge tiles do, or the ray has it with it (brought_by_reflection_below()).
  const Vec3 image = mirrored(target, tile.centroid, tile.normal);
  return dot(leg_to(ending.source, image).from - tile.centroid, tile.normal) >= -in_ground_plane_m;
}

void LaunchArrivals::arrive_by_ground_before(const RayEnding& ending, std::uint32_t ground, std::uint32_t wall,
                                             ThreadArrivals& state) {
  ArrivedRay reflected;
  if (!find_companion(view_, ending, ground, wall, reflected)) return;
  if (view_.summation == Summation::local_mean) {
    const Vec3 straight = normalized(environment_.points.arrival(wall) - transmitter_.position);
    const double by_direction =
        coherence(straight, reflected.phase_direction, ending.ground_normal, link_.wave_number());
    reflected.arrival.in_step = std::max(by_direction, ending.along_ground.share);
  }
  add_arrival(ending, reflected, wall, state);
}

void LaunchArrivals::arrive_by_ground(const RayEnding& ending, std::uint32_t receiver_number, ThreadArrivals& state) {
  const std::uint32_t ground = setting_.receiver_ground(receiver_number);
  // A ray of its own is reflected where it is drawn.
  const Vec3 normal =
      reflecting_plane(view_.environment, ending, ground, environment_.points.arrival(receiver_number)).normal;
  RayEnding in_plane = with_vegetation_by(ground, ending, receiver_number);
  in_plane.ground_normal = normal;
  ArrivedRay reflected;
  if (!find_companion(view_, in_plane, ground, receiver_number, reflected)) return;
  // Asked by tubes that come straight over the roofs or through the building. Bounced rays, of several threads at once,
  // do not set it.
  if (ending.chain.length == 0) {
    // Uneven ground far below the line of sight reflects the direct ray alone.
    const bool is_of_direct_alone = ending.ground_place != nullptr && !comes_along_ground(ending);
    if (ending.chain.through_building) {
      reached_over_rooftops_[receiver_number] |= with_ground_through_building;
    } else if (!is_of_direct_alone) {
      reached_over_rooftops_[receiver_number] |= with_ground_below;
    }
  }
  InteractionChain chain = ending.chain;
  chain.push(ground);
  add_arrival(
      {ending.source, ending.strength, ending.mechanism, ending.departure_gain, chain,
       ending.coherent_ground_reflection, in_plane.attenuation, ending.companion_offset_m, normal, ending.ground_place},
      reflected, receiver_number, state);
}

}  // namespace tesseray
