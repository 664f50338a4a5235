// SPDX-License-Identifier: GPL-3.0-or-later
// The ground between the crests of a profile, for host and device: the wave runs along it (docs/physics.md §6).
#pragma once

#include <cmath>
#include <cstdint>
#include <span>

#include "core/base/host_device.h"
#include "core/base/units.h"
#include "core/geometry/vector.h"
#include "core/physics/complex.h"
#include "core/physics/fresnel.h"
#include "core/physics/screen_choice.h"
#include "core/physics/screen_factors.h"
#include "core/propagation/rays/ground_plane.h"
#include "core/propagation/rooftops/rooftop_line.h"
#include "core/scene/terrain_view.h"

namespace tesseray {

// Whether the ground itself is the edge, at such a height over the straight line's foot.
TESSERAY_HD inline bool is_crest(const TerrainView& terrain, const RooftopLine& line, Vec2 edge) {
  const double ground_z = terrain.height_at(line.at(edge.x)) + line.bulge_at(edge.x);
  return std::fabs(edge.y - ground_z) < in_ground_plane_m;
}

// The ground's coefficient for a wave that comes in at such a sine over it, of which so much is horizontal.
TESSERAY_HD inline Complex ground_reflection(Complex permittivity, double sine, double horizontal_share) {
  const FresnelCoefficients gamma = fresnel(permittivity, sine);
  return horizontal_share * gamma.te + (1 - horizontal_share) * gamma.tm;
}

// Under the chord from crest to crest. What takes a longer way by the ground than the chord by more than about half a
// wavelength comes in no step of its own, and is left out.
TESSERAY_HD inline GroundUnderLink ground_between(const TerrainView& terrain, const RooftopLine& line, Vec2 crest,
                                                  Vec2 next, Complex permittivity, double horizontal_share,
                                                  double wavelength_m) {
  constexpr int places = 8;
  const Vec2 way = next - crest;
  double depth_m = 0;
  for (int i = 0; i < places; ++i) {
    const Vec2 on_chord = crest + ((i + 0.5) / places) * way;
    depth_m += (on_chord.y - terrain.height_at(line.at(on_chord.x)) - line.bulge_at(on_chord.x)) / places;
  }
  GroundUnderLink ground;
  ground.image_below_m = depth_m > 0 ? 2.0 * depth_m : 0;
  const double wavelengths_longer = 0.5 * ground.image_below_m * ground.image_below_m / (way.x * wavelength_m);
  const double share = 1.5 - 2.0 * wavelengths_longer;
  if (!(share > 0)) return ground;
  ground.reflection =
      (share < 1 ? share : 1.0) * ground_reflection(permittivity, ground.image_below_m / way.x, horizontal_share);
  return ground;
}

// Ground that leaves the straight line between the feet of two ends by less than this counts as straight.
inline constexpr double straight_ground_m = 0.1;

// Vertices of round ground between an end of the line and the crest next to it, below the leg between the two but near
// it, by their distances. They cut the ground there into links as crests do.
struct RoundGround {
  // The wave that bends at a crest has the slopes next to it with it: there the ground is asked at the terrain's own
  // steps, and counts deeper.
  static constexpr std::uint32_t steps_at_crest = 8, steps = steps_at_crest + 16, most_vertices = most_screens;
  static constexpr double least_nu_at_crest = -1.2;
  // Heights are rounded: a straight slope counts as round.
  static constexpr double most_hollow_m = 0.005;
  std::uint32_t count = 0;
  Vec2 vertices[most_vertices];
};

// Distances along a leg from its crest on, at which the ground is asked.
TESSERAY_HD inline double step_from_crest(const TerrainView& terrain, double leg_m, std::uint32_t number) {
  const double own_step_m = terrain.step_x < terrain.step_y ? terrain.step_x : terrain.step_y;
  const double even_m = leg_m / RoundGround::steps, at_crest_m = own_step_m < even_m ? own_step_m : even_m;
  if (number <= RoundGround::steps_at_crest) return number * at_crest_m;
  const double to_go = RoundGround::steps - number, rest_m = leg_m - RoundGround::steps_at_crest * at_crest_m;
  return leg_m - rest_m * to_go / (RoundGround::steps - RoundGround::steps_at_crest);
}

// `crest_first`: the crest is at `begin`, not at `end`.
TESSERAY_HD inline RoundGround round_ground(const TerrainView& terrain, const RooftopLine& line, Vec2 begin, Vec2 end,
                                            bool crest_first, double wavelength_m) {
  constexpr std::uint32_t steps = RoundGround::steps;
  const double leg_m = end.x - begin.x;
  const auto ground_at = [&](double distance) {
    return Vec2{distance, terrain.height_at(line.at(distance)) + line.bulge_at(distance)};
  };
  const Vec2 foot = ground_at(begin.x), way = ground_at(end.x) - foot;
  Vec2 points[steps + 1];
  points[0] = begin;
  points[steps] = end;
  bool is_straight = true;
  for (std::uint32_t i = 1; i < steps; ++i) {
    points[i] = ground_at(crest_first ? begin.x + step_from_crest(terrain, leg_m, i)
                                      : end.x - step_from_crest(terrain, leg_m, steps - i));
    const Vec2 here = points[i] - foot;
    if (std::fabs(here.y - way.y * here.x / way.x) > straight_ground_m) is_straight = false;
  }
  RoundGround round;
  if (is_straight) return round;
  const ScreenChoice choice = choose_screens(std::span<const Vec2>(points), wavelength_m);
  bool is_vertex[steps + 1] = {};
  for (std::uint32_t c = 1; c + 1 < choice.count; ++c) is_vertex[choice.indices[c]] = true;
  for (std::uint32_t n = 1; n <= RoundGround::steps_at_crest; ++n) {
    const std::uint32_t i = crest_first ? n : steps - n;
    const double nu = physics_detail::fresnel_parameter_of(points, i, 0, steps, wavelength_m);
    // Where it bends down no more its foot begins.
    const Vec2 chord = points[i + 1] - points[i - 1];
    const bool is_convex = cross(chord, points[i] - points[i - 1]) >= -RoundGround::most_hollow_m * chord.x;
    if (!is_convex || !(nu > RoundGround::least_nu_at_crest)) break;
    is_vertex[i] = true;
  }
  // Where there are too many, those next to the crest.
  std::uint32_t found = 0;
  for (std::uint32_t n = 1; n < steps; ++n) {
    const std::uint32_t i = crest_first ? n : steps - n;
    if (is_vertex[i] && found++ >= RoundGround::most_vertices) is_vertex[i] = false;
  }
  for (std::uint32_t i = 1; i < steps; ++i) {
    if (is_vertex[i]) round.vertices[round.count++] = points[i];
  }
  return round;
}

// Across the line, to the right of it, along a plane that has this normal and is not upright.
TESSERAY_HD inline Vec3 across_line(const RooftopLine& line, Vec3 normal) {
  const Vec2 right{line.direction.y, -line.direction.x};
  return {right.x, right.y, -dot(normal.xy(), right) / normal.z};
}

// The normal of the ground from an edge to a point beside the line, across which it falls as at the point, where it has
// the normal `there`.
TESSERAY_HD inline Vec3 ground_normal_between(const RooftopLine& line, Vec2 edge, Vec3 point, Vec3 there) {
  const Vec2 place = line.at(edge.x);
  const Vec3 to_edge = Vec3{place.x, place.y, edge.y - line.bulge_at(edge.x)} - point;
  const Vec3 normal = normalized(cross(across_line(line, there), to_edge));
  return normal.z < 0 ? -1.0 * normal : normal;
}

}  // namespace tesseray
