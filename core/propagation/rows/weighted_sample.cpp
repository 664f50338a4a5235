// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/propagation/rows/weighted_sample.h"

namespace tesseray {

float scale_to_share(std::span<const float> estimates, double share) {
  float lanes[estimate_lanes] = {};
  std::size_t i = 0;
  for (; i + estimate_lanes <= estimates.size(); i += estimate_lanes) {
    for (std::size_t lane = 0; lane < estimate_lanes; ++lane) lanes[lane] += bounded_estimate(estimates[i + lane]);
  }
  for (; i < estimates.size(); ++i) lanes[i % estimate_lanes] += bounded_estimate(estimates[i]);
  return scale_to_share(lanes, share);
}

void draw_evenly(std::span<const std::uint32_t> numbers, std::span<const float> estimates, float scale,
                 std::uint64_t seed, DrawnNumbers& drawn) {
  drawn.numbers.clear();
  drawn.stand_for.clear();
  EvenDraw draw(seed);
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    const float estimate = scale * estimates[i];
    if (!draw.takes(chances_by_estimate(estimate))) continue;
    drawn.numbers.push_back(numbers[i]);
    drawn.stand_for.push_back(standing_for_estimate(estimate));
  }
}

}  // namespace tesseray
