// SPDX-License-Identifier: GPL-3.0-or-later
// Places in lists that all blocks of a batch fill: runs of things, one behind the other.
#pragma once

#include <cstdint>

#include "core/base/host_device.h"

namespace tesseray {

// Without initialisers, since a GPU's shared memory has none.
struct ClaimedRun {
  std::uint64_t begin, number;  // of its things, and its own
  bool has_room;                // else it is claimed all the same, and not there
};

// For so many things. `used`: [0] of things, [1] of runs, which may grow beyond the capacities.
template <class Block>
TESSERAY_HD inline ClaimedRun claim_run(const Block& block, std::uint64_t* used, std::uint32_t count,
                                        std::uint64_t capacity, std::uint64_t run_capacity) {
  const std::uint64_t begin = block.claim_of_all(used[0], count), number = block.claim_of_all(used[1], 1);
  return {begin, number, begin + count <= capacity && number < run_capacity};
}

}  // namespace tesseray
