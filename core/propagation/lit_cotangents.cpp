// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/propagation/lit_cotangents.h"

namespace tesseray {

void LitCotangents::add(const IntervalBounds& bounds) {
  const Range range = lit_by(bounds);
  for (std::int32_t b = range.first; b <= range.last; ++b) marks_[static_cast<std::size_t>(b)] = 1;
}

std::array<std::int32_t, LitCotangents::buckets + 1> LitCotangents::marked_before() const {
  std::array<std::int32_t, buckets + 1> before{};
  for (std::size_t b = 0; b < buckets; ++b) before[b + 1] = before[b] + marks_[b];
  return before;
}

}  // namespace tesseray
