// SPDX-License-Identifier: GPL-3.0-or-later
// A tile in parts, for points that are near it: there its middle does not stand for all of it (docs/physics.md §7).
#pragma once

#include <cmath>

#include "core/base/host_device.h"
#include "core/physics/scattering.h"
#include "core/tiling/tiling.h"

namespace tesseray {

// Into how many parts each way a tile is subdivided for a point at `distance_m`; nearer than `near_m` (see
// ScatteringColumns) into two at least, and at most into eight.
TESSERAY_HD inline int parts_for(double near_m, double distance_m) {
  if (distance_m >= near_m) return 1;
  const double parts = std::ceil(near_m / std::fmax(distance_m, 1e-3));
  return parts < 2 ? 2 : parts > 8 ? 8 : static_cast<int>(parts);
}

// Calls visit(point) with the centres of parts × parts equal pieces of a parallelogram.
template <class Visit>
TESSERAY_HD void for_each_part(Vec3 middle, Vec3 half_u, Vec3 half_v, int parts, const Visit& visit) {
  for (int i = 0; i < parts; ++i) {
    for (int j = 0; j < parts; ++j) {
      const double u = (2.0 * i + 1.0) / parts - 1.0, v = (2.0 * j + 1.0) / parts - 1.0;
      visit(middle + u * half_u + v * half_v);
    }
  }
}

// The mean of value(point) over these centres.
template <class Value>
TESSERAY_HD double mean_over_parts(Vec3 middle, Vec3 half_u, Vec3 half_v, int parts, const Value& value) {
  double sum = 0;
  for_each_part(middle, half_u, half_v, parts, [&](Vec3 point) { sum += value(point); });
  return sum / (parts * parts);
}
template <class Value>
TESSERAY_HD double mean_over_parts(const Tile& tile, int parts, const Value& value) {
  return mean_over_parts(tile.centroid, tile.half_u, tile.half_v, parts, value);
}

// m².
TESSERAY_HD inline double area_of(const Tile& tile) { return 4 * norm(cross(tile.half_u, tile.half_v)); }

// The solid angle of a tile over its area, 1/m².
TESSERAY_HD inline double mean_solid_angle(Vec3 point, const Tile& tile) {
  return parallelogram_solid_angle(point, tile.centroid, tile.half_u, tile.half_v) / area_of(tile);
}

// The same of a piece of it, so many of which make up a side.
TESSERAY_HD inline double mean_solid_angle(Vec3 point, const Tile& tile, Vec3 middle, int parts) {
  const double part = 1.0 / parts;
  return parallelogram_solid_angle(point, middle, part * tile.half_u, part * tile.half_v) * parts * parts /
         area_of(tile);
}
// And the radius of a disc of the piece's area, m.
TESSERAY_HD inline double radius_of_piece(const Tile& tile, int parts) { return std::sqrt(area_of(tile) / pi) / parts; }

TESSERAY_HD inline bool is_next_to_piece(Vec3 point, const Tile& tile, Vec3 middle, int parts) {
  return norm(point - middle) < 3 * radius_of_piece(tile, parts);
}

// The mean over a tile of value(middle, parts), asked of pieces so many of which make up a side: `parts` of them, but
// of those where is_next_to(middle, parts) in pieces once more, and these again.
template <class IsNextTo, class Value>
TESSERAY_HD double mean_over_pieces(const Tile& tile, int parts, const IsNextTo& is_next_to, const Value& value) {
  constexpr int parts_of_piece = 6;
  const auto in_pieces = [&](Vec3 middle, int of_side, const auto& of_piece) {
    return mean_over_parts(middle, (1.0 / of_side) * tile.half_u, (1.0 / of_side) * tile.half_v, parts_of_piece,
                           [&](Vec3 inner) { return of_piece(inner, of_side * parts_of_piece); });
  };
  const auto piece = [&](Vec3 middle, int of_side) {
    return is_next_to(middle, of_side) ? in_pieces(middle, of_side, value) : value(middle, of_side);
  };
  return mean_over_parts(tile, parts, [&](Vec3 middle) {
    return is_next_to(middle, parts) ? in_pieces(middle, parts, piece) : value(middle, parts);
  });
}

// The mean over a tile of what is seen of it from a point: value(origin) falls as cos θ/r², r the distance from the
// origin and θ its angle to the normal. Where parts are larger than the point is far from the tile's plane, they still
// tell how the value goes with the direction; how much is seen of the tile, its solid angle tells.
template <class Value>
TESSERAY_HD double mean_seen_from(Vec3 point, const Tile& tile, double near_m, const Value& value) {
  const Vec3 to_tile = tile.centroid - point;
  const int parts = parts_for(near_m, norm(to_tile));
  const double mean = mean_over_parts(tile, parts, value);
  if (parts == 1 || std::fabs(dot(to_tile, tile.normal)) * parts >= tile.side_m()) return mean;
  const double sampled = mean_over_parts(tile, parts, [&](Vec3 origin) {
    const Vec3 way = origin - point;
    const double squared = squared_norm(way);
    return std::fabs(dot(way, tile.normal)) / (squared * std::sqrt(squared));
  });
  return sampled > 0 ? mean * (mean_solid_angle(point, tile) / sampled) : 0.0;
}

// The mean over a tile of what it takes in of a point's power at 1 m, which is gain_along(way) on the ways to it.
template <class Gain>
TESSERAY_HD double mean_taken_in(Vec3 from, const Tile& tile, double near_m, const Gain& gain_along) {
  return mean_seen_from(from, tile, near_m, [&](Vec3 place) {
    const Vec3 way = place - from;
    const double squared = squared_norm(way);
    return gain_along(way) * std::fmax(0.0, -dot(way, tile.normal)) / (squared * std::sqrt(squared));
  });
}

// The mean of 1/r² over a disc, r being the distance of its points from one that stands `across_m` over its plane, a
// millimetre at least. `way`: from the disc's middle to the point.
TESSERAY_HD inline double mean_inverse_square(double radius_m, Vec3 way, double across_m) {
  constexpr double least_height_m = 1e-3;
  const double height_m = std::fmax(std::fabs(across_m), least_height_m);
  const double radius = radius_m * radius_m, height = height_m * height_m;
  const double aside = std::fmax(0.0, squared_norm(way) - across_m * across_m);  // beside the middle, squared
  const double sum = radius - aside + height;
  const double root = std::sqrt(sum * sum + 4 * aside * height);
  // Far away the two nearly cancel.
  const double both = sum > 0 ? sum + root : 4 * aside * height / (root - sum);
  return std::log(both / (2 * height)) / radius;
}

// The mean of cosθ/r over a tile, over what its middle would give: of what a tile near an edge and the edge send each
// other, r being their distance and θ its angle to the normal (along the normal cosθ/r is the height over r²). The tile
// counts as a disc; 1 where it is far. `way`: from its middle to the edge.
TESSERAY_HD inline double nearness_of_edge(Vec3 way, const Tile& tile, double near_m) {
  const double squared = squared_norm(way);
  if (squared >= near_m * near_m) return 1;
  return squared * mean_inverse_square(std::sqrt(area_of(tile) / pi), way, dot(way, tile.normal));
}

// The mean over a tile of value(way)/r², r being the distance from the tile's points to a point and `way` unit, from
// the one to the other: of what does not fall with the angle to the normal, so that near the tile's plane its part just
// below the point counts most. Its pieces count as discs of their area.
template <class Value>
TESSERAY_HD double mean_spread_to(Vec3 point, const Tile& tile, double near_m, const Value& value) {
  const double across_m = dot(point - tile.centroid, tile.normal);
  return mean_over_pieces(
      tile, parts_for(near_m, norm(point - tile.centroid)),
      [&](Vec3 middle, int parts) { return is_next_to_piece(point, tile, middle, parts); },
      [&](Vec3 middle, int parts) {
        const Vec3 way = point - middle;
        return value(normalized(way)) * mean_inverse_square(radius_of_piece(tile, parts), way, across_m);
      });
}

}  // namespace tesseray
