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

// A ray of a way that has not met the ground and one from there, by their places among its rays.
struct Candidate {
  std::uint32_t ray, from_ground;
  bool are_straight;      // the direct ray and its reflection
  bool over_rooftops;     // that reflection
  double by_direction;    // coherence
  double in_step, apart;  // in the plan

  // Those first that belong together most certainly. Places are in the rays' order.
  auto rank() const { return std::tuple(!are_straight, over_rooftops, !(in_step > 0), apart, from_ground, ray); }
};

// Whether a ray may be another's reflection though the two are out of step: it comes in from nearly the same side.
bool come_from_one_side(Vec3 a, Vec3 b) {
  constexpr double least_cosine = 0.87;
  return dot(a.xy(), b.xy()) >= least_cosine * norm(a.xy()) * norm(b.xy());
}

// By their azimuths alone, whatever their elevations: 0 … 4, and 0 where one is upright.
double apart_in_plan(Vec3 a, Vec3 b) {
  const double across_a = norm(a.xy()), across_b = norm(b.xy());
  if (!(across_a > 0 && across_b > 0)) return 0;
  const Vec2 difference = (1 / across_a) * a.xy() - (1 / across_b) * b.xy();
  return dot(difference, difference);
}

// The pairs of one way, no ray in two of them: again and again the two of those left that rank first. `rays`: first
// those that have not met the ground. Memory to work in is the caller's.
class PairsOfWay {
 public:
  std::span<const Candidate> find(std::span<const PairableRay> rays, double wave_number) {
    collect(rays, wave_number);
    std::ranges::sort(pairs_, {}, &Candidate::rank);
    is_paired_.assign(rays.size(), false);
    std::erase_if(pairs_, [this](const Candidate& pair) {
      if (is_paired_[pair.ray] || is_paired_[pair.from_ground]) return true;
      is_paired_[pair.ray] = is_paired_[pair.from_ground] = true;
      return false;
    });
    return pairs_;
  }
  // Of the rays asked for last.
  bool is_paired(std::size_t ray) const { return is_paired_[ray]; }

 private:
  void collect(std::span<const PairableRay> rays, double wave_number) {
    const auto first_from_ground =
        static_cast<std::uint32_t>(std::ranges::find(rays, true, &PairableRay::from_ground) - rays.begin());
    pairs_.clear();
    for (std::uint32_t g = first_from_ground; g < rays.size(); ++g) {
      const PairableRay& from_ground = rays[g];
      for (std::uint32_t r = 0; r < first_from_ground; ++r) {
        const PairableRay& ray = rays[r];
        const double by_direction = coherence(from_ground.direction, ray.direction, from_ground.normal, wave_number);
        const double both_in_step = in_step(by_direction, ray.along_ground);
        if (!(both_in_step > 0) && !come_from_one_side(ray.direction, from_ground.direction)) continue;
        const bool are_straight = ray.straight && from_ground.straight;
        pairs_.push_back({r, g, are_straight, are_straight && from_ground.over_rooftops, by_direction, both_in_step,
                          apart_in_plan(ray.direction, from_ground.direction)});
      }
    }
  }

  std::vector<Candidate> pairs_;
  std::vector<char> is_paired_;
};

// What the rays of one way bring: first those that have not met the ground.
double interference_of(std::span<const PairableRay> rays, double wave_number, PairsOfWay& pairs, InStep& with_direct) {
  double sum = 0;
  for (const Candidate& pair : pairs.find(rays, wave_number)) {
    const PairableRay &ray = rays[pair.ray], &from_ground = rays[pair.from_ground];
    // Drawn by chance, the two are there together as often as the weaker of them: mostly it is the other gone on.
    const double stands_for = std::max(ray.stands_for, from_ground.stands_for);
    sum += stands_for * interference(ray.amplitude, from_ground.amplitude, pair.by_direction, ray.along_ground);
    with_direct.add(ray.in_step, amplitude_of_all(ray), {amplitude_of_all(from_ground), pair.in_step});
  }
  for (std::size_t r = 0; r < rays.size() && !rays[r].from_ground; ++r) {
    if (pairs.is_paired(r)) continue;
    const PairableRay& alone = rays[r];
    sum += alone.with_ground_below;
    with_direct.add(alone.in_step, amplitude_of_all(alone),
                    {std::sqrt(alone.stands_for) * alone.reflection.amplitude, alone.reflection.in_step});
    with_direct.add({0, 0}, alone.in_step_reflected * amplitude_of_all(alone));
  }
  return sum;
}

// The rays of some receivers after each other, so that few are there twice at a time.
class RaysByReceiver {
 public:
  RaysByReceiver(std::span<const PairableRays> parts, std::size_t first, std::size_t end)
      : first_(first), ends_(end - first + 1, 0) {
    const auto for_each_here = [&](const auto& visit) {
      for (const PairableRays& part : parts) {
        for (const PairableRay& ray : part) {
          if (ray.receiver >= first && ray.receiver < end) visit(ray);
        }
      }
    };
    for_each_here([&](const PairableRay& ray) { ++ends_[ray.receiver - first + 1]; });
    std::partial_sum(ends_.begin(), ends_.end(), ends_.begin());
    rays_.resize(ends_.back());
    // Each receiver's rays are placed from their first place on, which so becomes their end.
    for_each_here([&](const PairableRay& ray) { rays_[ends_[ray.receiver - first]++] = ray; });
  }

  std::span<PairableRay> of(std::size_t receiver) {
    const std::size_t k = receiver - first_, begin = k == 0 ? 0 : ends_[k - 1];
    return std::span(rays_).subspan(begin, ends_[k] - begin);
  }

 private:
  std::size_t first_;
  std::vector<std::size_t> ends_;
  std::vector<PairableRay> rays_;
};

}  // namespace

void add_ground_pairs(std::span<const PairableRays> parts, double wave_number, std::span<ArrivalSums> receivers) {
  constexpr std::size_t passes = 4, receivers_per_block = 256;
  const std::size_t per_pass = std::max(receivers_per_block, (receivers.size() + passes - 1) / passes);
  for (std::size_t first = 0; first < receivers.size(); first += per_pass) {
    const std::size_t count = std::min(per_pass, receivers.size() - first);
    RaysByReceiver rays(parts, first, first + count);
    parallel_blocks(count, receivers_per_block, no_progress(), [&](std::size_t begin, std::size_t end) {
      PairsOfWay pairs;
      for (std::size_t r = first + begin; r < first + end; ++r) {
        const std::span<PairableRay> here = rays.of(r);
        std::ranges::sort(here, {}, order_of);
        InStep with_direct;
        for (auto way = here.begin(); way != here.end();) {
          const auto next = std::find_if(way, here.end(), [&](const PairableRay& ray) { return ray.way != way->way; });
          receivers[r].interference.add(interference_of({way, next}, wave_number, pairs, with_direct));
          way = next;
        }
        receivers[r].interference.add(with_direct.interference());
      }
    });
  }
}

}  // namespace tesseray
