// SPDX-License-Identifier: GPL-3.0-or-later
// Metres inside vegetation between all elements that see each other, so that they are worked out once for both
// directions, all passes over the rows and all transmitters.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/propagation/row_targets.h"
#include "core/propagation/vegetation_loss.h"
#include "core/visibility/visibility.h"

namespace tesseray {

class VegetationPairs {
 public:
  // Nothing is kept.
  VegetationPairs() = default;
  // Keeps nothing without vegetation, nor where it would take more than 1 GiB (4 bytes per entry of the visibility).
  // Throws Error(cancelled) on cancel.
  VegetationPairs(const VegetationPrisms& prisms, const Visibility& visibility, const TargetPoints& points,
                  Progress& progress);

  // By the places of the members in the element's row; empty when nothing is kept.
  std::span<const float> row(std::uint32_t element) const {
    if (lengths_.empty()) return {};
    return std::span(lengths_).subspan(offsets_[element], offsets_[element + 1] - offsets_[element]);
  }

 private:
  std::vector<std::uint64_t> offsets_;
  std::vector<float> lengths_;
};

}  // namespace tesseray
