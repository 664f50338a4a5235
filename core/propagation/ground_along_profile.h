// SPDX-License-Identifier: GPL-3.0-or-later
// The ground between the crests of a profile and behind its last edge, for host and device: the wave runs along it
// (docs/physics.md §6).
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
#include "core/propagation/ground_plane.h"
#include "core/propagation/rooftop_line.h"
#include "core/scene/terrain_view.h"

namespace tesseray {

// Whether the ground itself is the edge, at such a height over the straight line's foot.
TESSERAY_HD inline bool is_crest(const TerrainView& terrain, const RooftopLine& line, Vec2 edge) {
  const double ground_z = terrain.height_at(line.at(edge.x)) + line.bulge_at(edge.x);
  return std::fabs(edge.y - ground_z) < in_ground_plane_m;
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
  const FresnelCoefficients gamma = fresnel(permittivity, ground.image_below_m / way.x);
  ground.reflection = (share < 1 ? share : 1.0) * (horizontal_share * gamma.te + (1 - horizontal_share) * gamma.tm);
  return ground;
}

// Ground that leaves the straight line between the feet of two ends by less than this counts as straight.
inline constexpr double straight_ground_m = 0.1;

// Vertices of round ground between an end of the line and the crest next to it, below the leg between the two but near
// it, by their distances. They cut the ground there into links as crests do.
struct RoundGround {
  static constexpr std::uint32_t most_vertices = 15;
  std::uint32_t count = 0;
  Vec2 vertices[most_vertices];
};

TESSERAY_HD inline RoundGround round_ground(const TerrainView& terrain, const RooftopLine& line, Vec2 begin, Vec2 end,
                                            double wavelength_m) {
  constexpr std::uint32_t steps = RoundGround::most_vertices + 1;
  const auto ground_at = [&](double distance) {
    return Vec2{distance, terrain.height_at(line.at(distance)) + line.bulge_at(distance)};
  };
  const Vec2 foot = ground_at(begin.x), way = ground_at(end.x) - foot;
  Vec2 points[steps + 1];
  points[0] = begin;
  points[steps] = end;
  bool is_straight = true;
  for (std::uint32_t i = 1; i < steps; ++i) {
    points[i] = ground_at(begin.x + (end.x - begin.x) * i / steps);
    const Vec2 here = points[i] - foot;
    if (std::fabs(here.y - way.y * here.x / way.x) > straight_ground_m) is_straight = false;
  }
  RoundGround round;
  if (is_straight) return round;
  const ScreenChoice choice = choose_screens(std::span<const Vec2>(points), wavelength_m);
  for (std::uint32_t c = 1; c + 1 < choice.count; ++c) round.vertices[round.count++] = points[choice.indices[c]];
  return round;
}

// The normal of the ground from an edge to a point of it in the line's plane, level across that.
TESSERAY_HD inline Vec3 ground_normal_between(const RooftopLine& line, Vec2 edge, Vec3 point) {
  const Vec2 place = line.at(edge.x);
  const Vec3 to_edge = Vec3{place.x, place.y, edge.y - line.bulge_at(edge.x)} - point;
  const Vec3 across{line.direction.y, -line.direction.x, 0}, normal = normalized(cross(across, to_edge));
  return normal.z < 0 ? -1.0 * normal : normal;
}

// The plane of the ground behind a last edge: that of the tile below the target, or, where the ground is straight from
// the edge on or the edge is a crest behind that plane, the one through it. Returns its normal.
TESSERAY_HD inline Vec3 ground_normal_behind(const TerrainView& terrain, const RooftopLine& line, Vec2 edge,
                                             bool is_straight, Vec3 centroid, Vec3 normal) {
  if (is_straight) return ground_normal_between(line, edge, centroid);
  const Vec2 place = line.at(edge.x);
  const Vec3 to_edge = Vec3{place.x, place.y, edge.y - line.bulge_at(edge.x)} - centroid;
  if (dot(to_edge, normal) >= -in_ground_plane_m || !is_crest(terrain, line, edge)) return normal;
  return ground_normal_between(line, edge, centroid);
}

}  // namespace tesseray
