// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/propagation/launching/rays_in_any_order.h"

#include <algorithm>
#include <tuple>

namespace tesseray {
namespace {

// Above rounding, which is all that the places of one ray differ by.
constexpr double same_place_m = 1e-4;

auto kind_of(const RayInAnyOrder& ray) {
  return std::tuple(ray.number, ray.interactions, ray.cross_polarized, ray.through_building);
}

bool are_same(const RayInAnyOrder& one, const RayInAnyOrder& other) {
  return kind_of(one) == kind_of(other) && norm(one.image - other.image) < same_place_m &&
         norm(one.first_place - other.first_place) < same_place_m;
}

// The first of sorted ones that may be the same ray.
template <class Iterator>
Iterator first_near(Iterator begin, Iterator end, const RayInAnyOrder& ray) {
  const std::tuple least(kind_of(ray), ray.image.x - same_place_m);
  return std::lower_bound(begin, end, least, [](const WaitingRay& waiting, const auto& bound) {
    return std::tuple(kind_of(waiting.ray), waiting.ray.image.x) < bound;
  });
}

}  // namespace

std::vector<WaitingRay> not_arrived(const std::vector<const RaysInAnyOrder*>& of_threads) {
  std::vector<WaitingRay> waiting;
  for (const RaysInAnyOrder* rays : of_threads) {
    waiting.insert(waiting.end(), rays->waiting.begin(), rays->waiting.end());
  }
  const auto order = [](const WaitingRay& one) {
    const Vec3& image = one.ray.image;
    return std::tuple(kind_of(one.ray), image.x, image.y, image.z, one.held.chain.elements);
  };
  std::sort(waiting.begin(), waiting.end(),
            [&](const WaitingRay& a, const WaitingRay& b) { return order(a) < order(b); });
  // Of each, whether it has arrived, or stands before the same ray in the list.
  std::vector<bool> is_left(waiting.size(), true);
  const auto leave_out = [&](const RayInAnyOrder& ray, auto first) {
    for (auto at = first_near(first, waiting.end(), ray);
         at != waiting.end() && kind_of(at->ray) == kind_of(ray) && at->ray.image.x < ray.image.x + same_place_m;
         ++at) {
      if (are_same(at->ray, ray)) is_left[static_cast<std::size_t>(at - waiting.begin())] = false;
    }
  };
  for (const RaysInAnyOrder* rays : of_threads) {
    for (const RayInAnyOrder& ray : rays->arrived) leave_out(ray, waiting.begin());
  }
  std::vector<WaitingRay> left;
  for (std::size_t i = 0; i < waiting.size(); ++i) {
    if (!is_left[i]) continue;
    leave_out(waiting[i].ray, waiting.begin() + static_cast<std::ptrdiff_t>(i) + 1);
    left.push_back(waiting[i]);
  }
  return left;
}

}  // namespace tesseray
