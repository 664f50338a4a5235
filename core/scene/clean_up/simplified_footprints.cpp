// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/scene/clean_up/simplified_footprints.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <string>
#include <utility>

#include "core/scene/clean_up/building_prisms.h"
#include "core/scene/clean_up/overlaps.h"
#include "core/scene/footprints/corner_removal.h"
#include "core/scene/footprints/shared_corners.h"
#include "core/scene/footprints/small_footprints.h"
#include "core/scene/ground_plan/polygon.h"
#include "core/scene/issue_text.h"

namespace tesseray {
namespace {

std::size_t corner_count(const std::vector<Rings>& polygons) {
  CornerNumbers corners;
  for (const Rings& rings : polygons) {
    for (const Ring& ring : rings) {
      for (const Vec2 p : ring) corners.of(p);
    }
  }
  return corners.places().size();
}

// The polygons of all buildings in one list.
struct Plan {
  std::vector<Rings> polygons;
  std::vector<std::uint32_t> building;  // of each polygon
};

Plan plan_of(std::vector<std::vector<Rings>>& footprints) {
  Plan plan;
  for (std::uint32_t b = 0; b < footprints.size(); ++b) {
    for (Rings& rings : footprints[b]) {
      plan.polygons.push_back(std::move(rings));
      plan.building.push_back(b);
    }
    footprints[b].clear();
  }
  return plan;
}

// The one that counts where both are given.
GivenHeight given_height(const RawBuilding& building) {
  const std::optional<double>&elevation = building.roof_elevation_m, &height = building.height_m;
  if (elevation && std::isfinite(*elevation)) return {GivenHeight::Reference::sea, *elevation};
  if (height && std::isfinite(*height) && *height > 0) return {GivenHeight::Reference::ground, *height};
  return {};
}

void take_away_small(Plan& plan, const std::vector<RawBuilding>& buildings, double min_area_m2, IssueLog& log) {
  std::vector<JoinTraits> traits;
  for (const std::uint32_t b : plan.building) {
    traits.push_back({.may_join = base_of(buildings[b]) == 0, .height = given_height(buildings[b])});
  }
  for (SmallFootprint& small : take_away_small(plan.polygons, traits, min_area_m2)) {
    const std::string what =
        "a footprint of " + square_metres(area(small.outline)) + " (less than " + square_metres(min_area_m2) + ") is ";
    const std::int64_t feature = buildings[plan.building[small.polygon]].feature_id;
    if (small.joined_with) {
      const std::int64_t neighbour = buildings[plan.building[*small.joined_with]].feature_id;
      log.add(Issue::Action::repaired, "small_footprint_joined",
              what + "joined to feature " + std::to_string(neighbour), feature, std::move(small.outline));
    } else {
      log.add(Issue::Action::dropped, "small_footprint", what + "left out: it has no common wall with a neighbour",
              feature, std::move(small.outline));
    }
  }
}

}  // namespace

std::vector<std::vector<Rings>> simplified_footprints(const std::vector<RawBuilding>& buildings,
                                                      std::vector<std::vector<Rings>> footprints,
                                                      const SceneOptions& options, IssueLog& log) {
  const double tolerance_m = options.simplify_tolerance_m, min_area_m2 = options.min_building_area_m2;
  if (tolerance_m <= 0 && min_area_m2 <= 0) return footprints;
  Plan plan = plan_of(footprints);
  const std::size_t before = corner_count(plan.polygons);
  // What making walls common moves is a part of the tolerance.
  const double common_within_m = tolerance_m > 0 ? std::min(overlap_width_m, 0.25 * tolerance_m) : overlap_width_m;
  share_corners(plan.polygons, common_within_m);
  if (min_area_m2 > 0) take_away_small(plan, buildings, min_area_m2, log);
  if (tolerance_m > 0) {
    const std::size_t removed = remove_corners(plan.polygons, tolerance_m - 2 * common_within_m);
    const std::size_t left = corner_count(plan.polygons);
    if (removed > 0 || left != before) {
      log.add(Issue::Action::repaired, "simplified",
              "outlines are simplified within " + metres(tolerance_m) + ": " + std::to_string(left) +
                  " corners in place of " + std::to_string(before));
    }
  }
  for (std::size_t i = 0; i < plan.polygons.size(); ++i) {
    if (!plan.polygons[i].empty()) footprints[plan.building[i]].push_back(std::move(plan.polygons[i]));
  }
  return footprints;
}

}  // namespace tesseray
