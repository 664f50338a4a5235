// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/propagation/rays/ground_pairs.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <tuple>
#include <utility>
#include <vector>

#include "core/base/infinity.h"
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
  double interference() const { return squared_norm(with_direct_) + squared_norm(with_reflected_) - powers_; }

 private:
  Complex with_direct_{0, 0}, with_reflected_{0, 0};
  double powers_ = 0;
};

// Of rays that are drawn by chance it has their power in the mean.
Complex amplitude_of_all(const PairableRay& ray) { return std::sqrt(ray.stands_for) * ray.amplitude; }

// A ray of a way that has not met the ground and one from there that is its reflection with a part of the amplitude; by
// their places among the way's rays, which are in order.
struct ReflectionOfRay {
  std::uint32_t ray, from_ground;
  double part;  // 0 … 1; the squares of all parts of a reflection are 1 together
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

// How a way's reflections belong to its rays: each to the ray that comes in from the nearest azimuth, and more and more
// to another one as the two azimuths become the same, in proportion to their amplitudes, so that one of next to no
// power takes none of them. An upright edge's own all have exactly its azimuth: were one of them chosen, rounding would
// do so.
class ReflectionsOfWay {
 public:
  // `rays`: first those that have not met the ground.
  void find(std::span<const PairableRay> rays, double wave_number) {
    reflections_.clear();
    const auto first_from_ground = std::ranges::find(rays, true, &PairableRay::from_ground);
    const auto without = static_cast<std::uint32_t>(first_from_ground - rays.begin());
    direct_has_own_ = std::any_of(first_from_ground, rays.end(), [](const PairableRay& from_ground) {
      return from_ground.straight && !from_ground.over_rooftops;
    });
    for (std::uint32_t g = without; g < rays.size(); ++g) share(rays.first(without), rays[g], g, wave_number);
    std::ranges::sort(reflections_, {}, [](const ReflectionOfRay& one) { return std::pair(one.ray, one.from_ground); });
  }
  std::span<const ReflectionOfRay> of(std::uint32_t ray) const {
    const auto range = std::ranges::equal_range(reflections_, ray, {}, &ReflectionOfRay::ray);
    return {range.begin(), range.end()};
  }

 private:
  bool may_belong(const PairableRay& ray, const PairableRay& from_ground, bool to_direct, double wave_number) const {
    // The direct ray's own reflection is nobody else's, and one over the roofs is its own where it has no other.
    if (to_direct && (!ray.straight || (from_ground.over_rooftops && direct_has_own_))) return false;
    if (come_from_one_side(ray.direction, from_ground.direction)) return true;
    const double by_direction = coherence(from_ground.direction, ray.direction, from_ground.normal, wave_number);
    return in_step(by_direction, ray.along_ground) > 0;
  }

  void share(std::span<const PairableRay> rays, const PairableRay& from_ground, std::uint32_t number,
             double wave_number) {
    // Squared: corners behind each other are told apart from 1e-4 rad on, and where the ground's slope turns the
    // reflection's azimuth a second one counts as far as it is not √2 times as far off as the nearest.
    constexpr double same_azimuth = 1e-8;
    const bool to_direct = from_ground.straight && std::ranges::any_of(rays, &PairableRay::straight);
    apart_.assign(rays.size(), infinity);
    double least = infinity;
    for (std::uint32_t r = 0; r < rays.size(); ++r) {
      if (!may_belong(rays[r], from_ground, to_direct, wave_number)) continue;
      apart_[r] = apart_in_plan(rays[r].direction, from_ground.direction);
      least = std::min(least, apart_[r]);
    }
    const std::size_t first = reflections_.size();
    double squares = 0;
    for (std::uint32_t r = 0; r < rays.size(); ++r) {
      const double as_near = 1 - (apart_[r] - least) / (least + same_azimuth);
      if (!(as_near > 0)) continue;
      const double part = as_near * norm(amplitude_of_all(rays[r]));
      reflections_.push_back({r, number, part});
      squares += part * part;
    }
    if (!(squares > 0)) reflections_.resize(first);
    for (std::size_t i = first; i < reflections_.size(); ++i) reflections_[i].part /= std::sqrt(squares);
  }

  bool direct_has_own_ = false;
  std::vector<ReflectionOfRay> reflections_;
  std::vector<double> apart_;  // in the plan, of the rays from one reflection; infinite: it is none of theirs
};

// A ray with all of its reflections, which are in step with each other as with it: by their directions.
class RayWithReflections {
 public:
  RayWithReflections(std::span<const PairableRay> rays, std::uint32_t ray, std::span<const ReflectionOfRay> reflections,
                     double wave_number)
      : rays_(rays), ray_(rays[ray]), reflections_(reflections), wave_number_(wave_number) {
    // One for all, so that they are parts of one field.
    Vec3 sum{0, 0, 0};
    for (const ReflectionOfRay& one : reflections) {
      const PairableRay& from_ground = rays[one.from_ground];
      sum = sum + one.part * one.part * squared_norm(amplitude_of_all(from_ground)) * from_ground.normal;
    }
    normal_ = reflections.empty() ? Vec3{0, 0, 1} : normalized(sum);
  }

