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
#include "core/base/infinity.h"

namespace tesseray {

// Takes items with given probabilities, evenly along their order: one where the running sum passes a whole number.
// Probabilities are whole multiples of 2⁻⁴⁰ ("chances"), so that their sums are the same in whatever parts they are
// added.
class EvenDraw {
 public:
  // Of what is taken in any case, without a change of the sum.
  static constexpr std::uint64_t certain = std::uint64_t{1} << 40;
  // REQUIRES: 0 ≤ probability ≤ 1.
  TESSERAY_HD static std::uint64_t chances(double probability) {
    return static_cast<std::uint64_t>(static_cast<std::int64_t>(probability * static_cast<double>(certain)));
  }

  // One random number for all.
  TESSERAY_HD explicit EvenDraw(std::uint64_t seed) : sum_(scrambled(seed) % certain) {}

  TESSERAY_HD bool takes(std::uint64_t chances) {
    sum_ += chances;
    if (sum_ < certain) return false;
    sum_ -= certain;
    return true;
  }
  // The same draw after items that have so many chances in all.
  TESSERAY_HD EvenDraw after(std::uint64_t chances) const {
    EvenDraw draw = *this;
    draw.sum_ = (sum_ + chances) % certain;
    return draw;
  }

 private:
  std::uint64_t sum_;
};

// Items below a threshold, and those that are not. Sums are by lanes, lane k having the items k, k + weight_lanes, and
// so on, so that they are the same however many lanes are worked out at a time.
struct WeakItems {
  double weight;  // of all that are below
  std::uint64_t others;

  TESSERAY_HD void add(double item_weight, double threshold) {
    if (item_weight >= threshold) {
      ++others;
    } else {
      weight += item_weight;
    }
  }
};
inline constexpr std::size_t weight_lanes = 32;

// The weight from which on an item is kept for certain is sought in so many turns at most: Σ min(1, weight / threshold)
// = most. Each turn gives the next threshold, from ∞ on; the same again when there is no better one.
inline constexpr int threshold_turns = 8;
TESSERAY_HD inline double next_threshold(const WeakItems* of_lanes, std::size_t most, double threshold) {
  WeakItems all{0, 0};
  for (std::size_t lane = 0; lane < weight_lanes; ++lane) {
    all.weight += of_lanes[lane].weight;
    all.others += of_lanes[lane].others;
  }
  return all.others >= most ? threshold : all.weight / static_cast<double>(most - all.others);
}

TESSERAY_HD inline std::uint64_t chances_by_weight(double weight, double threshold) {
  return weight < threshold ? EvenDraw::chances(weight / threshold) : EvenDraw::certain;
}

namespace weighted_sample_detail {

template <class Items, class Weight>
double threshold_for(const Items& items, std::size_t most, const Weight& weight_of) {
  double threshold = infinity;
  for (int turn = 0; turn < threshold_turns; ++turn) {
    WeakItems lanes[weight_lanes] = {};
    std::size_t lane = 0;
    for (const auto& item : items) lanes[lane++ % weight_lanes].add(weight_of(item), threshold);
    const double next = next_threshold(lanes, most, threshold);
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
std::size_t thin_by_weight(Items&& items, std::size_t most, std::uint64_t seed, const Weight& weight_of,
                           const StandFor& stand_for) {
  if (most == 0 || items.size() <= most) return items.size();
  const double threshold = weighted_sample_detail::threshold_for(items, most, weight_of);
  EvenDraw draw(seed);
  std::size_t kept = 0;
  for (auto& item : items) {
    const double weight = weight_of(item);
    if (!draw.takes(chances_by_weight(weight, threshold))) continue;
    if (weight < threshold) stand_for(item, threshold / weight);
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

// Those whose estimate is 1 and more are kept, and of the others each with its estimate for a probability. What has no
// estimate is kept.
TESSERAY_HD inline std::uint64_t chances_by_estimate(float estimate) {
  return estimate < 1 ? EvenDraw::chances(static_cast<double>(estimate)) : EvenDraw::certain;
}
// For how many a kept one stands.
TESSERAY_HD inline float standing_for_estimate(float estimate) { return estimate < 1 ? 1.0f / estimate : 1.0f; }

// Numbers that are left of more of them, and for how many each stands.
struct DrawnNumbers {
  std::vector<std::uint32_t> numbers;
  std::vector<float> stand_for;
};

// Draws them so, with estimates times `scale`.
void draw_evenly(std::span<const std::uint32_t> numbers, std::span<const float> estimates, float scale,
                 std::uint64_t seed, DrawnNumbers& drawn);

}  // namespace tesseray
