// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/propagation/lit_cotangents.h"

#include <algorithm>

namespace tesseray {

void LitCotangents::add(const IntervalBounds& bounds) {
  const auto first = static_cast<std::size_t>(std::max(bucket(bounds.lower_u, 1) - 1, 0));
  const auto last = std::min(static_cast<std::size_t>(bucket(bounds.upper_u, 1)) + 1, buckets - 1);
  for (std::size_t b = first; b <= last; ++b) marks_[b] = 1;
}

std::array<std::int32_t, LitCotangents::buckets + 1> LitCotangents::marked_before() const {
  std::array<std::int32_t, buckets + 1> before{};
  for (std::size_t b = 0; b < buckets; ++b) before[b + 1] = before[b] + marks_[b];
  return before;
}

}  // namespace tesseray
