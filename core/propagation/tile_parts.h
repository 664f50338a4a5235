// SPDX-License-Identifier: GPL-3.0-or-later
// A tile in parts, for points that are near it: there its middle does not stand for all of it (docs/physics.md §7).
#pragma once

#include <cmath>

#include "core/base/host_device.h"
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

}  // namespace tesseray
