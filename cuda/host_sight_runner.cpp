// SPDX-License-Identifier: GPL-3.0-or-later
#include <algorithm>
#include <vector>

#include "core/base/parallel.h"
#include "cuda/sight_runner.h"

namespace tesseray {
namespace {

class HostSightRunner final : public SightRunner {
 public:
  HostSightRunner(const SightSceneView& scene, const BatchCapacity& capacity)
      : scene_(scene), capacity_(capacity), batches_(capacity.slots) {}

  std::uint32_t slots() const override { return capacity_.slots; }
  std::uint32_t max_batch() const override { return capacity_.sources; }

  void start(std::uint32_t slot, std::span<const Element> sources, const SightSearchLimits& limits) override {
    Batch& batch = batches_[slot];
    batch.numbers.resize(capacity_.numbers);
    batch.runs.resize(capacity_.runs);
    batch.has_overflowed.assign(sources.size(), 0);
    batch.used[0] = batch.used[1] = 0;
    const FoundNumbers out = {batch.numbers.data(), batch.runs.data(), capacity_.numbers,
                              capacity_.runs,       batch.used,        batch.has_overflowed.data()};
    parallel_blocks(sources.size(), 16, no_progress(), [&](std::size_t begin, std::size_t end) {
      const auto memory = std::make_unique<SightBlockMemory>();
      for (std::size_t k = begin; k < end; ++k) {
        const HostBlock block;
        SightBlock(block, scene_, limits, *memory, out, sources[k], static_cast<std::uint32_t>(k)).run();
      }
    });
  }

  FoundBatch finish(std::uint32_t slot) override {
    const Batch& batch = batches_[slot];
    return {std::span(batch.numbers).first(std::min(batch.used[0], capacity_.numbers)),
            std::span(batch.runs).first(std::min(batch.used[1], capacity_.runs)), batch.has_overflowed};
  }

 private:
  struct Batch {
    std::vector<std::uint32_t> numbers;
    std::vector<FoundRun> runs;
    std::vector<std::uint8_t> has_overflowed;
    std::uint64_t used[2] = {0, 0};
  };

  const SightSceneView& scene_;
  BatchCapacity capacity_;
  std::vector<Batch> batches_;
};

}  // namespace

BatchCapacity suitable_capacity(std::size_t elements, std::uint32_t sources, std::uint32_t slots) {
  // City sources find some hundreds of numbers, mostly in one run.
  constexpr std::uint64_t numbers_of_source = 2048, runs_of_source = 4;
  const std::uint64_t most = std::max<std::uint64_t>(elements, 1);
  const std::uint64_t used = std::min<std::uint64_t>(sources, most);
  // One source alone finds at most all elements, and hands over at least half a list of candidates at a time.
  const std::uint64_t most_runs = most / (SightBlockMemory::candidate_capacity / 2) + 2;
  return {static_cast<std::uint32_t>(used), slots, std::max(used * numbers_of_source, most),
          std::max(used * runs_of_source, most_runs)};
}

std::unique_ptr<SightRunner> make_host_sight_runner(const SightSceneView& scene, const BatchCapacity& capacity) {
  return std::make_unique<HostSightRunner>(scene, capacity);
}

}  // namespace tesseray
