// SPDX-License-Identifier: GPL-3.0-or-later
// The ground tiles of an environment by place. Internal to core/propagation.
#pragma once

#include <cstdint>
#include <vector>

#include "core/scene/scene.h"
#include "core/tiling/tile_index.h"

namespace tesseray {

class GroundTiles {
 public:
  // Keeps references. near() finds none where `are_asked` says that nobody will ask.
  GroundTiles(const Scene& scene, const Tiling& tiling, bool are_asked);
  GroundTiles(const GroundTiles&) = delete;
  GroundTiles& operator=(const GroundTiles&) = delete;

  // The one that the place is on; where there is none, as beside walls, the one with the nearest middle: within its
  // side, or within ten where its plane goes on as the terrain does. no_index where there is none of these.
  std::uint32_t near(Vec2 place) const;
  bool is_on(std::uint32_t tile, Vec2 place) const { return tesseray::is_on(tiles_[tile], place); }

 private:
  // Whether its plane is about as high as the terrain there.
  bool goes_on_to(Vec2 place, const Tile& tile) const;

  const Scene& scene_;
  const Tiling& tiling_;
  std::vector<IndexedTile> tiles_;
  TileIndex index_;
};

}  // namespace tesseray
