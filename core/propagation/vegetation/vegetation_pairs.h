// SPDX-License-Identifier: GPL-3.0-or-later
// Metres inside vegetation between all elements that see each other, so that they are worked out once for both
// directions, all passes over the rows and all transmitters.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/base/host_device.h"
#include "core/propagation/rows/row_targets.h"
#include "core/propagation/rows/sight_over_ground.h"
#include "core/propagation/vegetation/vegetation_loss.h"
#include "core/visibility/visibility.h"

namespace tesseray {

// The kept lengths where they lie, on the host or on the device. Owns nothing.
struct VegetationPairsView {
  // A member of an element's row behind vegetation.
  struct Member {
    std::uint32_t number = 0;
    float length_m = 0;  // above 0
  };
  const std::uint64_t* offsets = nullptr;  // by element, into `members`, and after the last one; nullptr: none are kept
  const Member* members = nullptr;         // of each element ascending

  // 0 for members without. REQUIRES: offsets != nullptr.
  TESSERAY_HD float length_m(std::uint32_t element, std::uint32_t member) const {
    std::uint64_t first = offsets[element], end = offsets[element + 1];
    const std::uint64_t last = end;
    while (first < end) {
      const std::uint64_t middle = first + (end - first) / 2;
      if (members[middle].number < member) {
        first = middle + 1;
      } else {
        end = middle;
      }
    }
    return first < last && members[first].number == member ? members[first].length_m : 0.0f;
  }
};

class VegetationPairs {
 public:
  using Member = VegetationPairsView::Member;

  // Nothing is kept.
  VegetationPairs() = default;
  // Of those that receivers over ground tiles see beside the tiles' rows, all but ground, too: from the receivers.
  // Keeps nothing where it would take more than 1 GiB. Throws Error(cancelled) on cancel.
  VegetationPairs(const VegetationPrisms& prisms, const Visibility& visibility,
                  const SightOverGround& sight_over_ground, const TargetPoints& points, Progress& progress);
  // Of each element the members with higher numbers, ascending.
  explicit VegetationPairs(const std::vector<std::vector<Member>>& higher);

  // False when nothing is kept: then lengths must be asked for one by one.
  bool known() const { return !offsets_.empty(); }
  // Those members of an element's row that vegetation stands before, ascending. REQUIRES: known().
  std::span<const Member> row(std::uint32_t element) const {
    return std::span(members_).subspan(offsets_[element], offsets_[element + 1] - offsets_[element]);
  }
  // 0 for members without. REQUIRES: known().
  float length_m(std::uint32_t element, std::uint32_t member) const { return view().length_m(element, member); }
  // Valid as long as the pairs.
  VegetationPairsView view() const { return {known() ? offsets_.data() : nullptr, members_.data()}; }

 private:
  std::vector<std::uint64_t> offsets_;
  std::vector<Member> members_;
};

}  // namespace tesseray
