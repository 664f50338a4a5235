// SPDX-License-Identifier: GPL-3.0-or-later
#include <algorithm>
#include <vector>

#include "cuda/blocked_paths.h"
#include "cuda/cuda_sight_runner.h"
#include "cuda/device_copy.h"
#include "cuda/kernel_launch.h"
#include "cuda/sight_block.h"
#include "cuda/slot_pool.h"

namespace tesseray {
namespace {

// A search has many steps of few things each: a warp waits for nobody.
constexpr unsigned threads_of_search = 32;
constexpr unsigned searches_together = 16, path_blocks_together = 5;  // on one multiprocessor

// Whole batches fill any GPU, and few sources most of one, as far as there may be work; blocks that come late find
// nothing left to do.
unsigned blocks_for_paths(unsigned sources, std::uint64_t most_candidates) {
  constexpr unsigned plenty = 1024, for_few = 64, sources_of_block = 8, threads_of_group = 32;
  const unsigned with_work = blocks_for(most_candidates / candidates_taken_at_once * threads_of_group + 1);
  return std::min({plenty, for_few + sources / sources_of_block, with_work});
}

// A block for each source.
__global__ void __launch_bounds__(threads_of_search, searches_together)
    search_candidates(const __grid_constant__ SightSceneView scene, const __grid_constant__ SightSearchLimits limits,
                      const __grid_constant__ SightCandidates candidates, const Element* sources) {
  __shared__ SightBlockMemory memory;
  const DeviceBlock block;
  SightBlock(block, scene, limits, memory, candidates, sources[blockIdx.x], blockIdx.x).run();
}

template <class Obstacles>
__global__ void __launch_bounds__(threads_per_block, path_blocks_together)
    strike_out(const __grid_constant__ SightSceneView scene, const __grid_constant__ SightCandidates candidates,
               const Element* sources, std::uint64_t* next) {
  strike_out_blocked<Obstacles>(DeviceGroup(), scene, sources, candidates, *next);
}

// A block for each source.
__global__ void __launch_bounds__(threads_per_block)
    gather_found(const __grid_constant__ SightSceneView scene, const __grid_constant__ SightCandidates candidates,
                 const __grid_constant__ FoundNumbers found) {
  __shared__ FoundMemory memory;
  const DeviceBlock block;
  FoundList(block, memory, found, blockIdx.x).gather(scene, candidates);
}

class CudaSightRunner final : public SightRunner {
 public:
  CudaSightRunner(const SightSceneView& scene, const BatchCapacity& capacity) : scene_(scene), capacity_(capacity) {
    add_as_memory_allows(capacity.slots, [&] { slots_.emplace_back(capacity); });
  }

  // Nothing may be in flight to memory that is given back, when a run was cancelled.
  ~CudaSightRunner() override {
    for (const Slot& slot : slots_) cudaStreamSynchronize(slot.stream.get());
  }

  std::uint32_t slots() const override { return static_cast<std::uint32_t>(slots_.size()); }
  std::uint32_t max_batch() const override { return capacity_.sources; }

  void start(std::uint32_t slot_number, std::span<const Element> sources, const SightSearchLimits& limits) override {
    const std::string doing = "starting a batch";
    Slot& slot = slots_[slot_number];
    const cudaStream_t stream = slot.stream.get();
    slot.source_count = sources.size();
    std::copy(sources.begin(), sources.end(), slot.host_sources.data());
    const auto count = static_cast<unsigned>(sources.size());
    check_cuda(cudaMemcpyAsync(slot.sources.data(), slot.host_sources.data(), sources.size_bytes(),
                               cudaMemcpyHostToDevice, stream),
               "taking elements");
    check_cuda(cudaMemsetAsync(slot.counters.data(), 0, sizeof(Counters), stream), doing);
    check_cuda(cudaMemsetAsync(slot.has_overflowed.data(), 0, count, stream), doing);
    if (count > 0) {
      Counters& counters = *slot.counters.data();
      const SightCandidates candidates = slot.candidates_view(capacity_);
      const Element* const sources_there = slot.sources.data();
      const unsigned path_blocks = blocks_for_paths(count, capacity_.candidates);
      launch_kernel(search_candidates, KernelBlocks(count, threads_of_search), stream, doing, scene_.view(), limits,
                    candidates, sources_there);
      launch_kernel(strike_out<ByPrisms>, path_blocks, stream, doing, scene_.view(), candidates, sources_there,
                    &counters.next_by_prisms);
      launch_kernel(strike_out<ByTerrain>, path_blocks, stream, doing, scene_.view(), candidates, sources_there,
                    &counters.next_by_terrain);
      launch_kernel(gather_found, count, stream, doing, scene_.view(), candidates, slot.found_view(capacity_));
    }
    check_cuda(cudaMemcpyAsync(slot.host_used.data(), slot.counters.data()->found, 2 * sizeof(std::uint64_t),
                               cudaMemcpyDeviceToHost, stream),
               "handing over rows");
    check_cuda(cudaMemcpyAsync(slot.host_has_overflowed.data(), slot.has_overflowed.data(), count,
                               cudaMemcpyDeviceToHost, stream),
               "handing over rows");
  }

