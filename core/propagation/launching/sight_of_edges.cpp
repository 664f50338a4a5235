// SPDX-License-Identifier: GPL-3.0-or-later
// What roofs and uneven ground near the line of sight leave along an edge segment: each ray that the edge diffracts
// comes in at a place of its own.
#include <algorithm>
#include <cmath>

#include "core/propagation/launching/rooftop_waves.h"

namespace tesseray {
namespace {

// The places lie as near to each other as the field between them is not as the straight line says, by this part of it
// (0.2 dB), and no nearer than this part of the segment or than this.
constexpr double most_deviation = 0.02, finest_share = 1.0 / 64, finest_m = 0.05;
// The foot of a corner stands on the ground, where nothing comes.
constexpr double from_ends_m = 0.01;

Vec3 place_at(const EdgeSegment& edge, double z_m, double lifted_m) {
  return edge.midpoint + z_m * edge.direction + lifted_m * bisector(edge);
}

// Whether what is between two is nearly as a straight line from one to the other says.
bool is_halfway(Complex a, Complex between, Complex b) {
  const double most = std::max({norm(a), norm(b), norm(between)});
  return norm(between - 0.5 * (a + b)) <= most_deviation * most;
}

double half_m(const EdgeSegment& edge) { return std::max(0.5 * edge.length_m - from_ends_m, 0.25 * edge.length_m); }

}  // namespace

bool RooftopWaves::sees_place(const EdgeSegment& edge, double z_m) const {
  return environment_.occlusion.is_free(transmitter_.position, place_at(edge, z_m, lift_m));
}

bool RooftopWaves::is_beyond_horizon(const EdgeSegment& edge, double z_m, Workspace& work) const {
  return environment_.over_rooftops.is_beyond_horizon(transmitter_.position, place_at(edge, z_m, 0), work);
}

bool RooftopWaves::is_beyond_horizon(std::uint32_t element, Workspace& work) const {
  const EdgeSegment& edge = view_.environment.edge(element);
  return is_beyond_horizon(edge, half_m(edge), work) && is_beyond_horizon(edge, -half_m(edge), work);
}

bool RooftopWaves::sees_an_end(std::uint32_t element, Workspace& work) const {
  const EdgeSegment& edge = view_.environment.edge(element);
  const auto sees = [&](double z_m) { return sees_place(edge, z_m) && !is_beyond_horizon(edge, z_m, work); };
  return sees(half_m(edge)) || sees(-half_m(edge));
}

Complex RooftopWaves::left_by_ground_to_edge(std::uint32_t element, Vec3 place, Workspace& work) const {
  RooftopTarget image = target_at(element, place);
  image.point.z = 2 * environment_.over_rooftops.view().terrain.height_at(place.xy()) - place.z;
  const LeftOfRay left = left_of_way(OverRooftopPaths::WayInSight::by_ground, image, work);
  return left.amplitude * exp_j(-link_.wave_number() * left.offset_m);
}

RooftopWaves::LeftOfEdge::Place RooftopWaves::left_at_edge(std::uint32_t element, SeenOfEdge seen, double z_m,
                                                           Workspace& work, RooftopWave& wave) const {
  const EdgeSegment& edge = view_.environment.edge(element);
  const Vec3 point = place_at(edge, z_m, before_roofs_in_air_m);
  // Before other edges nothing asks for what the ground reflects.
  const bool may_be_upright = edge.kind == EdgeKind::corner;
  LeftOfRay left;
  LeftOfEdge::Place place{.z_m = z_m};
  const RooftopTarget target = target_at(element, point);
  if (find_along_ground(true, target, work, wave)) {
    left = left_along_ground(wave);
    place.runs_along_ground = true;
    place.near_roofs = wave.path.meets_roofs;
    if (may_be_upright && !place.near_roofs) {
      place.reflected = reflected_along_ground(target, left, work);
    }
  } else {
    left = left_by_roofs(way_in_air(), element, point, work);
    place.near_roofs = left.comes_near;
  }
  if (may_be_upright && limits_.may_reflect(0, 0)) place.by_ground = left_by_ground_to_edge(element, point, work);
  if (!place.is_free()) {
    place.factor = left.amplitude * exp_j(-link_.wave_number() * left.offset_m);
  } else if (seen == SeenOfEdge::another_part && !sees_place(edge, z_m)) {
    place.factor = place.by_ground = {};
    place.is_hidden = true;
  }
  return place;
}

void RooftopWaves::find_left_of_edge(std::uint32_t element, SeenOfEdge seen, Workspace& work, RooftopWave& wave,
                                     LeftOfEdge& left) const {
  using Place = LeftOfEdge::Place;
  left.places.clear();
  if (seen == SeenOfEdge::middle && !screens_count_in_sight()) return;
  const EdgeSegment& edge = view_.environment.edge(element);
  const double end_m = half_m(edge);
  const auto at = [&](double z_m) { return left_at_edge(element, seen, z_m, work, wave); };
  const Place begin = at(-end_m), middle = at(0), end = at(end_m);
  const auto is_free = [](const Place& place) { return place.is_free() && place.is_free_by_ground(); };
  if (is_free(begin) && is_free(middle) && is_free(end)) return;
  const double finest = std::max(finest_share * edge.length_m, finest_m);
  const auto add_between = [&](const Place& a, const Place& b, int known, const auto& again) -> void {
    if (b.z_m - a.z_m < 2 * finest) return;
    const Place between = at(0.5 * (a.z_m + b.z_m));
    const bool is_as_between = a.runs_along_ground == b.runs_along_ground &&
                               is_halfway(a.factor, between.factor, b.factor) &&
                               is_halfway(a.by_ground, between.by_ground, b.by_ground);
    if (known == 0 && is_as_between) {
      left.places.push_back(between);
      return;
    }
    again(a, between, std::max(known - 1, 0), again);
    left.places.push_back(between);
    again(between, b, std::max(known - 1, 0), again);
  };
  // Once at least, whatever the middle says: an interval may be like the straight line at its middle alone.
  left.places.push_back(begin);
  add_between(begin, middle, 1, add_between);
  left.places.push_back(middle);
  add_between(middle, end, 1, add_between);
  left.places.push_back(end);
}

}  // namespace tesseray
