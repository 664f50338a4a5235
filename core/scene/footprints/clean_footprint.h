// SPDX-License-Identifier: GPL-3.0-or-later
// From a footprint as the file has it to polygons that a prism can stand on.
#pragma once

#include <vector>

#include "core/scene/ground_plan/footprint_repair.h"
#include "core/scene/issue_log.h"
#include "core/scene/raw_scene.h"

namespace tesseray {

// Polygons below this area, or thinner than this on the whole, are slivers.
inline constexpr double sliver_area_m2 = 0.5;
inline constexpr double sliver_width_m = 0.1;

// Twice area by perimeter: the width of a long strip.
double mean_width(const Rings& rings);
bool is_sliver(const Rings& rings);

// In the CRS, over what is finite.
Rectangle bounds_of(const RawFootprint& footprint);

// The outline for issues: all rings as given, moved to the scene frame; what is not finite left out.
Rings outline_of(const RawFootprint& footprint, Vec2 origin);

// In the scene frame, snapped, valid, oriented, without slivers. What was changed goes to the log; an empty result has
// its issue.
std::vector<Rings> clean_footprint(const RawFootprint& footprint, Vec2 origin, PolygonOverlay& overlay, IssueLog& log);

}  // namespace tesseray
