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
#include "core/propagation/interval_search.h"

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
  // How many marked buckets there are before each one, and before the end.
  std::array<std::int32_t, buckets + 1> marked_before() const;

  // The bucket of a cotangent z/ρ. The same on every instruction set.
  [[gnu::always_inline]] TESSERAY_HD static std::int32_t bucket(float z, float rho) {
    constexpr float least = 1e-30f;  // a point on the edge itself is in some bucket
    const float magnitude = z < 0 ? -z : z;
    const float place = z / (rho + magnitude + least);  // −1 … 1
    const auto number = static_cast<std::int32_t>((place + 1) * (0.5f * buckets));
    return number < last_bucket ? number : last_bucket;
  }

 private:
  static constexpr std::int32_t last_bucket = static_cast<std::int32_t>(buckets) - 1;
  std::array<std::uint8_t, buckets> marks_{};
};

}  // namespace tesseray
