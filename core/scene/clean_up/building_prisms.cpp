// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/scene/clean_up/building_prisms.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <string>

#include "core/base/blank_text.h"
#include "core/base/error.h"
#include "core/base/hash.h"
#include "core/scene/footprints/clean_footprint.h"
#include "core/scene/ground_plan/polygon.h"
#include "core/scene/ground_plan/prism_index.h"
#include "core/scene/issue_text.h"
#include "core/scene/landscape/terrain_surface.h"

namespace tesseray {
namespace {

constexpr int building_id_bits = 42;
// Higher than any building: kept as given, and said.
constexpr double suspicious_height_m = 1000;
// A feature of more polygons holds many buildings that were dissolved: each polygon is a building of its own, since one
// building's tiles have numbers for so many walls only.
constexpr std::size_t most_polygons_of_building = 64;
// Bases below this are on the ground.
constexpr double least_base_m = 0.05;

// The number of a building that is one polygon of many in a feature: by the place of its first corner, so that an edit
// of the others does not change it. Among the larger ones of those that keep the numbers of tiles below 2^53.
std::int64_t building_id_of_polygon(std::int64_t feature_id, const Rings& rings, Vec2 origin) {
  const Vec2 corner = origin + *std::ranges::min_element(rings.front(), {}, [](Vec2 p) { return std::pair(p.x, p.y); });
  StableHash hash;
  hash.add(feature_id);
  hash.add(corner.x);
  hash.add(corner.y);
  constexpr int bits = 31;
  return std::int64_t{1} << bits | static_cast<std::int64_t>(hash.value() >> (64 - bits));
}

// What is left of a building's attributes after checking: exactly one of height and roof.
struct Heights {
  std::optional<double> height_m, roof_elevation_m;
  double base_m = 0;
};

class PrismMaker {
 public:
  PrismMaker(const std::vector<RawBuilding>& buildings, const std::vector<std::vector<Rings>>& polygons,
             const std::vector<Material>& materials, const Terrain& terrain, Vec2 origin, const SceneOptions& options,
             IssueLog& log)
      : buildings_(buildings), polygons_(polygons), terrain_(terrain), origin_(origin), options_(options), log_(log) {
    for (std::size_t i = 0; i < materials.size(); ++i) {
      material_index_.emplace(lower_case(materials[i].name), static_cast<std::uint16_t>(i));
    }
  }

  std::vector<Prism> run() {
    if (options_.missing_height == SceneOptions::MissingHeight::fail) fail_for_missing_heights();
    std::vector<std::optional<Heights>> heights;
    heights.reserve(buildings_.size());
    for (std::size_t b = 0; b < buildings_.size(); ++b) {
      heights.push_back(polygons_[b].empty() ? std::nullopt : checked_heights(buildings_[b]));
    }
    // Raised parts come second: they share the ground reference of what stands below them.
    Scene on_ground;
    std::vector<double> reference_of;
    for (std::size_t b = 0; b < buildings_.size(); ++b) {
      if (!heights[b] || heights[b]->base_m > 0) continue;
      for (const Rings& rings : polygons_[b]) {
        const double reference = ground_reference(buildings_[b], rings);
        if (add_prism(b, rings, *heights[b], reference)) {
          on_ground.prisms.push_back(prisms_.back());
          reference_of.push_back(reference);
        }
      }
    }
    const PrismIndex index(on_ground);
    for (std::size_t b = 0; b < buildings_.size(); ++b) {
      if (!heights[b] || heights[b]->base_m <= 0) continue;
      for (const Rings& rings : polygons_[b]) {
        const Vec2 p = interior_point(rings);
        const auto candidates = index.candidates(p);
        const auto below = std::find_if(candidates.begin(), candidates.end(),
                                        [&](std::uint32_t i) { return contains(on_ground.prisms[i].rings, p); });
        const double reference =
            below == candidates.end() ? ground_reference(buildings_[b], rings) : reference_of[*below];
        add_prism(b, rings, *heights[b], reference);
      }
    }
    report_unknown_materials();
    report_dissolved();
    return numbered();
  }

