// SPDX-License-Identifier: GPL-3.0-or-later
#include <algorithm>
#include <utility>

#include "cuda/device_copy.h"
#include "cuda/device_environment.h"
#include "cuda/device_sums.h"
#include "cuda/kernel_launch.h"
#include "cuda/mirrored_array.h"
#include "cuda/scatter_batch.h"
#include "cuda/scatter_by_edges.h"
#include "cuda/scatter_by_mirrors.h"
#include "cuda/scatter_last.h"
#include "cuda/shared_sums.h"
#include "cuda/slot_pool.h"
#include "cuda/thread_block.h"

namespace tesseray {
namespace {

// Batches in flight at most: while some are on the GPU, threads of the CPU read the rows of others.
constexpr std::size_t most_slots = 8;
constexpr const char* doing = "working out scattered power";

__global__ void __launch_bounds__(threads_per_block) gather_rows(const __grid_constant__ ScatterBatch batch) {
  __shared__ RowMemory memory;
  gather_row<DeviceSharing>(DeviceBlock(), memory, batch, blockIdx.x);
}

__global__ void __launch_bounds__(threads_per_block) reflect_rows(const __grid_constant__ ScatterBatch batch) {
  __shared__ RowMemory memory;
  reflect_row<DeviceSharing>(DeviceBlock(), memory, batch, blockIdx.x);
}

__global__ void __launch_bounds__(threads_per_block) diffract_rows(const __grid_constant__ ScatterBatch batch) {
  __shared__ RowMemory memory;
  diffract_row<DeviceSharing>(DeviceBlock(), memory, batch, blockIdx.x);
}

// What one batch needs, taken once.
struct Slot {
  explicit Slot(const ScatterCapacity& capacity)
      : rows(capacity.rows),
        members(capacity.members),
        weights(capacity.members),
        weighed(capacity.members),
        sources(capacity.members),
        at_edges(capacity.members),
        at_mirrors(capacity.members),
        rays(capacity.members),
        candidates(capacity.members),
        estimates(capacity.members),
        targets(capacity.members),
        stand_for(capacity.members),
        counts(1) {}
  static std::size_t device_bytes(const ScatterCapacity& capacity) {
    return capacity.rows * sizeof(RowBatch::Row) +
           capacity.members * (3 * sizeof(std::uint32_t) + sizeof(double) + 2 * sizeof(ScatteringSource) +
                               sizeof(SourceAtEdge) + sizeof(SourceAtMirror) + sizeof(DiffuseSum) + 2 * sizeof(float));
  }

  std::size_t host_bytes() const { return rows.host.bytes() + members.host.bytes() + counts.host.bytes(); }

  CudaStream stream;
  MirroredArray<RowBatch::Row> rows;
  MirroredArray<std::uint32_t> members;
  DeviceArray<double> weights;
  DeviceArray<ScatteringSource> weighed;
  DeviceArray<ScatteringSource> sources;
  DeviceArray<SourceAtEdge> at_edges;
  DeviceArray<SourceAtMirror> at_mirrors;
  DeviceArray<DiffuseSum> rays;
  DeviceArray<std::uint32_t> candidates;
  DeviceArray<float> estimates;
  DeviceArray<std::uint32_t> targets;
  DeviceArray<float> stand_for;
  MirroredArray<PairCounts> counts;
};

class CudaLaunchScatterer final : public LaunchScatterer {
 public:
  CudaLaunchScatterer(const ScatteringView& scattering, const EnvironmentView& environment, SlotPool<Slot>& slots)
      : slots_(slots),
        scattering_(scattering),
        view_(scattering_.view()),
        scattered_sums_(environment.points.tile_count, doing),
        sums_(environment.points.tile_count, doing),
        locks_(environment.points.tile_count, doing) {
    view_.launch.environment = environment;
  }

  PairCounts gather(const RowBatch& batch) override { return work_on(batch, gather_rows); }
  PairCounts reflect(const RowBatch& batch) override { return work_on(batch, reflect_rows); }
  PairCounts diffract(const RowBatch& batch) override { return work_on(batch, diffract_rows); }

