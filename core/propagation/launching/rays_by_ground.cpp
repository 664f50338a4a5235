// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/propagation/launching/rays_by_ground.h"

#include <algorithm>
#include <tuple>

namespace tesseray {
namespace {

using Waiting = std::vector<const RayByGround*>;

auto key_of(const auto& ray) { return std::tuple(ray.receiver, ray.way); }

auto order_of(const RayByGround& ray) {
  const InteractionChain& chain = ray.held.chain;
  return std::tuple(key_of(ray), ray.tilt, chain.over_rooftops, chain.length, chain.elements);
}

bool comes_from_there(const RayByGround& ray, Vec2 from) {
  const Vec2 apart = from - ray.from;
  return norm(apart - dot(apart, ray.edge_direction) * ray.edge_direction) <= ray.within_m;
}

// Those of one receiver and way.
auto range_of(const Waiting& waiting, const auto& ray) {
  const auto key = [](const RayByGround* one) { return key_of(*one); };
  return std::ranges::equal_range(waiting, key_of(ray), {}, key);
}

}  // namespace

std::vector<const RayByGround*> not_brought(const std::vector<const RaysByGround*>& of_threads,
                                            const std::vector<const PairableRays*>& arrived) {
  Waiting waiting;
  for (const RaysByGround* rays : of_threads) {
    for (const RayByGround& ray : *rays) waiting.push_back(&ray);
  }
  if (waiting.empty()) return {};
  std::ranges::sort(waiting, {}, [](const RayByGround* ray) { return order_of(*ray); });
  std::vector<bool> is_left(waiting.size(), true);
  const auto leave_out = [&](const auto& ray, std::size_t first) {
    const auto same_way = range_of(waiting, ray);
    const auto begin = static_cast<std::size_t>(same_way.begin() - waiting.begin());
    for (std::size_t i = std::max(begin, first); i < begin + same_way.size(); ++i) {
      if (comes_from_there(*waiting[i], ray.from)) is_left[i] = false;
    }
  };
  for (const PairableRays* rays : arrived) {
    for (const PairableRay& ray : *rays) {
      if (ray.from_ground || ray.with_ground_below != 0) leave_out(ray, 0);
    }
  }
  Waiting left;
  for (std::size_t i = 0; i < waiting.size(); ++i) {
    if (!is_left[i]) continue;
    leave_out(*waiting[i], i + 1);
    left.push_back(waiting[i]);
  }
  return left;
}

}  // namespace tesseray
