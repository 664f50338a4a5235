// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/propagation/receiver_reach.h"

#include <tbb/enumerable_thread_specific.h>

#include <algorithm>

#include "core/base/parallel.h"

namespace tesseray {

ReceiverReach::ReceiverReach(const Visibility& visibility, const ReceiverRows& receiver_rows,
                             std::uint32_t receiver_count)
    : least_(visibility.element_count(), 3) {
  std::vector<std::uint32_t> next_to_receivers;
  for (std::uint32_t r = 0; r < receiver_count; ++r) {
    for (const std::uint32_t element : receiver_rows.row(r)) {
      if (least_[element] == 1) continue;
      least_[element] = 1;
      next_to_receivers.push_back(element);
    }
  }
  struct Found {
    std::vector<std::uint8_t> seen;
    std::vector<std::uint32_t> row;
  };
  tbb::enumerable_thread_specific<Found> threads([&] { return Found{std::vector<std::uint8_t>(least_.size()), {}}; });
  parallel_blocks(next_to_receivers.size(), 16, no_progress(), [&](std::size_t begin, std::size_t end) {
    Found& found = threads.local();
    for (std::size_t i = begin; i < end; ++i) {
      visibility.read_row(next_to_receivers[i], found.row);
      for (const std::uint32_t element : found.row) found.seen[element] = 1;
    }
  });
  for (const Found& found : threads) {
    for (std::size_t e = 0; e < least_.size(); ++e) {
      if (found.seen[e] != 0) least_[e] = std::min<std::uint8_t>(least_[e], 2);
    }
  }
}

}  // namespace tesseray
