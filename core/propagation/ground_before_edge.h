// SPDX-License-Identifier: GPL-3.0-or-later
// The ground between an antenna that stands over it and the first edge of a ray over the roofs, for host and device:
// part of the wave comes to the edge by way of it (docs/physics.md §6).
#pragma once

#include <cmath>

#include "core/base/host_device.h"
#include "core/geometry/vector.h"
#include "core/propagation/ground_plane.h"
#include "core/propagation/rooftop_line.h"
#include "core/scene/terrain_view.h"

namespace tesseray {

// In the vertical plane of a ray (x: distance over the ground plan from the antenna, y: height; m): the straight line
// nearest to the ground where it reflects what goes to the first edge.
struct GroundBeforeEdge {
  bool reflects = false;  // both ends of that way stand above the line, the edge perhaps in it
  bool hides = false;     // the edge lies below it: the ground turns away from the antenna there
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

// The least squares through the ground's heights at five places from `begin` to `end`.
template <class HeightAt>
TESSERAY_HD inline void fit(const HeightAt& height_at, double begin, double end, GroundBeforeEdge& ground) {
  const double step = 0.25 * (end - begin), middle = 0.5 * (begin + end);
  double sum = 0, moment = 0;
  for (int i = -2; i <= 2; ++i) {
    const double height = height_at(middle + i * step);
    sum += height;
    moment += i * height;
  }
  ground.slope = moment / (10.0 * step);
  ground.height_m = 0.2 * sum - ground.slope * middle;
}

}  // namespace ground_before_edge_detail

// For an antenna at the beginning of `line` and the first edge over which the ray goes.
TESSERAY_HD inline GroundBeforeEdge ground_before(const TerrainView& terrain, const RooftopLine& line, Vec2 edge) {
  using namespace ground_before_edge_detail;
  const auto ground_at = [&](double distance) {
    return terrain.height_at(line.at(distance)) + line.bulge_at(distance);
  };
  GroundBeforeEdge ground;
  ground.height_m = ground_at(0);
  ground.slope = (ground_at(edge.x) - ground.height_m) / edge.x;
  for (int turn = 0; turn < turns; ++turn) {
    const double antenna_m = line.from.z - ground.height_m, edge_m = edge.y - ground.height_at(edge.x);
    if (!(antenna_m > 0)) return ground;
    const double place = edge_m > 0 ? edge.x * antenna_m / (antenna_m + edge_m) : edge.x;
    // As far as the first Fresnel zone reaches, or thereabouts.
    const double end = 2.0 * place < 0.5 * (place + edge.x) ? 2.0 * place : 0.5 * (place + edge.x);
    fit(ground_at, 0.5 * place, end, ground);
  }
  const double edge_m = edge.y - ground.height_at(edge.x);
  const bool is_above = line.from.z > ground.height_m;
  ground.reflects = is_above && edge_m >= -in_ground_plane_m;
  ground.hides = is_above && edge_m < -in_ground_plane_m;
  return ground;
}

}  // namespace tesseray
