// SPDX-License-Identifier: GPL-3.0-or-later
// Which pairs of elements see each other after an edit of a scene and did not before, or the other way round.
#pragma once

#include <cstdint>
#include <vector>

#include "core/base/progress.h"
#include "core/visibility/file/visibility_file.h"
#include "core/visibility/search/sight_search.h"
#include "core/visibility/updates/row_renumberer.h"
#include "core/visibility/updates/scene_change.h"

namespace tesseray {

struct ChangedSights {
  // Of elements that were there before, ascending; each pair of two such elements in both orders.
  std::vector<SightChange> changes;
  // The elements that were not there before, ascending, and their rows.
  std::vector<std::uint32_t> fresh;
  std::vector<std::vector<std::uint32_t>> fresh_rows;
  std::uint64_t searched_sources = 0;  // which may have seen or may see something behind the change
};

// `scene` is that after the edit; `before` has the rows before it.
ChangedSights find_changed_sights(const SightScene& scene, const SceneChange& change, const Renumbering& numbers,
                                  const VisibilityFile& before, double max_distance_m, Progress& progress);

// True when walls nearer than the box, in the scene of `view`, certainly block all sights that do not sink from `eye`
// and pass the box below top_z. May be false though they do.
bool is_certainly_hidden(const OcclusionView& view, Vec3 eye, const Rectangle& box, double top_z);

}  // namespace tesseray
