// SPDX-License-Identifier: GPL-3.0-or-later
// Where the rows of path losses and their transmitters lie: points, or tiles, which are parallelograms.
#pragma once

#include <ogrsf_frmts.h>

#include <optional>
#include <string>

#include "core/base/error.h"
#include "core/geometry/vector.h"
#include "core/io/results/path_loss_layer.h"

namespace tesseray {

// How path losses are written with geometries that do.
std::string hint_on_geometry(Outlines outlines);

// A tile's polygon, or null where the feature has none. As in all that follows, the only part of a collection, which
// other programs make of single geometries, counts as the feature's geometry.
const OGRPolygon* tile_polygon_of(const OGRFeature& feature);

// The point, or the mean of a tile's corners, in metres from `origin` (metres of the layer's CRS); nothing where the
// feature has neither.
std::optional<Vec3> middle_of(const OGRFeature& feature, Vec2 origin);

// What to throw then.
Error without_geometry(const std::string& hint, ErrorPlace place);

// REQUIRES for the following: middle_of the polygon's feature.

// From a tile's middle to the middles of two sides that meet, in metres.
struct HalfSides {
  Vec3 u, v;
};
HalfSides half_sides_of(const OGRPolygon& tile);

// In metres from `origin`.
TileCorners corners_of(const OGRPolygon& tile, Vec2 origin);

}  // namespace tesseray
