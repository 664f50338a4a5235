// SPDX-License-Identifier: GPL-3.0-or-later
#include <algorithm>
#include <utility>
#include <vector>

#include "cuda/bounce_batch.h"
#include "cuda/child_order.h"
#include "cuda/device_copy.h"
#include "cuda/device_environment.h"
#include "cuda/device_sums.h"
#include "cuda/kernel_launch.h"
#include "cuda/mirrored_array.h"
#include "cuda/shared_sums.h"
#include "cuda/slot_pool.h"
#include "cuda/thread_block.h"

namespace tesseray {
namespace {

// Batches in flight at most: while some are on the GPU, threads of the CPU read the rows of others.
constexpr std::size_t most_slots = 8;
constexpr const char* doing = "bouncing rays";

__global__ void __launch_bounds__(threads_per_block) prepare_all_tubes(const __grid_constant__ BounceBatch batch) {
  const unsigned k = blockIdx.x * threads_per_block + threadIdx.x;
  if (k < batch.tube_count) prepare_tube(batch, k);
}

__global__ void __launch_bounds__(threads_per_block) find_all_hits(const __grid_constant__ BounceBatch batch) {
  find_hits(DeviceBlock(), batch, blockIdx.x);
}

// The hits from `first` to before `end`.
__global__ void __launch_bounds__(threads_per_block)
    follow_hits(const __grid_constant__ BounceBatch batch, std::uint64_t first, std::uint64_t end) {
  const std::uint64_t k = first + std::uint64_t{blockIdx.x} * threads_per_block + threadIdx.x;
  if (k < end) follow_hit<DeviceSharing>(batch, k);
}

__global__ void __launch_bounds__(threads_per_block)
    arrive_all_followed(const __grid_constant__ BounceBatch batch, std::uint64_t count) {
  const std::uint64_t k = std::uint64_t{blockIdx.x} * threads_per_block + threadIdx.x;
  if (k < count) arrive_followed<DeviceSharing>(batch, k);
}

__global__ void __launch_bounds__(threads_per_block)
    find_roulette_of_tiles(ArrivalSums* sums, const FixedPointSum* gains_before, RouletteScale scale,
                           float* roulette_gain, std::uint32_t count) {
  const unsigned t = blockIdx.x * threads_per_block + threadIdx.x;
  if (t < count) roulette_gain[t] = roulette_at_tile(sums[t], gains_before[t], scale);
}

__global__ void __launch_bounds__(threads_per_block)
    find_roulette_of_edges(const EdgeSegment* edges, float* roulette_gain, std::uint32_t tile_count,
                           std::uint32_t edge_count) {
  const unsigned e = blockIdx.x * threads_per_block + threadIdx.x;
  if (e < edge_count) roulette_gain[tile_count + e] = roulette_at_edge(edges[e], roulette_gain);
}

// What one batch needs, taken once.
struct Slot {
  explicit Slot(const BounceCapacity& capacity)
      : groups(capacity.pieces()),
        tubes(capacity.tubes),
        members(capacity.members),
        bounds(capacity.tubes),
        draws(capacity.tubes),
        hits(capacity.pairs),
        children(capacity.children),
        child_places(capacity.children),
        rays(capacity.children),
        left(capacity.children),
        counts(3) {}
  static std::size_t device_bytes(const BounceCapacity& capacity) {
    return capacity.pieces() * sizeof(TubeBatch::Group) +
           capacity.tubes * (sizeof(Tube) + sizeof(IntervalBounds) + sizeof(RoughDraw)) +
           capacity.members * sizeof(std::uint32_t) + capacity.pairs * sizeof(TubeHit) +
           capacity.children * (sizeof(Tube) + sizeof(HitPlace) + sizeof(HeldRay) + sizeof(LeftOfRay));
  }

  // With the rays that a thread holds beside it.
  std::size_t host_bytes() const {
    constexpr std::size_t held_by_thread = 2;
    return groups.host.bytes() + tubes.host.bytes() + members.host.bytes() + children.host.bytes() +
           child_places.host.bytes() + counts.host.bytes() + held_by_thread * (rays.host.bytes() + left.host.bytes()) +
           rays.host.bytes() + left.host.bytes();
  }

