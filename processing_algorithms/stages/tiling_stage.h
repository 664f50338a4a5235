// SPDX-License-Identifier: GPL-3.0-or-later
// From a cleaned scene to its tiles and edges.
#pragma once

#include <nlohmann/json.hpp>
#include <vector>

#include "core/scene/raw_scene.h"
#include "core/tiling/tiling.h"
#include "processing_algorithms/run/run.h"

namespace tesseray {

// How large tiles are, and what makes none.
std::vector<Parameter> tiling_parameters();
// What cutting BUILDINGS, or EXTENT, into tiles takes at least.
PieceMemory tile_memory();

TilingOptions tiling_options(const ParameterValues& values);
// Throws Error(resources) before the work what would not fit the memory; warns where there is no tile.
Tiling tile_scene(Run& run, const Scene& scene, const TilingOptions& options);
// Adds what there is to tell of the tiling to the scene's issues, and warns of it.
void note_tiling_issues(Run& run, const Tiling& tiling, CleanScene& clean);

// Adds to `figures` what the tiling consists of.
void add_tiling_figures(const Tiling& tiling, nlohmann::ordered_json& figures);

}  // namespace tesseray
