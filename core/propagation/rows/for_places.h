// SPDX-License-Identifier: GPL-3.0-or-later
// Loops in vectors over rough points that lie all over a city.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>

#include "core/base/vector_dispatch.h"
#include "core/propagation/rows/rough_point.h"

namespace tesseray {

// Calls work(i, point of numbers[i], the value beside it) for all. They are copied together before they are worked on:
// a place is then read whole, not one coordinate after the other. `values`: put beside the points by number, unless
// nullptr.
template <class Place, class Work>
[[gnu::always_inline]] inline void for_places(const Place* places, const float* values,
                                              const std::uint32_t* __restrict numbers, std::size_t count,
                                              const Work& work) {
  static_assert(sizeof(Place) == 4 * sizeof(float));
  constexpr std::size_t together = 128;
  alignas(64) float near[4 * together];
  for (std::size_t begin = 0; begin < count; begin += together) {
    const std::size_t end = begin + together < count ? begin + together : count;
    for (std::size_t i = begin; i < end; ++i) {
      float* const at = near + 4 * (i - begin);
      std::memcpy(at, places + numbers[i], sizeof(Place));
      if (values != nullptr) at[3] = values[numbers[i]];
    }
    TESSERAY_INDEPENDENT_TURNS
    for (std::size_t i = begin; i < end; ++i) {
      const float* const at = near + 4 * (i - begin);
      work(i, RoughPoint{at[0], at[1], at[2]}, at[3]);
    }
  }
}

}  // namespace tesseray
