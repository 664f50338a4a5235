// SPDX-License-Identifier: GPL-3.0-or-later
// Cities for the programs that measure and prove visibility, by name on the command line.
#pragma once

#include <string>

#include "core/scene/scene.h"
#include "core/tiling/tiling.h"

namespace tesseray::testing {

struct VisibilityCity {
  std::string name;
  Scene scene;
  Tiling tiling;
};

// "synthetic:SIDE" or "synthetic:SIDE:SEED", a square city with SIDE in metres as large_city(); or the path of an
// environment file (tesseray tileenvironment), where the program is built with files.
VisibilityCity city_by_name(const std::string& name);

}  // namespace tesseray::testing
