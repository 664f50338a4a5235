// SPDX-License-Identifier: GPL-3.0-or-later
#include "triangle_oracle.h"

#include <geos_c.h>

#include <algorithm>
#include <array>
#include <stdexcept>

namespace tesseray::test {

namespace {

class FootprintCutter {
 public:
  FootprintCutter() : context_(GEOS_init_r()) {}
  ~FootprintCutter() { GEOS_finish_r(context_); }
  FootprintCutter(const FootprintCutter&) = delete;
  FootprintCutter& operator=(const FootprintCutter&) = delete;

  std::vector<std::array<Vec2, 3>> cut(const Rings& rings) const {
    std::vector<GEOSGeometry*> holes;
    for (std::size_t r = 1; r < rings.size(); ++r) holes.push_back(linear_ring(rings[r]));
    GEOSGeometry* polygon =
        GEOSGeom_createPolygon_r(context_, linear_ring(rings[0]), holes.data(), static_cast<unsigned>(holes.size()));
    GEOSGeometry* cut = GEOSConstrainedDelaunayTriangulation_r(context_, polygon);
    if (cut == nullptr) throw std::runtime_error("a footprint of the test cannot be cut into triangles");
    std::vector<std::array<Vec2, 3>> triangles;
    for (int k = 0; k < GEOSGetNumGeometries_r(context_, cut); ++k) {
      const GEOSGeometry* ring = GEOSGetExteriorRing_r(context_, GEOSGetGeometryN_r(context_, cut, k));
      const GEOSCoordSequence* points = GEOSGeom_getCoordSeq_r(context_, ring);
      std::array<Vec2, 3> triangle;
      for (unsigned p = 0; p < 3; ++p) GEOSCoordSeq_getXY_r(context_, points, p, &triangle[p].x, &triangle[p].y);
      triangles.push_back(triangle);
    }
    GEOSGeom_destroy_r(context_, cut);
    GEOSGeom_destroy_r(context_, polygon);
    return triangles;
  }

 private:
  GEOSGeometry* linear_ring(const Ring& ring) const {
    GEOSCoordSequence* points = GEOSCoordSeq_create_r(context_, static_cast<unsigned>(ring.size() + 1), 2);
    for (unsigned k = 0; k <= ring.size(); ++k) {
      const Vec2 p = ring[k % ring.size()];
      GEOSCoordSeq_setXY_r(context_, points, k, p.x, p.y);
    }
    return GEOSGeom_createLinearRing_r(context_, points);
  }

