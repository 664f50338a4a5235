// SPDX-License-Identifier: GPL-3.0-or-later
// The straight line between the ends of a profile, for host and device.
#pragma once

#include <cmath>

#include "core/base/host_device.h"
#include "core/geometry/vector.h"

namespace tesseray {

// The straight line between two points, over the ground plan. Distances along it and heights are in m.
struct RooftopLine {
  // Of the earth under a standard atmosphere (ITU-R P.526): 4/3 of its own. Nearer than flat_within_m it counts as
  // flat, and its bulge, 0.4 m at 5 km, comes in little by little up to curved_from_m.
  static constexpr double earth_radius_m = 8.5e6, flat_within_m = 4000, curved_from_m = 5000;

  Vec3 from;
  Vec2 direction;                                                          // unit
  double length_m = 0, slope = 0, end_z = 0, margin_m = 0, curvature = 0;  // curvature: 1/2a of the earth, per m

  TESSERAY_HD RooftopLine(Vec3 begin, Vec3 end, double margin) : from(begin), end_z(end.z), margin_m(margin) {
    const Vec2 way = end.xy() - begin.xy();
    length_m = norm(way);
    direction = (1.0 / length_m) * way;
    slope = (end.z - begin.z) / length_m;
    if (!is_curved(length_m)) return;
    const double share = (length_m - flat_within_m) / (curved_from_m - flat_within_m);
    curvature = (share < 1 ? share : 1) / (2.0 * earth_radius_m);
  }
  // Whether the earth below a line of such a length has its curve.
  TESSERAY_HD static bool is_curved(double length_m) { return length_m > flat_within_m; }
  // By how much the ground at a distance rises over the straight line in a plane in which the earth is flat.
  TESSERAY_HD double bulge_at(double distance) const { return curvature * distance * (length_m - distance); }
  TESSERAY_HD Vec2 at(double distance) const { return from.xy() + distance * direction; }
  TESSERAY_HD double height_at(double distance) const { return from.z + slope * distance; }
  // How far along it a point lies.
  TESSERAY_HD double distance_of(Vec3 point) const { return dot(point.xy() - from.xy(), direction); }
  // The height over its end of the line from a place on the way (x: distance, y: height) to a point elsewhere.
  TESSERAY_HD double height_at_end(Vec2 place, Vec3 point) const {
    return place.y + (point.z - place.y) * (length_m - place.x) / (distance_of(point) - place.x);
  }
  // Between these distances it is not certainly higher than a height on the curved earth.
  TESSERAY_HD double begin_below(double height) const { return slope < 0 ? place_of(height) : 0; }
  TESSERAY_HD double end_below(double height) const { return slope > 0 ? place_of(height) : length_m; }
  // The height below which nothing counts.
  TESSERAY_HD double floor_at(double distance) const { return height_at(distance) - margin_m; }

 private:
  TESSERAY_HD double place_of(double height) const { return (height + bulge_at(0.5 * length_m) - from.z) / slope; }
};

}  // namespace tesseray
