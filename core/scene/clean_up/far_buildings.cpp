// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/scene/clean_up/far_buildings.h"

#include <algorithm>
#include <array>
#include <cstdio>
#include <string>
#include <utility>

#include "core/base/error.h"
#include "core/scene/footprints/clean_footprint.h"

namespace tesseray {
namespace {

// Of the buildings along one axis this share at either end may be far from the rest; one where that is less and others
// are left to be far from.
constexpr double share_at_an_end = 0.0125;
constexpr std::size_t fewest_with_one_far = 3;
constexpr double least_distance_m = 2000;
constexpr double least_growth = 2;
constexpr double larger_than_any_city_m2 = 1e11;

struct Interval {
  double low = 0, high = 0;
};

// Where all but few of the positions are, and as much again (least_distance_m or more) on either side.
Interval near_the_rest(std::vector<double> positions) {
  const std::size_t share = static_cast<std::size_t>(share_at_an_end * static_cast<double>(positions.size()));
  const std::size_t few = positions.size() < fewest_with_one_far ? 0 : std::max(share, std::size_t{1});
  const auto low = positions.begin() + static_cast<std::ptrdiff_t>(few);
  const auto high = positions.end() - 1 - static_cast<std::ptrdiff_t>(few);
  std::nth_element(positions.begin(), low, positions.end());
  const double lowest = *low;
  std::nth_element(positions.begin(), high, positions.end());
  const double reach = std::max(*high - lowest, least_distance_m);
  return {lowest - reach, *high + reach};
}

double area_of(const Rectangle& box) { return (box.max.x - box.min.x) * (box.max.y - box.min.y); }

// How far `box` is from `rest`, both of them rectangles along the axes.
double distance_between(const Rectangle& box, const Rectangle& rest) {
  const double dx = std::max({0.0, rest.min.x - box.max.x, box.min.x - rest.max.x});
  const double dy = std::max({0.0, rest.min.y - box.max.y, box.min.y - rest.max.y});
  return norm(Vec2{dx, dy});
}

constexpr const char* hint = "move or remove it if it is misplaced, or give EXTENT";

std::string message_for(double distance_m, double growth) {
  std::array<char, 200> text{};
  std::snprintf(text.data(), text.size(),
                "lies %.1f km from the other buildings; the area is %.0f times as large with such buildings",
                distance_m / 1000, growth);
  return text.data();
}

}  // namespace

void note_far_buildings(const std::vector<RawBuilding>& buildings, Vec2 origin, IssueLog& log) {
  std::vector<std::pair<const RawBuilding*, Rectangle>> placed;
  std::vector<double> eastings, northings;
  for (const RawBuilding& building : buildings) {
    const Rectangle box = bounds_of(building);
    if (box.empty()) continue;
    placed.emplace_back(&building, box);
    eastings.push_back(0.5 * (box.min.x + box.max.x));
    northings.push_back(0.5 * (box.min.y + box.max.y));
  }
  if (placed.empty()) return;
  const Interval east = near_the_rest(std::move(eastings)), north = near_the_rest(std::move(northings));
  const auto is_near = [&](const Rectangle& box) {
    return box.max.x >= east.low && box.min.x <= east.high && box.max.y >= north.low && box.min.y <= north.high;
  };
  Rectangle all, rest;
  for (const auto& [building, box] : placed) {
    all.extend(box.min), all.extend(box.max);
    if (is_near(box)) rest.extend(box.min), rest.extend(box.max);
  }
  const double growth = area_of(all) / area_of(rest);
  if (!(growth >= least_growth)) return;
  const RawBuilding* farthest = nullptr;
  double greatest_distance_m = -1;
  for (const auto& [building, box] : placed) {
    if (is_near(box)) continue;
    const double distance_m = distance_between(box, rest);
    log.add(Issue::Action::assumed, "far_building", message_for(distance_m, growth) + "; " + hint, building->feature_id,
            outline_of(*building, origin));
    if (distance_m > greatest_distance_m) farthest = building, greatest_distance_m = distance_m;
  }
  if (area_of(all) > larger_than_any_city_m2) {
    throw Error(ErrorKind::invalid_input, "far_building", message_for(greatest_distance_m, growth), hint,
                {.file = log.file(), .layer = log.layer(), .feature_id = farthest->feature_id});
  }
}

}  // namespace tesseray
