// SPDX-License-Identifier: GPL-3.0-or-later
// The edge segments of buildings: eaves and vertical corners.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/tiling/building_tiles.h"
#include "core/tiling/walls.h"

namespace tesseray {

// Completes an edge whose direction is set: normals and exterior angle from the tangents of its faces (unit, at right
// angles to the direction). The air is where normal_0 = direction × tangent_0 points.
void set_faces(EdgeSegment& edge, Vec3 tangent_0, Vec3 tangent_n);

// All buildings as tiled so far: what edges are found from.
struct TiledPrisms {
  std::span<const PrismWalls> walls;
  std::span<const PrismTiles> tiles;
  std::span<const std::uint32_t> first_tile;  // of each prism, in the whole tiling
};

// The edge segments of one prism: per wall its eaves, then the corner at its end. Ids are as in PrismTiles.
std::vector<EdgeSegment> find_edges(const Scene& scene, const PrismIndex& index, const TiledPrisms& tiled,
                                    std::uint32_t prism, const TilingOptions& options);

}  // namespace tesseray
