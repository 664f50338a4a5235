// SPDX-License-Identifier: GPL-3.0-or-later
// Prisms that fill the same space: the higher keeps it, the lower is cut back.
#pragma once

#include <vector>

#include "core/base/progress.h"
#include "core/scene/issue_log.h"
#include "core/scene/scene.h"

namespace tesseray {

// Overlaps thinner than this are the inexactness of shared walls: left as they are, and said once for the layer.
inline constexpr double overlap_width_m = 0.05;

// Takes and gives prisms ordered by (building_id, part); parts that a cut adds are numbered after a building's others.
// Exact copies go first. What is dropped or cut has an issue.
std::vector<Prism> without_overlaps(std::vector<Prism> prisms, const Terrain& terrain, IssueLog& log,
                                    Progress& progress);

}  // namespace tesseray
