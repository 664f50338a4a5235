// SPDX-License-Identifier: GPL-3.0-or-later
// Ground tiles as they reflect where the terrain is even.
#pragma once

#include <memory>

#include "core/tiling/tiling.h"

namespace tesseray {

// The tiling with the ground tiles of each even part of the terrain laid into the part's plane
// (scene/landscape/even_ground.h): less than a step of heights away, so that of all of them the one that lies at the
// place reflects, and no other. Each tile covers the same cell of the plan. What the tiles see is asked of the tiling
// itself. nullptr where no tile changes, as on level ground and on rough ground.
std::unique_ptr<const Tiling> with_even_tiles(const Scene& scene, const Tiling& tiling);

}  // namespace tesseray
