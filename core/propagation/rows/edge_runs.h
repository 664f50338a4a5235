// SPDX-License-Identifier: GPL-3.0-or-later
// The straight runs that neighbouring edge segments make together.
//
// A diffracted ray is handed on to a tile by the one segment from which it meets the tile's centroid. What the tile
// then reflects comes from other places of the edge as well, of which some lie in the next segments: it must be let
// leave from the whole run, or it would be missed.
#pragma once

#include <cstdint>
#include <vector>

#include "core/tiling/tiling.h"

namespace tesseray {

struct EdgeRun {
  Vec3 midpoint;
  double half_length_m = 0;
  std::uint32_t number = 0;  // the same for all of its segments, and for no others
  // So far the roofs of neighbours go on with it beyond its ends, against its direction and along: all but in one line,
  // and all but as high. What a terrace of houses diffracts is one wave.
  double before_m = 0, after_m = 0;
};

// Of each segment, the run that it belongs to: segments one behind the other in the tiling, in one line and of the same
// faces; of upright edges also those of parts that stand on each other.
std::vector<EdgeRun> edge_runs(const Tiling& tiling);

}  // namespace tesseray
