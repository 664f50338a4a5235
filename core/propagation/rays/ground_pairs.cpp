// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/propagation/rays/ground_pairs.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <tuple>

#include "core/base/parallel.h"
#include "core/propagation/rays/local_mean.h"

namespace tesseray {
namespace {

auto order_of(const PairableRay& ray) {
  // The direct ray's reflection comes over the roofs where they hide it; where they do not, that is another's.
  return std::tuple(ray.way, ray.from_ground, !ray.straight, ray.over_rooftops, ray.direction.x, ray.direction.y,
                    ray.direction.z, ray.amplitude.re, ray.amplitude.im, ray.stands_for, ray.with_ground_below);
}

// Amplitudes in step with the direct ray, and those in step with its reflection alone; and what they bring together
// beyond the sum of their powers.
class InStep {
 public:
  void add(Complex with_direct, Complex with_reflected) {
    with_direct_ = with_direct_ + with_direct;
    with_reflected_ = with_reflected_ + with_reflected;
    powers_ += squared_norm(with_direct) + squared_norm(with_reflected);
  }
  // A ray with its reflection.
  void add(double in_step, Complex ray, ReflectionInStep reflection) {
    add(in_step * (ray + reflection.in_step * reflection.amplitude),
        (in_step * out_of_step(reflection.in_step)) * reflection.amplitude);
  }
  double interference() const { return squared_norm(with_direct_) + squared_norm(with_reflected_) - powers_; }

 private:
  Complex with_direct_{0, 0}, with_reflected_{0, 0};
  double powers_ = 0;
};

// Of rays that are drawn by chance it has their power in the mean.
Complex amplitude_of_all(const PairableRay& ray) { return std::sqrt(ray.stands_for) * ray.amplitude; }

double apart(const PairableRay& a, const PairableRay& b) {
  const Vec2 difference = a.direction.xy() - b.direction.xy();
  return dot(difference, difference);
}

// What the rays of one way bring: first those that have not met the ground, and of either kind the straight ones.
double interference_of(std::span<const PairableRay> rays, double wave_number, std::vector<const PairableRay*>& partners,
                       InStep& with_direct) {
  const auto from_ground = std::ranges::find(rays, true, &PairableRay::from_ground);
  partners.clear();
  for (auto ray = rays.begin(); ray != from_ground; ++ray) partners.push_back(&*ray);
  double sum = 0;
  for (auto ray = from_ground; ray != rays.end() && !partners.empty(); ++ray) {
    const auto nearest = std::ranges::min_element(partners, {}, [&](const PairableRay* p) { return apart(*p, *ray); });
    const PairableRay& partner = **nearest;
    const double by_direction = coherence(ray->direction, partner.direction, ray->normal, wave_number);
    // Drawn by chance, the two are there together as often as the weaker of them: mostly it is the other gone on.
    const double stands_for = std::max(partner.stands_for, ray->stands_for);
    sum += stands_for * interference(partner.amplitude, ray->amplitude, by_direction, partner.along_ground);
    with_direct.add(partner.in_step, amplitude_of_all(partner),
                    {amplitude_of_all(*ray), in_step(by_direction, partner.along_ground)});
    partners.erase(nearest);
  }
  for (const PairableRay* alone : partners) {
    sum += alone->with_ground_below;
    with_direct.add(alone->in_step, amplitude_of_all(*alone),
                    {std::sqrt(alone->stands_for) * alone->reflection.amplitude, alone->reflection.in_step});
    with_direct.add({0, 0}, alone->in_step_reflected * amplitude_of_all(*alone));
  }
  return sum;
}

}  // namespace

void add_ground_pairs(std::vector<std::vector<PairableRay>> parts, double wave_number,
                      std::span<ArrivalSums> receivers) {
  constexpr std::size_t receivers_per_block = 256;
  std::vector<std::size_t> ends(receivers.size() + 1, 0);
  for (const std::vector<PairableRay>& part : parts) {
    for (const PairableRay& ray : part) ++ends[ray.receiver + std::size_t{1}];
  }
  std::partial_sum(ends.begin(), ends.end(), ends.begin());
  std::vector<PairableRay> rays(ends.back());
  // Each receiver's rays are placed from their first place on, which so becomes their end.
  for (std::vector<PairableRay>& part : parts) {
    for (const PairableRay& ray : part) rays[ends[ray.receiver]++] = ray;
    part = {};
  }
  parallel_blocks(receivers.size(), receivers_per_block, no_progress(), [&](std::size_t begin, std::size_t end) {
    std::vector<const PairableRay*> partners;
    for (std::size_t r = begin; r < end; ++r) {
      const std::size_t first = r == 0 ? 0 : ends[r - 1];
      const std::span<PairableRay> here = std::span(rays).subspan(first, ends[r] - first);
      std::ranges::sort(here, {}, order_of);
      InStep with_direct;
      for (auto way = here.begin(); way != here.end();) {
        const auto next = std::find_if(way, here.end(), [&](const PairableRay& ray) { return ray.way != way->way; });
        receivers[r].interference.add(interference_of({way, next}, wave_number, partners, with_direct));
        way = next;
      }
      receivers[r].interference.add(with_direct.interference());
    }
  });
}

}  // namespace tesseray
