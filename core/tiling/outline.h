// SPDX-License-Identifier: GPL-3.0-or-later
// The outline of a prism as it is tiled: its sides, but for curves that are given as many narrow ones.
//
// A curve is a run of sides that are each too narrow for a tile and turn the same way by little at each vertex. Its
// sides are put together until they are wide enough for tiles and turn by 10° and more, as far as the outline stays
// where it is: to a quarter of the narrowest wall. Where the curve bulges into the air, a side goes by its neighbours'
// going on along their own lines to where they meet; where it is hollow, by one chord in place of two. So no point of
// the tiled outline lies inside the solid: what is on it is lit by what sees it past the real walls, which alone hide.
#pragma once

#include <vector>

#include "core/base/units.h"
#include "core/tiling/walls.h"

namespace tesseray {

// Corners with a wider interior angle than 175° hardly diffract (docs/physics.md §5: the coefficient goes to zero).
inline constexpr double least_corner_turn = 5.0 * pi / 180.0;

// How far in the air the tiled outline may be, m.
inline double greatest_shift_m(const TilingOptions& options) { return 0.25 * options.min_wall_width_m; }

// The walls of all rings of a prism: each ring's begin at the vertex where it turns most.
std::vector<Wall> outline_walls(const Prism& prism, const TilingOptions& options);

}  // namespace tesseray
