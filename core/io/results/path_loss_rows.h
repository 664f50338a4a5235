// SPDX-License-Identifier: GPL-3.0-or-later
// The rows of a layer of path losses: a target each, and the outlines of those that are tiles.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "core/base/progress.h"
#include "core/io/results/path_loss_file.h"
#include "core/io/results/path_loss_layer.h"

namespace tesseray {

struct RowsToRead {
  Vec2 origin;                           // of coordinates, metres of the layer's CRS
  const std::vector<std::string>& used;  // the fields that must be there besides those of every path loss
  Outlines outlines = Outlines::leave;
  std::uint64_t count = 0;  // as PathLossFile::size() tells it
};

struct PathLossRows {
  std::vector<PredictedTarget> targets;          // in the layer's order
  std::map<std::int64_t, TileCorners> outlines;  // by tile_id
};

// Throws Error(invalid_input) that names the row and its field where one holds what it cannot, where two are of one
// transmitter and one target, for ground tiles whose sides cross, and where a filter leaves no row.
PathLossRows read_rows(PathLossFile& file, const RowsToRead& wanted, Progress& progress);

}  // namespace tesseray
