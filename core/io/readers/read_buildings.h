// SPDX-License-Identifier: GPL-3.0-or-later
// Buildings and vegetation from polygon layers.
#pragma once

#include <vector>

#include "core/base/progress.h"
#include "core/io/readers/footprints.h"
#include "core/io/readers/readers.h"
#include "core/scene/raw_scene.h"

namespace tesseray {

struct BuildingsRead {
  std::vector<RawBuilding> buildings;  // by feature id
  std::vector<Material> materials;     // those that the buildings name
};
// Throws Error when the layer has no building at all; an area without any is an issue.
BuildingsRead read_buildings(FootprintLayer& layer, const EnvironmentInput& input, Progress& progress);

std::vector<RawVegetation> read_vegetation(FootprintLayer& layer, const EnvironmentInput& input, Progress& progress);

}  // namespace tesseray
