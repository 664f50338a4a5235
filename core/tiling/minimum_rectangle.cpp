// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/tiling/minimum_rectangle.h"

#include <algorithm>

#include "core/base/infinity.h"

namespace tesseray {
namespace {

// Andrew's monotone chain: counter-clockwise, without collinear points.
Ring convex_hull(Ring points) {
  std::sort(points.begin(), points.end(), [](Vec2 a, Vec2 b) { return a.x < b.x || (a.x == b.x && a.y < b.y); });
  points.erase(std::unique(points.begin(), points.end()), points.end());
  if (points.size() < 3) return points;
  Ring hull;
  const auto extend = [&hull](Vec2 p, std::size_t kept) {
    while (hull.size() >= kept + 2 && cross(hull.back() - hull[hull.size() - 2], p - hull.back()) <= 0) {
      hull.pop_back();
    }
    hull.push_back(p);
  };
  for (const Vec2 p : points) extend(p, 0);
  const std::size_t lower = hull.size() - 1;
  for (std::size_t i = points.size() - 1; i-- > 0;) extend(points[i], lower);
  hull.pop_back();
  return hull;
}

}  // namespace

OrientedRectangle minimum_rectangle(const Ring& ring) {
  const Ring hull = convex_hull(ring);
  OrientedRectangle best{hull.front(), {1, 0}, {0, 1}, 0, 0};
  double least = infinity;
  // One side of the smallest rectangle lies on a side of the hull (Freeman and Shapira 1975).
  for (std::size_t i = 0; i < hull.size() && hull.size() > 1; ++i) {
    const Vec2 a = hull[i], side = hull[(i + 1) % hull.size()] - a;
    const Vec2 u = (1.0 / norm(side)) * side, v{-u.y, u.x};
    double low_u = 0, high_u = 0, low_v = 0, high_v = 0;
    for (const Vec2 p : hull) {
      low_u = std::min(low_u, dot(p - a, u));
      high_u = std::max(high_u, dot(p - a, u));
      low_v = std::min(low_v, dot(p - a, v));
      high_v = std::max(high_v, dot(p - a, v));
    }
    const double area = (high_u - low_u) * (high_v - low_v);
    if (area >= least * (1 - 1e-9)) continue;
    least = area;
    best = {a + 0.5 * (low_u + high_u) * u + 0.5 * (low_v + high_v) * v, u, v, high_u - low_u, high_v - low_v};
  }
  return best;
}

}  // namespace tesseray
