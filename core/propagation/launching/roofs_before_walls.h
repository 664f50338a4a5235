// SPDX-License-Identifier: GPL-3.0-or-later
// What roofs leave of the antenna's ray where a wall reflects it to a target. The tube that comes to the wall's tile
// has what they leave at its middle, but a shadow's boundary may cross the tile. Internal to core/propagation.
#pragma once

#include <tbb/enumerable_thread_specific.h>

#include <cstdint>
#include <optional>
#include <unordered_map>

#include "core/propagation/launching/launch_setting.h"
#include "core/propagation/launching/rooftop_waves.h"

namespace tesseray {

class RoofsBeforeWalls {
 public:
  // Keeps references to both.
  RoofsBeforeWalls(const LaunchSetting& setting, const RooftopWaves& waves) : setting_(setting), waves_(waves) {}

  // At a place on a wall's tile of which the antenna sees the middle, over what they leave there: nothing where the ray
  // does not come to the place. Thread-safe.
  std::optional<LeftOfRay> left_at(std::uint32_t tile, Vec3 place) const;

 private:
  struct LeftOnTile {
    LeftOfRay at_middle;             // by roofs
    bool comes_near = false;         // any roof to rays to the tile
    bool runs_along_ground = false;  // what uneven ground leaves is the same all over the tile
  };
  struct ThreadState {
    RooftopWaves::Workspace work;
    RooftopWave wave;
    std::unordered_map<std::uint32_t, LeftOnTile> tiles;
  };
  const LeftOnTile& left_on_tile(std::uint32_t tile, ThreadState& state) const;
  LeftOfRay left_by_roofs(std::uint32_t tile, Vec3 place, ThreadState& state) const;
  bool is_hidden_by_buildings(Vec3 place) const;

  const LaunchSetting& setting_;
  const RooftopWaves& waves_;
  mutable tbb::enumerable_thread_specific<ThreadState> threads_;
};

}  // namespace tesseray