  FoundBatch finish(std::uint32_t slot_number) override {
    Slot& slot = slots_[slot_number];
    slot.stream.wait("finding who sees whom");
    // Only what was found is copied, which is known now.
    const std::uint64_t numbers = std::min(slot.host_used.data()[0], capacity_.numbers);
    const std::uint64_t runs = std::min(slot.host_used.data()[1], capacity_.runs);
    check_cuda(cudaMemcpyAsync(slot.host_numbers.data(), slot.numbers.data(), numbers * sizeof(std::uint32_t),
                               cudaMemcpyDeviceToHost, slot.stream.get()),
               "handing over rows");
    check_cuda(cudaMemcpyAsync(slot.host_runs.data(), slot.runs.data(), runs * sizeof(FoundRun), cudaMemcpyDeviceToHost,
                               slot.stream.get()),
               "handing over rows");
    slot.stream.wait("finding who sees whom");
    return {{slot.host_numbers.data(), numbers},
            {slot.host_runs.data(), runs},
            {slot.host_has_overflowed.data(), slot.source_count}};
  }

 private:
  // Of one batch.
  struct Counters {
    std::uint64_t candidates[2], found[2], next_by_prisms, next_by_terrain;
  };

  struct Slot {
    explicit Slot(const BatchCapacity& capacity)
        : sources(capacity.sources),
          host_sources(capacity.sources),
          candidates(capacity.candidates),
          candidate_runs(capacity.candidate_runs),
          last_runs(capacity.sources),
          numbers(capacity.numbers),
          host_numbers(capacity.numbers),
          runs(capacity.runs),
          host_runs(capacity.runs),
          counters(1),
          host_used(2),
          has_overflowed(capacity.sources),
          host_has_overflowed(capacity.sources) {}

    SightCandidates candidates_view(const BatchCapacity& capacity) const {
      return {candidates.data(),           candidate_runs.data(), capacity.candidates,  capacity.candidate_runs,
              counters.data()->candidates, last_runs.data(),      has_overflowed.data()};
    }
    FoundNumbers found_view(const BatchCapacity& capacity) const {
      return {numbers.data(),         runs.data(),          capacity.numbers, capacity.runs,
              counters.data()->found, has_overflowed.data()};
    }

    CudaStream stream;
    std::size_t source_count = 0;
    DeviceArray<Element> sources;
    PinnedArray<Element> host_sources;
    DeviceArray<SightCandidate> candidates;
    DeviceArray<CandidateRun> candidate_runs;
    DeviceArray<std::uint32_t> last_runs;
    DeviceArray<std::uint32_t> numbers;
    PinnedArray<std::uint32_t> host_numbers;
    DeviceArray<FoundRun> runs;
    PinnedArray<FoundRun> host_runs;
    DeviceArray<Counters> counters;
    PinnedArray<std::uint64_t> host_used;
    DeviceArray<std::uint8_t> has_overflowed;
    PinnedArray<std::uint8_t> host_has_overflowed;
  };

  DeviceCopy<SightSceneView> scene_;
  BatchCapacity capacity_;
  std::vector<Slot> slots_;
};

}  // namespace

std::unique_ptr<SightRunner> make_cuda_sight_runner(const SightSceneView& scene, const BatchCapacity& capacity) {
  return std::make_unique<CudaSightRunner>(scene, capacity);
}

}  // namespace tesseray
