// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/propagation/scattering/lit_cotangents.h"

namespace tesseray {

void LitCotangents::add(const IntervalBounds& bounds) {
  const Range range = lit_by(bounds);
  for (std::int32_t b = range.first; b <= range.last; ++b) marks_[static_cast<std::size_t>(b)] = 1;
}

std::array<float, LitCotangents::buckets> LitCotangents::next_places() const {
  std::array<float, buckets> next;
  find_next_places(marks_.data(), next.data());
  return next;
}

}  // namespace tesseray
