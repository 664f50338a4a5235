// SPDX-License-Identifier: GPL-3.0-or-later
// The sides of footprints past which a ray over the roofs bends, and which of them belong to one roof.
#pragma once

#include <cstdint>
#include <vector>

#include "core/geometry/vector.h"
#include "core/scene/ground_plan/prism_index.h"
#include "core/scene/scene.h"

namespace tesseray {

// Parts of buildings beside each other whose heights differ by no more than this are one roof: no more is in heights
// from laser scans, and a wave at grazing does not see it.
inline constexpr double even_roof_m = 0.05;

// A side of a footprint, or a stretch of one, from its beginning along the vector to its end, with the sides before and
// after it in its ring, of which a stretch that goes on there has its own. The solid is on its left.
struct RoofSide {
  Vec2 begin, along, before, after;
  double top_z = 0;  // m
  std::uint16_t material = 0;
  std::uint32_t roof = 0;  // number of the roof it bounds
};

struct RoofSides {
  std::vector<RoofSide> sides;
  std::vector<std::uint32_t> roof_of_prism;  // numbers of prisms; those of one roof have one in common
  std::vector<std::uint32_t> parts_in_air;   // numbers of prisms that have air below a side, ascending
};

// What is below a part that stands neither on the ground nor on others, with gaps of up to half a metre.
enum class BelowParts { air, solid };

// Of all parts that stand on the ground, perhaps on others. Where the roof goes on beyond a side, or one stands there
// that is higher, there is none.
RoofSides find_roof_sides(const Scene& scene, const PrismIndex& index, BelowParts below = BelowParts::air);

}  // namespace tesseray
