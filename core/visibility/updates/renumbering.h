// SPDX-License-Identifier: GPL-3.0-or-later
// Which elements two tilings have in common, and how their numbers go over from one to the other.
#pragma once

#include <cstdint>
#include <vector>

#include "core/tiling/tiling.h"
#include "core/visibility/updates/scene_change.h"

namespace tesseray {

// Elements with the same id that are at the same place, face the same way and did not move into or out of a part. Their
// numbers ascend in both tilings.
struct Renumbering {
  std::uint32_t old_tiles = 0, new_tiles = 0;
  std::vector<std::uint32_t> new_of_old, old_of_new;  // by element number; no_index for those that the other has not
};

Renumbering match_elements(const Tiling& before, const Tiling& after, const SceneChange& change);

}  // namespace tesseray
