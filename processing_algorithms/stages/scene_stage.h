// SPDX-License-Identifier: GPL-3.0-or-later
// From buildings, terrain and vegetation to the cleaned scene, as the tools that do so share it.
#pragma once

#include <nlohmann/json.hpp>

#include "core/scene/raw_scene.h"
#include "processing_algorithms/run/run.h"

namespace tesseray {

// Reads, transforms and cleans the inputs, as scene_parameters() say. Warns of what the issues layer lists.
CleanScene read_scene(Run& run);

// Adds to `figures` what the scene consists of.
void add_scene_figures(const CleanScene& clean, nlohmann::ordered_json& figures);

}  // namespace tesseray
