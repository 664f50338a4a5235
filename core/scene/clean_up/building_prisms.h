// SPDX-License-Identifier: GPL-3.0-or-later
// From cleaned footprints and heights as given to prisms.
#pragma once

#include <vector>

#include "core/scene/issue_log.h"
#include "core/scene/raw_scene.h"

namespace tesseray {

// A building's own number where it fits the numbering of tiles (0 … 2^42 − 1), else a hash of it that does.
std::int64_t building_id_of(std::int64_t feature_id);

// Height of the building's bottom above the ground, m; 0 for one that stands on it.
double base_of(const RawBuilding& building);

// One list of polygons per building (empty: the building was dropped). Heights are resolved against the terrain;
// a raised part stands on the same ground reference as the prism below it, so that stacked parts meet. The prisms are
// ordered by (building_id, part). Throws Error(invalid_input) for missing heights under MissingHeight::fail.
std::vector<Prism> make_prisms(const std::vector<RawBuilding>& buildings,
                               const std::vector<std::vector<Rings>>& polygons, const std::vector<Material>& materials,
                               const Terrain& terrain, Vec2 origin, const SceneOptions& options, IssueLog& log);

}  // namespace tesseray
