// SPDX-License-Identifier: GPL-3.0-or-later
// What the searches of a batch leave to the exact test: candidates of all sources one behind the other, in runs.
#pragma once

#include <cstdint>

#include "core/base/host_device.h"
#include "cuda/sight_block_memory.h"

namespace tesseray {

// An element that a source may see.
struct SightCandidate {
  static constexpr std::uint32_t none = 0xffffffff;
  std::uint32_t source = 0, element = none;  // indices into the batch and into SightSceneView::elements
};
// Candidates of one source: those from `begin` on.
struct CandidateRun {
  static constexpr std::uint32_t none = 0xffffffff;
  std::uint64_t begin = 0;
  std::uint32_t count = 0, previous = none;  // previous: of the same source
};

// Of one batch. Owns nothing.
struct SightCandidates {
  SightCandidate* items = nullptr;
  CandidateRun* runs = nullptr;
  std::uint64_t item_capacity = 0, run_capacity = 0;
  std::uint64_t* used = nullptr;           // [0] of items, [1] of runs; may grow beyond the capacity
  std::uint32_t* last_run = nullptr;       // by source
  std::uint8_t* has_overflowed = nullptr;  // by source: its candidates are not all there

  TESSERAY_HD std::uint64_t count() const { return used[0] < item_capacity ? used[0] : item_capacity; }
};

// The list of one block, which it empties into those of the batch.
template <class Block>
class CandidateList {
 public:
  TESSERAY_HD CandidateList(const Block& block, SightBlockMemory& memory, const SightCandidates& out,
                            std::uint32_t source)
      : block_(block), memory_(memory), out_(out), source_(source) {
    block_.once([&] {
      memory_.candidate_count = 0;
      memory_.last_run = CandidateRun::none;
    });
  }

  TESSERAY_HD void add(std::uint32_t element) const {
    memory_.candidates[block_.claim(memory_.candidate_count, 1)] = element;
  }

  // So that half of the list is free.
  TESSERAY_HD void make_room() const {
    if (block_.settled(memory_.candidate_count) > SightBlockMemory::candidate_capacity / 2) hand_over();
  }

  TESSERAY_HD void hand_over() const {
    const std::uint32_t count = block_.settled(memory_.candidate_count);
    if (count == 0) return;
    block_.once([&] {
      memory_.out = claim_run(block_, out_.used, count, out_.item_capacity, out_.run_capacity);
      if (memory_.out.has_room) {
        out_.runs[memory_.out.number] = {memory_.out.begin, count, memory_.last_run};
        memory_.last_run = static_cast<std::uint32_t>(memory_.out.number);
      } else {
        out_.has_overflowed[source_] = 1;
      }
      memory_.candidate_count = 0;
    });
    const ClaimedRun claimed = block_.settled(memory_.out);
    block_.for_each(count, [&](std::uint32_t k) {
      const std::uint64_t place = claimed.begin + k;
      if (place >= out_.item_capacity) return;
      out_.items[place] = {source_, claimed.has_room ? memory_.candidates[k] : SightCandidate::none};
    });
  }

  // Hands over what is left, and that it is the end.
  TESSERAY_HD void close() const {
    hand_over();
    block_.once([&] { out_.last_run[source_] = memory_.last_run; });
  }

 private:
  const Block& block_;
  SightBlockMemory& memory_;
  const SightCandidates& out_;
  std::uint32_t source_;
};

}  // namespace tesseray
