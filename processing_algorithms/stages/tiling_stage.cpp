// SPDX-License-Identifier: GPL-3.0-or-later
#include "processing_algorithms/stages/tiling_stage.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <string>

#include "core/io/sources/text_values.h"
#include "processing_algorithms/stages/issue_warnings.h"

namespace tesseray {

std::vector<Parameter> tiling_parameters() {
  using Kind = ParameterKind;
  const TilingOptions defaults;
  return {
      {.name = "TILE_AREA",
       .label = "Tile area",
       .help = "area of a tile; smaller tiles are more exact and take more time",
       .kind = Kind::number,
       .default_value = shortest(defaults.tile_area_m2),
       .unit = "m²",
       .minimum = 0.25,
       .maximum = 10000},
      {.name = "MIN_WALL_WIDTH",
       .label = "Least width of a wall",
       .help = "walls that are narrower make no tiles; narrow sides of a curve are put together",
       .kind = Kind::distance,
       .default_value = shortest(defaults.min_wall_width_m),
       .unit = "m",
       .minimum = 0,
       .maximum = 100,
       .advanced = true},
      {.name = "MIN_WALL_AREA",
       .label = "Least area of a wall",
       .help = "walls that are smaller make no tiles",
       .kind = Kind::number,
       .default_value = shortest(defaults.min_wall_area_m2),
       .unit = "m²",
       .minimum = 0,
       .maximum = 10000,
       .advanced = true},
      {.name = "RIDGE_ANGLE",
       .label = "Ridge angle",
       .help = "a side between terrain tiles diffracts when its exterior angle is larger",
       .kind = Kind::number,
       .default_value = shortest(defaults.ridge_angle_deg),
       .unit = "°",
       .minimum = 180,
       .maximum = 360,
       .advanced = true},
  };
}

PieceMemory tile_memory() {
  return {.layer = "BUILDINGS", .extent = "EXTENT", .piece_area = "TILE_AREA", .bytes_per_piece = sizeof(Tile)};
}

TilingOptions tiling_options(const ParameterValues& values) {
  TilingOptions options;
  options.tile_area_m2 = values.number("TILE_AREA");
  options.min_wall_width_m = values.number("MIN_WALL_WIDTH");
  options.min_wall_area_m2 = values.number("MIN_WALL_AREA");
  options.ridge_angle_deg = values.number("RIDGE_ANGLE");
  return options;
}

Tiling tile_scene(Run& run, const Scene& scene, const TilingOptions& options) {
  // Ground tiles are the most that a small TILE_AREA over a large extent can go wrong by.
  const Vec2 size = scene.extent.max - scene.extent.min;
  constexpr double more_than_any_machine_has = 1e18;
  const double ground_tiles = std::min(size.x * size.y / options.tile_area_m2, more_than_any_machine_has);
  const auto km = [](double length_m) { return shortest(std::round(length_m / 100) / 10); };
  run.settings().memory.require(
      static_cast<std::uint64_t>(std::min(ground_tiles * sizeof(Tile), more_than_any_machine_has)),
      "about " + std::to_string(std::llround(ground_tiles)) + " ground tiles on " + km(size.x) + " × " + km(size.y) +
          " km (a wide EXTENT, or one building far from all others, can be the cause)");
  Tiling tiling = tile_scene(scene, options, run.progress());
  if (tiling.tiles.empty()) {
    run.progress().warn({"no_tiles", "the area of " + shortest(std::round(size.x)) + " × " +
                                         shortest(std::round(size.y)) + " m has no tile of " +
                                         shortest(options.tile_area_m2) +
                                         " m²: give a larger EXTENT, or a smaller TILE_AREA"});
  }
  return tiling;
}

void note_tiling_issues(Run& run, const Tiling& tiling, CleanScene& clean) {
  const std::vector<Issue> issues = tiling_issues(clean.scene, tiling, clean.buildings_layer);
  warn_of_issues(issues, run.progress());
  clean.issues.insert(clean.issues.end(), issues.begin(), issues.end());
}

void add_tiling_figures(const Tiling& tiling, nlohmann::ordered_json& figures) {
  const auto count = [&](SurfaceKind kind) {
    return std::count_if(tiling.tiles.begin(), tiling.tiles.end(), [&](const Tile& tile) { return tile.kind == kind; });
  };
  figures["tiles"] = tiling.tiles.size();
  figures["ground_tiles"] = count(SurfaceKind::ground);
  figures["wall_tiles"] = count(SurfaceKind::wall);
  figures["roof_tiles"] = count(SurfaceKind::roof);
  figures["edges"] = tiling.edges.size();
  figures["walls_without_tiles"] = tiling.counts.walls_too_small;
  figures["roofs_without_tile"] = tiling.counts.roofs_without_tile;
}

}  // namespace tesseray
