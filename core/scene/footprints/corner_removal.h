// SPDX-License-Identifier: GPL-3.0-or-later
// Outlines with fewer corners, in which common walls stay common.
//
// How it works. All outlines are one graph of corners and sides. A corner with two sides only is the same for every
// polygon that has it, so taking it out, with one side in place of two, does the same to all of them; where more sides
// meet, neighbours part, and the corner stays. The corner whose loss moves the outline least goes first. None goes
// whose loss would move any corner taken out before it farther than the tolerance from the outline, would sweep over
// another corner, would double a side, or would leave a ring with less than four corners: so outlines that did not
// cross do not cross afterwards, courtyards stay, and nothing collapses.
#pragma once

#include <cstddef>
#include <vector>

#include "core/scene/scene.h"

namespace tesseray {

// Returns the number of corners taken out; those that neighbours share count once. Every corner that was there lies
// within `tolerance_m` of the outline that is left. REQUIRES: share_corners was called.
std::size_t remove_corners(std::vector<Rings>& polygons, double tolerance_m);

}  // namespace tesseray
