// SPDX-License-Identifier: GPL-3.0-or-later
// Directions as positions on a square around the eye, and distances as the larger of |x| and |y|, for host and device:
// so straight lines are linear over the positions on one side of the square.
#pragma once

#include <cmath>

#include "core/base/host_device.h"
#include "core/geometry/vector.h"
#include "core/visibility/occlusion/occlusion_view.h"

namespace tesseray {

// Position of a direction on the square, counter-clockwise from its south-east corner, in [0, 8]; corners are even.
TESSERAY_HD inline double square_azimuth(Vec2 direction) {
  const double ax = std::fabs(direction.x), ay = std::fabs(direction.y);
  if (ax >= ay) return (direction.x > 0 ? 1 : 5) + direction.y / direction.x;
  return (direction.y > 0 ? 3 : 7) - direction.x / direction.y;
}

TESSERAY_HD inline double square_norm(Vec2 v) { return higher(std::fabs(v.x), std::fabs(v.y)); }

struct AzimuthInterval {
  double low = 0, high = 0;  // high ≥ low; high may be above 8
};

// The azimuths of a rectangle. REQUIRES: the origin lies outside of it.
TESSERAY_HD inline AzimuthInterval azimuths_of(const Rectangle& box) {
  // The two corners that bound the view of the box, clockwise one first.
  Vec2 low, high;
  if (box.min.x > 0) {
    low = {box.min.y < 0 ? box.min.x : box.max.x, box.min.y};
    high = {box.max.y > 0 ? box.min.x : box.max.x, box.max.y};
  } else if (box.max.x < 0) {
    low = {box.max.y > 0 ? box.max.x : box.min.x, box.max.y};
    high = {box.min.y < 0 ? box.max.x : box.min.x, box.min.y};
  } else if (box.min.y > 0) {
    low = {box.max.x, box.min.y};
    high = {box.min.x, box.min.y};
  } else {
    low = {box.min.x, box.max.y};
    high = {box.max.x, box.max.y};
  }
  AzimuthInterval interval{square_azimuth(low), square_azimuth(high)};
  if (interval.high < interval.low) interval.high += 8;
  return interval;
}

// Distances (square_norm) from the origin to a rectangle.
TESSERAY_HD inline double nearest_distance(const Rectangle& box) {
  return higher(0.0, higher(higher(box.min.x, -box.max.x), higher(box.min.y, -box.max.y)));
}
TESSERAY_HD inline double farthest_distance(const Rectangle& box) {
  return higher(higher(box.max.x, -box.min.x), higher(box.max.y, -box.min.y));
}

}  // namespace tesseray
