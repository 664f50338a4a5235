// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/scene/footprints/small_footprints.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <limits>
#include <map>
#include <numeric>
#include <optional>
#include <set>
#include <tuple>
#include <utility>

#include "core/scene/footprints/shared_corners.h"
#include "core/scene/ground_plan/footprint_repair.h"
#include "core/scene/ground_plan/polygon.h"

namespace tesseray {
namespace {

// Common walls of at least so much of the longest one are as good as it.
constexpr double nearly_longest = 0.75;
// Heights that differ by so much less or more are alike.
constexpr double storey_m = 3;

double difference_m(const GivenHeight& a, const GivenHeight& b) {
  return a.reference == b.reference ? std::fabs(a.metres - b.metres) : std::numeric_limits<double>::infinity();
}

// The polygons in an order that their corners alone decide.
std::vector<std::uint32_t> in_order_of_places(const std::vector<Rings>& polygons) {
  using Corners = std::vector<std::pair<double, double>>;
  std::vector<Corners> corners(polygons.size());
  for (std::size_t i = 0; i < polygons.size(); ++i) {
    for (const Ring& ring : polygons[i]) {
      for (const Vec2 p : ring) corners[i].emplace_back(p.x, p.y);
    }
    std::sort(corners[i].begin(), corners[i].end());
  }
  std::vector<std::uint32_t> order(polygons.size());
  std::iota(order.begin(), order.end(), std::uint32_t{0});
  std::stable_sort(order.begin(), order.end(),
                   [&corners](std::uint32_t a, std::uint32_t b) { return corners[a] < corners[b]; });
  return order;
}

class SmallFootprints {
 public:
  SmallFootprints(std::vector<Rings>& polygons, const std::vector<JoinTraits>& traits, double min_area_m2)
      : polygons_(polygons),
        traits_(traits),
        min_area_m2_(min_area_m2),
        by_rank_(in_order_of_places(polygons)),
        rank_(polygons.size()),
        area_m2_(polygons.size()) {}

  std::vector<SmallFootprint> run() {
    for (std::uint32_t rank = 0; rank < by_rank_.size(); ++rank) {
      const std::uint32_t polygon = by_rank_[rank];
      rank_[polygon] = rank;
      if (polygons_[polygon].empty()) continue;
      area_m2_[polygon] = area(polygons_[polygon]);
      if (traits_[polygon].may_join) set_sides(polygon, true);
      put_in_queue(polygon);
    }
    while (!queue_.empty()) {
      const std::uint32_t polygon = by_rank_[queue_.begin()->second];
      queue_.erase(queue_.begin());
      take_away(polygon);
    }
    for (auto& [polygon, parts] : joined_) {
      const std::uint32_t owner = hand_to_owner(parts);
      if (owner != polygon) polygons_[owner] = std::exchange(polygons_[polygon], {});
    }
    std::sort(taken_.begin(), taken_.end(),
              [](const SmallFootprint& a, const SmallFootprint& b) { return a.polygon < b.polygon; });
    return std::move(taken_);
  }

 private:
  using Side = std::pair<std::uint32_t, std::uint32_t>;  // corners, from and to

  // A polygon as it was, of those that were joined.
  struct Part {
    std::uint32_t polygon = 0;
    Rings outline;
    double area_m2 = 0;
  };
  using Parts = std::vector<Part>;

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

  bool is_small(std::uint32_t polygon) const { return area_m2_[polygon] < min_area_m2_; }

  void put_in_queue(std::uint32_t polygon) {
    if (is_small(polygon)) queue_.emplace(area_m2_[polygon], rank_[polygon]);
  }

  // The part whose height and place those joined have.
  std::uint32_t owner_of(const Parts& parts) const {
    const auto large =
        std::find_if(parts.begin(), parts.end(), [this](const Part& part) { return part.area_m2 >= min_area_m2_; });
    if (large != parts.end()) return large->polygon;
    std::vector<std::tuple<GivenHeight, std::uint32_t, double>> by_height;
    double left_m2 = 0;
    for (const Part& part : parts) {
      by_height.emplace_back(traits_[part.polygon].height, rank_[part.polygon], part.area_m2);
      left_m2 += 0.5 * part.area_m2;
    }
    std::sort(by_height.begin(), by_height.end());
    // What rounding leaves of two equal halves.
    const double nothing_m2 = 1e-9 * left_m2;
    for (const auto& [height, rank, area_m2] : by_height) {
      left_m2 -= area_m2;
      if (left_m2 <= nothing_m2) return by_rank_[rank];
    }
    return by_rank_[std::get<1>(by_height.back())];
  }

  GivenHeight height_of(std::uint32_t polygon) const {
    const auto joined = joined_.find(polygon);
    return traits_[joined == joined_.end() ? polygon : owner_of(joined->second)].height;
  }

