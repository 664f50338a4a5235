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

// The mean of value(point) over the centres of parts × parts equal pieces of a tile.
template <class Value>
TESSERAY_HD double mean_over_parts(const Tile& tile, int parts, const Value& value) {
  double sum = 0;
  for (int i = 0; i < parts; ++i) {
    for (int j = 0; j < parts; ++j) {
      const double u = (2.0 * i + 1.0) / parts - 1.0, v = (2.0 * j + 1.0) / parts - 1.0;
      sum += value(tile.centroid + u * tile.half_u + v * tile.half_v);
    }
  }
  return sum / (parts * parts);
}

// The mean over a tile of what is seen of it from a point: value(origin) falls as cos θ/r², r the distance from the
// origin and θ its angle to the normal. Where parts are larger than the point is far from the tile's plane, they still
// tell how the value goes with the direction; how much is seen of the tile, its solid angle tells.
template <class Value>
TESSERAY_HD double mean_seen_from(Vec3 point, const Tile& tile, double near_m, const Value& value) {
  const Vec3 to_tile = tile.centroid - point;
  const int parts = parts_for(near_m, norm(to_tile));
  const double mean = mean_over_parts(tile, parts, value);
  const double side_m = 2 * std::fmax(norm(tile.half_u), norm(tile.half_v));
  if (parts == 1 || std::fabs(dot(to_tile, tile.normal)) * parts >= side_m) return mean;
  const double sampled = mean_over_parts(tile, parts, [&](Vec3 origin) {
    const Vec3 way = origin - point;
    const double squared = squared_norm(way);
    return std::fabs(dot(way, tile.normal)) / (squared * std::sqrt(squared));
  });
  const double seen = parallelogram_solid_angle(point, tile.centroid, tile.half_u, tile.half_v) /
                      (4 * norm(cross(tile.half_u, tile.half_v)));
  return sampled > 0 ? mean * (seen / sampled) : 0.0;
}

}  // namespace tesseray