 private:
  static bool has_height(const RawBuilding& building) {
    return building.roof_elevation_m || (building.height_m && *building.height_m > 0);
  }

  void add_issue(Issue::Action action, const char* code, const std::string& message, const RawBuilding& building) {
    log_.add(action, code, message, building.feature_id, outline_of(building, origin_));
  }

  void fail_for_missing_heights() const {
    std::size_t count = 0;
    std::string named;
    std::int64_t first = 0;
    for (std::size_t b = 0; b < buildings_.size(); ++b) {
      if (polygons_[b].empty() || has_height(buildings_[b])) continue;
      if (count == 0) first = buildings_[b].feature_id;
      constexpr std::size_t most_named = 10;
      if (count < most_named) named += (count == 0 ? "" : ", ") + std::to_string(buildings_[b].feature_id);
      ++count;
    }
    if (count == 0) return;
    throw Error(ErrorKind::invalid_input, "missing_height",
                std::to_string(count) +
                    (count == 1 ? " building has no height (feature " : " buildings have no height (features ") +
                    named + (count > 10 ? ", …" : "") + ")",
                "give HEIGHT_FIELD, or allow MISSING_HEIGHT default or drop",
                {.file = log_.file(), .layer = log_.layer(), .feature_id = first});
  }

  // Empty when the building is dropped.
  std::optional<Heights> checked_heights(const RawBuilding& building) {
    Heights heights;
    heights.base_m = base_of(building);
    if (building.roof_elevation_m && std::isfinite(*building.roof_elevation_m)) {
      heights.roof_elevation_m = building.roof_elevation_m;
      return heights;
    }
    if (building.height_m && *building.height_m > 0 && std::isfinite(*building.height_m)) {
      heights.height_m = building.height_m;
      if (*heights.height_m > suspicious_height_m) {
        add_issue(Issue::Action::assumed, "suspicious_height",
                  "a height of " + metres(*heights.height_m) + " is kept as given; check its unit", building);
      }
      if (heights.base_m >= *heights.height_m) {
        add_issue(Issue::Action::assumed, "base_above_roof",
                  "the base at " + metres(heights.base_m) + " is not below the roof at " + metres(*heights.height_m) +
                      "; taken as standing on the ground",
                  building);
        heights.base_m = 0;
      }
      return heights;
    }
    const std::string found = building.height_m && std::isfinite(*building.height_m)
                                  ? "a height of " + metres(*building.height_m) + " is none"
                                  : std::string("no height is given");
    if (options_.missing_height == SceneOptions::MissingHeight::drop) {
      add_issue(Issue::Action::dropped, "missing_height", found + "; the building is left out", building);
      return std::nullopt;
    }
    // A raised part of unknown top is as high above its base as another building above the ground.
    heights.height_m = heights.base_m + options_.default_height_m;
    add_issue(Issue::Action::assumed, "missing_height", found + "; assumed " + metres(*heights.height_m), building);
    return heights;
  }

  double ground_reference(const RawBuilding& building, const Rings& rings) {
    using Reference = SceneOptions::GroundReference;
    if (options_.ground_reference == Reference::lowest) return lowest_height_under(terrain_, rings);
    const bool at_entrance = options_.ground_reference == Reference::entrance;
    if (at_entrance && building.entrance_elevation_m) return *building.entrance_elevation_m;
    const double mean = mean_height_under(terrain_, rings);
    // A roof that is given as an elevation counts from nothing.
    if (at_entrance && !building.roof_elevation_m) {
      add_issue(Issue::Action::assumed, "missing_entrance",
                "no ground at the entrance is given; the mean ground of " + metres(mean) + " is taken", building);
    }
    return mean;
  }

  bool is_dissolved(std::size_t b) const { return polygons_[b].size() > most_polygons_of_building; }

