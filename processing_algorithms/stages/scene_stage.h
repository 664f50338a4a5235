// SPDX-License-Identifier: GPL-3.0-or-later
// From buildings, terrain and vegetation to the cleaned scene and its tiles, as the tools that do so share it.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "core/scene/raw_scene.h"
#include "core/tiling/tiling.h"
#include "processing_algorithms/run/run.h"

namespace tesseray {

std::vector<Parameter> scene_parameters();
std::vector<Parameter> tiling_parameters();
// What cutting BUILDINGS, or EXTENT, into tiles takes at least.
PieceMemory tile_memory();
// TILES, EDGES and ISSUES.
std::vector<Parameter> scene_layer_parameters();

// One warning per kind of issue, not one per feature.
void warn_of_issues(const std::vector<Issue>& issues, Progress& progress);

// Reads, transforms and cleans the inputs. Warns of what the issues layer lists.
CleanScene read_scene(Run& run);

TilingOptions tiling_options(const ParameterValues& values);
// Refuses before the work what would not fit the memory; warns where there is no tile.
Tiling tile_scene(Run& run, const Scene& scene, const TilingOptions& options);
// Adds what there is to tell of the tiling to the scene's issues, and warns of it.
void note_tiling_issues(Run& run, const Tiling& tiling, CleanScene& clean);

// Adds the layers that are wanted to `writer` and their names to `written`. `visible_tiles`: empty for unknown.
void add_scene_layers(const Run& run, const CleanScene& clean, const Tiling& tiling,
                      std::span<const std::uint32_t> visible_tiles, ResultWriter& writer,
                      std::vector<std::string>& written);

// Adds to `figures` what a scene and its tiles consist of.
void add_scene_figures(const CleanScene& clean, nlohmann::ordered_json& figures);
void add_tiling_figures(const Tiling& tiling, nlohmann::ordered_json& figures);

}  // namespace tesseray
