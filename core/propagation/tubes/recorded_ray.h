// SPDX-License-Identifier: GPL-3.0-or-later
// A ray at a receiver, kept for the rays layer.
#pragma once

#include <cstdint>

#include "core/propagation/tubes/tube.h"

namespace tesseray {

struct RecordedRay {
  static constexpr std::uint8_t nowhere = 0xff;

  std::uint32_t receiver = 0;
  double path_gain = 0, length_m = 0;
  double stands_for = 1;  // Tube::stands_for
  double phase = 0;       // rad; NaN for a diffusely scattered ray
  InteractionChain chain;
  std::uint8_t scattered_at = nowhere;  // place in the chain of the tile that scattered the ray
  // Unit, of the plane of the ground below the receiver that stands for the last of the chain, whenever the ray meets
  // it; none: that tile itself.
  Vec3 ground_normal;

  bool is_by_ground_below() const { return squared_norm(ground_normal) > 0; }
};

}  // namespace tesseray
