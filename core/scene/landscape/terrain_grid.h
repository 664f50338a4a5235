// SPDX-License-Identifier: GPL-3.0-or-later
// From the DEM as read to the terrain of the scene.
#pragma once

#include "core/scene/issue_log.h"
#include "core/scene/raw_scene.h"

namespace tesseray {

// Terrain over `needed` (scene frame) and one cell more: no-data filled from its surroundings, borders extended, all
// on the coordinate grid. Throws Error(invalid_input) when the DEM says nothing about `needed`.
Terrain make_terrain(const RawTerrain& raw, const Rectangle& needed, Vec2 origin, IssueLog& log);

Terrain flat_terrain(double height_m, const Rectangle& needed, IssueLog& log);

}  // namespace tesseray
