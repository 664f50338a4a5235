// SPDX-License-Identifier: GPL-3.0-or-later
// Buildings far from all others: a slipped coordinate makes a city hundreds of times as large.
#pragma once

#include <vector>

#include "core/scene/issue_log.h"
#include "core/scene/raw_scene.h"

namespace tesseray {

// An issue for each of a few buildings (at most one in twenty, or one at each end of either axis) that lie farther from
// where the others are than those reach, and farther than 2 km, when the area with them is at least twice the area
// without. They are kept. Throws Error(invalid_input) naming the farthest when no city is that large (100,000 km²).
// Coordinates of `buildings` in the CRS, `origin` that of the scene frame in it, m.
void note_far_buildings(const std::vector<RawBuilding>& buildings, Vec2 origin, IssueLog& log);

}  // namespace tesseray