  CudaStream stream;
  MirroredArray<TubeBatch::Group> groups;
  MirroredArray<Tube> tubes;
  MirroredArray<std::uint32_t> members;
  DeviceArray<IntervalBounds> bounds;
  DeviceArray<RoughDraw> draws;
  DeviceArray<TubeHit> hits;
  MirroredArray<Tube> children;
  MirroredArray<HitPlace> child_places;
  MirroredArray<HeldRay> rays;
  MirroredArray<LeftOfRay> left;
  MirroredArray<std::uint64_t> counts;  // of hits, of children, of rays
};

class CudaLaunchBouncer final : public LaunchBouncer {
 public:
  CudaLaunchBouncer(const LaunchView& launch, const EnvironmentView& environment, const BounceCapacity& capacity,
                    SlotPool<Slot>& slots)
      : capacity_(capacity),
        slots_(slots),
        launch_(launch),
        view_(launch_.view()),
        sums_(environment.points.tile_count, doing),
        locks_(environment.points.tile_count, doing) {
    view_.environment = environment;
  }

  std::uint64_t bounce(const TubeBatch& batch, const FollowRays& follow, std::vector<Tube>& children) override {
    if (batch.groups.empty()) return 0;
    UnorderedChildren made;
    std::vector<HeldRay> held;
    std::uint64_t hits = 0;
    {
      const SlotPool<Slot>::Lease lease(slots_);
      hits = bounce_in(lease.slot(), batch, follow, made, held);
    }
    // Meanwhile others have the slot.
    if (!held.empty()) {
      const std::vector<LeftOfRay> left = follow_all(follow, held);
      const SlotPool<Slot>::Lease lease(slots_);
      let_arrive(lease.slot(), held, left);
    }
    made.append_in_order(children);
    return hits;
  }

  void add_to(std::span<ArrivalSums> sums) override { sums_.move_to(sums); }

  void know_before(std::span<const FixedPointSum> gains) override { gains_before_.renew(gains); }

  void draw_by(const RouletteScale& scale, std::span<float> roulette_gain) override {
    const EnvironmentView& environment = view_.environment;
    const std::uint32_t tiles = environment.points.tile_count, edges = environment.points.edge_count;
    if (roulette_gain_.size() != roulette_gain.size()) roulette_gain_ = DeviceArray<float>(roulette_gain.size());
    view_.roulette_gain = roulette_gain_.data();
    if (tiles > 0) {
      launch_kernel(find_roulette_of_tiles, blocks_for(tiles), nullptr, doing, sums_.data(), gains_before_.data(),
                    scale, roulette_gain_.data(), tiles);
    }
    if (edges > 0) {
      launch_kernel(find_roulette_of_edges, blocks_for(edges), nullptr, doing, environment.edges, roulette_gain_.data(),
                    tiles, edges);
    }
    // After both kernels, which streams of their own wait for no more than for the copy.
    check_cuda(
        cudaMemcpy(roulette_gain.data(), roulette_gain_.data(), roulette_gain.size_bytes(), cudaMemcpyDeviceToHost),
        doing);
  }

 private:
  // `held`: rays that the CPU is still to follow, fewer than a slot has room for twice.
  std::uint64_t bounce_in(Slot& slot, const TubeBatch& batch, const FollowRays& follow, UnorderedChildren& made,
                          std::vector<HeldRay>& held) const {
    const BounceBatch bodies = send(slot, batch);
    if (bodies.group_count == 0) return 0;
    const cudaStream_t stream = slot.stream.get();
    launch_kernel(prepare_all_tubes, blocks_for(bodies.tube_count), stream, doing, bodies);
    launch_kernel(find_all_hits, bodies.group_count, stream, doing, bodies);
    slot.counts.fetch(1, slot.stream, doing);
    slot.stream.wait(doing);
    const std::uint64_t hits = slot.counts.host.data()[0];
    for (std::uint64_t first = 0; first < hits; first += capacity_.children) {
      const std::uint64_t end = std::min<std::uint64_t>(hits, first + capacity_.children);
      check_cuda(cudaMemsetAsync(bodies.child_count, 0, 2 * sizeof(std::uint64_t), stream), doing);
      launch_kernel(follow_hits, blocks_for(end - first), stream, doing, bodies, first, end);
      fetch_children(slot, made, held);
      if (held.size() < capacity_.children) continue;
      let_arrive(slot, held, follow_all(follow, held));
      held.clear();
    }
    return hits;
  }

  // Copies a batch; gives its views on the GPU.
  BounceBatch send(const Slot& slot, const TubeBatch& batch) const {
    std::uint32_t pieces = 0;
    for_pieces_of(batch.groups, [&](const TubeBatch::Group& piece) { slot.groups.host.data()[pieces++] = piece; });
    std::transform(batch.tubes.begin(), batch.tubes.end(), slot.tubes.host.data(),
                   [](const Tube* tube) { return *tube; });
    std::copy(batch.members.begin(), batch.members.end(), slot.members.host.data());
    slot.groups.send(pieces, slot.stream, doing);
    slot.tubes.send(batch.tubes.size(), slot.stream, doing);
    slot.members.send(batch.members.size(), slot.stream, doing);
    std::uint64_t* const counts = slot.counts.device.data();
    check_cuda(cudaMemsetAsync(counts, 0, 3 * sizeof(std::uint64_t), slot.stream.get()), doing);
    BounceBatch bodies = bodies_in(slot);
    bodies.group_count = pieces;
    bodies.tube_count = static_cast<std::uint32_t>(batch.tubes.size());
    return bodies;
  }