  void know(std::span<const float> known_gains) override {
    known_gains_.renew(known_gains);
    view_.known_gains = known_gains_.data();
  }

  void add_to(std::span<ArrivalSums> sums, std::span<ScatteredSums> scattered_sums) override {
    sums_.move_to(sums);
    if (!scattered_sums.empty())
      scattered_sums_.move_to(scattered_sums.first(view_.launch.environment.points.tile_count));
  }

 private:
  // By a block of threads for each row.
  PairCounts work_on(const RowBatch& batch, void (*kernel)(ScatterBatch)) const {
    if (batch.rows.empty()) return {};
    const SlotPool<Slot>::Lease lease(slots_);
    const Slot& slot = lease.slot();
    const ScatterBatch bodies = send(slot, batch);
    launch_kernel(kernel, bodies.row_count, slot.stream.get(), doing, bodies);
    slot.counts.fetch(1, slot.stream, doing);
    slot.stream.wait(doing);
    return slot.counts.host.data()[0];
  }

  // Copies a batch; gives its views on the GPU.
  ScatterBatch send(const Slot& slot, const RowBatch& batch) const {
    std::copy(batch.rows.begin(), batch.rows.end(), slot.rows.host.data());
    std::copy(batch.members.begin(), batch.members.end(), slot.members.host.data());
    slot.rows.send(batch.rows.size(), slot.stream, doing);
    slot.members.send(batch.members.size(), slot.stream, doing);
    check_cuda(cudaMemsetAsync(slot.counts.device.data(), 0, sizeof(PairCounts), slot.stream.get()), doing);
    return {.scattering = view_,
            .rows = slot.rows.device.data(),
            .row_count = static_cast<std::uint32_t>(batch.rows.size()),
            .members = slot.members.device.data(),
            .weights = slot.weights.data(),
            .weighed = slot.weighed.data(),
            .sources = slot.sources.data(),
            .at_edges = slot.at_edges.data(),
            .at_mirrors = slot.at_mirrors.data(),
            .rays = slot.rays.data(),
            .candidates = slot.candidates.data(),
            .estimates = slot.estimates.data(),
            .targets = slot.targets.data(),
            .stand_for = slot.stand_for.data(),
            .scattered_sums = scattered_sums_.data(),
            .sums = sums_.data(),
            .locks = locks_.data(),
            .counts = slot.counts.device.data()};
  }

  SlotPool<Slot>& slots_;
  DeviceCopy<ScatteringView> scattering_;
  ScatteringView view_;
  DeviceSums<ScatteredSums> scattered_sums_;
  DeviceSums<ArrivalSums> sums_;
  TileLocks locks_;
  DeviceArray<float> known_gains_;
};

class CudaRowScatterer final : public RowScatterer {
 public:
  CudaRowScatterer(std::shared_ptr<const DeviceEnvironment> environment, const ScatterCapacity& capacity)
      : capacity_(capacity), environment_(std::move(environment)), slots_(capacity, most_slots, doing) {}

  RowLimits limits() const override { return capacity_.limits(); }
  std::size_t host_bytes() const override { return slots_.host_bytes(); }
  std::unique_ptr<LaunchScatterer> start(const ScatteringView& launch) override {
    return std::make_unique<CudaLaunchScatterer>(launch, environment_->view(), slots_);
  }

 private:
  ScatterCapacity capacity_;
  std::shared_ptr<const DeviceEnvironment> environment_;
  SlotPool<Slot> slots_;
};

}  // namespace

std::unique_ptr<RowScatterer> make_cuda_row_scatterer(std::shared_ptr<const DeviceEnvironment> environment) {
  const ScatterCapacity capacity = ScatterCapacity().at_least(environment->view().points);
  return std::make_unique<CudaRowScatterer>(std::move(environment), capacity);
}

}  // namespace tesseray
