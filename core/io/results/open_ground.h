// SPDX-License-Identifier: GPL-3.0-or-later
// The open ground on a raster of ground tiles. Tiles are whole cells, which reach under the buildings beside them, or
// rectangles of what buildings leave open of one, with strips along the walls that are none.
#pragma once

#include <vector>

#include "core/io/results/coverage_raster.h"

namespace tesseray {

// Footprints are in CRS coordinates. Afterwards
// 1. a pixel whose centre lies on a footprint has no tile, but where the middle of its tile, a whole cell, lies well
//    within the footprints, too: there is air below;
// 2. one beside the footprints, in a cell of which a building covers the middle or nearly so, or whose tile is a part
// of
//    it, has the tile to which the way over such pixels is shortest, in steps along rows and columns; of equally long
//    ones the tile with the smaller number. No such way leads across a building, nor farther than two sides of a cell.
// REQUIRES: rasterize_ground made the raster of this layer.
void show_open_ground(GroundRaster& raster, const PathLossLayer& path_loss, const std::vector<Rings>& footprints);

}  // namespace tesseray