  BounceBatch bodies_in(const Slot& slot) const {
    std::uint64_t* const counts = slot.counts.device.data();
    return {.launch = view_,
            .groups = slot.groups.device.data(),
            .tubes = slot.tubes.device.data(),
            .members = slot.members.device.data(),
            .bounds = slot.bounds.data(),
            .draws = slot.draws.data(),
            .hits = slot.hits.data(),
            .hit_count = counts,
            .children = slot.children.device.data(),
            .child_places = slot.child_places.device.data(),
            .child_count = counts + 1,
            .rays = slot.rays.device.data(),
            .ray_count = counts + 2,
            .left = slot.left.device.data(),
            .sums = sums_.data(),
            .locks = locks_.data()};
  }

  // With the rays that are held.
  static void fetch_children(const Slot& slot, UnorderedChildren& made, std::vector<HeldRay>& held) {
    slot.counts.fetch(3, slot.stream, doing);
    slot.stream.wait(doing);
    const std::uint64_t count = slot.counts.host.data()[1], rays = slot.counts.host.data()[2];
    if (count > 0) {
      slot.children.fetch(count, slot.stream, doing);
      slot.child_places.fetch(count, slot.stream, doing);
    }
    if (rays > 0) slot.rays.fetch(rays, slot.stream, doing);
    if (count + rays == 0) return;
    slot.stream.wait(doing);
    made.add(slot.children.host.data(), slot.child_places.host.data(), count);
    held.insert(held.end(), slot.rays.host.data(), slot.rays.host.data() + rays);
  }

  static std::vector<LeftOfRay> follow_all(const FollowRays& follow, std::span<const HeldRay> held) {
    std::vector<LeftOfRay> left(held.size());
    follow(held, left);
    return left;
  }

  // Sums what is left of rays that were held.
  void let_arrive(const Slot& slot, std::span<const HeldRay> held, std::span<const LeftOfRay> left) const {
    const BounceBatch bodies = bodies_in(slot);
    for (std::size_t first = 0; first < held.size(); first += capacity_.children) {
      const std::size_t count = std::min<std::size_t>(held.size() - first, capacity_.children);
      // What was sent before has left the host's memory.
      slot.stream.wait(doing);
      std::copy_n(held.begin() + static_cast<std::ptrdiff_t>(first), count, slot.rays.host.data());
      std::copy_n(left.begin() + static_cast<std::ptrdiff_t>(first), count, slot.left.host.data());
      slot.rays.send(count, slot.stream, doing);
      slot.left.send(count, slot.stream, doing);
      launch_kernel(arrive_all_followed, blocks_for(count), slot.stream.get(), doing, bodies, std::uint64_t{count});
    }
  }

  BounceCapacity capacity_;
  SlotPool<Slot>& slots_;
  DeviceCopy<LaunchView> launch_;
  LaunchView view_;
  DeviceSums<ArrivalSums> sums_;
  TileLocks locks_;
  DeviceArray<FixedPointSum> gains_before_;
  DeviceArray<float> roulette_gain_;
};

class CudaTubeBouncer final : public TubeBouncer {
 public:
  CudaTubeBouncer(std::shared_ptr<const DeviceEnvironment> environment, const BounceCapacity& capacity)
      : capacity_(capacity), environment_(std::move(environment)), slots_(capacity, most_slots, doing) {}

  BatchLimits limits() const override { return capacity_.limits(); }
  std::size_t host_bytes() const override { return slots_.host_bytes(); }
  std::unique_ptr<LaunchBouncer> start(const LaunchView& launch) override {
    return std::make_unique<CudaLaunchBouncer>(launch, environment_->view(), capacity_, slots_);
  }

 private:
  BounceCapacity capacity_;
  std::shared_ptr<const DeviceEnvironment> environment_;
  SlotPool<Slot> slots_;
};

}  // namespace

std::unique_ptr<TubeBouncer> make_cuda_tube_bouncer(std::shared_ptr<const DeviceEnvironment> environment) {
  const BounceCapacity capacity = BounceCapacity().at_least(environment->view().points);
  return std::make_unique<CudaTubeBouncer>(std::move(environment), capacity);
}

}  // namespace tesseray
