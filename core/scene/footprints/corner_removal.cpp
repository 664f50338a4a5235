// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/scene/footprints/corner_removal.h"

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "core/scene/footprints/point_grid.h"
#include "core/scene/footprints/shared_corners.h"
#include "core/scene/ground_plan/polygon.h"

namespace tesseray {
namespace {

constexpr double cell_m = 8;
constexpr std::size_t least_corners = 4;

double distance_to_segment(Vec2 p, Vec2 a, Vec2 b) {
  const Vec2 side = b - a;
  const double part = std::clamp(dot(p - a, side) / dot(side, side), 0.0, 1.0);
  return norm(p - (a + part * side));
}

// Inside of the triangle, or on its border.
bool is_in_triangle(Vec2 p, Vec2 a, Vec2 b, Vec2 c) {
  const double ab = cross(b - a, p - a), bc = cross(c - b, p - b), ca = cross(a - c, p - c);
  return (ab >= 0 && bc >= 0 && ca >= 0) || (ab <= 0 && bc <= 0 && ca <= 0);
}

class CornerRemoval {
 public:
  CornerRemoval(std::vector<Rings>& polygons, double tolerance_m)
      : polygons_(polygons), tolerance_m_(tolerance_m), grid_(cell_m) {
    for (const Rings& rings : polygons_) {
      for (const Ring& ring : rings) add(ring);
    }
    for (std::uint32_t i = 0; i < corners_.size(); ++i) grid_.add(place(i), i);
  }

  std::size_t run() {
    for (std::uint32_t i = 0; i < corners_.size(); ++i) put_in_queue(i);
    std::size_t removed = 0;
    while (!queue_.empty()) {
      const auto [deviation_m, i] = *queue_.begin();
      queue_.erase(queue_.begin());
      if (deviation_m > tolerance_m_) break;
      if (!may_go(i)) continue;
      remove(i);
      ++removed;
    }
    put_back();
    return removed;
  }

 private:
  struct Corner {
    std::vector<std::uint32_t> neighbours;  // the other ends of its sides
    std::vector<std::uint32_t> rings;       // that it is part of
    double deviation_m = 0;                 // its key in the queue
    bool is_removed = false;
  };

  Vec2 place(std::uint32_t i) const { return numbers_.places()[i]; }

  static void add_once(std::uint32_t number, std::vector<std::uint32_t>& to) {
    if (std::find(to.begin(), to.end(), number) == to.end()) to.push_back(number);
  }

  void add(const Ring& ring) {
    const auto number = static_cast<std::uint32_t>(ring_sizes_.size());
    ring_sizes_.push_back(ring.size());
    std::uint32_t a = numbers_.of(ring.back());
    for (const Vec2 p : ring) {
      const std::uint32_t b = numbers_.of(p);
      corners_.resize(numbers_.places().size());
      add_once(b, corners_[a].neighbours);
      add_once(a, corners_[b].neighbours);
      add_once(number, corners_[b].rings);
      a = b;
    }
  }

  static std::pair<std::uint32_t, std::uint32_t> side(std::uint32_t a, std::uint32_t b) { return std::minmax(a, b); }

  // How far the outline would move from the corners that are, and were, between the neighbours of corner i.
  double deviation_of(std::uint32_t i) {
    const std::uint32_t a = corners_[i].neighbours[0], b = corners_[i].neighbours[1];
    double greatest = distance_to_segment(place(i), place(a), place(b));
    for (const std::uint32_t end : {a, b}) {
      const auto gone = gone_from_.find(side(end, i));
      if (gone == gone_from_.end()) continue;
      for (const Vec2 p : gone->second) greatest = std::max(greatest, distance_to_segment(p, place(a), place(b)));
    }
    return greatest;
  }

  void put_in_queue(std::uint32_t i) {
    Corner& corner = corners_[i];
    if (corner.neighbours.size() != 2) return;
    queue_.erase({corner.deviation_m, i});
    corner.deviation_m = deviation_of(i);
    queue_.emplace(corner.deviation_m, i);
  }

  bool may_go(std::uint32_t i) const {
    const Corner& corner = corners_[i];
    const std::uint32_t a = corner.neighbours[0], b = corner.neighbours[1];
    const std::vector<std::uint32_t>& beside = corners_[a].neighbours;
    if (std::find(beside.begin(), beside.end(), b) != beside.end()) return false;
    for (const std::uint32_t ring : corner.rings) {
      if (ring_sizes_[ring] <= least_corners) return false;
    }
    Rectangle box;
    for (const std::uint32_t end : {a, i, b}) box.extend(place(end));
    bool is_empty = true;
    grid_.visit(box, [&](std::uint32_t other) {
      if (other == a || other == b || other == i) return;
      if (is_in_triangle(place(other), place(a), place(i), place(b))) is_empty = false;
    });
    return is_empty;
  }

  void remove(std::uint32_t i) {
    Corner& corner = corners_[i];
    const std::uint32_t a = corner.neighbours[0], b = corner.neighbours[1];
    std::vector<Vec2> gone{place(i)};
    for (const std::uint32_t end : {a, b}) {
      const auto before = gone_from_.find(side(end, i));
      if (before == gone_from_.end()) continue;
      gone.insert(gone.end(), before->second.begin(), before->second.end());
      gone_from_.erase(before);
    }
    gone_from_[side(a, b)] = std::move(gone);
    std::replace(corners_[a].neighbours.begin(), corners_[a].neighbours.end(), i, b);
    std::replace(corners_[b].neighbours.begin(), corners_[b].neighbours.end(), i, a);
    for (const std::uint32_t ring : corner.rings) --ring_sizes_[ring];
    corner.is_removed = true;
    grid_.remove(place(i), i);
    put_in_queue(a);
    put_in_queue(b);
  }

  void put_back() {
    for (Rings& rings : polygons_) {
      for (Ring& ring : rings) {
        std::erase_if(ring, [this](Vec2 p) { return corners_[numbers_.of(p)].is_removed; });
      }
    }
  }

  std::vector<Rings>& polygons_;
  double tolerance_m_;
  PointGrid grid_;
  CornerNumbers numbers_;
  std::vector<Corner> corners_;
  std::vector<std::size_t> ring_sizes_;
  std::map<std::pair<std::uint32_t, std::uint32_t>, std::vector<Vec2>> gone_from_;  // by side, lower end first
  std::set<std::pair<double, std::uint32_t>> queue_;                                // least deviation first
};

}  // namespace

std::size_t remove_corners(std::vector<Rings>& polygons, double tolerance_m) {
  return CornerRemoval(polygons, tolerance_m).run();
}

}  // namespace tesseray
