// SPDX-License-Identifier: GPL-3.0-or-later
// Fewer rays that stand for all.
//
// An edge segment, or a mirroring tile, is lit by hundreds of tiles that scatter and by hundreds of tubes. What they
// bring to a target is a sum, so it can be estimated from a sample: strong ones are kept as they are, of the weak ones
// each is kept with a probability in proportion to its power at the element, and then counts as many times more. The
// expectation is the sum itself (no bias); items are drawn evenly along their order, which is that of their place in
// the city, so that neighbours stand for each other. The sample depends on the seed alone: the same for any number of
// threads.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "core/base/hash.h"
#include "core/base/host_device.h"

namespace tesseray {

// Takes items with given probabilities, evenly along their order: one where the running sum passes a whole number.
class EvenDraw {
 public:
  // One random number for all.
  TESSERAY_HD explicit EvenDraw(std::uint64_t seed) : sum_(hashed_fraction(seed)) {}

  TESSERAY_HD bool takes(double probability) {
    sum_ += probability;
    if (sum_ < 1) return false;
    sum_ -= 1;
    return true;
  }

 private:
  double sum_;
};

namespace weighted_sample_detail {

// The weight above which an item is kept for certain: Σ min(1, weight / threshold) = most.
template <class Items, class Weight>
TESSERAY_HD double threshold_for(const Items& items, std::size_t most, const Weight& weight_of) {
  double threshold = 0;
  for (int turn = 0; turn < 8; ++turn) {
    double weak = 0;
    std::size_t certain = 0;
    for (const auto& item : items) {
      const double weight = weight_of(item);
      if (turn > 0 && weight >= threshold) {
        ++certain;
      } else {
        weak += weight;
      }
    }
    if (certain >= most) break;
    const double next = weak / static_cast<double>(most - certain);
    if (next == threshold) break;
    threshold = next;
  }
  return threshold;
}

}  // namespace weighted_sample_detail

// Leaves about `most` of the items (all when there are no more, or when `most` is 0), in their order, at the front, and
// returns how many. Calls stand_for(item, times) for those that count for more than themselves. `seed` tells elements
// apart. REQUIRES: weights above 0.
template <class Items, class Weight, class StandFor>
TESSERAY_HD std::size_t thin_by_weight(Items&& items, std::size_t most, std::uint64_t seed, const Weight& weight_of,
                                       const StandFor& stand_for) {
  if (most == 0 || items.size() <= most) return items.size();
  const double threshold = weighted_sample_detail::threshold_for(items, most, weight_of);
  EvenDraw draw(seed);
  std::size_t kept = 0;
  for (auto& item : items) {
    const double weight = weight_of(item);
    if (weight < threshold) {
      if (!draw.takes(weight / threshold)) continue;
      stand_for(item, threshold / weight);
    }
    items[kept++] = std::move(item);
  }
  return kept;
}

// Sums of estimates that are the same however many of the lanes are worked out at a time: lane k has the estimates k,
// k + estimate_lanes, and so on, one after the other.
inline constexpr std::size_t estimate_lanes = 16;

// An estimate as it is summed: what is stronger than this is kept for certain whatever the others are.
TESSERAY_HD inline float bounded_estimate(float estimate) { return estimate < 0x1p40f ? estimate : 0x1p40f; }

TESSERAY_HD inline float lane_of_estimates(const float* estimates, std::size_t count, std::size_t lane) {
  float sum = 0;
  for (std::size_t i = lane; i < count; i += estimate_lanes) sum += bounded_estimate(estimates[i]);
  return sum;
}

// What estimates are multiplied by, so that those are drawn by chance, too, that are below `share` of the sum of all.
// `sums`: by lane.
TESSERAY_HD inline float scale_to_share(const float* sums, double share) {
  float sum = 0;
  for (std::size_t lane = 0; lane < estimate_lanes; ++lane) sum += sums[lane];
  const float least = static_cast<float>(share) * sum;
  return least > 1 ? 1 / least : 1.0f;
}

// The same of estimates in memory.
float scale_to_share(std::span<const float> estimates, double share);

// Keeps those of `count` items whose estimate is 1 and more, and of the others each with its estimate for a
// probability: calls keep(item, stand_for) for them, in their order. What has no estimate is kept.
template <class Estimate, class Keep>
TESSERAY_HD void draw_evenly(std::size_t count, std::uint64_t seed, const Estimate& estimate_of, const Keep& keep) {
  EvenDraw draw(seed);
  for (std::size_t i = 0; i < count; ++i) {
    const float estimate = estimate_of(i);
    const bool certain = !(estimate < 1);
    if (certain || draw.takes(static_cast<double>(estimate))) keep(i, certain ? 1.0f : 1.0f / estimate);
  }
}

// Numbers that are left of more of them, and for how many each stands.
struct DrawnNumbers {
  std::vector<std::uint32_t> numbers;
  std::vector<float> stand_for;
};

// The same for numbers, with estimates times `scale`.
void draw_evenly(std::span<const std::uint32_t> numbers, std::span<const float> estimates, float scale,
                 std::uint64_t seed, DrawnNumbers& drawn);

}  // namespace tesseray
