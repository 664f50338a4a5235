// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/propagation/launching/ray_path.h"

#include <algorithm>
#include <utility>

#include "core/propagation/tubes/bounced_rays.h"

namespace tesseray {
namespace {

bool reflects_as_whole(const LeftInSight& left) {
  return left.ground == LeftInSight::Ground::along || left.ground == LeftInSight::Ground::uneven;
}

InteractionChain part_of(const InteractionChain& chain, std::size_t length) {
  InteractionChain part = chain;
  part.length = static_cast<std::uint8_t>(length);
  return part;
}

// The virtual source before each of a chain's interactions, and after the last.
using Sources = std::array<VirtualSource, most_bounces + 1>;

Sources sources_along(const Tiling& tiling, const InteractionChain& chain, const VirtualSource& first) {
  const std::size_t tiles = tiling.tiles.size();
  Sources sources{first};
  for (std::size_t i = 0; i < chain.length; ++i) {
    const std::uint32_t element = chain.elements[i];
    if (element < tiles) {
      const Tile& tile = tiling.tiles[element];
      sources[i + 1] = mirrored(sources[i], tile.centroid, tile.normal);
      continue;
    }
    const EdgeSegment& edge = tiling.edges[element - tiles];
    VirtualSource& next = sources[i + 1];
    next = wave_at_edge(sources[i], leg_to(sources[i], edge.midpoint), edge.midpoint, edge.direction).source;
    next.edge_midpoint = edge.midpoint;
    next.edge_direction = edge.direction;
    next.edge_half_length_m = 0.5 * edge.length_m;
  }
  return sources;
}

// Of rays from one source.
class PathsByPlane {
 public:
  PathsByPlane(const LaunchEnvironment& environment, const ReflectingPlane& plane, const VirtualSource& source)
      : environment_(environment), plane_(plane), source_(source) {}

  PathByPlane trace(const InteractionChain& chain, Vec3 target) const {
    // The tiles from `first` on mirror the last edge, or the source.
    std::size_t first = chain.length;
    while (first > 0 && environment_.points.is_tile(chain.elements[first - 1])) --first;
    const VirtualSource last = sources_along(environment_.tiling, chain, source_)[chain.length];
    WayByPlane way;
    find_way_by_plane(environment_.view, chain, last, plane_, target, way);
    const bool is_before_edge = first > 0 && way.plane.height_of(way.leg.from) < -in_ground_plane_m;
    if (!is_before_edge) return trace_from_plane(chain, way.before, way.place(), target);
    return trace_before_edge(chain, first, leg_to(image_before_edge(last, way.plane), target).from, target);
  }

 private:
  // `from`: where what the plane reflects before the edge before the chain's element number `first` meets that, as the
  // tiles from that on mirror it.
  PathByPlane trace_before_edge(const InteractionChain& chain, std::size_t first, Vec3 from, Vec3 target) const {
    const std::vector<Vec3> backward = passed_backward(chain, first, from, target);
    PathByPlane path = trace(part_of(chain, first - 1), from);
    path.points.insert(path.points.end(), backward.rbegin(), backward.rend());
    return path;
  }

  // `place`: in the plane, as the chain's tiles from number `after` on mirror it, which the ray meets after it.
  PathByPlane trace_from_plane(const InteractionChain& chain, std::size_t after, Vec3 place, Vec3 target) const {
    const std::vector<Vec3> backward = passed_backward(chain, after, place, target);
    PathByPlane path{trace_chain(environment_.tiling, part_of(chain, after), source_, place), after};
    path.points.insert(path.points.end(), backward.rbegin(), backward.rend());
    return path;
  }

  // The places at the chain's tiles from number `first` on of what comes from `from`, as they mirror that, from the
  // target back; `from` becomes what they mirror.
  std::vector<Vec3> passed_backward(const InteractionChain& chain, std::size_t first, Vec3& from, Vec3 target) const {
    std::vector<Vec3> backward{target};
    for (std::size_t i = chain.length; i-- > first;) {
      const Tile& tile = environment_.tiling.tiles[chain.elements[i]];
      backward.push_back(ReflectingPlane{tile.centroid, tile.normal}.place_between(backward.back(), from));
      from = mirrored(from, tile.centroid, tile.normal);
    }
    return backward;
  }

