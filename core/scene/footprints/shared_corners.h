// SPDX-License-Identifier: GPL-3.0-or-later
// Neighbours whose common walls have the same corners on both sides.
#pragma once

#include <cstdint>
#include <unordered_map>
#include <vector>

#include "core/scene/scene.h"

namespace tesseray {

// Corners of a plan, numbered in the order in which they are met; equal places have one number.
class CornerNumbers {
 public:
  std::uint32_t of(Vec2 p);
  const std::vector<Vec2>& places() const { return places_; }

 private:
  struct Hash {
    std::size_t operator()(Vec2 p) const;
  };
  std::unordered_map<Vec2, std::uint32_t, Hash> numbers_;
  std::vector<Vec2> places_;
};

// Corners nearer to each other than `within_m` become one, and one that is nearer than that to a neighbour's side
// becomes a corner of that side, whatever the order of polygons and corners. No corner moves by more than `within_m`,
// no point of a side by more than twice that. A polygon that would cross or touch itself stays as it is, and so do its
// neighbours along the walls that they have in common with it. REQUIRES: valid polygons; some may have no rings.
void share_corners(std::vector<Rings>& polygons, double within_m);

}  // namespace tesseray
