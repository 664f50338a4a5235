// SPDX-License-Identifier: GPL-3.0-or-later
// How far elements are from the receivers, in interactions: what need not be launched when rays arrive at receivers
// alone.
#pragma once

#include <cstdint>
#include <vector>

#include "core/propagation/row_targets.h"
#include "core/visibility/visibility.h"

namespace tesseray {

class ReceiverReach {
 public:
  // Everything is within reach.
  ReceiverReach() = default;
  ReceiverReach(const Visibility& visibility, const ReceiverRows& receiver_rows, std::uint32_t receiver_count);

  // No ray that interacts at `element` arrives at a receiver with fewer interactions than this, that one included.
  // Exact up to 2; rows beyond are not read, and 3 stands for all more.
  int least_interactions(std::uint32_t element) const { return least_.empty() ? 1 : least_[element]; }

 private:
  std::vector<std::uint8_t> least_;
};

}  // namespace tesseray
