// SPDX-License-Identifier: GPL-3.0-or-later
// What the threads of a block share while they search.
#pragma once

#include <cstdint>

#include "cuda/block_horizon.h"
#include "cuda/claimed_run.h"

namespace tesseray {

// Something that hides what is behind it and below its top. Nothing in this and what follows has initialisers, since a
// GPU's shared memory has none: what is read was set by the same search.
struct BlockHider {
  enum class Kind : std::uint32_t { part, wall, terrain_cell, terrain_block };
  Kind kind;
  std::uint32_t index;
  float end_m;  // nothing of it is farther than this (square_norm)
};

// What the threads of a block share.
struct SightBlockMemory {
  static constexpr std::uint32_t block_capacity = 64, cell_capacity = 128, hider_capacity = 96, step_capacity = 128,
                                 target_step_capacity = 384, candidate_capacity = 256;
  static constexpr std::uint32_t most_elements = 1u << 28u;  // of a scene, for target_steps
  struct EnteredCell {
    std::uint32_t cell;
    float floor_z;  // what is lower is hidden
  };
  // Some bins of a hider.
  struct HorizonStep {
    BlockHider::Kind kind;
    std::uint32_t index;
    std::uint16_t first_bin, end_bin;
  };

  BlockHorizon horizon;
  std::uint32_t blocks[block_capacity];
  EnteredCell cells[cell_capacity];
  BlockHider hiders[2][hider_capacity];
  union {  // one after the other in each ring
    HorizonStep horizon_steps[step_capacity];
    std::uint32_t target_steps[target_step_capacity];  // first element · 16 + count, up to 15
  };
  std::uint32_t candidates[candidate_capacity];
  std::uint32_t block_count, cell_count, hider_count[2], step_count, candidate_count, last_run;
  ClaimedRun out;
};

}  // namespace tesseray
