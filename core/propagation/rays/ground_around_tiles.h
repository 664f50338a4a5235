// SPDX-License-Identifier: GPL-3.0-or-later
// The plane of the ground around a place, over some tens of metres.
#pragma once

#include <vector>

#include "core/geometry/vector.h"
#include "core/tiling/tiling.h"

namespace tesseray {

// Unit normals, up, by tile: of the plane in which most of the ground lies within 40 m and more of a ground tile's
// middle, along x and along y. Single tiles have the noise of a terrain model, and a street's camber: what comes along
// the ground from far away is reflected over more than one of them. Of other tiles: their own. docs/physics.md §3.3.
std::vector<Vec3> normals_of_ground_around(const Tiling& tiling);

}  // namespace tesseray
