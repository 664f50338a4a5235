// SPDX-License-Identifier: GPL-3.0-or-later
// Fewer and simpler footprints: less to compute, for a little less exact walls.
#pragma once

#include <vector>

#include "core/scene/issue_log.h"
#include "core/scene/raw_scene.h"

namespace tesseray {

// Leaves out corners within options.simplify_tolerance_m, with common walls kept common, and joins polygons of less
// than options.min_building_area_m2 to a neighbour on the ground, or leaves them out. With both at 0 nothing is
// changed. `footprints`: the polygons of each building; buildings without any may come out. What was done goes to the
// log.
std::vector<std::vector<Rings>> simplified_footprints(const std::vector<RawBuilding>& buildings,
                                                      std::vector<std::vector<Rings>> footprints,
                                                      const SceneOptions& options, IssueLog& log);

}  // namespace tesseray
