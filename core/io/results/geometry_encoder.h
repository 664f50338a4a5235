// SPDX-License-Identifier: GPL-3.0-or-later
// Geometries of rows as GeoPackage binaries (GeoPackage 1.3, 2.1.3): an 8-byte header, the envelope (not for points),
// and ISO WKB as OGR writes it. The part behind the header serves every other OGR format.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "core/geometry/vector.h"
#include "core/scene/scene.h"

namespace tesseray {

// The encoded geometries of consecutive rows; an empty one is NULL.
class GeometryBuffer {
 public:
  std::size_t size() const { return entries_.size(); }
  bool is_null(std::size_t row) const { return entries_[row].begin == entries_[row].end; }
  std::span<const unsigned char> wkb(std::size_t row) const;
  // The whole GeoPackage binary, with the number of its reference system filled in.
  std::span<const unsigned char> geopackage_binary(std::size_t row, std::int32_t srs_id);
  // In CRS coordinates. Empty for NULL.
  const Rectangle& envelope(std::size_t row) const { return entries_[row].envelope; }

 private:
  friend class GeometryEncoder;
  struct Entry {
    std::size_t begin = 0, wkb = 0, end = 0;
    Rectangle envelope;
  };
  std::vector<unsigned char> bytes_;
  std::vector<Entry> entries_;
};

// Appends one geometry per call; takes scene coordinates and writes CRS coordinates (origin + local).
class GeometryEncoder {
 public:
  GeometryEncoder(Vec2 origin, GeometryBuffer& buffer);
  ~GeometryEncoder();
  GeometryEncoder(const GeometryEncoder&) = delete;
  GeometryEncoder& operator=(const GeometryEncoder&) = delete;

  void null();
  void point(Vec3 p);
  void line_string(std::span<const Vec3> points);
  // A flat quadrilateral given by its corners in order.
  void quadrilateral(const Vec3 (&corners)[4]);
  // A polygon of the ground plan at one height. Ring order and first points are kept.
  void polygon(const Rings& rings, double z);
  // Polygons of the ground plan, without heights.
  void multi_polygon(std::span<const Rings> polygons);
  // What an issue points at, without heights: nothing, a point, a line of two points, or a polygon.
  void outline(const Rings& rings);

 private:
  struct Shapes;
  std::unique_ptr<Shapes> shapes_;
  Vec2 origin_;
  GeometryBuffer* buffer_;
};

}  // namespace tesseray
