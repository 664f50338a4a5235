// SPDX-License-Identifier: GPL-3.0-or-later
#include "processing_algorithms/stages/scene_layers.h"

namespace tesseray {

std::vector<Parameter> scene_layer_parameters() {
  using Kind = ParameterKind;
  return {
      {.name = "TILES",
       .label = "Tiles",
       .help = "ground, walls and roofs in pieces of TILE_AREA",
       .kind = Kind::layer_destination,
       .optional = true,
       .layer = "tiles",
       .geometry = "Polygon Z"},
      {.name = "EDGES",
       .label = "Edges",
       .help = "where waves are diffracted: eaves, corners and ridges",
       .kind = Kind::layer_destination,
       .optional = true,
       .layer = "edges",
       .geometry = "LineString Z"},
      {.name = "ISSUES",
       .label = "Issues",
       .help = "what was found in the inputs, and what was done about it",
       .kind = Kind::layer_destination,
       .optional = true,
       .layer = "issues",
       .geometry = "Geometry"},
  };
}

void add_scene_layers(const Run& run, const CleanScene& clean, const Tiling& tiling,
                      std::span<const std::uint32_t> visible_tiles, ResultWriter& writer,
                      std::vector<std::string>& written) {
  if (const auto destination = run.destinations().layer("TILES")) {
    writer.add_tiles(*destination, clean.scene, tiling, visible_tiles);
    written.emplace_back("TILES");
  }
  if (const auto destination = run.destinations().layer("EDGES")) {
    writer.add_edges(*destination, clean.scene, tiling);
    written.emplace_back("EDGES");
  }
  if (const auto destination = run.destinations().layer("ISSUES")) {
    writer.add_issues(*destination, clean.issues);
    written.emplace_back("ISSUES");
  }
}

}  // namespace tesseray
