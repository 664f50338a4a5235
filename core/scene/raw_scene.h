// SPDX-License-Identifier: GPL-3.0-or-later
// What the readers hand to the clean-up: features as the files have them, in the environment CRS and in metres.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/base/progress.h"
#include "core/scene/scene.h"

namespace tesseray {

// So far around the site terrain is read and vegetation counts. More than the margin that the clean-up puts around the
// buildings, so that the terrain reaches under all of it.
inline constexpr double landscape_margin_m = 500.0;

// A footprint in absolute CRS coordinates, rings as found (any orientation, maybe self-crossing, closing point or
// not); a multipolygon has several parts.
struct RawFootprint {
  std::int64_t feature_id = 0;
  std::vector<Rings> parts;
};

struct RawBuilding : RawFootprint {
  std::optional<double> height_m;              // roof above the ground reference
  std::optional<double> roof_elevation_m;      // roof, absolute (instead of height_m)
  std::optional<double> base_m;                // bottom of a raised part above the ground reference
  std::optional<double> entrance_elevation_m;  // ground at the entrance, absolute
  std::string material;                        // empty: the default
};

struct RawVegetation : RawFootprint {
  std::optional<double> height_m;  // of the trees above the ground
};

// An area of one clutter class.
struct RawClutterArea : RawFootprint {
  std::uint8_t clutter_class = 0;  // 1 + its number in RawClutter::classes
};

// Clutter as a grid, or as areas of which the later ones lie on top.
struct RawClutter {
  std::vector<std::string> classes;
  std::optional<Clutter> grid;  // south_west in absolute CRS coordinates; without classes
  std::vector<RawClutterArea> areas;
};

// The DEM in the environment CRS, absolute coordinates of its nodes (pixel centres); NaN is no-data.
struct RawTerrain {
  Vec2 south_west;
  double step_x = 0, step_y = 0;
  std::uint32_t columns = 0, rows = 0;
  std::vector<float> height_m;  // row by row from the south
  std::string source;           // for messages
};

struct RawScene {
  std::string crs_wkt, crs_name;    // of the environment; wkt empty for LOCAL_METRES
  std::optional<Rectangle> extent;  // that was asked for, for SceneOptions::extent
  std::string buildings_file, buildings_layer, vegetation_layer;
  std::vector<RawBuilding> buildings;
  std::vector<RawVegetation> vegetation;
  // Features that were not read since they lie far from EXTENT; none: there may be some, and nobody has counted them.
  std::optional<std::size_t> buildings_not_read = 0, vegetation_not_read = 0;
  std::optional<RawTerrain> terrain;  // absent: flat ground at SceneOptions::ground_height_m
  std::optional<RawClutter> clutter;
  std::vector<Material> materials;  // beside the default
  std::vector<Issue> issues;        // found while reading; outlines in absolute CRS coordinates
};

struct SceneOptions {
  enum class MissingHeight { use_default, fail, drop };
  // What heights count from: the mean or the lowest ground under the footprint, or the ground at the entrance
  // (RawBuilding::entrance_elevation_m; the mean, with an issue, where it is not known).
  enum class GroundReference { mean, lowest, entrance };
  MissingHeight missing_height = MissingHeight::use_default;
  double default_height_m = 9.0;
  double default_vegetation_height_m = 8.0;
  GroundReference ground_reference = GroundReference::mean;
  double ground_height_m = 0.0;     // without a DEM
  std::optional<Rectangle> extent;  // absolute CRS coordinates; default: the buildings and a margin
  double margin_m = 50.0;
  double simplify_tolerance_m = 0;  // corners of footprints are left out within this; 0: none
  double min_building_area_m2 = 0;  // smaller footprints are joined to a neighbour, or left out; 0: none
};

struct CleanScene {
  Scene scene;
  std::vector<Issue> issues;  // RawScene's and the clean-up's
  std::string buildings_layer = {};
};

// Repairs footprints (GEOS), resolves heights and overlaps, fills and extends the terrain. Every change is an issue;
// no building disappears without one. Throws Error(invalid_input) for missing heights under `fail`, an empty result
// without an extent, an extent outside of everything.
CleanScene build_scene(RawScene raw, const SceneOptions& options, Progress& progress);

}  // namespace tesseray
