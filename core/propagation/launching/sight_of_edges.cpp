// SPDX-License-Identifier: GPL-3.0-or-later
// What roofs and uneven ground near the line of sight leave along an edge segment: each ray that the edge diffracts
// comes in at a place of its own.
#include <algorithm>
#include <cmath>

#include "core/propagation/launching/rooftop_waves.h"
#include "core/propagation/rays/building_transmission.h"

namespace tesseray {
namespace {

// The places lie as near to each other as the field between them is not as they say, by this part of it (0.2 dB), or,
// where it is weak, of this part of the field of free space; and no nearer than this part of the segment or than this.
constexpr double most_deviation = 0.02, weak = 0.05, finest_share = 1.0 / 64, finest_m = 0.05;
// The foot of a corner stands on the ground, where nothing comes.
constexpr double from_ends_m = 0.01;

Vec3 place_at(const EdgeSegment& edge, double z_m, double lifted_m) {
  return edge.midpoint + z_m * edge.direction + lifted_m * bisector(edge);
}

// Whether a field of that amplitude is nearly what is expected.
bool is_expected(const TurningField& field, const TurningField& expected, double amplitude) {
  return norm(field.field() - expected.field()) <= most_deviation * std::max(amplitude, weak);
}

double greatest(const TurningField& a, const TurningField& between, const TurningField& b) {
  return std::max({norm(a.steady), norm(between.steady), norm(b.steady)});
}

using Place = RooftopWaves::LeftOfEdge::Place;

// As both say.
Place halfway(const Place& a, const Place& b) {
  Place middle = a;
  middle.z_m = 0.5 * (a.z_m + b.z_m);
  middle.factor = between(a.factor, b.factor, 0.5);
  middle.reflected = 0.5 * (a.reflected + b.reflected);
  middle.by_ground = between(a.by_ground, b.by_ground, 0.5);
  return middle;
}

bool is_upright(const EdgeSegment& edge) { return edge.kind == EdgeKind::corner; }

double half_m(const EdgeSegment& edge) { return std::max(0.5 * edge.length_m - from_ends_m, 0.25 * edge.length_m); }

}  // namespace

bool RooftopWaves::sees_place(const StraightWay& way, const EdgeSegment& edge, double z_m) const {
  const Vec3 antenna = transmitter_.position, place = place_at(edge, z_m, lift_m);
  const auto is_seen_in_air = [&] { return environment_.occlusion.is_free(antenna, place); };
  if (way.building == nullptr) return is_seen_in_air();
  return way.building->may_hide(antenna, place) && way.occlusion.is_free(antenna, place) && !is_seen_in_air();
}

bool RooftopWaves::is_beyond_horizon(const EdgeSegment& edge, double z_m, Workspace& work) const {
  return environment_.over_rooftops.is_beyond_horizon(transmitter_.position, place_at(edge, z_m, 0), work);
}

bool RooftopWaves::is_beyond_horizon(std::uint32_t element, Workspace& work) const {
  const EdgeSegment& edge = view_.environment.edge(element);
  return is_beyond_horizon(edge, half_m(edge), work) && is_beyond_horizon(edge, -half_m(edge), work);
}

bool RooftopWaves::sees_a_part(const StraightWay& way, std::uint32_t element, Workspace& work) const {
  const EdgeSegment& edge = view_.environment.edge(element);
  const auto sees = [&](double z_m) { return sees_place(way, edge, z_m) && !is_beyond_horizon(edge, z_m, work); };
  return sees(half_m(edge)) || sees(-half_m(edge)) || (way.building != nullptr && sees(0));
}

TurningField RooftopWaves::turning_past_roofs(const OverRooftopPaths::FieldPastRoofs& left) const {
  return turning_field(left.factor, std::sqrt(link_.wave_number() * left.detour_m));
}

TurningField RooftopWaves::left_by_ground_to_edge(std::uint32_t element, Vec3 place, Workspace& work) const {
  RooftopTarget image = target_at(element, place);
  image.point.z = 2 * environment_.over_rooftops.view().terrain.height_at(place.xy()) - place.z;
  return turning_past_roofs(
      environment_.over_rooftops.left_in_sight(search_rays(), image, OverRooftopPaths::WayInSight::by_ground, work));
}

void RooftopWaves::ask_straight_to_edge(const StraightWay& way, std::uint32_t element, SeenOfEdge seen, Workspace& work,
                                        RooftopWave& wave, LeftOfEdge::Place& place) const {
  const bool with_roofs = way.building == nullptr;
  const EdgeSegment& edge = view_.environment.edge(element);
  const RooftopTarget target = target_at(element, place_at(edge, place.z_m, before_roofs_in_air_m));
  place = {.z_m = place.z_m, .by_ground = place.by_ground};
  place.runs_along_ground = find_along_ground(with_roofs, target, work, wave);
  if (place.runs_along_ground) {
    const LeftOfRay left = left_along_ground(wave);
    place.near_roofs = wave.path.meets_roofs;
    place.factor.steady = left.amplitude * exp_j(-link_.wave_number() * left.offset_m);
    // Before other edges nothing asks for what the ground reflects.
    if (is_upright(edge) && !place.near_roofs) place.reflected = reflected_along_ground(with_roofs, target, left, work);
  } else if (roofs_count_in_sight(way)) {
    const OverRooftopPaths::FieldPastRoofs left =
        environment_.over_rooftops.left_in_sight(search_rays(), target, OverRooftopPaths::WayInSight::straight, work);
    place.near_roofs = left.first_edge.has_value();
    place.factor = turning_past_roofs(left);
  }
  place.is_hidden = place.is_free() && seen == SeenOfEdge::another_part && !sees_place(way, edge, place.z_m);
  const double of_building = place.is_hidden ? 0 : left_by_building_over_middle(way, edge, seen, place.z_m);
  place.factor.steady = of_building * place.factor.steady;
  place.reflected = of_building * place.reflected;
}

double RooftopWaves::left_by_building_over_middle(const StraightWay& way, const EdgeSegment& edge, SeenOfEdge seen,
                                                  double z_m) const {
  if (way.building == nullptr || seen == SeenOfEdge::middle) return 1;
  const Vec3 antenna = transmitter_.position;
  return way.building->amplitude(antenna, place_at(edge, z_m, lift_m)) /
         way.building->amplitude(antenna, edge.midpoint);
}

void RooftopWaves::ask_at_edge(const StraightWay& way, std::uint32_t element, SeenOfEdge seen, AskedOfEdge asked,
                               Workspace& work, RooftopWave& wave, LeftOfEdge::Place& place) const {
  const EdgeSegment& edge = view_.environment.edge(element);
  if (asked.straight) ask_straight_to_edge(way, element, seen, work, wave, place);
  if (place.is_hidden) {
    place.by_ground = {.steady = {}};
  } else if (asked.by_ground && way.building != nullptr) {
    place.by_ground.steady = {left_by_building_over_middle(way, edge, seen, place.z_m), 0};
  } else if (asked.by_ground && is_upright(edge) && limits_.may_reflect(0, 0)) {
    place.by_ground = left_by_ground_to_edge(element, place_at(edge, place.z_m, before_roofs_in_air_m), work);
  }
}

void RooftopWaves::find_left_of_edge(const StraightWay& way, std::uint32_t element, SeenOfEdge seen, Workspace& work,
                                     RooftopWave& wave, LeftOfEdge& left) const {
  left.places.clear();
  if (seen == SeenOfEdge::middle && !screens_count_in_sight()) return;
  const EdgeSegment& edge = view_.environment.edge(element);
  const double end_m = half_m(edge);
  constexpr AskedOfEdge both{.straight = true, .by_ground = true};
  const auto at = [&](double z_m) {
    Place place{.z_m = z_m};
    ask_at_edge(way, element, seen, both, work, wave, place);
    return place;
  };
  const Place begin = at(-end_m), middle = at(0), end = at(end_m);
  const auto is_free = [](const Place& place) { return place.is_free() && place.is_free_by_ground(); };
  if (is_free(begin) && is_free(middle) && is_free(end)) return;
  const double finest = std::max(finest_share * edge.length_m, finest_m);
  const auto add_between = [&](const Place& a, const Place& b, int known, AskedOfEdge asked,
                               const auto& again) -> void {
    if (b.z_m - a.z_m < 2 * finest) return;
    const Place expected = halfway(a, b);
    Place between = expected;
    ask_at_edge(way, element, seen, asked, work, wave, between);
    const double straight = greatest(a.factor, between.factor, b.factor),
                 by_ground = greatest(a.by_ground, between.by_ground, b.by_ground);
    if (known == 0) {
      asked.straight = asked.straight && !(a.runs_along_ground == b.runs_along_ground &&
                                           is_expected(between.factor, expected.factor, straight));
      // It adds to what comes straight there, or higher up.
      asked.by_ground =
          asked.by_ground && !is_expected(between.by_ground, expected.by_ground, std::max(straight, by_ground));
    }
    const bool goes_on = asked.straight || asked.by_ground;
    if (goes_on) again(a, between, std::max(known - 1, 0), asked, again);
    left.places.push_back(between);
    if (goes_on) again(between, b, std::max(known - 1, 0), asked, again);
  };
  // Once at least, whatever the middle says: an interval may be like the straight line at its middle alone.
  left.places.push_back(begin);
  add_between(begin, middle, 1, both, add_between);
  left.places.push_back(middle);
  add_between(middle, end, 1, both, add_between);
  left.places.push_back(end);
}

}  // namespace tesseray
