// SPDX-License-Identifier: GPL-3.0-or-later
// The ground between an antenna that stands over it and the first edge of a ray over the roofs, for host and device:
// part of the wave comes to the edge by way of it (docs/physics.md §6). Behind the last edge it lies the other way
// round.
#pragma once

#include <cmath>

#include "core/base/host_device.h"
#include "core/geometry/vector.h"
#include "core/propagation/rays/ground_plane.h"
#include "core/propagation/rooftops/ground_along_profile.h"
#include "core/propagation/rooftops/rooftop_line.h"
#include "core/scene/terrain_view.h"

namespace tesseray {

// In the vertical plane of a ray (x: distance over the ground plan from the antenna, y: height; m): the straight line
// nearest to the ground where it reflects what goes to the first edge.
struct GroundBeforeEdge {
  bool reflects = false;  // both ends of that way stand above the line, the edge perhaps in it
  double height_m = 0;    // of the line at the antenna
  double slope = 0;

  TESSERAY_HD double height_at(double distance) const { return height_m + slope * distance; }
  // Where the antenna seems to stand.
  TESSERAY_HD Vec2 image_of(Vec2 antenna) const {
    const double lower = 2.0 * (antenna.y - height_at(antenna.x)) / (1.0 + slope * slope);
    return antenna + lower * Vec2{slope, -1.0};
  }
  // How far below the antenna the image is seen from the edge.
  TESSERAY_HD double image_below(Vec2 antenna, Vec2 edge) const {
    const Vec2 image = image_of(antenna), way = edge - image;
    return antenna.y - (edge.y - way.y * (edge.x - antenna.x) / way.x);
  }
};

namespace ground_before_edge_detail {

// The line depends on where the reflection is, and that on the line: each time a part of what was wrong is left.
inline constexpr int turns = 3;

// Heights of the ground scatter from node to node of a terrain; so many to either side of the middle are enough.
inline constexpr int places_aside = 7;
inline constexpr double places = 2 * places_aside + 1;

// The least squares through the ground's heights at equal steps from `begin` to `end`.
template <class HeightAt>
TESSERAY_HD inline void fit(const HeightAt& height_at, double begin, double end, GroundBeforeEdge& ground) {
  const double step = (end - begin) / (places - 1), middle = 0.5 * (begin + end);
  double sum = 0, moment = 0, squares = 0;
  for (int i = -places_aside; i <= places_aside; ++i) {
    const double height = height_at(middle + i * step);
    sum += height;
    moment += i * height;
    squares += i * i;
  }
  ground.slope = moment / (squares * step);
  ground.height_m = sum / places - ground.slope * middle;
}

}  // namespace ground_before_edge_detail

// From the antenna's foot straight to an edge upon the ground.
TESSERAY_HD inline GroundBeforeEdge ground_up_to(const TerrainView& terrain, const RooftopLine& line, Vec2 edge) {
  GroundBeforeEdge ground;
  ground.height_m = terrain.height_at(line.at(0));
  ground.slope = (edge.y - ground.height_m) / edge.x;
  ground.reflects = line.from.z > ground.height_m && ground.image_of({0, line.from.z}).x < edge.x;
  return ground;
}

// For an antenna at the beginning of `line` and the first edge over which the ray goes.
TESSERAY_HD inline GroundBeforeEdge ground_before(const TerrainView& terrain, const RooftopLine& line, Vec2 edge) {
  using namespace ground_before_edge_detail;
  const auto ground_at = [&](double distance) {
    return terrain.height_at(line.at(distance)) + line.bulge_at(distance);
  };
  GroundBeforeEdge ground;
  ground.height_m = ground_at(0);
  const double foot_z = ground.height_m;
  for (int turn = 0; turn < turns; ++turn) {
    const double antenna_m = line.from.z - ground.height_m, edge_m = edge.y - ground.height_at(edge.x);
    if (!(antenna_m > 0)) break;
    const double place = edge_m > 0 ? edge.x * antenna_m / (antenna_m + edge_m) : edge.x;
    // As far as the first Fresnel zone reaches, or thereabouts.
    const double end = 2.0 * place < 0.5 * (place + edge.x) ? 2.0 * place : 0.5 * (place + edge.x);
    fit(ground_at, 0.5 * place, end, ground);
  }
  if (!(line.from.z > ground.height_m)) {
    // The ground bends away before it gets to the antenna.
    ground.height_m = foot_z;
    ground.slope = (ground_at(edge.x) - foot_z) / edge.x;
  }
  double edge_m = edge.y - ground.height_at(edge.x);
  if (edge_m < 0 && is_crest(terrain, line, edge)) {
    // Over ground that bends away the wave runs along it to the crest.
    ground.slope = (edge.y - ground.height_m) / edge.x;
    edge_m = 0;
  }
  // On a steep slope the image may lie beyond an edge next to the antenna, from where nothing comes over it.
  ground.reflects =
      line.from.z > ground.height_m && edge_m >= -in_ground_plane_m && ground.image_of({0, line.from.z}).x < edge.x;
  return ground;
}

// The plane of the ground behind a last edge: that of the tile below the target, or, where the ground is straight from
// the edge on or the edge is a crest behind that plane, the one through it. Where the ground about the place of
// reflection is in one line with the tile, it has that line's slope: the tile's own has the noise of the terrain model,
// which is steeper than the angle at which a wave comes in far behind an edge. Across the line all of them fall as the
// tile does: a receiver may stand metres beside the tile's middle. Returns its normal.
TESSERAY_HD inline Vec3 ground_normal_behind(const TerrainView& terrain, const RooftopLine& line, Vec2 edge,
                                             bool is_straight, Vec3 centroid, Vec3 normal) {
  constexpr double negligible_of_height = 0.1;
  if (is_straight) return ground_normal_between(line, edge, centroid, normal);
  const Vec2 place = line.at(edge.x), target = line.at(line.length_m);
  const RooftopLine back({target.x, target.y, line.end_z}, line.from, 0);
  const GroundBeforeEdge ground = ground_before(terrain, back, {line.length_m - edge.x, edge.y});
  const double target_m = line.end_z - terrain.height_at(target);
  if (ground.reflects && std::fabs(line.end_z - target_m - ground.height_m) < negligible_of_height * target_m) {
    const Vec3 along = at_height(back.direction, ground.slope);
    normal = normalized(cross(along, across_line(back, normal)));
    if (normal.z < 0) normal = -1.0 * normal;
  }
  const Vec3 to_edge = Vec3{place.x, place.y, edge.y - line.bulge_at(edge.x)} - centroid;
  if (dot(to_edge, normal) >= -in_ground_plane_m || !is_crest(terrain, line, edge)) return normal;
  return ground_normal_between(line, edge, centroid, normal);
}

}  // namespace tesseray
