// SPDX-License-Identifier: GPL-3.0-or-later
#include <algorithm>
#include <optional>
#include <string>
#include <utility>

#include "core/io/readers/readers.h"
#include "core/io/results/result_layers.h"
#include "processing_algorithms/stages/environment_stage.h"
#include "processing_algorithms/stages/tiling_stage.h"

namespace tesseray {
namespace {

// A point of the map, or the middle of a tile.
struct Viewpoint {
  Vec3 position;
  std::optional<std::uint32_t> tile = std::nullopt;
};

std::uint32_t tile_of_id(const Tiling& tiling, const std::string& text) {
  const auto found = std::find_if(tiling.tiles.begin(), tiling.tiles.end(),
                                  [&](const Tile& tile) { return std::to_string(tile.id) == text; });
  if (found != tiling.tiles.end()) return static_cast<std::uint32_t>(found - tiling.tiles.begin());
  throw Error(ErrorKind::invalid_input, "unknown_tile", "the environment has no tile " + text,
              "give a tile_id of the layer tiles", {.field = "TILE"});
}

Viewpoint read_viewpoint(Run& run, const Scene& scene, const Tiling& tiling) {
  const ParameterValues& values = run.values();
  if (values.has("POINT") == values.has("TILE")) {
    throw Error(ErrorKind::invalid_input, "one_viewpoint", "both POINT and TILE are given, or none of them",
                "give either a point of the map or a tile_id");
  }
  if (values.has("TILE")) {
    const std::uint32_t tile = tile_of_id(tiling, values.text("TILE"));
    return {lifted_point(tiling.tiles[tile]), tile};
  }
  const Vec2 place = read_map_point(values.text("POINT"), scene.frame, "POINT", run.progress());
  return {place_map_point(place, values.number("HEIGHT"), "HEIGHT", scene, run.progress()).position};
}

// Without edge segments.
std::vector<std::uint32_t> visible_tiles(const Occlusion& occlusion, const Tiling& tiling, const Viewpoint& viewpoint,
                                         const VisibilityOptions& options) {
  std::vector<std::uint32_t> visible = viewpoint.tile ? visible_from_tile(occlusion, tiling, *viewpoint.tile, options)
                                                      : visible_from(occlusion, tiling, viewpoint.position, options);
  std::erase_if(visible, [&](std::uint32_t element) { return element >= tiling.tiles.size(); });
  return visible;
}

void add_figures(const Tiling& tiling, const std::vector<std::uint32_t>& visible, nlohmann::ordered_json& figures) {
  std::size_t count[3] = {};
  double area_m2[3] = {};
  for (const std::uint32_t number : visible) {
    const auto kind = static_cast<std::size_t>(tiling.tiles[number].kind);
    ++count[kind];
    area_m2[kind] += tiling.tiles[number].area_m2();
  }
  figures["tiles"] = tiling.tiles.size();
  figures["visible_tiles"] = visible.size();
  for (const SurfaceKind kind : {SurfaceKind::ground, SurfaceKind::wall, SurfaceKind::roof}) {
    const std::string name(to_text(kind));
    figures["visible_" + name + "_tiles"] = count[static_cast<std::size_t>(kind)];
    figures["visible_" + name + "_m2"] = area_m2[static_cast<std::size_t>(kind)];
  }
}

Outcome find_visible_tiles(Run& run) {
  const Environment environment = read_environment(run);
  const Tiling tiling = tile_scene(run, environment.scene, environment.tiling_options);
  const Viewpoint viewpoint = read_viewpoint(run, environment.scene, tiling);
  const Occlusion occlusion(environment.scene);
  const std::vector<std::uint32_t> visible =
      visible_tiles(occlusion, tiling, viewpoint, visibility_options(run.values()));

  ResultWriter writer(environment.scene.frame, run.settings().overwrite);
  std::vector<std::string> written;
  if (const auto destination = run.destinations().layer("VISIBLE_TILES")) {
    writer.add_visible_tiles(*destination, environment.scene, tiling, viewpoint.position, visible);
    written.emplace_back("VISIBLE_TILES");
  }
  Outcome outcome;
  outcome.result_hash = writer.commit(run.record(environment.scene.frame, {}), run.progress());
  outcome.outputs = run.destinations().spelled(written);
  add_figures(tiling, visible, outcome.figures);
  return outcome;
}

std::vector<Parameter> viewpoint_parameters() {
  using Kind = ParameterKind;
  Parameter point = map_point_parameter();
  point.optional = true;
  return {
      point,
      {.name = "HEIGHT",
       .label = "Height",
       .help = "height of the point above the ground",
       .kind = Kind::number,
       .default_value = "1.5",
       .unit = "m",
       .minimum = 0,
       .maximum = 100000},
      {.name = "TILE",
       .label = "Tile",
       .help = "tile_id of the tile that looks, in place of a point",
       .kind = Kind::string,
       .optional = true,
       .advanced = true},
      max_distance_parameter(),
      {.name = "VISIBLE_TILES",
       .label = "Visible tiles",
       .help = "the tiles seen, with their distances",
       .kind = Kind::layer_destination,
       .optional = true,
       .layer = "visible_tiles",
       .geometry = "Polygon Z"},
  };
}

}  // namespace

Tool visiblefrom() {
  return {.id = "visiblefrom",
          .title = "Visible from a point",
          .group = "Coverage",
          .help = "The walls, roofs and ground that are seen from a point of the map, or from the middle of a tile.",
          .parameters = concatenated({{environment_parameter()}, viewpoint_parameters(), {output_parameter()}}),
          .roles = {},
          .run = find_visible_tiles};
}

}  // namespace tesseray
