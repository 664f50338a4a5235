// SPDX-License-Identifier: GPL-3.0-or-later
// Rays over the roofs to what the transmitter does not see (paper 002, §2.6), and the tubes that they become there.
//
// Such a ray comes in as if from a level edge across its plane at the last roof: upwards it spreads from there, and
// sideways from the transmitter, at the distance that it has gone. A reflection at a tile is launched from that edge.
#include <algorithm>
#include <cmath>

#include "core/base/parallel.h"
#include "core/base/units.h"
#include "core/physics/knife_edge.h"
#include "core/propagation/launch.h"
#include "core/propagation/rooftop_line.h"

namespace tesseray {
namespace {

constexpr std::size_t numbers_per_block = 256;
// Farther aside the roof is another one.
constexpr double edge_half_length_m = 30;

// The field that arrives, from the one that departs: its parts in the vertical plane and across it, turned from leg to
// leg.
ComplexVec3 carried_over(const ComplexVec3& field, const RooftopPath& path) {
  const Vec3 across = normalized(cross(path.arrival, Vec3{0, 0, 1}));
  const Vec3 upright_before = cross(across, path.departure), upright_after = cross(across, path.arrival);
  return (path.horizontal * dot(field, across)) * across + (path.vertical * dot(field, upright_before)) * upright_after;
}

// What comes over one edge to a point behind it, over a wave that spreads from the edge as the incident one would: the
// screen's factor with its phase on the way over the edge.
Complex behind_edge(Vec3 before, Vec3 edge, Vec3 point, double wave_number) {
  const double to_edge = norm(edge.xy() - before.xy()), from_edge = norm(point.xy() - edge.xy());
  const double clearance = edge.z - (before.z + (point.z - before.z) * to_edge / (to_edge + from_edge));
  const double nu = fresnel_parameter(clearance, to_edge, from_edge, 2 * pi / wave_number);
  return knife_edge_factor(nu) * exp_j(0.5 * pi * nu * nu);
}

// Of what has come `before_m` to the level edge at a place, across which it goes on along `direction`.
VirtualSource source_at_edge(Vec3 place, Vec3 direction, double before_m) {
  VirtualSource source;
  source.point = place - before_m * direction;
  source.edge_midpoint = place;
  source.edge_direction = normalized(cross(direction, Vec3{0, 0, 1}));
  source.edge_half_length_m = edge_half_length_m;
  return source;
}

// Whether the tile stands upright and looks away: all roofs between lie behind it.
bool turns_away(const Tile& tile, Vec3 transmitter) {
  return tile.normal.z == 0 && dot(transmitter.xy() - tile.centroid.xy(), tile.normal.xy()) <= 0;
}

}  // namespace

RooftopTarget Launch::rooftop_target(Vec3 point) const {
  const double straight = norm(point - transmitter_.position);
  return {point, decibels(link_.unit_gain() / (straight * straight * link_.least_gain()))};
}

RooftopTarget Launch::rooftop_target(std::uint32_t number, Vec3 point) const {
  RooftopTarget target = rooftop_target(point);
  const bool is_tile = environment_.points.is_tile(number);
  if (!is_tile) target.roof_z = environment_.over_rooftops.roof_below(target.point);
  const std::uint32_t below = is_tile ? number : receiver_ground(number);
  if (below == no_index) return target;
  const Tile& tile = environment_.tiling.tiles[below];
  target.centroid = tile.centroid;
  target.normal = tile.normal;
  target.is_over_ground = tile.kind == SurfaceKind::ground;
  return target;
}

bool Launch::find_rooftop_wave(const RooftopTarget& target, ThreadState& state, RooftopWave& wave) const {
  return environment_.over_rooftops.find(rooftop_rays(), target, environment_.options.over_rooftop, state.rooftop_work,
                                         wave.path) &&
         complete_rooftop_wave(target.point, state, wave);
}

bool Launch::find_rooftop_wave_below(std::uint32_t number, RooftopUse use, ThreadState& state,
                                     RooftopWave& wave) const {
  const TargetPoints& points = environment_.points;
  return use.goes_on && points.is_ground(number) &&
         environment_.occlusion.is_free(transmitter_.position, points.arrival(number)) &&
         find_rooftop_wave(rooftop_target(number, points.reference(number)), state, wave);
}

double Launch::vegetation_over(const RooftopPath& path) const {
  double amplitude = 1;
  Vec3 from = transmitter_.position;
  for (const Vec3 edge : path.edges) {
    amplitude *= vegetation_.amplitude(from, edge);
    from = edge;
  }
  return amplitude;
}

bool Launch::complete_rooftop_wave(Vec3 target, ThreadState& state, RooftopWave& wave) const {
  wave.end = target;
  const RooftopPath& path = wave.path;
  const double straight = norm(target - transmitter_.position);
  const Link::Departure departure = departure_towards_roofs(link_.depart(path.departure), target, path, state);
  // The factors count their phase from the straight line, and rays from their own length.
  const double length = path.is_in_sight ? straight : path.length_m;
  const Complex turn = exp_j(link_.wave_number() * (length - straight));
  const ComplexVec3 field = (1.0 / straight) * (turn * carried_over(departure.field, path));
  const Vec3 last = path.edges.back();
  wave.source = source_at_edge(last, path.arrival, path.length_m - norm(target - last));
  wave.source.offset_m = length - path.length_m;
  wave.strength = (1.0 / leg_to(wave.source, target).amplitude) * field;
  wave.departure_gain = departure.relative_gain;
  wave.vegetation = path.is_in_sight ? 1 : vegetation_over(path);
  return link_.unit_gain() * squared_norm(field) * (wave.vegetation * wave.vegetation) >= link_.least_gain();
}

void Launch::launch_over_rooftops(const std::vector<std::uint8_t>& lit, std::vector<Tube>& tubes, Progress& progress) {
  if (!goes_over_rooftops()) return;
  const OverRooftop method = environment_.options.over_rooftop;
  RooftopSearch* const search = method == OverRooftop::screens ? environment_.rooftop_search : nullptr;
  const TargetPoints& points = environment_.points;
  const std::uint32_t numbers = points.element_count() + points.receiver_count();
  if (environment_.options.wideband) first_edges_.resize(numbers);
  const std::size_t per_block = search != nullptr ? search->most_targets() : numbers_per_block;
  const auto launch_to = [&](std::uint32_t range_first, std::uint32_t range_end, Progress& part) {
    const std::uint32_t count = range_end - range_first;
    std::vector<std::vector<Tube>> produced((count + per_block - 1) / per_block);
    parallel_blocks(count, per_block, part, [&](std::size_t begin, std::size_t end) {
      const std::uint32_t first = range_first + static_cast<std::uint32_t>(begin);
      const std::uint32_t last = range_first + static_cast<std::uint32_t>(end);
      std::vector<Tube>& of_block = produced[begin / per_block];
      if (search != nullptr) {
        launch_over_rooftops_by(*search, first, last, lit, of_block);
      } else {
        launch_over_rooftops_to(first, last, lit, of_block);
      }
    });
    for (const std::vector<Tube>& of_block : produced) tubes.insert(tubes.end(), of_block.begin(), of_block.end());
  };
  // No ray over the roofs goes to an edge (rooftop_use).
  const double tiles = points.tile_count(), share = tiles / std::max(1.0, tiles + points.receiver_count());
  PartOfStage to_tiles(progress, 0, share), to_receivers(progress, share, 1);
  launch_to(0, points.tile_count(), to_tiles);
  launch_to(points.element_count(), numbers, to_receivers);
}

Launch::RooftopUse Launch::rooftop_use(std::uint32_t number, std::uint8_t lit) const {
  const TargetPoints& points = environment_.points;
  if (points.is_edge(number)) return {};
  const bool is_tile = points.is_tile(number);
  if (is_tile && turns_away(environment_.tiling.tiles[number], transmitter_.position)) return {};
  return {(lit & lit_as_target) == 0 && (!is_tile || points.tiles_are_targets()),
          is_tile && (lit & lit_as_element) == 0 && may_do_anything(number, 0, 1)};
}

void Launch::launch_over_rooftops_to(std::uint32_t first, std::uint32_t end, const std::vector<std::uint8_t>& lit,
                                     std::vector<Tube>& tubes) {
  ThreadState& state = states_.local();
  RooftopWave wave;
  for (std::uint32_t number = first; number < end; ++number) {
    const RooftopUse use = rooftop_use(number, lit[number]);
    if (!use.any()) continue;
    const RooftopTarget target = rooftop_target(number, environment_.points.arrival(number));
    if (!find_rooftop_wave(target, state, wave) && !find_rooftop_wave_below(number, use, state, wave)) continue;
    launch_rooftop_wave(wave, number, use, state, tubes);
  }
}

void Launch::launch_over_rooftops_by(RooftopSearch& search, std::uint32_t first, std::uint32_t end,
                                     const std::vector<std::uint8_t>& lit, std::vector<Tube>& tubes) {
  std::vector<std::uint32_t> numbers;
  std::vector<RooftopTarget> targets;
  for (std::uint32_t number = first; number < end; ++number) {
    const RooftopUse use = rooftop_use(number, lit[number]);
    if (!use.any()) continue;
    numbers.push_back(number);
    targets.push_back(rooftop_target(number, environment_.points.arrival(number)));
  }
  std::vector<RooftopBends> found(targets.size());
  search.find(rooftop_rays(), targets, found);
  ThreadState& state = states_.local();
  RooftopWave wave;
  const auto finish = [&](std::size_t k) {
    switch (found[k].outcome) {
      case RooftopBends::Outcome::none:
        return false;
      case RooftopBends::Outcome::no_room:
        return find_rooftop_wave(targets[k], state, wave);
      case RooftopBends::Outcome::found:
        follow_bends(transmitter_.position, targets[k].point, found[k], wave.path);
        return complete_rooftop_wave(targets[k].point, state, wave);
    }
    return false;
  };
  for (std::size_t k = 0; k < targets.size(); ++k) {
    const RooftopUse use = rooftop_use(numbers[k], lit[numbers[k]]);
    if (!finish(k) && !find_rooftop_wave_below(numbers[k], use, state, wave)) continue;
    launch_rooftop_wave(wave, numbers[k], use, state, tubes);
  }
}

std::uint32_t Launch::ground_below(std::uint32_t number) const {
  const TargetPoints& points = environment_.points;
  const std::uint32_t ground = points.is_receiver(number) ? receiver_ground(number) : number;
  return ground != no_index && points.is_ground(ground) ? ground : no_index;
}

Vec3 Launch::ground_normal_behind(const RooftopWave& wave, std::uint32_t number) const {
  const std::uint32_t ground = ground_below(number);
  if (ground == no_index) return {};
  const Tile& tile = environment_.tiling.tiles[ground];
  const Vec3 antenna = transmitter_.position, last = wave.path.edges.back();
  const RooftopLine line(antenna, environment_.points.arrival(number), 0);
  const Vec2 edge{norm(last.xy() - antenna.xy()), last.z};
  return tesseray::ground_normal_behind(environment_.over_rooftops.view().terrain, line, edge,
                                        wave.path.is_straight_behind, tile.centroid, tile.normal);
}

Complex Launch::behind_last_edge(const RooftopPath& path, Vec3 point) const {
  const std::vector<Vec3>& edges = path.edges;
  const Vec3 before = edges.size() > 1 ? edges[edges.size() - 2] : transmitter_.position;
  return behind_edge(before, edges.back(), point, link_.wave_number());
}

Launch::LeftOfRay Launch::left_by_way_of_ground(const RooftopWave& wave, std::uint32_t number, Vec3 normal) const {
  const std::uint32_t ground = ground_below(number);
  if (ground == no_index) return {};
  const auto left = [&](Complex ratio) { return LeftOfRay{norm(ratio), link_.seeming_length_m(ratio)}; };
  if (wave.path.target_image_ratio) return left(*wave.path.target_image_ratio);
  const Tile& tile = environment_.tiling.tiles[ground];
  const Vec3 target = environment_.points.arrival(number);
  return left(behind_last_edge(wave.path, mirrored(target, tile.centroid, normal)) /
              behind_last_edge(wave.path, target));
}

void Launch::launch_rooftop_wave(const RooftopWave& wave, std::uint32_t number, RooftopUse use, ThreadState& state,
                                 std::vector<Tube>& tubes) {
  const TargetPoints& points = environment_.points;
  bool comes_from_behind = false;
  if (points.is_tile(number)) {
    const Tile& tile = environment_.tiling.tiles[number];
    comes_from_behind = dot(wave.path.edges.back() - tile.centroid, tile.normal) <= in_front_m;
    if (comes_from_behind && !points.is_ground(number)) return;
  }
  InteractionChain chain;
  chain.over_rooftops = true;
  if (!first_edges_.empty()) first_edges_[number] = {wave.path.edges.front(), wave.path.edges.size() == 1};
  if (use.arrives && wave.end == points.arrival(number)) {
    const Vec3 ground_normal = ground_normal_behind(wave, number);
    VegetationAtTarget attenuation =
        wave.vegetation * vegetation_to_target(wave.path.edges.back(), number, ground_normal);
    const LeftOfRay by_ground = left_by_way_of_ground(wave, number, ground_normal);
    attenuation.companion *= by_ground.amplitude;
    arrive({wave.source, wave.strength, Mechanism::over_rooftop, wave.departure_gain, chain, false, attenuation,
            by_ground.offset_m, ground_normal},
           number, state);
    reached_over_rooftops_[number] |= lit_as_target | (wave.path.by_ground ? by_ground_as_target : 0);
  }
  if (use.goes_on && !comes_from_behind) {
    const double vegetation = wave.vegetation * vegetation_.amplitude(wave.path.edges.back(), points.reference(number));
    // The tile itself lies below the target over it.
    const Vec3 place = points.reference(number);
    const Complex at_tile = behind_last_edge(wave.path, place) / behind_last_edge(wave.path, wave.end);
    go_on({wave.source, at_tile * wave.strength, wave.departure_gain, chain, 0, 1, vegetation}, number, state, tubes);
    reached_over_rooftops_[number] |= lit_as_element | (wave.path.by_ground ? by_ground_as_element : 0);
  }
}

void Launch::find_recorded_wave(const RecordedRay& ray, Vec3 target, ThreadState& state, RooftopWave& wave) const {
  const TargetPoints& points = environment_.points;
  if (ray.chain.length > 0 && !is_reflected_by_ground_below(ray)) {
    const std::uint32_t first = ray.chain.elements[0];
    find_rooftop_wave(rooftop_target(first, points.arrival(first)), state, wave);
    if (wave.path.edges.empty()) find_rooftop_wave(rooftop_target(first, points.reference(first)), state, wave);
  }
  // What comes to a receiver along the ground has its own way over the roofs, where its tile has none (arrival.cpp).
  const std::uint32_t receiver_number = points.element_count() + ray.receiver;
  if (wave.path.edges.empty()) find_rooftop_wave(rooftop_target(receiver_number, target), state, wave);
}

bool Launch::is_reflected_by_ground_below(const RecordedRay& ray) const {
  const std::uint32_t number = environment_.points.element_count() + ray.receiver;
  // In sight the receiver has no way over the roofs: its tile reflects what came over them to itself.
  const bool is_in_sight = left_in_sight_[ray.receiver].ground != LeftInSight::Ground::tiles;
  return ray.scattered_at == RecordedRay::nowhere && !is_in_sight && ray.chain.length == 1 &&
         ray.chain.elements[0] == receiver_ground(number) && (reached_over_rooftops_[number] & with_ground_below) != 0;
}

Launch::WayByGroundBelow Launch::way_by_ground_below(const RooftopWave& wave, std::uint32_t number) const {
  const Vec3 normal = ground_normal_behind(wave, number),
             foot = environment_.tiling.tiles[ground_below(number)].centroid;
  const Vec3 image = mirrored(wave.end, foot, normal), edge = leg_to(wave.source, image).from;
  // The edge may lie in that plane.
  const double above_m = dot(edge - foot, normal), below_m = dot(wave.end - foot, normal);
  const double part = above_m > 0 && below_m > 0 ? above_m / (above_m + below_m) : 0.0;
  return {edge, edge + part * (image - edge)};
}

Vec3 Launch::departure_over_rooftops(const InteractionChain& chain, std::uint32_t number, Vec3 target) const {
  const FirstEdge& first = first_edges_[chain.length > 0 ? chain.elements[0] : number];
  const Vec3 way = first.place - transmitter_.position, direction = normalized(way);
  if (!first.is_only) return direction;
  const VirtualSource source = source_at_edge(first.place, direction, norm(way));
  return normalized(trace_chain(environment_.tiling, chain, source, target).front() - transmitter_.position);
}

std::vector<Vec3> Launch::trace_over_rooftops(const RecordedRay& ray, Vec3 target) const {
  ThreadState state;
  RooftopWave wave;
  find_recorded_wave(ray, target, state, wave);
  // A bound lets a wave go that another way of counting, a GPU's, has just kept.
  if (wave.path.edges.empty()) return {transmitter_.position, target};
  std::vector<Vec3> way{transmitter_.position};
  way.insert(way.end(), wave.path.edges.begin(), wave.path.edges.end());
  if (is_reflected_by_ground_below(ray)) {
    const WayByGroundBelow last = way_by_ground_below(wave, environment_.points.element_count() + ray.receiver);
    way.back() = last.edge;
    way.insert(way.end(), {last.place, target});
    return way;
  }
  const bool scattered = ray.scattered_at != RecordedRay::nowhere;
  const std::vector<Vec3> rest =
      scattered ? trace_scattered(environment_.tiling, ray.chain, ray.scattered_at, wave.source, target)
                : trace_chain(environment_.tiling, ray.chain, wave.source, target);
  // They begin at the last edge.
  if (way.size() > 1) way.pop_back();
  way.insert(way.end(), rest.begin(), rest.end());
  return way;
}

}  // namespace tesseray
