// SPDX-License-Identifier: GPL-3.0-or-later
// What a scene is read from and how it is cleaned, as the parameters say.
#pragma once

#include <vector>

#include "core/io/readers/readers.h"
#include "core/scene/raw_scene.h"
#include "processing_algorithms/run/parameter.h"
#include "processing_algorithms/run/parameter_values.h"

namespace tesseray {

// Buildings and their heights, terrain, vegetation and clutter, and where the scene lies.
std::vector<Parameter> scene_parameters();

// What they say of the files, their fields and CRSs.
EnvironmentInput environment_input(const ParameterValues& values);

// What they say of cleaning, but the extent. Throws Error(invalid_input) where heights count from entrances and no
// field has these.
SceneOptions scene_options(const ParameterValues& values);

}  // namespace tesseray
