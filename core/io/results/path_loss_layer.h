// SPDX-License-Identifier: GPL-3.0-or-later
// Path losses as they are read back from a result: the rows of a path_loss layer and the transmitters beside it.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "core/geometry/vector.h"
#include "core/prediction/predicted_target.h"
#include "core/scene/scene.h"

namespace tesseray {

// The corners of a tile, in order.
struct TileCorners {
  Vec3 corners[4];
};

// Coordinates are metres from the frame's origin, as those of a scene.
struct PathLossLayer {
  LocalFrame frame;
  std::vector<PredictedTarget> targets;
  std::vector<PredictedTransmitter> transmitters;
  std::map<std::int64_t, TileCorners> outlines;  // by tile_id, when asked for; empty for a layer of points
  bool holds_reached_only = false;               // the run that wrote it left out tiles that nothing reaches
};

// What is needed of the tiles' polygons.
enum class Outlines {
  leave,    // nothing
  read,     // what there is; points do, too
  require,  // all
};

// How much there is to read; the transmitters are those of the layer beside the rows.
struct PathLossSize {
  std::uint64_t rows = 0, transmitters = 0;
};

// How a file calls a layer of path losses and that of its transmitters, which is empty where there is none.
struct PathLossNames {
  std::string path_loss, transmitters;
};

// The ground tiles with outlines, by id. Throws Error(invalid_input) where there are none.
std::vector<std::int64_t> ground_tiles(const PathLossLayer& path_loss);

// The rectangle around a tile's outline seen from above, which is a ground tile itself; CRS coordinates. REQUIRES: it
// has one.
Rectangle plan_of(const PathLossLayer& path_loss, std::int64_t tile_id);

}  // namespace tesseray
