// SPDX-License-Identifier: GPL-3.0-or-later
// The smallest rectangle around a polygon, in any direction.
#pragma once

#include "core/scene/scene.h"

namespace tesseray {

struct OrientedRectangle {
  Vec2 centre;
  Vec2 u, v;                          // unit; v to the left of u
  double length_u = 0, length_v = 0;  // m
};

// Of equal rectangles the one along the first side of the hull. REQUIRES: at least one vertex.
OrientedRectangle minimum_rectangle(const Ring& ring);

}  // namespace tesseray
