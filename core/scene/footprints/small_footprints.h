// SPDX-License-Identifier: GPL-3.0-or-later
// Footprints that are too small: joined to a neighbour, or left out.
#pragma once

#include <compare>
#include <cstdint>
#include <optional>
#include <vector>

#include "core/scene/scene.h"

namespace tesseray {

// The height of a roof as it was given. Those that count from different references are not compared.
struct GivenHeight {
  enum class Reference { none, ground, sea };  // none: the height is missing
  Reference reference = Reference::none;
  double metres = 0;
  friend auto operator<=>(const GivenHeight&, const GivenHeight&) = default;
};

struct JoinTraits {
  bool may_join = true;  // takes others, and is joined to others
  GivenHeight height;
};

struct SmallFootprint {
  std::uint32_t polygon = 0;
  Rings outline;                             // as it was; of one that is left out, with what had been joined to it
  std::optional<std::uint32_t> joined_with;  // none: left out
};

// Joins each polygon of less than `min_area_m2`, the smallest first, to a neighbour, or leaves it out where no polygon
// has a wall with it. Of those with nearly the longest common wall that are about as high it is rather one that is too
// small as well, so that rows become pairs and triples. What is joined comes in place of the one that was large enough,
// or else of the one whose height is the median by area; the others' places have no rings. `traits`: one for each
// polygon. The order of the polygons does not matter. REQUIRES: share_corners was called.
std::vector<SmallFootprint> take_away_small(std::vector<Rings>& polygons, const std::vector<JoinTraits>& traits,
                                            double min_area_m2);

}  // namespace tesseray
