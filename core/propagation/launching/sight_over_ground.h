// SPDX-License-Identifier: GPL-3.0-or-later
// What receivers over ground tiles see and the tiles themselves do not. Internal to core/propagation.
//
// Tiles of one plane never see each other, and over uneven ground a tile's middle, 1 cm above it, sees less of the
// ground and of walls than a receiver does. What these scatter arrives at the receiver all the same.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "core/base/progress.h"
#include "core/propagation/rows/row_targets.h"
#include "core/visibility/visibility.h"

namespace tesseray {

class SightOverGround {
 public:
  // So far a receiver looks. What level ground farther away scatters to it falls with the third power of the distance:
  // behind houses, from d metres on, it is about a part of d / reach_m of all.
  static constexpr double reach_m = 300;

  // None: nobody asks.
  SightOverGround() = default;
  // Keeps references to all but the progress. Throws Error(cancelled) on cancel.
  SightOverGround(const Occlusion& occlusion, const Tiling& tiling, const Visibility& visibility,
                  const TargetPoints& points, Progress& progress);

  // Ground tiles come first of all.
  std::uint32_t ground_tiles() const { return ground_tiles_; }
  // Replaces `found` with the tiles within reach that a receiver over this one sees, without those of its row;
  // ascending, itself among them. Thread-safe.
  void find_beside_row(std::uint32_t ground_tile, std::vector<std::uint32_t>& found) const;
  // Of what is kept.
  std::uint64_t bytes() const;

 private:
  void look(std::uint32_t ground_tile, std::vector<std::uint32_t>& found) const;
  void keep(Progress& progress);

  const Visibility* visibility_ = nullptr;
  const TargetPoints* points_ = nullptr;
  std::uint32_t ground_tiles_ = 0;
  std::unique_ptr<const PointVisibility> sight_;  // none where all is kept
  std::vector<std::uint64_t> offsets_;            // none where it would take too much
  std::vector<std::uint32_t> members_;
};

}  // namespace tesseray
