// SPDX-License-Identifier: GPL-3.0-or-later
// The layers that show a scene: its tiles, its edges, and what was found in the inputs.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "core/scene/raw_scene.h"
#include "core/tiling/tiling.h"
#include "processing_algorithms/run/run.h"

namespace tesseray {

// TILES, EDGES and ISSUES.
std::vector<Parameter> scene_layer_parameters();

// Adds the layers that are wanted to `writer` and their names to `written`. `visible_tiles`: how many each tile sees;
// empty for unknown.
void add_scene_layers(const Run& run, const CleanScene& clean, const Tiling& tiling,
                      std::span<const std::uint32_t> visible_tiles, ResultWriter& writer,
                      std::vector<std::string>& written);

}  // namespace tesseray
