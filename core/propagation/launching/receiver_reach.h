// SPDX-License-Identifier: GPL-3.0-or-later
// How far elements are from the receivers, in interactions: what need not be launched when rays arrive at receivers
// alone.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "core/base/progress.h"
#include "core/propagation/rows/row_targets.h"
#include "core/visibility/visibility.h"

namespace tesseray {

class ReceiverReach {
 public:
  // Everything is within reach.
  ReceiverReach() = default;
  // Throws Error(cancelled) on cancel.
  ReceiverReach(const Visibility& visibility, const ReceiverRows& receiver_rows, Progress& progress);

  // No ray that interacts at `element` arrives at a receiver with fewer interactions than this, that one included.
  // Exact up to 2; rows beyond are not read, and 3 stands for all more.
  int least_interactions(std::uint32_t element) const { return least_.empty() ? 1 : least_[element]; }

  // The members of an element's row that see a receiver, ascending, without reading the row; nothing where they would
  // take too much memory (many receivers).
  std::optional<std::span<const std::uint32_t>> next_to_receivers(std::uint32_t element) const {
    if (offsets_.empty()) return std::nullopt;
    return std::span(members_).subspan(offsets_[element], offsets_[element + 1] - offsets_[element]);
  }

 private:
  // What the elements that see a receiver see, turned round: by the element that is seen.
  void keep_next_to_receivers(const std::vector<std::uint32_t>& seeing, std::vector<std::vector<std::uint32_t>> rows);

  std::vector<std::uint8_t> least_;
  std::vector<std::uint64_t> offsets_;
  std::vector<std::uint32_t> members_;
};

}  // namespace tesseray
