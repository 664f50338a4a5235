// SPDX-License-Identifier: GPL-3.0-or-later
// The tubes that a batch's hits became, in the order in which the CPU would have made them.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "cuda/bounce_batch.h"

namespace tesseray {

// Children in the order in which threads made them.
struct UnorderedChildren {
  std::vector<Tube> tubes;
  std::vector<HitPlace> places;  // of their hits

  void add(const Tube* more, const HitPlace* their_places, std::size_t count) {
    tubes.insert(tubes.end(), more, more + count);
    places.insert(places.end(), their_places, their_places + count);
  }
  // Appends them by their hits.
  void append_in_order(std::vector<Tube>& ordered) const {
    std::vector<std::uint32_t> order(tubes.size());
    for (std::uint32_t k = 0; k < order.size(); ++k) order[k] = k;
    std::sort(order.begin(), order.end(), [&](std::uint32_t a, std::uint32_t b) { return places[a] < places[b]; });
    ordered.reserve(ordered.size() + order.size());
    for (const std::uint32_t k : order) ordered.push_back(tubes[k]);
  }
};

}  // namespace tesseray
