// SPDX-License-Identifier: GPL-3.0-or-later
#include <algorithm>
#include <vector>

#include "core/base/parallel.h"
#include "cuda/blocked_paths.h"
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
    batch.begin(capacity_, sources.size());
    const SightCandidates candidates = batch.candidates_view();
    for_each_source<SightBlockMemory>(sources.size(), [&](SightBlockMemory& memory, std::uint32_t source) {
      SightBlock(HostBlock(), scene_, limits, memory, candidates, sources[source], source).run();
    });
    strike_out<ByPrisms>(sources, candidates);
    strike_out<ByTerrain>(sources, candidates);
    const FoundNumbers found = batch.found_view();
    for_each_source<FoundMemory>(sources.size(), [&](FoundMemory& memory, std::uint32_t source) {
      FoundList(HostBlock(), memory, found, source).gather(scene_, candidates);
    });
  }

  FoundBatch finish(std::uint32_t slot) override {
    const Batch& batch = batches_[slot];
    return {std::span(batch.numbers).first(std::min(batch.used[0], capacity_.numbers)),
            std::span(batch.runs).first(std::min(batch.used[1], capacity_.runs)), batch.has_overflowed};
  }

 private:
  struct Batch {
    std::vector<SightCandidate> candidates;
    std::vector<CandidateRun> candidate_runs;
    std::vector<std::uint32_t> last_runs;
    std::vector<std::uint32_t> numbers;
    std::vector<FoundRun> runs;
    std::vector<std::uint8_t> has_overflowed;
    std::uint64_t candidates_used[2] = {0, 0}, used[2] = {0, 0};

    void begin(const BatchCapacity& capacity, std::size_t sources) {
      candidates.resize(capacity.candidates);
      candidate_runs.resize(capacity.candidate_runs);
      last_runs.resize(sources);
      numbers.resize(capacity.numbers);
      runs.resize(capacity.runs);
      has_overflowed.assign(sources, 0);
      for (std::uint64_t* const counter : {candidates_used, used}) counter[0] = counter[1] = 0;
    }
    SightCandidates candidates_view() {
      return {candidates.data(), candidate_runs.data(), candidates.size(),    candidate_runs.size(),
              candidates_used,   last_runs.data(),      has_overflowed.data()};
    }
    FoundNumbers found_view() {
      return {numbers.data(), runs.data(), numbers.size(), runs.size(), used, has_overflowed.data()};
    }
  };

  // By all threads, each with memory of its own.
  template <class Memory>
  static void for_each_source(std::size_t sources, const auto& body) {
    parallel_blocks(sources, 16, no_progress(), [&](std::size_t begin, std::size_t end) {
      const auto memory = std::make_unique<Memory>();
      for (std::size_t k = begin; k < end; ++k) body(*memory, static_cast<std::uint32_t>(k));
    });
  }

  template <class Obstacles>
  void strike_out(std::span<const Element> sources, const SightCandidates& candidates) const {
    constexpr std::size_t threads = 4;
    std::uint64_t next = 0;
    parallel_blocks(threads, 1, no_progress(), [&](std::size_t, std::size_t) {
      strike_out_blocked<Obstacles>(HostGroup(), scene_, sources.data(), candidates, next);
    });
  }

  const SightSceneView& scene_;
  BatchCapacity capacity_;
  std::vector<Batch> batches_;
};

}  // namespace

BatchCapacity suitable_capacity(std::size_t elements, std::uint32_t sources, std::uint32_t slots) {
  // City sources find some hundreds of numbers, mostly in one run, of twice as many candidates.
  constexpr std::uint64_t numbers_of_source = 2048, runs_of_source = 2, candidates_of_source = 4096;
  const std::uint64_t most = std::max<std::uint64_t>(elements, 1);
  const std::uint64_t used = std::min<std::uint64_t>(sources, most);
  const auto room = [&](std::uint64_t of_source, std::uint64_t of_one_alone) {
    return std::max(used * of_source, of_one_alone);
  };
  // One source alone finds at most all elements, and hands over at least half a list at a time.
  constexpr std::uint64_t least_run = SightBlockMemory::candidate_capacity / 2;
  constexpr std::uint64_t least_found_run = FoundMemory::capacity - SightBlockMemory::candidate_capacity;
  return {.sources = static_cast<std::uint32_t>(used),
          .slots = slots,
          .numbers = room(numbers_of_source, most),
          .runs = room(runs_of_source, most / least_found_run + 2),
          .candidates = room(candidates_of_source, most),
          .candidate_runs = room(candidates_of_source / least_run, most / least_run + 2)};
}

std::unique_ptr<SightRunner> make_host_sight_runner(const SightSceneView& scene, const BatchCapacity& capacity) {
  return std::make_unique<HostSightRunner>(scene, capacity);
}

}  // namespace tesseray
