// SPDX-License-Identifier: GPL-3.0-or-later
// Woods on slopes: an area of trees has one top, so large ones are cut into pieces that follow the ground.
#pragma once

#include <vector>

#include "core/scene/scene.h"

namespace tesseray {

class PolygonOverlay;

// The pieces of a polygon, halved again and again across their longer side until the ground under each rises and falls
// by about half the height of the trees, or they are 30 m long. A polygon on level ground is its only piece.
// REQUIRES: a valid polygon.
std::vector<Rings> vegetation_pieces(const Terrain& terrain, const Rings& rings, double height_m,
                                     PolygonOverlay& overlay);

}  // namespace tesseray
