// SPDX-License-Identifier: GPL-3.0-or-later
#include <algorithm>
#include <vector>

#include "cuda/cuda_sight_runner.h"
#include "cuda/device_copy.h"
#include "cuda/kernel_launch.h"
#include "cuda/sight_block.h"

namespace tesseray {
namespace {

__global__ void __launch_bounds__(threads_per_block)
    find_sights(const __grid_constant__ SightSceneView scene, const __grid_constant__ SightSearchLimits limits,
                const __grid_constant__ FoundNumbers out, const Element* sources) {
  __shared__ SightBlockMemory memory;
  const DeviceBlock block;
  SightBlock(block, scene, limits, memory, out, sources[blockIdx.x], blockIdx.x).run();
}

class CudaSightRunner final : public SightRunner {
 public:
  CudaSightRunner(const SightSceneView& scene, const BatchCapacity& capacity) : scene_(scene), capacity_(capacity) {
    for (std::uint32_t slot = 0; slot < capacity.slots; ++slot) slots_.emplace_back(capacity);
  }

  // Nothing may be in flight to memory that is given back, when a run was cancelled.
  ~CudaSightRunner() override {
    for (const Slot& slot : slots_) cudaStreamSynchronize(slot.stream.get());
  }

  std::uint32_t slots() const override { return capacity_.slots; }
  std::uint32_t max_batch() const override { return capacity_.sources; }

  void start(std::uint32_t slot_number, std::span<const Element> sources, const SightSearchLimits& limits) override {
    Slot& slot = slots_[slot_number];
    const cudaStream_t stream = slot.stream.get();
    slot.source_count = sources.size();
    std::copy(sources.begin(), sources.end(), slot.host_sources.data());
    const auto count = static_cast<unsigned>(sources.size());
    check_cuda(cudaMemcpyAsync(slot.sources.data(), slot.host_sources.data(), sources.size_bytes(),
                               cudaMemcpyHostToDevice, stream),
               "taking elements");
    check_cuda(cudaMemsetAsync(slot.used.data(), 0, 2 * sizeof(std::uint64_t), stream), "starting a batch");
    check_cuda(cudaMemsetAsync(slot.has_overflowed.data(), 0, count, stream), "starting a batch");
    const FoundNumbers out = {slot.numbers.data(), slot.runs.data(), capacity_.numbers,
                              capacity_.runs,      slot.used.data(), slot.has_overflowed.data()};
    if (count > 0) {
      launch_kernel(find_sights, count, stream, "starting a batch", scene_.view(), limits, out, slot.sources.data());
    }
    check_cuda(cudaMemcpyAsync(slot.host_used.data(), slot.used.data(), 2 * sizeof(std::uint64_t),
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
  struct Slot {
    explicit Slot(const BatchCapacity& capacity)
        : sources(capacity.sources),
          host_sources(capacity.sources),
          numbers(capacity.numbers),
          host_numbers(capacity.numbers),
          runs(capacity.runs),
          host_runs(capacity.runs),
          used(2),
          host_used(2),
          has_overflowed(capacity.sources),
          host_has_overflowed(capacity.sources) {}

    CudaStream stream;
    std::size_t source_count = 0;
    DeviceArray<Element> sources;
    PinnedArray<Element> host_sources;
    DeviceArray<std::uint32_t> numbers;
    PinnedArray<std::uint32_t> host_numbers;
    DeviceArray<FoundRun> runs;
    PinnedArray<FoundRun> host_runs;
    DeviceArray<std::uint64_t> used;
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
