// SPDX-License-Identifier: GPL-3.0-or-later
// The numbers of the interval search (interval_search.h): of a row's points against an element, and of the sources
// whose rays it bounces.
#pragma once

#include <algorithm>
#include <cmath>

#include "core/base/host_device.h"
#include "core/base/infinity.h"
#include "core/propagation/rows/interval_search.h"
#include "core/propagation/rows/rough_point.h"
#include "core/tiling/tiling.h"

namespace tesseray {

// A place along a tile, or an edge segment, in steps of 2⁻²⁶ half sides, 7·10⁻⁸ m at tiles of 10 m: far above what
// rounding does, and far below what matters. Where a ray's vertical plane is that of a border between tiles, as happens
// in scenes of round numbers, both have it at ±1 to the bit; intervals are half open, so that one of them takes the
// ray.
TESSERAY_HD inline double in_steps(double half_sides) {
  constexpr double shift = 0x1.8p+26;
  return (half_sides + shift) - shift;
}

// Points nearer than this to a tile's plane (an edge's line) are on it: nothing is reflected (diffracted) to them, m.
inline constexpr double least_interval_distance_m = 1e-3;

// The coordinates of points against a tile: u, v in half sides and d in metres along the normal. v runs against half_v,
// down a wall: of the two borders at ±1 a tile has that at 1, so that a wall has its foot, where it meets what runs
// along a roof before it.
struct TileFrame {
  Vec3 centroid, normal, dual_u, dual_v;

  TESSERAY_HD explicit TileFrame(const Tile& tile) : centroid(tile.centroid), normal(tile.normal) {
    // The dual basis of (half_u, −half_v) in the tile's plane: sides of ground tiles need not be at right angles.
    const double uu = dot(tile.half_u, tile.half_u), uv = dot(tile.half_u, tile.half_v),
                 vv = dot(tile.half_v, tile.half_v);
    const double scale = 1.0 / (uu * vv - uv * uv);
    dual_u = scale * (vv * tile.half_u - uv * tile.half_v);
    dual_v = scale * (uv * tile.half_u - uu * tile.half_v);
  }
  TESSERAY_HD Vec3 coordinates(Vec3 point) const {
    const Vec3 p = point - centroid;
    return {dot(p, dual_u), dot(p, dual_v), dot(p, normal)};
  }
  // Whether a place in its plane lies on the tile.
  TESSERAY_HD bool holds(Vec3 place) const {
    const Vec3 at = coordinates(place);
    return std::fabs(at.x) <= 1 && std::fabs(at.y) <= 1;
  }
};

// The numbers of one point against a tile (an edge segment, without v); first_u is infinite where nothing is bounced to
// it.
struct PointIntervals {
  float first_u = 0, last_u = 0, first_v = 0, last_v = 0;
};

// Written out, so that a loop over points turns into vectors.
[[gnu::always_inline]] TESSERAY_HD inline PointIntervals intervals_at_tile(const TileFrame& frame, double point_x,
                                                                           double point_y, double point_z) {
  const double x = point_x - frame.centroid.x, y = point_y - frame.centroid.y, z = point_z - frame.centroid.z;
  const double u = x * frame.dual_u.x + y * frame.dual_u.y + z * frame.dual_u.z;
  const double v = x * frame.dual_v.x + y * frame.dual_v.y + z * frame.dual_v.z;
  const double height = x * frame.normal.x + y * frame.normal.y + z * frame.normal.z;
  const double on_u = in_steps(u), on_v = in_steps(v);
  const bool above = height >= least_interval_distance_m;
  const double scale = 1.0 / (above ? height : 1.0);
  const auto low_u = static_cast<float>((on_u - 1.0) * scale), high_u = static_cast<float>((on_u + 1.0) * scale);
  const auto low_v = static_cast<float>((on_v - 1.0) * scale), high_v = static_cast<float>((on_v + 1.0) * scale);
  return {above ? low_u : infinity_f, above ? high_u : -infinity_f, above ? low_v : infinity_f,
          above ? high_v : -infinity_f};
}

// Cotangents of the angles to an edge's line under which a point sees the ends of a segment: (z ∓ half)/ρ, z being
// along the edge from the segment's middle and ρ from its line. A source lights what lies between their opposites.
struct SegmentEnds {
  float first = 0, last = 0;
};
[[gnu::always_inline]] TESSERAY_HD inline SegmentEnds segment_ends(double z, double half, double rho) {
  const double on_segment = in_steps(z * (1.0 / half)), scale = half / rho;
  return {static_cast<float>((on_segment - 1.0) * scale), static_cast<float>((on_segment + 1.0) * scale)};
}

[[gnu::always_inline]] TESSERAY_HD inline PointIntervals intervals_at_edge(Vec3 midpoint, Vec3 direction, double half,
                                                                           double point_x, double point_y,
                                                                           double point_z) {
  const double x = point_x - midpoint.x, y = point_y - midpoint.y, h = point_z - midpoint.z;
  const double z = x * direction.x + y * direction.y + h * direction.z;
  const double across_x = x - z * direction.x, across_y = y - z * direction.y, across_h = h - z * direction.z;
  const double distance = std::sqrt(across_x * across_x + across_y * across_y + across_h * across_h);
  const bool apart = distance >= least_interval_distance_m;
  const SegmentEnds ends = segment_ends(z, half, apart ? distance : 1.0);
  return {apart ? ends.first : infinity_f, apart ? ends.last : -infinity_f, 0, 0};
}

// A point against an edge segment, as far as it matters to the power that is diffracted there.
struct PointPastEdge {
  float along_m = 0, apart_m = 0;  // along the edge from the segment's middle, and from its line
  float cosine = 1, sine = 0;      // of the angle about the edge, from its 0-face
};

TESSERAY_HD inline PointPastEdge point_past_edge(const EdgeSegment& edge, Vec3 point) {
  const Vec3 way = point - edge.midpoint;
  const double on_tangent = dot(way, edge.tangent_0), on_normal = dot(way, edge.normal_0);
  const double apart = std::sqrt(on_tangent * on_tangent + on_normal * on_normal),
               scale = apart > 0 ? 1.0 / apart : 1.0;
  return {static_cast<float>(dot(way, edge.direction)), static_cast<float>(apart),
          static_cast<float>(on_tangent * scale), static_cast<float>(on_normal * scale)};
}

// Whether a source hits a point, as find_hits() asks it. `two_dimensional`: at a tile.
TESSERAY_HD inline bool is_hit(const PointIntervals& point, const IntervalBounds& source, bool two_dimensional) {
  if (!(point.first_u <= source.upper_u && point.last_u > source.lower_u)) return false;
  return !two_dimensional || (point.first_v <= source.upper_v && point.last_v > source.lower_v);
}

// The bounds for rays that leave from `source` (REQUIRES d > 0 in the tile's frame), or from a straight segment
// between two points: those that any of its points could hit.
TESSERAY_HD inline IntervalBounds tile_bounds(Vec3 source) {
  const double scale = 1.0 / source.z, u = in_steps(source.x), v = in_steps(source.y);
  return {static_cast<float>((1.0 - u) * scale), static_cast<float>(-(1.0 + u) * scale),
          static_cast<float>((1.0 - v) * scale), static_cast<float>(-(1.0 + v) * scale)};
}

TESSERAY_HD inline IntervalBounds tile_bounds(Vec3 one_end, Vec3 other_end) {
  if (one_end.z < least_interval_distance_m || other_end.z < least_interval_distance_m) {
    return {infinity_f, -infinity_f, infinity_f, -infinity_f};
  }
  const IntervalBounds a = tile_bounds(one_end), b = tile_bounds(other_end);
  return {std::max(a.upper_u, b.upper_u), std::min(a.lower_u, b.lower_u), std::max(a.upper_v, b.upper_v),
          std::min(a.lower_v, b.lower_v)};
}

// Bounds at a tile for points in single precision: they admit all that the bounds themselves do, and some more.
struct RoughTileBounds {
  RoughPoint centroid, dual_u, dual_v, normal;
  IntervalBounds bounds;
  // By so much u and v may be beyond a bound times d.
  float above_u = 0, below_u = 0, above_v = 0, below_v = 0;

