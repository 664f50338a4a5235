// SPDX-License-Identifier: GPL-3.0-or-later
// By what weak tubes are drawn by chance (Pruning::roulette): what is at elements by now.
#pragma once

#include "core/base/host_device.h"
#include "core/propagation/rays/arrivals.h"
#include "core/tiling/tiling.h"

namespace tesseray {

// How what has arrived at a tile gives the power below which tubes there are drawn.
struct RouletteScale {
  double roulette = 0;  // Pruning

  TESSERAY_HD float of(const FixedPointSum& gain) const { return static_cast<float>(roulette * gain.value()); }
};

// An edge segment has no sum of its own, but that of the darker of its parents. `of_tiles`: by tile.
TESSERAY_HD inline float roulette_at_edge(const EdgeSegment& edge, const float* of_tiles) {
  const float a = edge.tile_a == no_index ? 0.0f : of_tiles[edge.tile_a];
  const float b = edge.tile_b == no_index ? 0.0f : of_tiles[edge.tile_b];
  return b < a ? b : a;
}

}  // namespace tesseray