  // Beyond the sum of their powers.
  double interference() const {
    double both = 0;
    Complex whole = ray_.amplitude;
    for (std::size_t i = 0; i < reflections_.size(); ++i) {
      both += between(ray_, ray_.amplitude, of(i), amplitude(i));
      for (std::size_t j = 0; j < i; ++j) both += between(of(i), amplitude(i), of(j), amplitude(j));
      whole = whole + amplitude(i);
    }
    return raised_interference(both, squared_norm(whole), ray_.along_ground) + alone() * ray_.with_ground_below;
  }

  // As far as the ray is in step with the direct one.
  void add_to(InStep& with_direct) const {
    if (!(ray_.in_step > 0)) return;
    Complex as_ray = amplitude_of_all(ray_), rest{0, 0};
    double power_of_rest = 0;
    for (std::size_t i = 0; i < reflections_.size(); ++i) {
      const double in_step = in_step_of(ray_, of(i));
      as_ray = as_ray + in_step * amplitude_of_all(i);
      rest = rest + out_of_step(in_step) * amplitude_of_all(i);
      power_of_rest += (1 - in_step * in_step) * squared_norm(amplitude_of_all(i));
      for (std::size_t j = 0; j < i; ++j) {
        const double of_rests = in_step_of(of(i), of(j)) - in_step * in_step_of(ray_, of(j));
        power_of_rest += tesseray::interference(amplitude_of_all(i), amplitude_of_all(j), of_rests);
      }
    }
    // The rests are in step with each other in part: no more than they have by themselves joins other rays' rests.
    const double as_one = squared_norm(rest);
    if (as_one > power_of_rest) rest = std::sqrt(std::max(power_of_rest, 0.0) / as_one) * rest;
    const Complex below = alone() * std::sqrt(ray_.stands_for) * ray_.reflection.amplitude;
    as_ray = as_ray + ray_.reflection.in_step * below;
    rest = rest + out_of_step(ray_.reflection.in_step) * below;
    with_direct.add(ray_.in_step * as_ray, ray_.in_step * rest);
  }

 private:
  const PairableRay& of(std::size_t i) const { return rays_[reflections_[i].from_ground]; }
  Complex amplitude(std::size_t i) const { return reflections_[i].part * of(i).amplitude; }
  Complex amplitude_of_all(std::size_t i) const { return std::sqrt(of(i).stands_for) * amplitude(i); }
  static Complex amplitude_of_all(const PairableRay& ray) { return tesseray::amplitude_of_all(ray); }
  double in_step_of(const PairableRay& a, const PairableRay& b) const {
    return in_step(coherence(a.direction, b.direction, normal_, wave_number_), ray_.along_ground);
  }
  double between(const PairableRay& a, Complex of_a, const PairableRay& b, Complex of_b) const {
    // Drawn by chance, the two are there together as often as the weaker of them: mostly it is the other gone on.
    return std::max(a.stands_for, b.stands_for) * tesseray::interference(of_a, of_b, in_step_of(a, b));
  }
  // How far what the ground below it reflects is no ray of its own.
  double alone() const {
    double largest = 0;
    for (const ReflectionOfRay& one : reflections_) largest = std::max(largest, one.part);
    return 1 - largest * largest;
  }

  std::span<const PairableRay> rays_;
  const PairableRay& ray_;
  std::span<const ReflectionOfRay> reflections_;
  double wave_number_;
  Vec3 normal_;
};

// What the rays of one way bring: first those that have not met the ground.
double interference_of(std::span<const PairableRay> rays, double wave_number, ReflectionsOfWay& reflections,
                       InStep& with_direct) {
  double sum = 0;
  reflections.find(rays, wave_number);
  for (std::uint32_t r = 0; r < rays.size() && !rays[r].from_ground; ++r) {
    const RayWithReflections ray(rays, r, reflections.of(r), wave_number);
    sum += ray.interference();
    ray.add_to(with_direct);
    with_direct.add({0, 0}, rays[r].in_step_reflected * amplitude_of_all(rays[r]));
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
      ReflectionsOfWay reflections;
      for (std::size_t r = first + begin; r < first + end; ++r) {
        const std::span<PairableRay> here = rays.of(r);
        std::ranges::sort(here, {}, order_of);
        InStep with_direct;
        for (auto way = here.begin(); way != here.end();) {
          const auto next = std::find_if(way, here.end(), [&](const PairableRay& ray) { return ray.way != way->way; });
          receivers[r].interference.add(interference_of({way, next}, wave_number, reflections, with_direct));
          way = next;
        }
        receivers[r].interference.add(with_direct.interference());
      }
    });
  }
}

}  // namespace tesseray
