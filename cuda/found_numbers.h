// SPDX-License-Identifier: GPL-3.0-or-later
// The way of what is seen out of the candidates: sorted runs, appended to what all sources of a batch found.
#pragma once

#include <cstdint>

#include "core/base/host_device.h"
#include "cuda/sight_candidates.h"
#include "cuda/sight_scene.h"

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

// What the threads of a block share. No initialisers, since a GPU's shared memory has none.
struct FoundMemory {
  static constexpr std::uint32_t capacity = 4096;
  std::uint32_t numbers[capacity];
  std::uint32_t count;
  ClaimedRun out;
};

// Gathers what one source sees: those of its candidates that are not struck out. Every thread of a block has one.
template <class Block>
class FoundList {
 public:
  TESSERAY_HD FoundList(const Block& block, FoundMemory& memory, const FoundNumbers& out, std::uint32_t source)
      : block_(block), memory_(memory), out_(out), source_(source) {}

  TESSERAY_HD void gather(const SightSceneView& scene, const SightCandidates& candidates) const {
    if (out_.has_overflowed[source_] != 0) return;
    block_.once([&] { memory_.count = 0; });
    for (std::uint32_t r = candidates.last_run[source_]; r != CandidateRun::none; r = candidates.runs[r].previous) {
      const CandidateRun run = candidates.runs[r];
      static_assert(SightBlockMemory::candidate_capacity <= FoundMemory::capacity);
      if (block_.settled(memory_.count) + run.count > FoundMemory::capacity) hand_over();
      block_.for_each(run.count, [&](std::uint32_t k) {
        const std::uint32_t element = candidates.items[run.begin + k].element;
        if (element == SightCandidate::none) return;
        memory_.numbers[block_.claim(memory_.count, 1)] = scene.elements[element].number;
      });
    }
    hand_over();
  }

 private:
  // Sorts what was found and appends it to what all blocks found.
  TESSERAY_HD void hand_over() const {
    const std::uint32_t count = block_.settled(memory_.count);
    if (count == 0) return;
    sort(count);
    block_.once([&] {
      memory_.out = claim_run(block_, out_.used, count, out_.number_capacity, out_.run_capacity);
      if (memory_.out.has_room) {
        out_.runs[memory_.out.number] = {source_, count, memory_.out.begin};
      } else {
        out_.has_overflowed[source_] = 1;
        if (memory_.out.number < out_.run_capacity) out_.runs[memory_.out.number] = {source_, 0, 0};
      }
      memory_.count = 0;
    });
    const ClaimedRun claimed = block_.settled(memory_.out);
    if (!claimed.has_room) return;
    block_.for_each(count, [&](std::uint32_t k) { out_.numbers[claimed.begin + k] = memory_.numbers[k]; });
  }

  // A bitonic network (K. Batcher, 1968): all comparisons of a stage are independent.
  TESSERAY_HD void sort(std::uint32_t count) const {
    std::uint32_t size_of_network = 1;
    while (size_of_network < count) size_of_network *= 2;
    block_.for_each(size_of_network - count, [&](std::uint32_t k) { memory_.numbers[count + k] = 0xffffffffu; });
    for (std::uint32_t sorted = 2; sorted <= size_of_network; sorted *= 2) {
      for (std::uint32_t distance = sorted / 2; distance > 0; distance /= 2) {
        block_.for_each(size_of_network / 2, [&](std::uint32_t k) {
          const std::uint32_t low = k / distance * 2 * distance + k % distance, high = low + distance;
          const std::uint32_t a = memory_.numbers[low], b = memory_.numbers[high];
          const bool is_rising = (low & sorted) == 0;
          if ((a > b) != is_rising) return;
          memory_.numbers[low] = b;
          memory_.numbers[high] = a;
        });
      }
    }
  }

  const Block& block_;
  FoundMemory& memory_;
  const FoundNumbers& out_;
  std::uint32_t source_;
};

}  // namespace tesseray
