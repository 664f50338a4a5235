// SPDX-License-Identifier: GPL-3.0-or-later
#include <algorithm>
#include <cmath>
#include <initializer_list>
#include <optional>
#include <string>

#include "core/base/error.h"
#include "core/base/parallel.h"
#include "core/scene/clean_up/building_prisms.h"
#include "core/scene/clean_up/far_buildings.h"
#include "core/scene/clean_up/overlaps.h"
#include "core/scene/clean_up/simplified_footprints.h"
#include "core/scene/footprints/clean_footprint.h"
#include "core/scene/ground_plan/polygon.h"
#include "core/scene/issue_text.h"
#include "core/scene/landscape/make_clutter.h"
#include "core/scene/landscape/terrain_grid.h"
#include "core/scene/landscape/terrain_surface.h"
#include "core/scene/landscape/vegetation_pieces.h"
#include "core/scene/raw_scene.h"

namespace tesseray {
namespace {

constexpr double origin_step_m = 1024;
constexpr std::size_t footprints_per_block = 256;

void extend(Rectangle& box, const Rectangle& by) {
  if (by.empty()) return;
  box.extend(by.min);
  box.extend(by.max);
}

template <class Footprint>
Rectangle bounds_of_all(const std::vector<Footprint>& footprints) {
  Rectangle box;
  for (const Footprint& footprint : footprints) extend(box, bounds_of(footprint));
  return box;
}

// The area in CRS coordinates.
Rectangle chosen_extent(const RawScene& raw, const SceneOptions& options) {
  if (options.extent) {
    const Rectangle& extent = *options.extent;
    const bool is_finite = std::isfinite(extent.min.x) && std::isfinite(extent.min.y) && std::isfinite(extent.max.x) &&
                           std::isfinite(extent.max.y);
    if (!is_finite || extent.max.x <= extent.min.x || extent.max.y <= extent.min.y) {
      throw Error(ErrorKind::invalid_input, "bad_extent", "the extent has no area",
                  "give EXTENT as xmin,xmax,ymin,ymax in the environment CRS");
    }
    return extent;
  }
  const Rectangle buildings = bounds_of_all(raw.buildings);
  if (buildings.empty()) {
    throw Error(ErrorKind::invalid_input, "no_buildings", "there is no building, and no extent is given",
                "check the buildings layer, or give EXTENT to work without buildings",
                {.file = raw.buildings_file, .layer = raw.buildings_layer});
  }
  return grown(buildings, options.margin_m);
}

// Leaves out the features that do not touch the extent, and says how many. not_read: others that lie farther off; none:
// nobody has counted them.
template <class Footprint>
void keep_touching(std::vector<Footprint>& footprints, std::optional<std::size_t> not_read, const Rectangle& extent,
                   IssueLog& log) {
  const std::size_t erased = std::erase_if(footprints, [&extent](const Footprint& footprint) {
    const Rectangle box = bounds_of(footprint);
    return !box.empty() && !touch(box, extent);
  });
  const std::size_t outside = erased + not_read.value_or(0);
  if (!not_read) {
    log.add(Issue::Action::dropped, "outside_extent", "features outside of the extent, if there are any, are left out");
  } else if (outside > 0) {
    log.add(Issue::Action::dropped, "outside_extent",
            std::to_string(outside) +
                (outside == 1 ? " feature outside of the extent is" : " features outside of the extent are") +
                " left out");
  }
}

// Cleans all footprints in parallel; the log is in input order.
template <class Footprint>
std::vector<std::vector<Rings>> clean_all(const std::vector<Footprint>& footprints, Vec2 origin, IssueLog& log,
                                          Progress& progress) {
  std::vector<std::vector<Rings>> polygons(footprints.size());
  std::vector<IssueLog> logs((footprints.size() + footprints_per_block - 1) / footprints_per_block,
                             IssueLog(log.layer()));
  parallel_blocks(footprints.size(), footprints_per_block, progress, [&](std::size_t begin, std::size_t end) {
    PolygonOverlay overlay;
    for (std::size_t i = begin; i < end; ++i) {
      polygons[i] = clean_footprint(footprints[i], origin, overlay, logs[begin / footprints_per_block]);
    }
  });
  for (IssueLog& of_block : logs) log.append(std::move(of_block));
  return polygons;
}

std::vector<VegetationArea> make_vegetation(const std::vector<RawVegetation>& raw,
                                            const std::vector<std::vector<Rings>>& polygons, const Terrain& terrain,
                                            Vec2 origin, const SceneOptions& options, IssueLog& log) {
  std::vector<VegetationArea> areas;
  PolygonOverlay overlay;
  for (std::size_t i = 0; i < raw.size(); ++i) {
    if (polygons[i].empty()) continue;
    const bool has_height = raw[i].height_m && *raw[i].height_m > 0 && std::isfinite(*raw[i].height_m);
    const double height_m = has_height ? *raw[i].height_m : options.default_vegetation_height_m;
    if (!has_height) {
      log.add(Issue::Action::assumed, "missing_height", "no height is given; assumed " + metres(height_m),
              raw[i].feature_id, outline_of(raw[i], origin));
    }
    for (const Rings& rings : polygons[i]) {
      for (Rings& piece : vegetation_pieces(terrain, rings, height_m, overlay)) {
        VegetationArea area;
        area.source_feature = raw[i].feature_id;
        area.bottom_z = std::floor(lowest_height_under(terrain, piece) / coordinate_step_m) * coordinate_step_m;
        area.top_z = snapped(mean_height_under(terrain, piece) + height_m);
        area.rings = std::move(piece);
        areas.push_back(std::move(area));
      }
    }
  }
  return areas;
}

// Without what lies farther from the extent than terrain is read for: a wood of a county touches many cities.
std::vector<std::vector<Rings>> near_extent(std::vector<std::vector<Rings>> greens, const Rectangle& extent) {
  const Rectangle near = grown(extent, landscape_margin_m);
  const Rings frame = as_rings(near);
  PolygonOverlay overlay;
  for (std::vector<Rings>& of_feature : greens) {
    std::vector<Rings> cut;
    for (Rings& rings : of_feature) {
      const Rectangle box = bounds(rings);
      if (near.contains(box.min) && near.contains(box.max)) {
        cut.push_back(std::move(rings));
        continue;
      }
      for (Rings& part : overlay.intersection(rings, frame)) cut.push_back(std::move(part));
    }
    of_feature = std::move(cut);
  }
  return greens;
}

Vec2 snapped_point(Vec2 p) { return {snapped(p.x), snapped(p.y)}; }

Vec2 origin_of(const Rectangle& extent) {
  return {std::floor(extent.min.x / origin_step_m) * origin_step_m,
          std::floor(extent.min.y / origin_step_m) * origin_step_m};
}

// Buildings are whole, so the ground goes on under those that reach beyond the extent.
Rectangle ground_needed(Rectangle extent, const std::vector<std::vector<Rings>>& footprints,
                        const std::vector<std::vector<Rings>>& greens) {
  for (const auto* polygons : {&footprints, &greens}) {
    for (const std::vector<Rings>& of_feature : *polygons) {
      for (const Rings& rings : of_feature) extend(extent, bounds(rings));
    }
  }
  return extent;
}

// Those of the readers, whose outlines are in CRS coordinates, then those of the clean-up.
std::vector<Issue> collected_issues(std::vector<Issue> issues, Vec2 origin, std::initializer_list<IssueLog*> logs) {
  for (Issue& issue : issues) {
    for (Ring& ring : issue.outline) {
      for (Vec2& p : ring) p = snapped_point(p - origin);
    }
  }
  for (IssueLog* log : logs) {
    for (Issue& issue : log->issues()) issues.push_back(std::move(issue));
  }
  return issues;
}

void check_extent(const RawScene& touching, bool had_buildings, const SceneOptions& options) {
  if (!options.extent || !had_buildings || !touching.buildings.empty() || touching.terrain) return;
  throw Error(ErrorKind::invalid_input, "extent_elsewhere",
              "the extent is outside of everything: no building touches it",
              "give EXTENT in the CRS of the environment, or leave it out");
}

// `log`: of the buildings, which nothing is written of then.
void check_buildings(const Scene& scene, IssueLog& log, const SceneOptions& options) {
  if (!scene.prisms.empty() || options.extent) return;
  const std::vector<Issue>& issues = log.issues();
  std::string message = "no building is left after the clean-up";
  if (!issues.empty()) {
    message += ": " + std::to_string(issues.size()) + " issue(s), the first: ";
    if (issues.front().feature_id >= 0) message += "feature " + std::to_string(issues.front().feature_id) + ", ";
    message += issues.front().message;
  }
  throw Error(ErrorKind::invalid_input, "no_buildings", message,
              "correct the buildings layer, or give EXTENT to work without buildings",
              {.file = log.file(), .layer = log.layer()});
}

}  // namespace

CleanScene build_scene(RawScene raw, const SceneOptions& options, Progress& progress) {
  progress.begin_stage("scene");
  IssueLog building_log(raw.buildings_layer, raw.buildings_file), vegetation_log(raw.vegetation_layer);
  IssueLog terrain_log(raw.terrain ? raw.terrain->source : std::string());
  CleanScene result;
  Scene& scene = result.scene;

  const Rectangle extent = chosen_extent(raw, options);
  const bool had_buildings = !raw.buildings.empty();
  keep_touching(raw.buildings, raw.buildings_not_read, extent, building_log);
  keep_touching(raw.vegetation, raw.vegetation_not_read, extent, vegetation_log);
  check_extent(raw, had_buildings, options);
  const Vec2 origin = origin_of(extent);
  scene.frame = {origin, raw.crs_wkt, raw.crs_name};
  scene.extent = {snapped_point(extent.min - origin), snapped_point(extent.max - origin)};
  if (!options.extent) note_far_buildings(raw.buildings, origin, building_log);
  scene.materials.insert(scene.materials.end(), raw.materials.begin(), raw.materials.end());

  const std::vector<std::vector<Rings>> footprints = simplified_footprints(
      raw.buildings, clean_all(raw.buildings, origin, building_log, progress), options, building_log);
  const std::vector<std::vector<Rings>> greens =
      near_extent(clean_all(raw.vegetation, origin, vegetation_log, progress), scene.extent);

  const Rectangle needed = ground_needed(scene.extent, footprints, greens);
  scene.terrain = raw.terrain ? make_terrain(*raw.terrain, needed, origin, terrain_log)
                              : flat_terrain(options.ground_height_m, needed, terrain_log);

  std::vector<Prism> prisms =
      make_prisms(raw.buildings, footprints, scene.materials, scene.terrain, origin, options, building_log);
  scene.prisms = without_overlaps(std::move(prisms), scene.terrain, building_log, progress);
  scene.vegetation = make_vegetation(raw.vegetation, greens, scene.terrain, origin, options, vegetation_log);
  if (raw.clutter) scene.clutter = make_clutter(*raw.clutter, scene.extent, origin);
  check_buildings(scene, building_log, options);
  result.issues = collected_issues(std::move(raw.issues), origin, {&terrain_log, &building_log, &vegetation_log});
  result.buildings_layer = std::move(raw.buildings_layer);
  return result;
}

}  // namespace tesseray
