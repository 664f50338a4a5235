// SPDX-License-Identifier: GPL-3.0-or-later
// The way of what blocks find out of them: sorted runs, appended to what all blocks of a batch found.
#pragma once

#include <cstdint>

#include "core/base/host_device.h"
#include "cuda/sight_block_memory.h"

namespace tesseray {

// Where blocks put what they find: runs of ascending numbers, in no order.
struct FoundRun {
  std::uint32_t source = 0, count = 0;  // source: index into the batch
  std::uint64_t begin = 0;              // in FoundNumbers::numbers
};
struct FoundNumbers {
  std::uint32_t* numbers = nullptr;
  FoundRun* runs = nullptr;
  std::uint64_t number_capacity = 0, run_capacity = 0;
  std::uint64_t* used = nullptr;           // [0] of numbers, [1] of runs; may grow beyond the capacity
  std::uint8_t* has_overflowed = nullptr;  // by source: its runs are not all there
};

// What one block found for its source.
template <class Block>
class FoundList {
 public:
  TESSERAY_HD FoundList(const Block& block, SightBlockMemory& memory, const FoundNumbers& out,
                        std::uint32_t source_index)
      : block_(block), memory_(memory), out_(out), source_index_(source_index) {}

  TESSERAY_HD void add(std::uint32_t number) const { memory_.found[block_.claim(memory_.found_count, 1)] = number; }

  // Makes sure that so many can be added. REQUIRES: at most found_capacity.
  TESSERAY_HD void make_room(std::uint32_t count) const {
    if (block_.settled(memory_.found_count) + count > SightBlockMemory::found_capacity) hand_over();
  }

  // Sorts what was found and appends it to what all blocks found.
  TESSERAY_HD void hand_over() const {
    const std::uint32_t count = block_.settled(memory_.found_count);
    if (count == 0) return;
    sort(count);
    block_.once([&] {
      const std::uint64_t begin = block_.claim_of_all(out_.used[0], count), run = block_.claim_of_all(out_.used[1], 1);
      memory_.has_room = begin + count <= out_.number_capacity && run < out_.run_capacity;
      memory_.out_begin = begin;
      if (memory_.has_room) {
        out_.runs[run] = {source_index_, count, begin};
      } else {
        out_.has_overflowed[source_index_] = 1;
        // The place is claimed all the same.
        if (run < out_.run_capacity) out_.runs[run] = {source_index_, 0, 0};
      }
      memory_.found_count = 0;
    });
    if (block_.settled(memory_.has_room)) {
      block_.for_each(count, [&](std::uint32_t k) { out_.numbers[memory_.out_begin + k] = memory_.found[k]; });
    }
  }

 private:
  // A bitonic network (K. Batcher, 1968): all comparisons of a stage are independent.
  TESSERAY_HD void sort(std::uint32_t count) const {
    std::uint32_t size_of_network = 1;
    while (size_of_network < count) size_of_network *= 2;
    block_.for_each(size_of_network - count, [&](std::uint32_t k) { memory_.found[count + k] = 0xffffffffu; });
    for (std::uint32_t sorted = 2; sorted <= size_of_network; sorted *= 2) {
      for (std::uint32_t distance = sorted / 2; distance > 0; distance /= 2) {
        block_.for_each(size_of_network / 2, [&](std::uint32_t k) {
          const std::uint32_t low = k / distance * 2 * distance + k % distance, high = low + distance;
          const std::uint32_t a = memory_.found[low], b = memory_.found[high];
          const bool is_rising = (low & sorted) == 0;
          if ((a > b) != is_rising) return;
          memory_.found[low] = b;
          memory_.found[high] = a;
        });
      }
    }
  }

  const Block& block_;
  SightBlockMemory& memory_;
  const FoundNumbers& out_;
  std::uint32_t source_index_;
};

}  // namespace tesseray
