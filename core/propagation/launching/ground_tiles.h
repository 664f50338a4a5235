// SPDX-License-Identifier: GPL-3.0-or-later
// The ground tiles of an environment by place. Internal to core/propagation.
#pragma once

#include <cstdint>
#include <vector>

#include "core/tiling/tile_index.h"

namespace tesseray {

class GroundTiles {
 public:
  // Keeps a reference. near() finds none where `are_asked` says that nobody will ask.
  GroundTiles(const Tiling& tiling, bool are_asked);
  GroundTiles(const GroundTiles&) = delete;
  GroundTiles& operator=(const GroundTiles&) = delete;

  // The nearest within its side; no_index where there is none.
  std::uint32_t near(Vec2 place) const;

 private:
  const Tiling& tiling_;
  std::vector<IndexedTile> tiles_;
  TileIndex index_;
};

}  // namespace tesseray
