// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/propagation/weighted_sample.h"

namespace tesseray {

void draw_evenly(std::span<const std::uint32_t> numbers, std::span<const float> estimates, std::uint64_t seed,
                 DrawnNumbers& drawn) {
  drawn.numbers.clear();
  drawn.stand_for.clear();
  EvenDraw draw(seed);
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    const float estimate = estimates[i];
    // What has no estimate is kept.
    const bool certain = !(estimate < 1);
    if (!certain && !draw.takes(static_cast<double>(estimate))) continue;
    drawn.numbers.push_back(numbers[i]);
    drawn.stand_for.push_back(certain ? 1.0f : 1.0f / estimate);
  }
}

}  // namespace tesseray
