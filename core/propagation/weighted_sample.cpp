// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/propagation/weighted_sample.h"

namespace tesseray {

void draw_evenly(std::span<const std::uint32_t> numbers, std::span<const float> estimates, std::uint64_t seed,
                 DrawnNumbers& drawn) {
  drawn.numbers.clear();
  drawn.stand_for.clear();
  const auto keep = [&](std::size_t i, float stand_for) {
    drawn.numbers.push_back(numbers[i]);
    drawn.stand_for.push_back(stand_for);
  };
  draw_evenly(
      numbers.size(), seed, [&](std::size_t i) { return estimates[i]; }, keep);
}

}  // namespace tesseray