  GEOSContextHandle_t context_;
};

// Where the segment a–b passes the triangle's plane, when it does so inside of it.
bool meets(const Triangle& triangle, Vec3 a, Vec3 b) {
  const Vec3 normal = cross(triangle.b - triangle.a, triangle.c - triangle.a);
  const double at_a = dot(normal, a - triangle.a), at_b = dot(normal, b - triangle.a);
  if ((at_a > 0) == (at_b > 0)) return false;
  const Vec3 p = a + (at_a / (at_a - at_b)) * (b - a);
  const auto inside = [&](Vec3 from, Vec3 to) { return dot(normal, cross(to - from, p - from)) >= 0; };
  return inside(triangle.a, triangle.b) && inside(triangle.b, triangle.c) && inside(triangle.c, triangle.a);
}

}  // namespace

std::vector<Triangle> triangles_of(const Scene& scene) {
  std::vector<Triangle> triangles;
  const FootprintCutter cutter;
  for (const Prism& prism : scene.prisms) {
    for (const Ring& ring : prism.rings) {
      for (std::size_t k = 0; k < ring.size(); ++k) {
        const Vec2 p = ring[k], q = ring[(k + 1) % ring.size()];
        const Vec3 low_p = at_height(p, prism.bottom_z), low_q = at_height(q, prism.bottom_z);
        const Vec3 high_p = at_height(p, prism.top_z), high_q = at_height(q, prism.top_z);
        triangles.push_back({low_p, low_q, high_q});
        triangles.push_back({low_p, high_q, high_p});
      }
    }
    for (const auto& [a, b, c] : cutter.cut(prism.rings)) {
      triangles.push_back({at_height(a, prism.top_z), at_height(b, prism.top_z), at_height(c, prism.top_z)});
      triangles.push_back({at_height(a, prism.bottom_z), at_height(b, prism.bottom_z), at_height(c, prism.bottom_z)});
    }
  }
  const Terrain& terrain = scene.terrain;
  const auto node = [&](std::uint32_t i, std::uint32_t j) {
    return Vec3{terrain.south_west.x + i * terrain.step_x, terrain.south_west.y + j * terrain.step_y,
                static_cast<double>(terrain.node(i, j))};
  };
  for (std::uint32_t j = 0; j + 1 < terrain.rows; ++j) {
    for (std::uint32_t i = 0; i + 1 < terrain.columns; ++i) {
      triangles.push_back({node(i, j), node(i + 1, j), node(i + 1, j + 1)});
      triangles.push_back({node(i, j), node(i + 1, j + 1), node(i, j + 1)});
    }
  }
  return triangles;
}

TriangleOracle::TriangleOracle(const Scene& scene)
    : triangles_(triangles_of(scene)), device_(rtcNewDevice(nullptr)), scene_(rtcNewScene(device_)) {
  RTCGeometry geometry = rtcNewGeometry(device_, RTC_GEOMETRY_TYPE_TRIANGLE);
  float* vertices = static_cast<float*>(rtcSetNewGeometryBuffer(geometry, RTC_BUFFER_TYPE_VERTEX, 0, RTC_FORMAT_FLOAT3,
                                                                3 * sizeof(float), 3 * triangles_.size()));
  unsigned* indices = static_cast<unsigned*>(rtcSetNewGeometryBuffer(
      geometry, RTC_BUFFER_TYPE_INDEX, 0, RTC_FORMAT_UINT3, 3 * sizeof(unsigned), triangles_.size()));
  unsigned vertex = 0;
  for (const Triangle& triangle : triangles_) {
    for (const Vec3 p : {triangle.a, triangle.b, triangle.c}) {
      *vertices++ = static_cast<float>(p.x);
      *vertices++ = static_cast<float>(p.y);
      *vertices++ = static_cast<float>(p.z);
      *indices++ = vertex++;
    }
  }
  rtcCommitGeometry(geometry);
  rtcAttachGeometry(scene_, geometry);
  rtcReleaseGeometry(geometry);
  rtcSetSceneFlags(scene_, RTC_SCENE_FLAG_ROBUST);
  rtcSetSceneBuildQuality(scene_, RTC_BUILD_QUALITY_HIGH);
  rtcCommitScene(scene_);
}

TriangleOracle::~TriangleOracle() {
  rtcReleaseScene(scene_);
  rtcReleaseDevice(device_);
}

bool TriangleOracle::is_free(Vec3 a, Vec3 b) const {
  RTCRay ray = {};
  const Vec3 direction = b - a;
  ray.org_x = static_cast<float>(a.x);
  ray.org_y = static_cast<float>(a.y);
  ray.org_z = static_cast<float>(a.z);
  ray.dir_x = static_cast<float>(direction.x);
  ray.dir_y = static_cast<float>(direction.y);
  ray.dir_z = static_cast<float>(direction.z);
  ray.tnear = 0;
  ray.tfar = 1;
  ray.mask = ~0u;
  RTCIntersectContext context;
  rtcInitIntersectContext(&context);
  rtcOccluded1(scene_, &context, &ray);
  return ray.tfar >= 0;
}

bool TriangleOracle::is_free_in_double(Vec3 a, Vec3 b) const {
  return std::none_of(triangles_.begin(), triangles_.end(),
                      [&](const Triangle& triangle) { return meets(triangle, a, b); });
}

bool TriangleOracle::is_tie(Vec3 a, Vec3 b) const {
  constexpr double step_m = 1e-3;
  const bool answer = is_free_in_double(a, b);
  const Vec3 along = normalized(b - a);
  const Vec3 helper = std::fabs(along.z) < 0.9 ? Vec3{0, 0, 1} : Vec3{1, 0, 0};
  const Vec3 sideways = normalized(cross(along, helper)), upwards = cross(sideways, along);
  constexpr int directions = 8;
  for (int k = 0; k < directions; ++k) {
    const double angle = k * 2 * 3.14159265358979 / directions;
    const Vec3 shift = step_m * (std::cos(angle) * sideways + std::sin(angle) * upwards);
    if (is_free_in_double(a + shift, b + shift) != answer || is_free_in_double(a + shift, b) != answer ||
        is_free_in_double(a, b + shift) != answer) {
      return true;
    }
  }
  return false;
}

}  // namespace tesseray::test
