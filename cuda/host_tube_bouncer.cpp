// SPDX-License-Identifier: GPL-3.0-or-later
#include <algorithm>
#include <mutex>
#include <span>
#include <vector>

#include "cuda/bounce_batch.h"
#include "cuda/child_order.h"
#include "cuda/host_sharing.h"
#include "cuda/thread_block.h"

namespace tesseray {
namespace {

constexpr std::uint64_t worth_threads = 256;

class HostLaunchBouncer final : public LaunchBouncer {
 public:
  HostLaunchBouncer(const LaunchView& launch, const BounceCapacity& capacity)
      : launch_(launch),
        capacity_(capacity),
        sums_(launch.environment.points.tile_count),
        locks_(launch.environment.points.tile_count, 0),
        bounds_(capacity.tubes),
        draws_(capacity.tubes),
        hits_(capacity.pairs),
        children_(capacity.children),
        child_places_(capacity.children),
        rays_(capacity.children),
        left_(capacity.children) {}

  std::uint64_t bounce(const TubeBatch& batch, const FollowRays& follow, std::vector<Tube>& children) override {
    const std::lock_guard lock(mutex_);
    std::vector<Tube> tubes;
    for (const Tube* tube : batch.tubes) tubes.push_back(*tube);
    std::vector<TubeBatch::Group> groups;
    for_pieces_of(batch.groups, [&](const TubeBatch::Group& piece) { groups.push_back(piece); });
    std::uint64_t hit_count = 0, child_count = 0, ray_count = 0;
    const BounceBatch bodies = {.launch = launch_,
                                .groups = groups.data(),
                                .group_count = static_cast<std::uint32_t>(groups.size()),
                                .tubes = tubes.data(),
                                .tube_count = static_cast<std::uint32_t>(tubes.size()),
                                .members = batch.members.data(),
                                .bounds = bounds_.data(),
                                .draws = draws_.data(),
                                .hits = hits_.data(),
                                .hit_count = &hit_count,
                                .children = children_.data(),
                                .child_places = child_places_.data(),
                                .child_count = &child_count,
                                .rays = rays_.data(),
                                .ray_count = &ray_count,
                                .left = left_.data(),
                                .sums = sums_.data(),
                                .locks = locks_.data()};
    for_all_on_host(0, bodies.tube_count, worth_threads,
                    [&](std::uint64_t k) { prepare_tube(bodies, static_cast<std::uint32_t>(k)); });
    for_all_on_host(0, bodies.group_count, worth_threads,
                    [&](std::uint64_t g) { find_hits(HostBlock(), bodies, static_cast<std::uint32_t>(g)); });
    // Threads of a GPU find them in any order; so they come in another one than the CPU's here.
    std::reverse(hits_.begin(), hits_.begin() + static_cast<std::ptrdiff_t>(hit_count));
    UnorderedChildren made;
    for (std::uint64_t first = 0; first < hit_count; first += capacity_.children) {
      const std::uint64_t end = std::min<std::uint64_t>(hit_count, first + capacity_.children);
      child_count = ray_count = 0;
      for_all_on_host(first, end, worth_threads, [&](std::uint64_t k) { follow_hit<HostSharing>(bodies, k); });
      made.add(children_.data(), child_places_.data(), child_count);
      follow({rays_.data(), ray_count}, {left_.data(), ray_count});
      for_all_on_host(0, ray_count, worth_threads, [&](std::uint64_t k) { arrive_followed<HostSharing>(bodies, k); });
    }
    made.append_in_order(children);
    return hit_count;
  }

  void add_to(std::span<ArrivalSums> sums) override { hand_over_sums(std::span(sums_), sums); }

  void know_before(std::span<const FixedPointSum> gains) override { gains_before_.assign(gains.begin(), gains.end()); }

  void draw_by(const RouletteScale& scale, std::span<float> roulette_gain) override {
    const EnvironmentView& environment = launch_.environment;
    roulette_gain_.resize(roulette_gain.size());
    for (std::size_t t = 0; t < sums_.size(); ++t) {
      roulette_gain_[t] = roulette_at_tile(sums_[t], gains_before_[t], scale);
    }
    for (std::uint32_t e = 0; e < environment.points.edge_count; ++e) {
      roulette_gain_[environment.points.tile_count + e] = roulette_at_edge(environment.edges[e], roulette_gain_.data());
    }
    launch_.roulette_gain = roulette_gain_.data();
    std::copy(roulette_gain_.begin(), roulette_gain_.end(), roulette_gain.begin());
  }

 private:
  LaunchView launch_;
  BounceCapacity capacity_;
  std::mutex mutex_;
  std::vector<ArrivalSums> sums_;
  std::vector<std::uint32_t> locks_;
  std::vector<FixedPointSum> gains_before_;
  std::vector<float> roulette_gain_;
  std::vector<IntervalBounds> bounds_;
  std::vector<RoughDraw> draws_;
  std::vector<TubeHit> hits_;
  std::vector<Tube> children_;
  std::vector<HitPlace> child_places_;
  std::vector<HeldRay> rays_;
  std::vector<LeftOfRay> left_;
};

class HostTubeBouncer final : public TubeBouncer {
 public:
  HostTubeBouncer(const EnvironmentView& environment, const BounceCapacity& capacity)
      : environment_(environment), capacity_(capacity.at_least(environment.points)) {}

  BatchLimits limits() const override { return capacity_.limits(); }
  std::size_t host_bytes() const override {
    return capacity_.tubes * (sizeof(Tube) + sizeof(IntervalBounds) + sizeof(RoughDraw)) +
           capacity_.pairs * sizeof(TubeHit) +
           capacity_.children * (sizeof(Tube) + sizeof(HitPlace) + sizeof(HeldRay) + sizeof(LeftOfRay));
  }
  std::unique_ptr<LaunchBouncer> start(const LaunchView& launch) override {
    LaunchView view = launch;
    view.environment = environment_;
    return std::make_unique<HostLaunchBouncer>(view, capacity_);
  }

 private:
  EnvironmentView environment_;
  BounceCapacity capacity_;
};

}  // namespace

BounceCapacity BounceCapacity::at_least(const TargetPointsView& points) const {
  BounceCapacity enough = *this;
  const std::uint32_t elements = points.element_count();
  enough.tubes = std::max(tubes, 1u);
  enough.members = std::max(members, elements);
  enough.pairs = std::max(pairs, 2 * elements);
  enough.children = std::max(children, 1u);
  return enough;
}

std::unique_ptr<TubeBouncer> make_host_tube_bouncer(const EnvironmentView& environment,
                                                    const BounceCapacity& capacity) {
  return std::make_unique<HostTubeBouncer>(environment, capacity);
}

}  // namespace tesseray
