// SPDX-License-Identifier: GPL-3.0-or-later
#include <algorithm>
#include <vector>

#include "cuda/backend.h"
#include "cuda/device_copy.h"
#include "cuda/kernel_launch.h"
#include "cuda/rooftop_batch.h"
#include "cuda/slot_pool.h"

namespace tesseray {
namespace {

// On one multiprocessor: so many registers are left for each thread.
constexpr unsigned blocks_together = 3;
// Batches in flight at most: each of them is too small to fill a large GPU.
constexpr std::size_t most_slots = 16;
constexpr const char* doing = "working out rays over the roofs";

__global__ void __launch_bounds__(threads_per_block, blocks_together)
    find_all_bends(const __grid_constant__ RooftopBatch batch) {
  const unsigned k = blockIdx.x * threads_per_block + threadIdx.x;
  if (k < batch.count) find_bends(batch, k);
}

// What one batch needs, taken once.
struct Slot {
  explicit Slot(const RooftopCapacity& capacity)
      : targets(capacity.targets),
        host_targets(capacity.targets),
        found(capacity.targets),
        host_found(capacity.targets),
        points(capacity.all_points()),
        edges(capacity.all_points()) {}
  static std::size_t device_bytes(const RooftopCapacity& capacity) {
    return capacity.targets * (sizeof(RooftopTarget) + sizeof(RooftopBends)) +
           capacity.all_points() * (sizeof(Vec2) + sizeof(ProfileEdge));
  }

  std::size_t host_bytes() const { return host_targets.bytes() + host_found.bytes(); }

  CudaStream stream;
  DeviceArray<RooftopTarget> targets;
  PinnedArray<RooftopTarget> host_targets;
  DeviceArray<RooftopBends> found;
  PinnedArray<RooftopBends> host_found;
  DeviceArray<Vec2> points;
  DeviceArray<ProfileEdge> edges;
  DeviceArray<Complex> permittivities;
};

class CudaRooftopSearch final : public RooftopSearch {
 public:
  CudaRooftopSearch(const RooftopSceneView& scene, const RooftopCapacity& capacity)
      : capacity_(capacity), scene_(scene), slots_(capacity, most_slots, doing) {}

  std::size_t most_targets() const override { return capacity_.targets; }
  std::size_t host_bytes() const override { return slots_.host_bytes(); }

  void find(const RooftopRays& rays, std::span<const RooftopTarget> targets, std::span<RooftopBends> found) override {
    if (targets.empty()) return;
    const SlotPool<Slot>::Lease lease(slots_);
    find_in(lease.slot(), rays, targets, found);
  }

 private:
  void find_in(Slot& slot, const RooftopRays& rays, std::span<const RooftopTarget> targets,
               std::span<RooftopBends> found) const {
    const cudaStream_t stream = slot.stream.get();
    const auto count = static_cast<unsigned>(targets.size());
    std::copy(targets.begin(), targets.end(), slot.host_targets.data());
    check_cuda(cudaMemcpyAsync(slot.targets.data(), slot.host_targets.data(), targets.size_bytes(),
                               cudaMemcpyHostToDevice, stream),
               doing);
    const std::size_t materials = rays.permittivities.size();
    if (slot.permittivities.size() < materials) slot.permittivities = DeviceArray<Complex>(materials);
    check_cuda(cudaMemcpyAsync(slot.permittivities.data(), rays.permittivities.data(), rays.permittivities.size_bytes(),
                               cudaMemcpyHostToDevice, stream),
               doing);
    RooftopBatch batch = {
        scene_.view(),    rays, slot.targets.data(), slot.found.data(), count, capacity_.points, slot.points.data(),
        slot.edges.data()};
    batch.rays.permittivities = {slot.permittivities.data(), materials};
    launch_kernel(find_all_bends, blocks_for(count), stream, doing, batch);
    check_cuda(cudaMemcpyAsync(slot.host_found.data(), slot.found.data(), count * sizeof(RooftopBends),
                               cudaMemcpyDeviceToHost, stream),
               doing);
    slot.stream.wait(doing);
    std::copy_n(slot.host_found.data(), count, found.begin());
  }

  RooftopCapacity capacity_;
  DeviceCopy<RooftopSceneView> scene_;
  SlotPool<Slot> slots_;
};

}  // namespace

std::unique_ptr<RooftopSearch> make_cuda_rooftop_search(const RooftopSceneView& scene) {
  return std::make_unique<CudaRooftopSearch>(scene, RooftopCapacity());
}

}  // namespace tesseray
