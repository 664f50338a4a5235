// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/scene/shared_corners.h"

#include <algorithm>
#include <bit>
#include <utility>

#include "core/scene/footprint_repair.h"
#include "core/scene/point_grid.h"
#include "core/scene/polygon.h"

namespace tesseray {
namespace {

constexpr double cell_m = 4;

// One corner for all that are near.
class Corners {
 public:
  explicit Corners(double within_m) : within_m_(within_m), grid_(cell_m) {}

  // The first corner met that is near enough, p itself where there is none.
  Vec2 at(Vec2 p) {
    Vec2 found = p;
    double nearest = within_m_;
    bool is_new = true;
    grid_.visit(grown({p, p}, within_m_), [&](std::uint32_t i) {
      const double distance = norm(corners_[i] - p);
      if (distance > nearest || (distance == nearest && !is_new)) return;
      nearest = distance;
      found = corners_[i];
      is_new = false;
    });
    if (is_new) {
      grid_.add(p, static_cast<std::uint32_t>(corners_.size()));
      corners_.push_back(p);
    }
    return found;
  }

  // Appends the corners along the side from a to b, its ends left out, in their order.
  void append_along(Vec2 a, Vec2 b, Ring& ring) const {
    const Vec2 side = b - a;
    const double squared_length = dot(side, side);
    std::vector<std::pair<double, Vec2>> found;
    Rectangle box;
    box.extend(a);
    box.extend(b);
    grid_.visit(grown(box, within_m_), [&](std::uint32_t i) {
      const Vec2 p = corners_[i];
      const double part = dot(p - a, side) / squared_length;
      if (p == a || p == b || part <= 0 || part >= 1) return;
      if (norm(p - (a + part * side)) <= within_m_) found.emplace_back(part, p);
    });
    std::sort(found.begin(), found.end(), [](const auto& p, const auto& q) { return p.first < q.first; });
    for (const auto& [part, p] : found) ring.push_back(p);
  }

 private:
  double within_m_;
  PointGrid grid_;
  std::vector<Vec2> corners_;
};

Ring moved(const Ring& ring, Corners& corners) {
  Ring result;
  for (const Vec2 corner : ring) {
    const Vec2 p = corners.at(corner);
    if (result.empty() || !(result.back() == p)) result.push_back(p);
  }
  while (result.size() > 1 && result.front() == result.back()) result.pop_back();
  return result;
}

Ring with_corners_along(const Ring& ring, const Corners& corners) {
  Ring result;
  for (std::size_t i = 0; i < ring.size(); ++i) {
    result.push_back(ring[i]);
    corners.append_along(ring[i], ring[(i + 1) % ring.size()], result);
  }
  return result;
}

bool encloses_area(const Rings& rings) {
  for (const Ring& ring : rings) {
    if (ring.size() < 3 || (signed_area(ring) > 0) != (&ring == &rings.front())) return false;
  }
  return true;
}

}  // namespace

std::size_t CornerNumbers::Hash::operator()(Vec2 p) const {
  // Coordinates are multiples of a power of two: their low bits say nothing, so the bits are mixed.
  return (std::bit_cast<std::uint64_t>(p.x) * 0x9E3779B97F4A7C15u ^ std::bit_cast<std::uint64_t>(p.y)) *
             0xC2B2AE3D27D4EB4Fu >>
         20;
}

std::uint32_t CornerNumbers::of(Vec2 p) {
  const auto [entry, is_new] = numbers_.emplace(p, static_cast<std::uint32_t>(places_.size()));
  if (is_new) places_.push_back(p);
  return entry->second;
}

void share_corners(std::vector<Rings>& polygons, double within_m) {
  Corners corners(within_m);
  std::vector<Rings> shared(polygons.size());
  for (std::size_t i = 0; i < polygons.size(); ++i) {
    for (const Ring& ring : polygons[i]) shared[i].push_back(moved(ring, corners));
  }
  PolygonOverlay overlay;
  for (std::size_t i = 0; i < polygons.size(); ++i) {
    Rings rings;
    for (const Ring& ring : shared[i]) rings.push_back(with_corners_along(ring, corners));
    if (rings == polygons[i] || !encloses_area(rings) || !overlay.is_valid(rings)) continue;
    polygons[i] = std::move(rings);
  }
}

}  // namespace tesseray
