// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/propagation/ground_pairs.h"

#include <algorithm>
#include <tuple>

#include "core/propagation/local_mean.h"

namespace tesseray {
namespace {

auto order_of(const PairableRay& ray) {
  return std::tuple(ray.receiver, ray.way, ray.from_ground, !ray.straight, ray.direction.x, ray.direction.y,
                    ray.direction.z, ray.amplitude.re, ray.amplitude.im);
}

double apart(const PairableRay& a, const PairableRay& b) {
  const Vec2 difference = a.direction.xy() - b.direction.xy();
  return dot(difference, difference);
}

// What the rays of one way bring: first those that have not met the ground, and of either kind the straight ones.
double interference_of(std::span<const PairableRay> rays, double wave_number,
                       std::vector<const PairableRay*>& partners) {
  const auto from_ground = std::ranges::find(rays, true, &PairableRay::from_ground);
  partners.clear();
  for (auto ray = rays.begin(); ray != from_ground; ++ray) partners.push_back(&*ray);
  double sum = 0;
  for (auto ray = from_ground; ray != rays.end() && !partners.empty(); ++ray) {
    const auto nearest = std::ranges::min_element(partners, {}, [&](const PairableRay* p) { return apart(*p, *ray); });
    const PairableRay& partner = **nearest;
    const double in_step =
        ray->straight && partner.straight ? 1.0 : coherence(ray->direction, partner.direction, wave_number);
    sum += interference(ray->amplitude, partner.amplitude, in_step);
    partners.erase(nearest);
  }
  return sum;
}

}  // namespace

void add_ground_pairs(std::vector<PairableRay> rays, double wave_number, std::span<ArrivalSums> receivers) {
  std::ranges::sort(rays, {}, order_of);
  std::vector<const PairableRay*> partners;
  for (auto first = rays.begin(); first != rays.end();) {
    const auto end = std::find_if(
        first, rays.end(), [&](const PairableRay& r) { return r.receiver != first->receiver || r.way != first->way; });
    receivers[first->receiver].interference.add(interference_of({first, end}, wave_number, partners));
    first = end;
  }
}

}  // namespace tesseray
