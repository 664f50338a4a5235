// SPDX-License-Identifier: GPL-3.0-or-later
// Exact figures of the triangulated terrain surface under lines and polygons.
#pragma once

#include "core/base/infinity.h"
#include "core/scene/scene.h"

namespace tesseray {

struct HeightRange {
  double lowest = infinity, highest = -infinity;

  void extend(double height) {
    lowest = height < lowest ? height : lowest;
    highest = height > highest ? height : highest;
  }
};

// Lowest height along the straight line a–b.
double lowest_height_along(const Terrain& terrain, Vec2 a, Vec2 b);

// Heights under a polygon: at its vertices, where its sides cross the triangles' sides, and at the nodes inside.
HeightRange heights_under(const Terrain& terrain, const Rings& rings);
double lowest_height_under(const Terrain& terrain, const Rings& rings);

// Mean height under a polygon (the integral over its area). REQUIRES: area above zero.
double mean_height_under(const Terrain& terrain, const Rings& rings);

}  // namespace tesseray
