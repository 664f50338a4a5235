// SPDX-License-Identifier: GPL-3.0-or-later
// Searches by blocks of threads, many at once: the one interface between what wants rows and what runs the blocks.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "cuda/found_numbers.h"
#include "cuda/sight_block.h"

namespace tesseray {

// What the searches of a batch found. The spans are valid until the slot is started again.
struct FoundBatch {
  std::span<const std::uint32_t> numbers;
  std::span<const FoundRun> runs;
  std::span<const std::uint8_t> has_overflowed;  // by source
};

// Several batches may be in flight, each in a slot of its own. Not thread-safe.
class SightRunner {
 public:
  virtual ~SightRunner() = default;
  virtual std::uint32_t slots() const = 0;
  // REQUIRES: the slot is not in flight; at most max_batch sources.
  virtual void start(std::uint32_t slot, std::span<const Element> sources, const SightSearchLimits& limits) = 0;
  // Waits for what was started last in the slot.
  virtual FoundBatch finish(std::uint32_t slot) = 0;
  virtual std::uint32_t max_batch() const = 0;
};

// How much a runner may take at once. A source that finds more than `numbers` or has more than `candidates` fails for
// good, so that there must be room for as many as there are elements.
struct BatchCapacity {
  std::uint32_t sources = 0, slots = 1;
  std::uint64_t numbers = 0, runs = 0, candidates = 0, candidate_runs = 0;
};
// What suits a scene of so many elements.
BatchCapacity suitable_capacity(std::size_t elements, std::uint32_t sources, std::uint32_t slots);

// Runs the blocks on the host: what tests hold against the definition. Keeps references.
std::unique_ptr<SightRunner> make_host_sight_runner(const SightSceneView& scene, const BatchCapacity& capacity);

}  // namespace tesseray
