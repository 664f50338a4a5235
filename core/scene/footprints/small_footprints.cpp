// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/scene/footprints/small_footprints.h"

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "core/scene/footprints/shared_corners.h"
#include "core/scene/ground_plan/footprint_repair.h"
#include "core/scene/ground_plan/polygon.h"

namespace tesseray {
namespace {

class SmallFootprints {
 public:
  SmallFootprints(std::vector<Rings>& polygons, const std::vector<bool>& may_join, double min_area_m2)
      : polygons_(polygons), may_join_(may_join), min_area_m2_(min_area_m2) {}

  std::vector<SmallFootprint> run() {
    for (std::uint32_t i = 0; i < polygons_.size(); ++i) {
      if (polygons_[i].empty()) continue;
      if (may_join_[i]) set_sides(i, true);
      put_in_queue(i);
    }
    while (!queue_.empty()) {
      const std::uint32_t i = queue_.begin()->second;
      queue_.erase(queue_.begin());
      take_away(i);
    }
    return std::move(taken_);
  }

 private:
  using Side = std::pair<std::uint32_t, std::uint32_t>;  // corners, from and to

  template <class Visit>
  void for_each_side(const Rings& rings, const Visit& visit) {
    for (const Ring& ring : rings) {
      std::uint32_t from = corners_.of(ring.back());
      for (const Vec2 p : ring) {
        const std::uint32_t to = corners_.of(p);
        visit(Side{from, to});
        from = to;
      }
    }
  }

  void set_sides(std::uint32_t polygon, bool are_there) {
    for_each_side(polygons_[polygon], [&](const Side& side) {
      std::set<std::uint32_t>& owners = owners_[side];
      are_there ? static_cast<void>(owners.insert(polygon)) : static_cast<void>(owners.erase(polygon));
    });
  }

  void put_in_queue(std::uint32_t polygon) {
    const double area_m2 = area(polygons_[polygon]);
    if (area_m2 < min_area_m2_) queue_.emplace(area_m2, polygon);
  }

  // The polygon on the other side of the longest common wall.
  std::optional<std::uint32_t> neighbour_of(std::uint32_t polygon) {
    std::map<std::uint32_t, double> common_m;
    for_each_side(polygons_[polygon], [&](const Side& side) {
      const auto beside = owners_.find({side.second, side.first});
      if (beside == owners_.end()) return;
      for (const std::uint32_t other : beside->second) {
        common_m[other] += norm(corners_.places()[side.second] - corners_.places()[side.first]);
      }
    });
    const auto longest = std::max_element(common_m.begin(), common_m.end(),
                                          [](const auto& a, const auto& b) { return a.second < b.second; });
    return longest == common_m.end() ? std::nullopt : std::optional(longest->first);
  }

  void take_away(std::uint32_t polygon) {
    taken_.push_back({polygon, polygons_[polygon], std::nullopt});
    if (!may_join_[polygon]) {
      polygons_[polygon].clear();
      return;
    }
    const std::optional<std::uint32_t> neighbour = neighbour_of(polygon);
    set_sides(polygon, false);
    if (neighbour) {
      std::vector<Rings> joined = overlay_.united(polygons_[polygon], polygons_[*neighbour]);
      if (joined.size() == 1) {
        join(*neighbour, std::move(joined.front()));
        taken_.back().joined_with = neighbour;
      }
    }
    polygons_[polygon].clear();
  }

  void join(std::uint32_t polygon, Rings rings) {
    set_sides(polygon, false);
    queue_.erase({area(polygons_[polygon]), polygon});
    polygons_[polygon] = std::move(rings);
    set_sides(polygon, true);
    put_in_queue(polygon);
  }

  std::vector<Rings>& polygons_;
  const std::vector<bool>& may_join_;
  double min_area_m2_;
  PolygonOverlay overlay_;
  CornerNumbers corners_;
  std::map<Side, std::set<std::uint32_t>> owners_;
  std::set<std::pair<double, std::uint32_t>> queue_;  // the smallest first
  std::vector<SmallFootprint> taken_;
};

}  // namespace

std::vector<SmallFootprint> take_away_small(std::vector<Rings>& polygons, const std::vector<bool>& may_join,
                                            double min_area_m2) {
  return SmallFootprints(polygons, may_join, min_area_m2).run();
}

}  // namespace tesseray
