// SPDX-License-Identifier: GPL-3.0-or-later
// Footprints that are too small: joined to a neighbour, or left out.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "core/scene/scene.h"

namespace tesseray {

struct SmallFootprint {
  std::uint32_t polygon = 0;
  Rings outline;                             // as it was, with what had been joined to it before
  std::optional<std::uint32_t> joined_with;  // none: left out
};

// Joins each polygon of less than `min_area_m2`, the smallest first, to the one with which it has the longest common
// wall, or leaves it out where no polygon has a wall with it; both leave no rings in its place. `may_join`: polygons
// that take others, and are joined to others; one for each polygon. REQUIRES: share_corners was called.
std::vector<SmallFootprint> take_away_small(std::vector<Rings>& polygons, const std::vector<bool>& may_join,
                                            double min_area_m2);

}  // namespace tesseray
