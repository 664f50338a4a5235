// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/scene/ground_plan/polygon.h"

#include <algorithm>
#include <cmath>

#include "core/base/infinity.h"

namespace tesseray {

double signed_area(const Ring& ring) {
  // Relative to the first vertex, so that large coordinates do not cancel.
  double twice = 0;
  for (std::size_t i = 1; i + 1 < ring.size(); ++i) twice += cross(ring[i] - ring[0], ring[i + 1] - ring[0]);
  return 0.5 * twice;
}

double area(const Rings& rings) {
  double sum = 0;
  for (const Ring& ring : rings) sum += signed_area(ring);
  return sum;
}

void orient(Rings& rings) {
  for (std::size_t i = 0; i < rings.size(); ++i) {
    if ((signed_area(rings[i]) > 0) != (i == 0)) std::reverse(rings[i].begin(), rings[i].end());
  }
}

Rectangle bounds(const Ring& ring) {
  Rectangle box;
  for (const Vec2 p : ring) box.extend(p);
  return box;
}

Rectangle bounds(const Rings& rings) { return rings.empty() ? Rectangle{} : bounds(rings.front()); }

Rectangle grown(const Rectangle& box, double margin_m) {
  return {{box.min.x - margin_m, box.min.y - margin_m}, {box.max.x + margin_m, box.max.y + margin_m}};
}

Rings as_rings(const Rectangle& box) {
  return {Ring{box.min, {box.max.x, box.min.y}, box.max, {box.min.x, box.max.y}}};
}

void append_inside_intervals(const Rings& rings, Vec2 start, Vec2 direction, double length,
                             std::vector<Interval>& out) {
  std::vector<double> crossings;
  for (const Ring& ring : rings) {
    Vec2 a = ring.back() - start;
    double side_a = cross(direction, a);
    for (const Vec2 vertex : ring) {
      const Vec2 b = vertex - start;
      const double side_b = cross(direction, b);
      // Half-open, so that a vertex on the line counts once and crossings come in pairs.
      if ((side_a > 0) != (side_b > 0)) {
        const double f = side_a / (side_a - side_b);
        crossings.push_back(dot(direction, a) * (1 - f) + dot(direction, b) * f);
      }
      a = b;
      side_a = side_b;
    }
  }
  std::sort(crossings.begin(), crossings.end());
  for (std::size_t i = 0; i + 1 < crossings.size(); i += 2) {
    const double low = std::max(0.0, crossings[i]), high = std::min(length, crossings[i + 1]);
    if (low < high) out.push_back({low, high});
  }
}

Vec2 interior_point(const Rings& rings) {
  const Rectangle box = bounds(rings);
  const double width = box.max.x - box.min.x;
  Vec2 best{box.min.x + width / 2, (box.min.y + box.max.y) / 2};
  double widest = -1;
  std::vector<Interval> cuts;
  // From the middle outwards: of equally wide cuts the most central is taken. Odd offsets avoid vertex rows.
  for (const double f : {0.5001, 0.3758, 0.6239, 0.2503, 0.7487, 0.1252, 0.8741, 0.0507, 0.9493}) {
    const double y = box.min.y + f * (box.max.y - box.min.y);
    cuts.clear();
    append_inside_intervals(rings, {box.min.x - 1, y}, {1, 0}, width + 2, cuts);
    for (const Interval& cut : cuts) {
      if (cut.length() <= widest * 1.0001) continue;
      widest = cut.length();
      best = {box.min.x - 1 + cut.middle(), y};
    }
  }
  return best;
}

double distance_to_sides(const Rings& rings, Vec2 p) {
  double nearest = infinity;
  for (const Ring& ring : rings) {
    Vec2 a = ring.back();
    for (const Vec2 b : ring) {
      const Vec2 side = b - a;
      const double length_squared = dot(side, side);
      const double f = length_squared > 0 ? std::clamp(dot(p - a, side) / length_squared, 0.0, 1.0) : 0.0;
      nearest = std::min(nearest, norm(p - (a + f * side)));
      a = b;
    }
  }
  return nearest;
}

}  // namespace tesseray