  // `centroid`: of the tile. `most_m`: no coordinate of it, or of a point, is farther from the origin of rough points.
  // They admit points so much below those that are asked for, too.
  RoughTileBounds(const TileFrame& frame, RoughPoint rough_centroid, const IntervalBounds& exact, double most_m,
                  double below_m)
      : centroid(rough_centroid),
        dual_u(rough_point(frame.dual_u)),
        dual_v(rough_point(frame.dual_v)),
        normal(rough_point(frame.normal)),
        bounds(exact) {
    const auto sum = [](Vec3 v) { return std::fabs(v.x) + std::fabs(v.y) + std::fabs(v.z); };
    // The coordinates of tile and point, their difference, the vector, products and sums: twelve roundings of at most
    // that at single precision, and some room.
    const double rounding_m = 16 * 0x1p-24 * most_m,
                 of_d = rounding_m * sum(frame.normal) + below_m * std::fabs(frame.normal.z);
    const auto set = [&](Vec3 dual, float& upper, float& lower, float& above, float& below) {
      const double beyond = 1 + rounding_m * sum(dual) + below_m * std::fabs(dual.z);
      above = static_cast<float>((beyond + std::fabs(static_cast<double>(upper)) * of_d) * (1 + of_numbers));
      below = static_cast<float>((beyond + std::fabs(static_cast<double>(lower)) * of_d) * (1 + of_numbers));
      upper += static_cast<float>(of_numbers) * std::fabs(upper);
      lower -= static_cast<float>(of_numbers) * std::fabs(lower);
    };
    set(frame.dual_u, bounds.upper_u, bounds.lower_u, above_u, below_u);
    set(frame.dual_v, bounds.upper_v, bounds.lower_v, above_v, below_v);
  }
  // Where a bound is infinite or none, nothing is left out.
  [[gnu::always_inline]] bool may_admit(RoughPoint point) const {
    const RoughPoint way = point - centroid;
    const float u = dot(way, dual_u), v = dot(way, dual_v), d = dot(way, normal);
    return !(u > bounds.upper_u * d + above_u) & !(u < bounds.lower_u * d - below_u) &
           !(v > bounds.upper_v * d + above_v) & !(v < bounds.lower_v * d - below_v);
  }

 private:
  // Of the numbers that are compared, and of the bounds: far more than single precision rounds.
  static constexpr double of_numbers = 1e-5;
};

TESSERAY_HD inline IntervalBounds edge_bounds(const EdgeSegment& edge, Vec3 source) {
  const Vec3 way = source - edge.midpoint;
  const double z = dot(way, edge.direction);
  constexpr double least_m = least_interval_distance_m;  // device code cannot refer to the constant itself
  const double distance = std::max(norm(way - z * edge.direction), least_m);
  const SegmentEnds ends = segment_ends(z, 0.5 * edge.length_m, distance);
  return {-ends.first, -ends.last, 0, 0};
}

}  // namespace tesseray