  struct Neighbour {
    std::uint32_t polygon = 0;
    double wall_m = 0, height_difference_m = 0;
  };

  std::vector<Neighbour> neighbours_of(std::uint32_t polygon) {
    std::map<std::uint32_t, double> common_m;
    for_each_side(polygons_[polygon], [&](const Side& side) {
      const auto beside = owners_.find({side.second, side.first});
      if (beside == owners_.end()) return;
      for (const std::uint32_t other : beside->second) {
        common_m[other] += norm(corners_.places()[side.second] - corners_.places()[side.first]);
      }
    });
    const GivenHeight height = height_of(polygon);
    std::vector<Neighbour> neighbours;
    for (const auto& [other, wall_m] : common_m) {
      neighbours.push_back({other, wall_m, difference_m(height, height_of(other))});
    }
    return neighbours;
  }

  // The one to join.
  std::optional<std::uint32_t> neighbour_for(std::uint32_t polygon) {
    std::vector<Neighbour> neighbours = neighbours_of(polygon);
    if (neighbours.empty()) return std::nullopt;
    const double least_wall_m = nearly_longest * std::ranges::max(neighbours, {}, &Neighbour::wall_m).wall_m;
    std::erase_if(neighbours, [&](const Neighbour& each) { return each.wall_m < least_wall_m; });
    const double greatest_difference_m =
        storey_m + std::ranges::min(neighbours, {}, &Neighbour::height_difference_m).height_difference_m;
    std::erase_if(neighbours, [&](const Neighbour& each) { return each.height_difference_m > greatest_difference_m; });
    return std::ranges::min(neighbours, {},
                            [this](const Neighbour& each) {
                              return std::tuple(!is_small(each.polygon), each.height_difference_m,
                                                area_m2_[each.polygon], rank_[each.polygon]);
                            })
        .polygon;
  }

  void take_away(std::uint32_t polygon) {
    if (!traits_[polygon].may_join) {
      taken_.push_back({polygon, std::exchange(polygons_[polygon], {}), std::nullopt});
      return;
    }
    const std::optional<std::uint32_t> neighbour = neighbour_for(polygon);
    set_sides(polygon, false);
    std::vector<Rings> united;
    if (neighbour) united = overlay_.united(polygons_[polygon], polygons_[*neighbour]);
    if (united.size() == 1) {
      join(polygon, *neighbour, std::move(united.front()));
    } else {
      leave_out(polygon);
    }
  }

  // Those that were joined to a polygon and the polygon itself, no longer kept here.
  Parts take_parts(std::uint32_t polygon) {
    const auto joined = joined_.find(polygon);
    if (joined != joined_.end()) return std::move(joined_.extract(joined).mapped());
    Parts alone(1);
    alone.front() = {polygon, polygons_[polygon], area_m2_[polygon]};
    return alone;
  }

  void join(std::uint32_t polygon, std::uint32_t neighbour, Rings united) {
    Parts parts = take_parts(neighbour), more = take_parts(polygon);
    std::ranges::move(more, std::back_inserter(parts));
    joined_.emplace(neighbour, std::move(parts));
    polygons_[polygon].clear();
    set_sides(neighbour, false);
    queue_.erase({area_m2_[neighbour], rank_[neighbour]});
    polygons_[neighbour] = std::move(united);
    area_m2_[neighbour] = area(polygons_[neighbour]);
    set_sides(neighbour, true);
    put_in_queue(neighbour);
  }

  void leave_out(std::uint32_t polygon) {
    Parts parts = take_parts(polygon);
    const std::uint32_t owner = hand_to_owner(parts);
    taken_.push_back({owner, std::exchange(polygons_[polygon], {}), std::nullopt});
  }

  // The owner, to which the others are joined.
  std::uint32_t hand_to_owner(Parts& parts) {
    const std::uint32_t owner = owner_of(parts);
    for (Part& part : parts) {
      if (part.polygon != owner) taken_.push_back({part.polygon, std::move(part.outline), owner});
    }
    return owner;
  }

  std::vector<Rings>& polygons_;
  const std::vector<JoinTraits>& traits_;
  double min_area_m2_;
  std::vector<std::uint32_t> by_rank_, rank_;  // in the order of places, and the place in it of each polygon
  std::vector<double> area_m2_;
  PolygonOverlay overlay_;
  CornerNumbers corners_;
  std::map<Side, std::set<std::uint32_t>> owners_;
  std::set<std::pair<double, std::uint32_t>> queue_;  // area and rank, the smallest first
  std::map<std::uint32_t, Parts> joined_;             // by the polygon that stands for all
  std::vector<SmallFootprint> taken_;
};

}  // namespace

std::vector<SmallFootprint> take_away_small(std::vector<Rings>& polygons, const std::vector<JoinTraits>& traits,
                                            double min_area_m2) {
  return SmallFootprints(polygons, traits, min_area_m2).run();
}

}  // namespace tesseray
