// SPDX-License-Identifier: GPL-3.0-or-later
// Which directions past an edge segment are lit by any of some sources.
//
// A source lights what lies between two Keller cones, so between two cotangents of the angle to the edge
// (interval_search.h). The members of an edge's row stand all around it; most are lit by none of the tiles whose power
// the edge diffracts. Cotangents go into buckets, of which those are marked that some source lights.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "core/base/host_device.h"
#include "core/propagation/rows/interval_search.h"

namespace tesseray {

class LitCotangents {
 public:
  static constexpr std::size_t buckets = 128;

  // The first and the last bucket of what a source with these bounds lights (edge_bounds), and one more on either side:
  // wider than any rounding of places in single precision.
  struct Range {
    std::int32_t first = 0, last = 0;
  };
  TESSERAY_HD static Range lit_by(const IntervalBounds& bounds) {
    const std::int32_t first = bucket(bounds.lower_u, 1) - 1, last = bucket(bounds.upper_u, 1) + 1;
    return {first > 0 ? first : 0, last < last_bucket ? last : last_bucket};
  }
  void add(const IntervalBounds& bounds);
  // See next_places().
  std::array<float, buckets> next_places() const;

  // Cotangents go by their places, z/(ρ + |z|): −1 … 1. This is where the first marked bucket begins, from each one on
  // (itself included); beyond all places where there is none. `marks`: not 0 for marked buckets.
  template <class Mark>
  TESSERAY_HD static void find_next_places(const Mark* marks, float* next) {
    float place = beyond_all;
    for (std::size_t b = buckets; b-- > 0;) {
      if (marks[b] != 0) place = static_cast<float>(b) * (2.0f / buckets) - 1.0f;
      next[b] = place;
    }
  }

  // Whether some bucket between those of z_first/ρ and z_last/ρ is marked. The same on every instruction set.
  [[gnu::always_inline]] TESSERAY_HD static bool is_marked_between(float z_first, float z_last, float rho,
                                                                   const float* next_places) {
    return next_places[bucket(z_first, rho)] * span(z_last, rho) <= z_last;
  }

  // The bucket of a cotangent z/ρ.
  [[gnu::always_inline]] TESSERAY_HD static std::int32_t bucket(float z, float rho) {
    const auto number = static_cast<std::int32_t>((z / span(z, rho) + 1) * (0.5f * buckets));
    return number < last_bucket ? number : last_bucket;
  }

 private:
  static constexpr std::int32_t last_bucket = static_cast<std::int32_t>(buckets) - 1;
  static constexpr float beyond_all = 2;

  // What z is divided by for the place of z/ρ.
  [[gnu::always_inline]] TESSERAY_HD static float span(float z, float rho) {
    constexpr float least = 1e-30f;  // a point on the edge itself is in some bucket
    const float magnitude = z < 0 ? -z : z;
    return rho + magnitude + least;
  }

  std::array<std::uint8_t, buckets> marks_{};
};

}  // namespace tesseray
