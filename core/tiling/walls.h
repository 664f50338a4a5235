// SPDX-License-Identifier: GPL-3.0-or-later
// The walls of prisms and which parts of them are exposed to air.
#pragma once

#include <cmath>
#include <cstdint>
#include <vector>

#include "core/scene/ground_plan/polygon.h"
#include "core/scene/ground_plan/prism_index.h"
#include "core/tiling/tiling.h"

namespace tesseray {

// Solids nearer than this touch; steps and gaps smaller than this are none.
inline constexpr double touch_m = 0.05;

// How far off a surface it is judged whether a point of it is exposed; visibility lifts its points as much.
inline constexpr double probe_lift_m = 0.01;

// Whether a prism fills the space at p, or prisms do all around it: on a common side of two either may be said not to.
bool is_in_solid(const PrismIndex& index, Vec3 p);

// A part of a wall that no other prism covers: u along the wall from its start, z absolute.
struct ExposedRectangle {
  Interval u, z;
  double ground_z = 0;    // lowest ground along it: what is below is not exposed
  bool is_tiled = false;  // large enough, and above the ground

  Interval above_ground() const { return {std::fmax(z.low, ground_z), z.high}; }
};

// One side of a ring, or several in a straight line, or of a curve (outline.h). The solid is on the left.
struct Wall {
  Vec2 start, direction, normal;  // unit; the normal points into the air
  double length_m = 0;
  // How far the curve reaches that it is part of: as a wall so wide all of it is large enough for tiles, or not. 0: of
  // none.
  double curve_m = 0;
  // It and the next wall are too narrow for tiles, and the outline turns by a corner over the least width of a wall
  // there.
  bool turns_at_end = false;
  std::uint32_t next = 0;  // the wall that starts where this one ends
  std::uint32_t rectangles_begin = 0, rectangles_end = 0;
  std::uint32_t eaves_begin = 0, eaves_end = 0;

  Vec2 end() const { return start + length_m * direction; }
  // No tile and no eave on it is narrower.
  double least_width_m(const TilingOptions& options) const {
    const double width_m = options.min_wall_width_m;
    return curve_m > 0 && curve_m >= width_m ? std::fmin(width_m, 0.5 * length_m) : width_m;
  }
};

// How much the outline turns to the left from one wall to the next, rad in (−π, π].
inline double turn_between(const Wall& in, const Wall& out) {
  return std::atan2(cross(in.direction, out.direction), dot(in.direction, out.direction));
}

struct PrismWalls {
  std::vector<Wall> walls;
  std::vector<ExposedRectangle> rectangles;  // by wall, then u, then z upwards
  std::vector<Interval> eaves;               // by wall: where its upper side is an edge between wall and roof
  std::uint64_t walls_too_small = 0;
  double too_small_m2 = 0;  // of them together
};

PrismWalls expose_walls(const Scene& scene, const PrismIndex& index, std::uint32_t prism, const TilingOptions& options);

}  // namespace tesseray
