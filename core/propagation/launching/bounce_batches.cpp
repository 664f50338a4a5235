// SPDX-License-Identifier: GPL-3.0-or-later
// Bounces by batches of tubes, for what takes many at once: the same rays as bounce.cpp's, group by group.
#include <tbb/task_arena.h>

#include <algorithm>

#include "core/base/parallel.h"
#include "core/propagation/launching/bounces.h"

namespace tesseray {
namespace {

constexpr std::size_t groups_per_block = 64;
// While some batches are worked out elsewhere, threads read the rows of others. A batch of fewer pairs is not worth its
// way there.
constexpr std::size_t batches_per_thread = 2, worth_pairs = 1u << 17;

}  // namespace

void Bounces::bounce_in_batches(std::span<const TubeGroup> groups, TubeParts& children, Progress& progress) {
  // What tiles scatter is summed in the order of their tubes, whatever batches they are in.
  parallel_blocks(groups.size(), groups_per_block, no_progress(), [&](std::size_t begin, std::size_t end) {
    for (std::size_t g = begin; g < end; ++g) {
      if (environment_.points.is_tile(groups[g].element)) scattering_.take_in(groups[g]);
    }
  });
  const std::vector<std::vector<TubeGroup>> batches = batches_of(groups);
  std::vector<std::vector<Tube>> produced(batches.size());
  parallel_blocks(batches.size(), 1, progress, [&](std::size_t b, std::size_t) {
    BatchState& state = batch_states_.local();
    state.tubes.clear();
    for (const TubeGroup& group : batches[b]) {
      bounce_to_receivers(group);
      add_to_batch(group, state);
    }
    const auto follow_rays = [&](std::span<const HeldRay> rays, std::span<LeftOfRay> left) {
      RaysInAnyOrder& in_any_order = states_.local().in_any_order;
      std::transform(rays.begin(), rays.end(), left.begin(),
                     [&](const HeldRay& ray) { return follow(ray.ending(), ray.number, in_any_order); });
    };
    state.cost[LaunchPhase::bounces].contributions += bouncer_->bounce(state.tubes, follow_rays, produced[b]);
  });
  for (std::vector<Tube>& part : produced) children.add(std::move(part));
}

std::vector<Bounces::RowSize> Bounces::row_sizes(std::span<const TubeGroup> groups) const {
  std::vector<RowSize> sizes(groups.size());
  parallel_blocks(groups.size(), groups_per_block, no_progress(), [&](std::size_t begin, std::size_t end) {
    for (std::size_t g = begin; g < end; ++g) {
      const std::size_t members = environment_.visibility.row_length(groups[g].element) +
                                  environment_.sight_over_ground.seen_from(groups[g].element).size();
      const std::size_t targets = targets_of(environment_.points.view(), groups[g].element, members);
      sizes[g] = {members, std::max<std::size_t>(targets, 1)};
    }
  });
  return sizes;
}

BatchLimits Bounces::limits_of_batches(std::span<const TubeGroup> groups, std::span<const RowSize> sizes) const {
  std::size_t pairs = 0, widest = 0;
  for (std::size_t g = 0; g < groups.size(); ++g) {
    widest = std::max(widest, sizes[g].targets);
    pairs += groups[g].tubes.size() * sizes[g].targets;
  }
  const auto batches = batches_per_thread * static_cast<std::size_t>(tbb::this_task_arena::max_concurrency());
  BatchLimits most = environment_.tube_bouncer->limits();
  most.pairs = std::min(most.pairs, std::max({pairs / batches, worth_pairs, widest}));
  return most;
}

std::vector<std::vector<TubeGroup>> Bounces::batches_of(std::span<const TubeGroup> groups) const {
  const std::vector<RowSize> sizes = row_sizes(groups);
  const BatchLimits most = limits_of_batches(groups, sizes);
  std::vector<std::vector<TubeGroup>> batches;
  BatchLimits left;
  for (std::size_t g = 0; g < groups.size(); ++g) {
    const auto [members, targets] = sizes[g];
    for (std::span<const Tube* const> tubes = groups[g].tubes; !tubes.empty();) {
      if (left.tubes == 0 || left.members < members || left.pairs < targets) {
        batches.emplace_back();
        left = most;
      }
      const std::size_t taken = std::min({tubes.size(), left.tubes, left.pairs / targets});
      batches.back().push_back({groups[g].element, tubes.first(taken)});
      tubes = tubes.subspan(taken);
      left.tubes -= taken;
      left.members -= members;
      left.pairs -= taken * targets;
    }
  }
  return batches;
}

void Bounces::add_to_batch(const TubeGroup& arrived, BatchState& state) const {
  TubeBatch& batch = state.tubes;
  const bool is_tile = environment_.points.is_tile(arrived.element);
  TubeBatch::Group group{.element = arrived.element, .first_tube = static_cast<std::uint32_t>(batch.tubes.size())};
  for (const Tube* const tube : arrived.tubes) {
    if (is_tile && !limits_.may_reflect(tube->reflections, tube->diffractions)) continue;
    batch.tubes.push_back(tube);
  }
  group.end_tube = static_cast<std::uint32_t>(batch.tubes.size());
  if (group.end_tube == group.first_tube) return;
  const Onward onward = onward_of(arrived);
  read_row_for(arrived, FollowedTo::all, onward, state);
  group.onward = onward.any();
  group.first_member = static_cast<std::uint32_t>(batch.members.size());
  batch.members.insert(batch.members.end(), state.row.begin(), state.row.end());
  for (const std::uint32_t tile : environment_.sight_over_ground.seen_from(arrived.element)) {
    batch.members.push_back(tile | RowTarget::arrives);
  }
  group.end_member = static_cast<std::uint32_t>(batch.members.size());
  batch.groups.push_back(group);
  state.cost[LaunchPhase::bounces].tests +=
      std::uint64_t{group.end_tube - group.first_tube} * (group.end_member - group.first_member);
}

void Bounces::take_bounced() {
  if (!bouncer_) return;
  const std::span<ArrivalSums> sums = arrivals_.of_thread().sums;
  bouncer_->add_to(sums.first(environment_.points.target_tile_count()));
}

void Bounces::bounce_to_receivers(const TubeGroup& arrived) {
  if (environment_.receiver_rows.seen_from(arrived.element).empty()) return;
  ThreadState& state = states_.local();
  std::vector<Tube> none;  // receivers pass nothing on
  if (environment_.points.is_tile(arrived.element)) {
    bounce_tile(arrived, FollowedTo::receivers, state, none);
  } else {
    bounce_edge(arrived, FollowedTo::receivers, state, none);
  }
}

}  // namespace tesseray
