// SPDX-License-Identifier: GPL-3.0-or-later
// What the transmitter sees, its direct rays and its first tubes; and the same of what the building nearest to it alone
// hides.
#include "core/propagation/launching/first_level.h"

#include <algorithm>
#include <cmath>
#include <memory>
#include <optional>

#include "core/base/parallel.h"
#include "core/propagation/tubes/bounced_rays.h"

namespace tesseray {
namespace {

// Targets nearer than this to the antenna are taken as being in it.
constexpr double least_distance_m = 0.01;
// Few: near roofs and uneven ground an element takes a hundred times as long as elsewhere, and such lie together.
constexpr std::size_t elements_per_block = 32, targets_per_block = 128;

// What go_on() of bounced_rays.h asks of the antenna's own rays, of which none are drawn by chance.
class TubesFromAntenna {
 public:
  TubesFromAntenna(const LaunchSetting& setting, std::vector<Tube>& tubes) : setting_(setting), tubes_(tubes) {}
  const LaunchView& view() const { return setting_.view; }
  bool may_go_on(const InteractionChain& chain, std::uint32_t element, int reflections, int diffractions) const {
    return setting_.may_go_on(chain, element, reflections, diffractions);
  }
  Tube& new_child() { return tubes_.emplace_back(); }

 private:
  const LaunchSetting& setting_;
  std::vector<Tube>& tubes_;
};

// By number of the run, whether any of its segments is marked.
std::vector<std::uint8_t> marked_runs(const std::vector<EdgeRun>& runs, const std::vector<std::uint8_t>& marked) {
  std::vector<std::uint8_t> found(runs.size());
  for (std::size_t k = 0; k < runs.size(); ++k) {
    if (marked[k] != 0) found[runs[k].number] = 1;
  }
  return found;
}

}  // namespace

FirstLevel::FirstLevel(const LaunchSetting& setting, const RooftopWaves& waves, FirstLevelRecord& record,
                       LaunchArrivals& arrivals)
    : setting_(setting),
      environment_(setting.environment),
      transmitter_(setting.transmitter),
      link_(setting.link),
      limits_(setting.limits),
      waves_(waves),
      record_(record),
      arrivals_(arrivals),
      threads_([this] { return ThreadState{arrivals_.of_thread()}; }) {}

void FirstLevel::go_on(const Outgoing& outgoing, std::uint32_t element, std::vector<Tube>& tubes) const {
  TubesFromAntenna rays(setting_, tubes);
  tesseray::go_on(outgoing, element, rays);
}

void FirstLevel::mark_lit(const StraightWay& way, std::uint32_t number, std::uint8_t as,
                          std::vector<std::uint8_t>& lit) {
  lit[number] |= as;
  // Of edges those alone to which roofs come near (launch_to_edge).
  const bool counts_over_rooftops = waves_.roofs_count_in_sight(way) && !environment_.points.is_edge(number);
  if (counts_over_rooftops) record_.reached_over_rooftops[number] |= as;
}

void FirstLevel::mark_edge_near(std::uint32_t number, LeftOfRay left, std::uint16_t as) {
  if (left.is_one_edge) record_.reached_over_rooftops[number] |= as;
}

LeftOfRay FirstLevel::LeftOfStraight::together() const { return by_roofs.and_of(by_ground); }

LeftInSight FirstLevel::LeftOfStraight::at_receiver(const Link::Departure& straight, const Link::Departure& with_ground,
                                                    LeftInSight::Ground ground) const {
  if (along_ground != nullptr) {
    return {.by_roofs = by_roofs.amplitude, .with_ground = by_ground.amplitude, .ground = LeftInSight::Ground::along};
  }
  const double alone = squared_norm(straight.field), both = squared_norm(with_ground.field);
  return {.by_roofs = together().amplitude,
          .with_ground = alone > 0 && both > 0 ? std::sqrt(both / alone) : 1.0,
          .ground = ground};
}

LeftOfRay FirstLevel::left_by_corners(const StraightWay& way, std::uint32_t number) {
  if (way.building != nullptr || record_.past_corners.empty()) return {};
  PastCorners& past = record_.past_corners[number];
  past = corners_.past(environment_.points.arrival(number));
  const Complex factor = past.factor();
  return {norm(factor), link_.seeming_length_m(factor)};
}

void FirstLevel::arrive_straight(const StraightWay& way, std::uint32_t number, LeftOfStraight of, ThreadState& state) {
  const LeftOfRay left_by_roofs = of.together();
  const LeftOfRay by_corners = left_by_corners(way, number);
  of.by_roofs = of.by_roofs.and_of(by_corners);
  const LeftOfRay left = of.together();
  mark_edge_near(number, left, past_one_edge_as_target);
  const Vec3 target = environment_.points.arrival(number), to_target = target - transmitter_.position;
  if (norm(to_target) < least_distance_m) return;
  const std::optional<RooftopWaves::GroundBelowSight> below =
      waves_.ground_below_sight(way, number, of.by_ground, of.along_ground, of.both_by_roofs, state.rooftop_work);
  const LeftOfRay left_of_image =
      (below ? below->left : waves_.left_of_companion(way, number, state.rooftop_work)).and_of(by_corners);
  const VirtualSource antenna{.point = transmitter_.position, .offset_m = left.offset_m};
  const Link::Departure straight = link_.depart(normalized(to_target));
  const std::uint32_t ground = setting_.ground_below(number);
  const bool is_receiver = environment_.points.is_receiver(number), is_over_ground = ground != no_index;
  // The ground below a receiver reflects to it as to its tile, as a whole: where roofs come near both have the roofs'
  // phases, which the way over the tile where it meets the ground has not; and on a plane there is that way just where
  // there is the straight one, whatever the middle of that tile sees.
  // So it is without waves past roofs, where the ground is level and in sight there.
  const bool may_reflect_below = is_receiver && is_over_ground && limits_.may_reflect(0, 0);
  const bool is_level = way.building == nullptr && environment_.over_rooftops.is_ground_level();
  const bool by_ground_below =
      may_reflect_below && (left.comes_near || left_of_image.comes_near || waves_.ground_reflects_as_a_whole(way) ||
                            (is_level && waves_.sees_reflection_on_tile(way, ground, target)));
  const Link::Departure departure =
      is_over_ground || below
          ? straight
          : departure_into_sight(way, straight, number, with_ground_as_target, target, left_by_roofs, state);
  if (below || by_ground_below || (may_reflect_below && is_level)) {
    record_.reached_over_rooftops[number] |= with_ground_as_target;
  }
  if (is_receiver && below && below->has_all_of_ground) record_.reached_over_rooftops[number] |= with_ground_below;
  if (is_receiver) {
    using Ground = LeftInSight::Ground;
    record_.left_in_sight[number - environment_.points.element_count()] =
        of.at_receiver(straight, departure,
                       below             ? Ground::uneven
                       : by_ground_below ? Ground::below
                                         : Ground::tiles);
  }
  const Vec3 ground_normal = below             ? below->normal
                             : by_ground_below ? environment_.tiling.tiles[ground].normal
                                               : Vec3{};
  VegetationAtTarget attenuation = attenuation_of_building(way, target) *
                                   setting_.vegetation_to_target(transmitter_.position, number, ground_normal);
  attenuation.ray *= left.amplitude;
  attenuation.companion *= left_of_image.amplitude;
  const RayEnding ending{antenna,
                         departure.field,
                         way.mechanism,
                         departure.relative_gain,
                         way.chain,
                         false,
                         attenuation,
                         left_of_image.offset_m - left.offset_m,
                         ground_normal,
                         below ? &below->place : nullptr,
                         below ? below->along_ground : WaveAlongGround{}};
  arrivals_.arrive(ending, number, state.arrivals);
  // To what does not stand over the ground the reflection comes beside the ray.
  if (below && !is_over_ground) {
    arrivals_.arrive_by_ground_before(ending, setting_.ground_before(number), number, state.arrivals);
  }
}

void FirstLevel::arrive_in_sight(const StraightWay& way, std::uint32_t number, ThreadState& state) {
  const RooftopTarget target = waves_.target_in_sight(number);
  RooftopWave wave;
  if (!waves_.find_along_ground(way.building == nullptr, target, state.rooftop_work, wave)) {
    const LeftOfRay left = waves_.left_by_roofs(way, number, target.point, state.rooftop_work);
    arrive_straight(way, number, {.by_roofs = left}, state);
  } else if (way.building == nullptr && target.is_over_ground) {
    arrive_over_uneven_ground(way, number, wave, state);
  } else {
    arrive_along_ground(way, number, wave, state);
  }
}

void FirstLevel::arrive_over_uneven_ground(const StraightWay& way, std::uint32_t number, RooftopWave& wave,
                                           ThreadState& state) {
  LeftOfStraight left{.along_ground = &wave};
  if (wave.path.meets_roofs) {
    const RooftopTarget target = waves_.target_in_sight(number);
    left.by_roofs = waves_.left_by_roofs(way, number, target.point, state.rooftop_work);
    left.both_by_roofs = {left.by_roofs, waves_.left_of_companion(way, number, state.rooftop_work)};
    const bool is_near_without = waves_.find_along_ground(false, target, state.rooftop_work, wave);
    if (!is_near_without) left.along_ground = nullptr;
  }
  if (left.along_ground) left.by_ground = waves_.left_along_ground(wave);
  arrive_straight(way, number, left, state);
}

void FirstLevel::arrive_along_ground(const StraightWay& way, std::uint32_t number, const RooftopWave& wave,
                                     ThreadState& state) {
  const Vec3 ground_normal = waves_.ground_normal_behind(wave, number);
  VegetationAtTarget attenuation = attenuation_of_building(way, wave.end) *
                                   setting_.vegetation_to_target(transmitter_.position, number, ground_normal);
  LeftOfRay by_ground = waves_.left_by_way_of_ground(wave, number, ground_normal);
  attenuation.companion *= by_ground.amplitude;
  // Of the same phase; the way by the ground is the longer one.
  if (by_ground.offset_m < 0) by_ground.offset_m += link_.wavelength_m();
  const LeftOfRay by_corners = left_by_corners(way, number);
  attenuation.ray *= by_corners.amplitude;
  attenuation.companion *= by_corners.amplitude;
  VirtualSource source = wave.source;
  source.offset_m += by_corners.offset_m;
  const bool is_direct = way.building == nullptr, is_over_ground = setting_.ground_below(number) != no_index;
  const Vec3 place = is_over_ground ? waves_.place_along_ground(wave, number) : Vec3{};
  if (is_direct) record_.reached_over_rooftops[number] |= with_ground_as_target;
  if (is_direct && environment_.points.is_receiver(number)) {
    const std::size_t receiver = number - environment_.points.element_count();
    record_.left_in_sight[receiver] = {.by_roofs = by_corners.amplitude,
                                       .with_ground = waves_.left_along_ground(wave).amplitude,
                                       .ground = LeftInSight::Ground::along};
  }
  arrivals_.arrive({source, wave.strength, way.mechanism, wave.departure_gain, way.chain, false, attenuation,
                    by_ground.offset_m, ground_normal, is_over_ground ? &place : nullptr},
                   number, state.arrivals);
}

Link::Departure FirstLevel::departure_into_sight(const StraightWay& way, const Link::Departure& straight,
                                                 std::uint32_t number, std::uint8_t as, Vec3 point, LeftOfRay left,
                                                 ThreadState& state) {
  const std::optional<Link::Departure> with_ground =
      waves_.departure_with_ground(way, straight, number, point, left, state.rooftop_work);
  if (!with_ground) return straight;
  record_.reached_over_rooftops[number] |= as;
  return *with_ground;
}

double FirstLevel::attenuation_of_building(const StraightWay& way, Vec3 to) const {
  return way.building == nullptr ? 1.0 : way.building->amplitude(transmitter_.position, to);
}

std::vector<std::uint32_t> FirstLevel::elements_in_sight(const StraightWay& way,
                                                         const std::vector<std::uint8_t>& lit) const {
  const Vec3 antenna = transmitter_.position;
  if (way.building == nullptr) {
    // By all threads, which a launch to a whole city is worth; a search has one alone.
    return environment_.points.tiles_are_targets()
               ? visible_from(environment_.occlusion, environment_.seen_tiling, antenna)
               : environment_.sight.visible_from(antenna);
  }
  // What the building does not hide is as it was with it.
  std::vector<std::uint32_t> may_be_hidden;
  for (std::uint32_t element = 0; element < environment_.points.element_count(); ++element) {
    if ((lit[element] & lit_as_element) != 0) continue;
    if (way.building->may_hide(antenna, environment_.points.reference(element))) may_be_hidden.push_back(element);
  }
  return visible_among(way.occlusion, environment_.seen_tiling, antenna, may_be_hidden);
}

void FirstLevel::launch_to_element(const StraightWay& way, std::uint32_t element, std::vector<std::uint8_t>& lit,
                                   ThreadState& state, Launched& launched) {
  const TargetPoints& points = environment_.points;
  const Vec3 antenna = transmitter_.position;
  if (environment_.over_rooftops.is_beyond_horizon(antenna, points.reference(element), state.rooftop_work)) return;
  mark_lit(way, element, lit_as_element, lit);
  if (points.is_edge(element)) {
    launch_to_edge(way, element, RooftopWaves::SeenOfEdge::middle, state, launched);
    return;
  }
  const Vec3 reference = points.reference(element);
  const bool is_ground = points.is_tile(element) && points.is_ground(element);
  RooftopWave wave;
  const std::optional<LeftOfRay> along_ground = waves_.left_near_ground(way, element, state.rooftop_work, wave);
  const LeftOfRay left =
      along_ground ? *along_ground : waves_.left_by_roofs(way, element, reference, state.rooftop_work);
  if (points.tiles_are_targets() && points.is_tile(element) && !is_ground) {
    if (waves_.ground_reflects_as_a_whole(way) && setting_.ground_before(element) != no_index) {
      arrive_in_sight(way, element, state);
    } else if (along_ground) {
      arrive_along_ground(way, element, wave, state);
    } else {
      arrive_straight(way, element, {.by_roofs = left}, state);
    }
    mark_lit(way, element, lit_as_target, lit);
  }
  mark_edge_near(element, left, past_one_edge_as_element);
  if (norm(reference - antenna) < least_distance_m) return;
  go_on_from_antenna(first_leg(way, element, along_ground.has_value(), left, state), way, element, launched.tubes);
}

void FirstLevel::launch_to_edge(const StraightWay& way, std::uint32_t element, RooftopWaves::SeenOfEdge seen,
                                ThreadState& state, Launched& launched) {
  if (norm(environment_.points.reference(element) - transmitter_.position) < least_distance_m) return;
  const auto& places = state.left_of_edge.places;
  waves_.find_left_of_edge(way, element, seen, state.rooftop_work, state.wave, state.left_of_edge);
  LeftOfRay left;
  if (!places.empty()) {
    left.amplitude = 0;
    bool near_roofs = false, all_along_ground = true;
    for (const RooftopWaves::LeftOfEdge::Place& place : places) {
      left.amplitude = std::max(left.amplitude, norm(place.factor.steady));
      near_roofs |= place.near_roofs;
      all_along_ground &= place.runs_along_ground;
    }
    if (!(left.amplitude > 0)) return;
    const std::uint32_t in_air = element - environment_.points.tile_count(),
                        edges = environment_.points.view().edge_count;
    launched.edges.emplace_back(way.building == nullptr ? in_air : in_air + edges,
                                LeftAlongEdge{left.amplitude, static_cast<std::uint32_t>(launched.places.size()),
                                              static_cast<std::uint32_t>(places.size())});
    const double over = 1 / left.amplitude;
    for (const RooftopWaves::LeftOfEdge::Place& place : places) {
      const Complex factor = over * place.factor.steady, reflected = over * place.reflected,
                    by_ground = place.by_ground.steady;
      launched.places.push_back({.z_m = static_cast<float>(place.z_m),
                                 .real = static_cast<float>(factor.re),
                                 .imaginary = static_cast<float>(factor.im),
                                 .root_of_turn = static_cast<float>(place.factor.root_of_turn),
                                 .along_ground = place.runs_along_ground ? 1.0f : 0.0f,
                                 .reflected_real = static_cast<float>(reflected.re),
                                 .reflected_imaginary = static_cast<float>(reflected.im),
                                 .by_ground_real = static_cast<float>(by_ground.re),
                                 .by_ground_imaginary = static_cast<float>(by_ground.im),
                                 .root_of_turn_by_ground = static_cast<float>(place.by_ground.root_of_turn)});
    }
    if (near_roofs) record_.reached_over_rooftops[element] |= lit_as_element;
    if (all_along_ground && way.building == nullptr) record_.reached_over_rooftops[element] |= with_ground_as_element;
  }
  go_on_from_antenna(first_leg(way, element, false, left, state), way, element, launched.tubes);
}

void FirstLevel::record(const Launched& launched) {
  if (launched.edges.empty()) return;
  std::vector<LeftAtPlace>& places = record_.left_at_places;
  const std::size_t ways = environment_.options.transmission.nearest_building ? 2 : 1;
  record_.left_along_edges.resize(ways * environment_.points.view().edge_count);
  for (auto [edge, along] : launched.edges) {
    along.first += static_cast<std::uint32_t>(places.size());
    record_.left_along_edges[edge] = along;
  }
  places.insert(places.end(), launched.places.begin(), launched.places.end());
}

void FirstLevel::show_left_along_edges() {
  if (record_.left_along_edges.empty()) return;
  LaunchView& view = record_.view;
  view.left_along_edges = record_.left_along_edges.data();
  view.left_at_places = record_.left_at_places.data();
  view.left_along_edge_count = static_cast<std::uint32_t>(record_.left_along_edges.size());
  view.left_at_place_count = static_cast<std::uint32_t>(record_.left_at_places.size());
}

FirstLevel::FirstLeg FirstLevel::first_leg(const StraightWay& way, std::uint32_t element, bool runs_along_ground,
                                           LeftOfRay left, ThreadState& state) {
  const Vec3 antenna = transmitter_.position, reference = environment_.points.reference(element);
  Link::Departure departure = link_.depart(normalized(reference - antenna));
  if (runs_along_ground) {
    if (way.building == nullptr) record_.reached_over_rooftops[element] |= with_ground_as_element;
  } else {
    departure = departure_into_sight(way, departure, element, with_ground_as_element, reference, left, state);
  }
  return {departure, left, attenuation_of_building(way, reference), setting_.vegetation.amplitude(antenna, reference)};
}

void FirstLevel::go_on_from_antenna(const FirstLeg& leg, const StraightWay& way, std::uint32_t element,
                                    std::vector<Tube>& tubes) const {
  const VirtualSource source{.point = transmitter_.position, .offset_m = leg.left.offset_m};
  const double greatest_squared_strength = setting_.is_pattern_near(element) ? 1.0 : 0.0;
  go_on({source, leg.departure.field, leg.departure.relative_gain, way.chain, 0, 0,
         leg.left.amplitude * leg.building * leg.vegetation, greatest_squared_strength},
        element, tubes);
}

template <class LaunchTo>
void FirstLevel::launch_to_all(std::size_t count, const LaunchTo& launch_to, TubeParts& tubes) {
  std::vector<Launched> produced((count + elements_per_block - 1) / elements_per_block);
  parallel_blocks(count, elements_per_block, no_progress(), [&](std::size_t begin, std::size_t end) {
    ThreadState& state = of_thread();
    for (std::size_t k = begin; k < end; ++k) launch_to(k, state, produced[begin / elements_per_block]);
  });
  for (Launched& of_block : produced) {
    record(of_block);
    tubes.add(std::move(of_block.tubes));
  }
}

void FirstLevel::launch_to_edges_seen_in_part(const StraightWay& way, const std::vector<std::uint32_t>& seen,
                                              std::vector<std::uint8_t>& lit, TubeParts& tubes) {
  const std::uint32_t tiles = environment_.points.tile_count();
  std::vector<std::uint8_t> is_lit(environment_.points.view().edge_count);
  for (auto edge = std::lower_bound(seen.begin(), seen.end(), tiles); edge != seen.end(); ++edge) {
    is_lit[*edge - tiles] = 1;
  }
  const auto launch_to_others = [&](const auto& is_asked_for) {
    const std::vector<std::uint8_t> lit_before = is_lit;
    launch_to_all(
        lit_before.size(),
        [&](std::size_t k, ThreadState& state, Launched& launched) {
          const std::uint32_t element = tiles + static_cast<std::uint32_t>(k);
          if (lit_before[k] != 0 || !setting_.may_go_on(way.chain, element, 0, 0)) return;
          if (!is_asked_for(k, state)) return;
          is_lit[k] = 1;
          mark_lit(way, element, lit_as_element, lit);
          launch_to_edge(way, element, RooftopWaves::SeenOfEdge::another_part, state, launched);
        },
        tubes);
  };
  launch_to_others([&](std::size_t k, ThreadState& state) {
    return waves_.sees_a_part(way, tiles + static_cast<std::uint32_t>(k), state.rooftop_work);
  });
  // Behind a tower that rises from among roofs, what goes around it near the ground comes to its corners below what the
  // antenna sees of them.
  if (!waves_.roofs_count_in_sight(way)) return;
  const std::vector<std::uint8_t> lit_runs = marked_runs(environment_.edge_runs, is_lit);
  launch_to_others([&](std::size_t k, ThreadState& state) {
    return environment_.tiling.edges[k].kind == EdgeKind::corner && lit_runs[environment_.edge_runs[k].number] != 0 &&
           !waves_.is_beyond_horizon(tiles + static_cast<std::uint32_t>(k), state.rooftop_work);
  });
}

void FirstLevel::launch_straight(const StraightWay& way, std::vector<std::uint8_t>& lit, TubeParts& tubes,
                                 Progress& progress) {
  const TargetPoints& points = environment_.points;
  const Vec3 antenna = transmitter_.position;
  const std::vector<std::uint32_t> seen = elements_in_sight(way, lit);
  if (way.building == nullptr && !record_.past_corners.empty()) {
    corners_ = CornersInSight(environment_, antenna, link_.wavelength_m(), seen);
  }
  launch_to_all(
      seen.size(),
      [&](std::size_t k, ThreadState& state, Launched& launched) {
        launch_to_element(way, seen[k], lit, state, launched);
      },
      tubes);
  launch_to_edges_seen_in_part(way, seen, lit, tubes);
  // Ground targets and receiver points stand off their tile: the ray is tested to the point itself.
  const std::uint32_t first = points.tiles_are_targets() ? 0 : points.element_count();
  const std::uint32_t numbers = points.element_count() + points.receiver_count() - first;
  parallel_blocks(numbers, targets_per_block, progress, [&](std::size_t begin, std::size_t end) {
    ThreadState& state = of_thread();
    for (auto number = first + static_cast<std::uint32_t>(begin); number < first + end; ++number) {
      if (points.is_edge(number) || (lit[number] & lit_as_target) != 0) continue;
      // A tile on the ground may be turned away from the antenna, and its target in sight.
      if (points.is_tile(number) && !points.is_ground(number)) continue;
      const Vec3 target = points.arrival(number);
      if (way.building != nullptr && !way.building->may_hide(antenna, target)) continue;
      if (!way.occlusion.is_free(antenna, target)) continue;
      if (environment_.over_rooftops.is_beyond_horizon(antenna, target, state.rooftop_work)) continue;
      arrive_in_sight(way, number, state);
      mark_lit(way, number, lit_as_target, lit);
    }
  });
}

void FirstLevel::launch_through_building(std::vector<std::uint8_t> lit, TubeParts& tubes, Progress& progress) {
  const TransmissionOptions& options = environment_.options.transmission;
  if (!options.nearest_building) return;
  building_ = std::make_shared<BuildingTransmission>(environment_.scene, transmitter_.position,
                                                     transmitter_.frequency_hz, options);
  if (building_->any()) launch_straight(way_through_building(), lit, tubes, progress);
  show_left_along_edges();
  // What each step of a ray takes is told at the end.
  if (!environment_.options.ray_losses) building_.reset();
}

StraightWay FirstLevel::way_through_building() const {
  InteractionChain chain;
  chain.through_building = true;
  return {building_->occlusion_without(), Mechanism::through_building, chain, building_.get()};
}

void FirstLevel::launch_into_sight(std::vector<std::uint8_t>& lit, TubeParts& tubes, Progress& progress) {
  lit.assign(setting_.number_count(), 0);
  if (waves_.ground_reflects_as_a_whole(waves_.way_in_air())) {
    // Out of sight as well: what hides the antenna hides its image.
    for (std::uint32_t r = 0; r < environment_.points.receiver_count(); ++r) {
      const std::uint32_t number = environment_.points.element_count() + r;
      if (setting_.receiver_ground(number) != no_index) record_.reached_over_rooftops[number] |= with_ground_as_target;
    }
  }
  launch_straight(waves_.way_in_air(), lit, tubes, progress);
  show_left_along_edges();
}

void FirstLevel::launch_to_hidden(const std::vector<std::uint8_t>& lit, TubeParts& tubes, Progress& progress) {
  constexpr double through_building = 0.02;  // of the time
  PartOfStage through(progress, 0, through_building), over(progress, through_building, 1);
  // What goes through the building does not keep anything from going over it.
  launch_through_building(lit, tubes, through);
  launch_over_rooftops(lit, tubes, over);
}

}  // namespace tesseray