  bool add_prism(std::size_t b, const Rings& rings, const Heights& heights, double reference) {
    const RawBuilding& building = buildings_[b];
    Prism prism;
    prism.building_id = is_dissolved(b) ? building_id_of_polygon(building.feature_id, rings, origin_)
                                        : building_id_of(building.feature_id);
    prism.source_feature = building.feature_id;
    prism.rings = rings;
    prism.on_ground = heights.base_m == 0;
    prism.bottom_z = prism.on_ground
                         ? std::floor(lowest_height_under(terrain_, rings) / coordinate_step_m) * coordinate_step_m
                         : snapped(reference + heights.base_m);
    prism.top_z = snapped(heights.roof_elevation_m ? *heights.roof_elevation_m : reference + *heights.height_m);
    prism.material = material_of(building);
    if (prism.top_z <= prism.bottom_z) {
      add_issue(
          Issue::Action::dropped, "roof_below_bottom",
          "the roof at " + metres(prism.top_z) + " is not above the bottom at " + metres(prism.bottom_z) + "; left out",
          building);
      return false;
    }
    prisms_.push_back(std::move(prism));
    return true;
  }

  std::uint16_t material_of(const RawBuilding& building) {
    if (building.material.empty()) return 0;
    const auto found = material_index_.find(lower_case(building.material));
    if (found != material_index_.end()) return found->second;
    ++unknown_materials_[building.material];
    return 0;
  }

  void report_unknown_materials() {
    for (const auto& [name, count] : unknown_materials_) {
      log_.add(Issue::Action::assumed, "unknown_material",
               std::to_string(count) + (count == 1 ? " wall" : " walls") + " of the unknown material \"" + name +
                   "\" " + (count == 1 ? "gets" : "get") + " the default material");
    }
  }

  void report_dissolved() {
    for (std::size_t b = 0; b < buildings_.size(); ++b) {
      if (!is_dissolved(b)) continue;
      add_issue(Issue::Action::assumed, "dissolved_buildings",
                std::to_string(polygons_[b].size()) + " polygons of one feature, each of which is taken as a building",
                buildings_[b]);
    }
  }

  std::vector<Prism> numbered() {
    std::stable_sort(prisms_.begin(), prisms_.end(),
                     [](const Prism& a, const Prism& b) { return a.building_id < b.building_id; });
    for (std::size_t i = 1; i < prisms_.size(); ++i) {
      const bool is_same = prisms_[i].building_id == prisms_[i - 1].building_id;
      prisms_[i].part = is_same ? prisms_[i - 1].part + 1 : 0;
    }
    return std::move(prisms_);
  }

  const std::vector<RawBuilding>& buildings_;
  const std::vector<std::vector<Rings>>& polygons_;
  const Terrain& terrain_;
  const Vec2 origin_;
  const SceneOptions& options_;
  IssueLog& log_;
  std::map<std::string, std::uint16_t> material_index_;
  std::map<std::string, std::size_t> unknown_materials_;
  std::vector<Prism> prisms_;
};

}  // namespace

double base_of(const RawBuilding& building) {
  const bool is_raised = building.base_m && std::isfinite(*building.base_m) && *building.base_m >= least_base_m;
  return is_raised ? *building.base_m : 0;
}

std::int64_t building_id_of(std::int64_t feature_id) {
  constexpr std::int64_t limit = std::int64_t{1} << building_id_bits;
  if (feature_id >= 0 && feature_id < limit) return feature_id;
  StableHash hash;
  hash.add(feature_id);
  return static_cast<std::int64_t>(hash.value() >> (64 - building_id_bits));
}

std::vector<Prism> make_prisms(const std::vector<RawBuilding>& buildings,
                               const std::vector<std::vector<Rings>>& polygons, const std::vector<Material>& materials,
                               const Terrain& terrain, Vec2 origin, const SceneOptions& options, IssueLog& log) {
  return PrismMaker(buildings, polygons, materials, terrain, origin, options, log).run();
}

}  // namespace tesseray
