// SPDX-License-Identifier: GPL-3.0-or-later
// The environment: one GeoPackage with everything that later tools need. docs/formats.md.
#pragma once

#include <filesystem>

#include "core/base/progress.h"
#include "core/scene/scene.h"
#include "core/scene/tiling_options.h"

namespace tesseray {

// What comes back from an environment file. Tiles and edges are made anew from scene and options: the same ones.
struct Environment {
  Scene scene;
  TilingOptions tiling_options;
};

// Reads buildings, terrain, vegetation, materials and options; from a scene file (.tscene) as well. Throws
// Error(invalid_input) when the file is not an environment, is of another version, or its layers were edited since
// (their hash no longer fits).
Environment read_environment(const std::filesystem::path& path, Progress& progress);

}  // namespace tesseray