  const LaunchEnvironment& environment_;
  const ReflectingPlane& plane_;
  const VirtualSource& source_;
};

void find_places(const Tiling& tiling, const InteractionChain& chain, const VirtualSource& source, Vec3 target,
                 RayPlaces& places) {
  const std::size_t tiles = tiling.tiles.size();
  const Sources sources = sources_along(tiling, chain, source);
  // Backward: each last leg's start (at an edge) or its crossing of the mirror's plane.
  std::size_t place = chain.length + std::size_t{1};
  places[place] = target;
  for (std::size_t i = chain.length; i-- > 0; --place) {
    const Leg leg = leg_to(sources[i + 1], places[place]);
    const std::uint32_t element = chain.elements[i];
    if (element >= tiles) {
      places[place - 1] = leg.from;
      continue;
    }
    const Tile& tile = tiling.tiles[element];
    const double along = dot(leg.direction, tile.normal);
    const double to_plane = dot(tile.centroid - leg.from, tile.normal);
    places[place - 1] = along != 0 ? leg.from + (to_plane / along) * leg.direction : tile.centroid;
  }
  places[0] = leg_to(source, places[1]).from;
}

}  // namespace

std::vector<Vec3> trace_chain(const Tiling& tiling, const InteractionChain& chain, const VirtualSource& source,
                              Vec3 target) {
  RayPlaces places;
  find_places(tiling, chain, source, target, places);
  return {places.begin(), places.begin() + chain.length + 2};
}

PathByPlane trace_by_plane(const LaunchEnvironment& environment, const InteractionChain& chain,
                           const ReflectingPlane& plane, const VirtualSource& source, Vec3 target) {
  return PathsByPlane(environment, plane, source).trace(chain, target);
}

bool trace_in_order(const LaunchEnvironment& environment, const VirtualSource& source, Vec3 target,
                    InteractionChain& chain, RayPlaces& places) {
  const TargetPoints& points = environment.points;
  find_places(environment.tiling, chain, source, target, places);
  // From the target on: where the last elements have their places, those of the ones before are right.
  std::size_t most_turns = std::size_t{chain.length} * chain.length;
  for (std::size_t i = chain.length; i-- > 0;) {
    const std::uint32_t element = chain.elements[i];
    if (!points.is_tile(element) || !lies_behind(places[i + 2], environment.tiling.tiles[element])) continue;
    const bool is_last = i + 1 == chain.length;
    if (is_last || most_turns-- == 0 || !have_any_order(environment.view, element, chain.elements[i + 1])) {
      return false;
    }
    std::swap(chain.elements[i], chain.elements[i + 1]);
    find_places(environment.tiling, chain, source, target, places);
    i = chain.length;
  }
  return true;
}

RayPath RayPaths::trace(const RecordedRay& recorded, Vec3 target) const {
  const InteractionChain& chain = recorded.chain;
  if (chain.over_rooftops) return trace_over_rooftops(recorded, target);
  if (recorded.scattered_at == RecordedRay::nowhere) {
    const std::uint32_t number = environment_.points.element_count() + recorded.receiver;
    if (const std::optional<Vec3> place = place_on_uneven_ground(chain, number)) {
      return {chain, {transmitter_.position, *place, target}};
    }
  }
  if (recorded.is_by_ground_below()) return trace_by_ground_below(recorded, target);
  return trace_from({transmitter_.position}, recorded, target);
}

RayPath RayPaths::trace_from(const VirtualSource& source, const RecordedRay& ray, Vec3 target) const {
  const auto trace = [&](const InteractionChain& chain, const VirtualSource& from, Vec3 to) {
    InteractionChain in_order = chain;
    RayPlaces places;
    if (!trace_in_order(environment_, from, to, in_order, places)) {
      return RayPath{chain, trace_chain(environment_.tiling, chain, from, to)};
    }
    return RayPath{in_order, {places.begin(), places.begin() + chain.length + 2}};
  };
  if (ray.scattered_at == RecordedRay::nowhere) return trace(ray.chain, source, target);
  // A tile scatters it at its centroid.
  const std::uint32_t scatterer = ray.chain.elements[ray.scattered_at];
  const Vec3 centroid = environment_.tiling.tiles[scatterer].centroid;
  InteractionChain before = ray.chain, after;
  before.length = ray.scattered_at;
  for (std::size_t i = std::size_t{ray.scattered_at} + 1; i < ray.chain.length; ++i) after.push(ray.chain.elements[i]);
  RayPath path = trace(before, source, centroid);
  const RayPath rest = trace(after, {centroid}, target);
  path.chain.push(scatterer);
  for (std::size_t i = 0; i < rest.chain.length; ++i) path.chain.push(rest.chain.elements[i]);
  path.points.insert(path.points.end(), rest.points.begin() + 1, rest.points.end());
  return path;
}

RayPath RayPaths::trace_by_ground_below(const RecordedRay& ray, Vec3 target) const {
  const std::uint32_t ground = ray.chain.last();
  InteractionChain others = ray.chain;
  others.pop();
  const ReflectingPlane plane{environment_.tiling.tiles[ground].centroid, ray.ground_normal};
  PathByPlane path = trace_by_plane(environment_, others, plane, {transmitter_.position}, target);
  InteractionChain chain = part_of(others, path.before);
  chain.push(ground);
  for (std::size_t i = path.before; i < others.length; ++i) chain.push(others.elements[i]);
  return {chain, std::move(path.points)};
}

RayPath RayPaths::trace_over_rooftops(const RecordedRay& ray, Vec3 target) const {
  const RooftopWave wave = recorded_wave(ray, target);
  // A bound lets a wave go that another way of counting, a GPU's, has just kept.
  if (wave.path.edges.empty()) return {ray.chain, {transmitter_.position, target}};
  std::vector<Vec3> way{transmitter_.position};
  way.insert(way.end(), wave.path.edges.begin(), wave.path.edges.end());
  if (is_reflected_by_ground_below(ray)) {
    const RooftopWaves::WayByGroundBelow last =
        waves_.way_by_ground_below(wave, environment_.points.element_count() + ray.receiver);
    way.back() = last.edge;
    way.insert(way.end(), {last.place, target});
    return {ray.chain, way};
  }
  RayPath path = trace_from(wave.source, ray, target);
  // It begins at the last edge.
  if (way.size() > 1) way.pop_back();
  path.points.insert(path.points.begin(), way.begin(), way.end());
  return path;
}

RooftopWave RayPaths::recorded_wave(const RecordedRay& ray, Vec3 target) const {
  const TargetPoints& points = environment_.points;
  OverRooftopPaths::Workspace work;
  RooftopWave wave;
  if (ray.chain.length > 0 && !is_reflected_by_ground_below(ray)) {
    const std::uint32_t first = ray.chain.elements[0];
    waves_.find(waves_.target_at(first, points.onward(first)), work, wave);
    if (wave.path.edges.empty()) waves_.find(waves_.target_at(first, points.reference(first)), work, wave);
  }
  // What comes to a receiver along the ground has its own way over the roofs, where its tile has none (arrival.cpp).
  const std::uint32_t receiver_number = points.element_count() + ray.receiver;
  if (wave.path.edges.empty()) waves_.find(waves_.target_at(receiver_number, target), work, wave);
  return wave;
}

bool RayPaths::is_reflected_by_ground_below(const RecordedRay& ray) const {
  const std::uint32_t number = environment_.points.element_count() + ray.receiver;
  // In sight the receiver has no way over the roofs: its tile reflects what came over them to itself.
  const bool is_in_sight = record_.left_in_sight[ray.receiver].ground != LeftInSight::Ground::tiles;
  return ray.scattered_at == RecordedRay::nowhere && !is_in_sight && ray.chain.length == 1 &&
         ray.chain.elements[0] == setting_.receiver_ground(number) &&
         (record_.reached_over_rooftops[number] & with_ground_below) != 0;
}

std::optional<Vec3> RayPaths::place_on_uneven_ground(const InteractionChain& chain, std::uint32_t number) const {
  const TargetPoints& points = environment_.points;
  if (!points.is_receiver(number) || chain.over_rooftops || chain.is_scattered() || chain.length != 1 ||
      chain.elements[0] != setting_.receiver_ground(number)) {
    return std::nullopt;
  }
  const LeftInSight& left = record_.left_in_sight[number - points.element_count()];
  if (!chain.through_building && !reflects_as_whole(left)) return std::nullopt;
  OverRooftopPaths::Workspace work;
  RooftopWave wave;
  if (waves_.find_along_ground(!chain.through_building, waves_.target_in_sight(number), work, wave)) {
    return waves_.place_along_ground(wave, number);
  }
  if (chain.through_building) return std::nullopt;
  return waves_.ground_below_sight(waves_.way_in_air(), number, {}, nullptr, {}, work)->place;
}

}  // namespace tesseray
