// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/scene/footprints/shared_corners.h"

#include <algorithm>
#include <bit>
#include <optional>
#include <set>
#include <tuple>
#include <utility>
#include <vector>

#include "core/scene/footprints/point_grid.h"
#include "core/scene/ground_plan/footprint_repair.h"
#include "core/scene/ground_plan/polygon.h"

namespace tesseray {
namespace {

constexpr double cell_m = 4;

using NumberedRing = std::vector<std::uint32_t>;

// One corner for all that are near. Those of fixed rings stay where they are, and sides of these have none between
// their ends.
class Corners {
 public:
  explicit Corners(double within_m) : within_m_(within_m), grid_(cell_m) {}

  Vec2 place(std::uint32_t corner) const { return numbers_.places()[corner]; }

  void fix(const Ring& ring) {
    std::uint32_t from = add(ring.back());
    for (const Vec2 p : ring) {
      const std::uint32_t to = add(p);
      fixed_sides_.insert(std::minmax(from, to));
      from = to;
    }
  }

  // Has corners for all these places, the same whatever their order.
  void meet(std::vector<Vec2> points) {
    std::sort(points.begin(), points.end(), [](Vec2 p, Vec2 q) { return std::tie(p.x, p.y) < std::tie(q.x, q.y); });
    for (const Vec2 p : points) at(p);
  }

  // The nearest corner that is near enough, one at p where there is none.
  std::uint32_t at(Vec2 p) {
    std::optional<std::uint32_t> found;
    double nearest = within_m_;
    grid_.visit(grown({p, p}, within_m_), [&](std::uint32_t i) {
      const double distance = norm(place(i) - p);
      if (distance > nearest || (distance == nearest && found)) return;
      nearest = distance;
      found = i;
    });
    return found ? *found : add(p);
  }

  // Appends the side from a to b with the corners along it in their order, b left out.
  void append_side(std::uint32_t a, std::uint32_t b, NumberedRing& ring) const {
    const NumberedRing line = along(a, b);
    for (std::size_t i = 0; i + 1 < line.size(); i = next_on(line, i)) ring.push_back(line[i]);
  }

 private:
  std::uint32_t add(Vec2 p) {
    const std::size_t before = numbers_.places().size();
    const std::uint32_t number = numbers_.of(p);
    if (number == before) grid_.add(p, number);
    return number;
  }

  NumberedRing along(std::uint32_t a, std::uint32_t b) const {
    const Vec2 start = place(a), side = place(b) - start;
    const double squared_length = dot(side, side);
    std::vector<std::pair<double, std::uint32_t>> found;
    Rectangle box;
    box.extend(start);
    box.extend(place(b));
    grid_.visit(grown(box, within_m_), [&](std::uint32_t i) {
      const Vec2 p = place(i);
      const double part = dot(p - start, side) / squared_length;
      if (i == a || i == b || part <= 0 || part >= 1) return;
      if (norm(p - (start + part * side)) <= within_m_) found.emplace_back(part, i);
    });
    std::sort(found.begin(), found.end(), [](const auto& p, const auto& q) { return p.first < q.first; });
    NumberedRing line{a};
    for (const auto& [part, i] : found) line.push_back(i);
    line.push_back(b);
    return line;
  }

  // Past all corners along a fixed side, where one starts there.
  std::size_t next_on(const NumberedRing& line, std::size_t from) const {
    std::size_t to = line.size() - 1;
    while (to > from + 1 && !fixed_sides_.contains(std::minmax(line[from], line[to]))) --to;
    return to;
  }

  double within_m_;
  PointGrid grid_;
  CornerNumbers numbers_;
  std::set<std::pair<std::uint32_t, std::uint32_t>> fixed_sides_;
};

NumberedRing moved(const Ring& ring, Corners& corners) {
  NumberedRing result;
  for (const Vec2 p : ring) {
    const std::uint32_t corner = corners.at(p);
    if (result.empty() || result.back() != corner) result.push_back(corner);
  }
  while (result.size() > 1 && result.front() == result.back()) result.pop_back();
  return result;
}

Ring with_corners_along(const NumberedRing& ring, const Corners& corners) {
  NumberedRing all;
  for (std::size_t i = 0; i < ring.size(); ++i) corners.append_side(ring[i], ring[(i + 1) % ring.size()], all);
  Ring result;
  for (const std::uint32_t corner : all) result.push_back(corners.place(corner));
  return result;
}

bool encloses_area(const Rings& rings) {
  for (const Ring& ring : rings) {
    if (ring.size() < 3 || (signed_area(ring) > 0) != (&ring == &rings.front())) return false;
  }
  return true;
}

std::vector<Rings> with_shared_corners(const std::vector<Rings>& polygons, const std::vector<bool>& is_fixed,
                                       double within_m) {
  Corners corners(within_m);
  for (std::size_t i = 0; i < polygons.size(); ++i) {
    if (!is_fixed[i]) continue;
    for (const Ring& ring : polygons[i]) corners.fix(ring);
  }
  std::vector<Vec2> points;
  for (std::size_t i = 0; i < polygons.size(); ++i) {
    if (is_fixed[i]) continue;
    for (const Ring& ring : polygons[i]) points.insert(points.end(), ring.begin(), ring.end());
  }
  corners.meet(std::move(points));
  std::vector<std::vector<NumberedRing>> numbered(polygons.size());
  for (std::size_t i = 0; i < polygons.size(); ++i) {
    if (is_fixed[i]) continue;
    for (const Ring& ring : polygons[i]) numbered[i].push_back(moved(ring, corners));
  }
  std::vector<Rings> shared(polygons.size());
  for (std::size_t i = 0; i < polygons.size(); ++i) {
    if (is_fixed[i]) shared[i] = polygons[i];
    for (const NumberedRing& ring : numbered[i]) shared[i].push_back(with_corners_along(ring, corners));
  }
  return shared;
}

// Fixes the polygons that sharing has made invalid; their neighbours have to do without it as well, or they would
// overlap. True when there are any.
bool fix_spoilt(const std::vector<Rings>& polygons, const std::vector<Rings>& shared, std::vector<bool>& is_fixed) {
  PolygonOverlay overlay;
  bool any = false;
  for (std::size_t i = 0; i < polygons.size(); ++i) {
    if (is_fixed[i] || shared[i] == polygons[i]) continue;
    if (encloses_area(shared[i]) && overlay.is_valid(shared[i])) continue;
    is_fixed[i] = true;
    any = true;
  }
  return any;
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
  std::vector<bool> is_fixed(polygons.size());
  std::vector<Rings> shared = with_shared_corners(polygons, is_fixed, within_m);
  while (fix_spoilt(polygons, shared, is_fixed)) shared = with_shared_corners(polygons, is_fixed, within_m);
  polygons = std::move(shared);
}

}  // namespace tesseray
