// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/io/results/path_loss_geometry.h"

#include <utility>

namespace tesseray {

namespace {

const OGRGeometry* only_part(const OGRGeometry* geometry) {
  if (geometry == nullptr || !OGR_GT_IsSubClassOf(geometry->getGeometryType(), wkbGeometryCollection)) return geometry;
  const OGRGeometryCollection& parts = *geometry->toGeometryCollection();
  return parts.getNumGeometries() == 1 ? parts.getGeometryRef(0) : geometry;
}

Vec3 corner(const OGRLinearRing& ring, int i, Vec2 origin) {
  return {ring.getX(i) - origin.x, ring.getY(i) - origin.y, ring.getZ(i)};
}

}  // namespace

std::string hint_on_geometry(Outlines outlines) {
  return std::string("write PATH_LOSS with GEOMETRY polygon") + (outlines == Outlines::require ? "" : " or point");
}

const OGRPolygon* tile_polygon_of(const OGRFeature& feature) {
  const OGRGeometry* geometry = only_part(feature.GetGeometryRef());
  return geometry != nullptr && wkbFlatten(geometry->getGeometryType()) == wkbPolygon ? geometry->toPolygon() : nullptr;
}

std::optional<Vec3> middle_of(const OGRFeature& feature, Vec2 origin) {
  const OGRGeometry* geometry = only_part(feature.GetGeometryRef());
  const auto type = geometry == nullptr ? wkbNone : wkbFlatten(geometry->getGeometryType());
  if (type == wkbPoint && !geometry->IsEmpty()) {
    const OGRPoint& p = *geometry->toPoint();
    return Vec3{p.getX() - origin.x, p.getY() - origin.y, p.getZ()};
  }
  const OGRPolygon* polygon = tile_polygon_of(feature);
  const OGRLinearRing* ring = polygon != nullptr ? polygon->getExteriorRing() : nullptr;
  if (ring == nullptr || ring->getNumPoints() < 4) return std::nullopt;
  const int corners = ring->getNumPoints() - 1;
  Vec3 sum;
  for (int i = 0; i < corners; ++i) sum = sum + corner(*ring, i, origin);
  return (1.0 / corners) * sum;
}

Error without_geometry(const std::string& hint, ErrorPlace place) {
  return Error(ErrorKind::invalid_input, "no_geometry", "the feature has neither a polygon nor a point", hint,
               std::move(place));
}

HalfSides half_sides_of(const OGRPolygon& tile) {
  const OGRLinearRing& ring = *tile.getExteriorRing();
  const auto side = [&ring](int from, int to) {
    return Vec3{ring.getX(to) - ring.getX(from), ring.getY(to) - ring.getY(from), ring.getZ(to) - ring.getZ(from)};
  };
  return {.u = 0.5 * side(0, 1), .v = 0.5 * side(1, 2)};
}

TileCorners corners_of(const OGRPolygon& tile, Vec2 origin) {
  const OGRLinearRing& ring = *tile.getExteriorRing();
  TileCorners corners;
  for (int i = 0; i < 4; ++i) corners.corners[i] = corner(ring, i, origin);
  return corners;
}

}  // namespace tesseray
