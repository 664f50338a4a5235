// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/io/results/geometry_encoder.h"

#include <ogr_geometry.h>

#include <bit>
#include <cstring>

namespace tesseray {

static_assert(std::endian::native == std::endian::little, "GeoPackage headers are written as little-endian memory");

namespace {

constexpr std::size_t header_bytes = 8;
constexpr std::size_t srs_id_offset = 4;
constexpr unsigned char little_endian_flag = 0x01;
constexpr unsigned char xy_envelope_flag = 0x02;

void append(std::vector<unsigned char>& bytes, const void* data, std::size_t size) {
  const auto* first = static_cast<const unsigned char*>(data);
  bytes.insert(bytes.end(), first, first + size);
}

std::unique_ptr<OGRPolygon> flat_polygon(const Rings& rings, Vec2 origin) {
  auto polygon = std::make_unique<OGRPolygon>();
  for (const Ring& points : rings) {
    auto ring = std::make_unique<OGRLinearRing>();
    for (const Vec2& p : points) ring->addPoint(origin.x + p.x, origin.y + p.y);
    ring->closeRings();
    polygon->addRingDirectly(ring.release());
  }
  return polygon;
}

}  // namespace

std::span<const unsigned char> GeometryBuffer::wkb(std::size_t row) const {
  const Entry& entry = entries_[row];
  return std::span(bytes_).subspan(entry.wkb, entry.end - entry.wkb);
}

std::span<const unsigned char> GeometryBuffer::geopackage_binary(std::size_t row, std::int32_t srs_id) {
  const Entry& entry = entries_[row];
  if (entry.begin == entry.end) return {};
  std::memcpy(bytes_.data() + entry.begin + srs_id_offset, &srs_id, sizeof srs_id);
  return std::span<const unsigned char>(bytes_).subspan(entry.begin, entry.end - entry.begin);
}

// Kept from row to row: making OGR's objects anew costs more than encoding them.
struct GeometryEncoder::Shapes {
  OGRPolygon quadrilateral;
  OGRLinearRing* quadrilateral_ring = nullptr;  // owned by `quadrilateral`

  Shapes() {
    auto ring = std::make_unique<OGRLinearRing>();
    ring->set3D(TRUE);
    ring->setNumPoints(5);
    quadrilateral_ring = ring.get();
    quadrilateral.addRingDirectly(ring.release());
  }

  static void encode(const OGRGeometry& geometry, GeometryBuffer& buffer) {
    OGREnvelope bounds;
    geometry.getEnvelope(&bounds);
    const bool is_point = wkbFlatten(geometry.getGeometryType()) == wkbPoint;
    std::vector<unsigned char>& bytes = buffer.bytes_;
    GeometryBuffer::Entry entry;
    entry.begin = bytes.size();
    const unsigned char flags = is_point ? little_endian_flag : little_endian_flag | xy_envelope_flag;
    const unsigned char header[header_bytes] = {'G', 'P', 0, flags, 0, 0, 0, 0};
    append(bytes, header, sizeof header);
    if (!is_point) {
      const double envelope[4] = {bounds.MinX, bounds.MaxX, bounds.MinY, bounds.MaxY};
      append(bytes, envelope, sizeof envelope);
    }
    entry.wkb = bytes.size();
    entry.end = entry.wkb + geometry.WkbSize();
    bytes.resize(entry.end);
    geometry.exportToWkb(wkbNDR, bytes.data() + entry.wkb, wkbVariantIso);
    entry.envelope = {{bounds.MinX, bounds.MinY}, {bounds.MaxX, bounds.MaxY}};
    buffer.entries_.push_back(entry);
  }
};

GeometryEncoder::GeometryEncoder(Vec2 origin, GeometryBuffer& buffer)
    : shapes_(std::make_unique<Shapes>()), origin_(origin), buffer_(&buffer) {}
GeometryEncoder::~GeometryEncoder() = default;

void GeometryEncoder::null() {
  GeometryBuffer::Entry entry;
  entry.begin = entry.wkb = entry.end = buffer_->bytes_.size();
  buffer_->entries_.push_back(entry);
}

void GeometryEncoder::point(Vec3 p) { Shapes::encode(OGRPoint(origin_.x + p.x, origin_.y + p.y, p.z), *buffer_); }

void GeometryEncoder::line_string(std::span<const Vec3> points) {
  OGRLineString line;
  line.set3D(TRUE);
  line.setNumPoints(static_cast<int>(points.size()));
  int i = 0;
  for (const Vec3& p : points) line.setPoint(i++, origin_.x + p.x, origin_.y + p.y, p.z);
  Shapes::encode(line, *buffer_);
}

void GeometryEncoder::quadrilateral(const Vec3 (&corners)[4]) {
  for (int i = 0; i < 5; ++i) {
    const Vec3& p = corners[i % 4];
    shapes_->quadrilateral_ring->setPoint(i, origin_.x + p.x, origin_.y + p.y, p.z);
  }
  Shapes::encode(shapes_->quadrilateral, *buffer_);
}

void GeometryEncoder::polygon(const Rings& rings, double z) {
  OGRPolygon polygon;
  for (const Ring& points : rings) {
    auto ring = std::make_unique<OGRLinearRing>();
    ring->set3D(TRUE);
    ring->setNumPoints(static_cast<int>(points.size()) + 1);
    for (std::size_t i = 0; i <= points.size(); ++i) {
      const Vec2& p = points[i % points.size()];
      ring->setPoint(static_cast<int>(i), origin_.x + p.x, origin_.y + p.y, z);
    }
    polygon.addRingDirectly(ring.release());
  }
  Shapes::encode(polygon, *buffer_);
}

void GeometryEncoder::multi_polygon(std::span<const Rings> polygons) {
  OGRMultiPolygon all;
  for (const Rings& rings : polygons) all.addGeometryDirectly(flat_polygon(rings, origin_).release());
  Shapes::encode(all, *buffer_);
}

void GeometryEncoder::outline(const Rings& rings) {
  if (rings.empty() || rings[0].empty()) return null();
  const Ring& first = rings[0];
  if (first.size() == 1) return Shapes::encode(OGRPoint(origin_.x + first[0].x, origin_.y + first[0].y), *buffer_);
  if (first.size() == 2) {
    OGRLineString line;
    for (const Vec2& p : first) line.addPoint(origin_.x + p.x, origin_.y + p.y);
    return Shapes::encode(line, *buffer_);
  }
  Shapes::encode(*flat_polygon(rings, origin_), *buffer_);
}

}  // namespace tesseray
