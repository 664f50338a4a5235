// SPDX-License-Identifier: GPL-3.0-or-later
// Plane geometry of rings: areas, bounds, points inside, and where a straight line runs inside a polygon.
#pragma once

#include <vector>

#include "core/scene/scene.h"

namespace tesseray {

// Positive for counter-clockwise rings, m².
double signed_area(const Ring& ring);
// Gives rings of any direction the orientation of Rings.
void orient(Rings& rings);
// Exterior minus holes, m². REQUIRES: the orientation of Rings.
double area(const Rings& rings);
Rectangle bounds(const Ring& ring);
Rectangle bounds(const Rings& rings);
// The box grown by `margin_m` on all sides.
Rectangle grown(const Rectangle& box, double margin_m);
Rings as_rings(const Rectangle& box);

// A point well inside the polygon: the middle of the widest of several horizontal cuts.
// REQUIRES: area above zero.
Vec2 interior_point(const Rings& rings);

struct Interval {
  double low = 0, high = 0;
  double length() const { return high - low; }
  double middle() const { return 0.5 * (low + high); }
  friend bool operator==(const Interval&, const Interval&) = default;
};

// Appends where the line start + t·direction is inside the polygon (even-odd), as t-intervals within [0, length],
// ascending. `direction` is a unit vector.
void append_inside_intervals(const Rings& rings, Vec2 start, Vec2 direction, double length, std::vector<Interval>& out);

// Shortest distance from p to the polygon's sides, m.
double distance_to_sides(const Rings& rings, Vec2 p);

}  // namespace tesseray
