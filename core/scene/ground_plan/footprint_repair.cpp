// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/scene/ground_plan/footprint_repair.h"

#include <geos_c.h>

#include <algorithm>
#include <cmath>
#include <string>

#include "core/base/error.h"
#include "core/scene/ground_plan/polygon.h"

namespace tesseray {
namespace {

void keep_message(const char* message, void* text) { *static_cast<std::string*>(text) = message; }
void ignore_message(const char* /*message*/, void* /*unused*/) {}

// GEOS with its messages, and the ways of polygons to it and back.
class Geos {
 public:
  struct Destroy {
    GEOSContextHandle_t context;
    void operator()(GEOSGeometry* geometry) const { GEOSGeom_destroy_r(context, geometry); }
  };
  using Owned = std::unique_ptr<GEOSGeometry, Destroy>;
  struct DestroyParams {
    GEOSContextHandle_t context;
    void operator()(GEOSMakeValidParams* params) const { GEOSMakeValidParams_destroy_r(context, params); }
  };

  Geos() : context(GEOS_init_r()) {
    GEOSContext_setNoticeMessageHandler_r(context, ignore_message, nullptr);
    GEOSContext_setErrorMessageHandler_r(context, keep_message, &last_error);
  }
  ~Geos() { GEOS_finish_r(context); }
  Geos(const Geos&) = delete;
  Geos& operator=(const Geos&) = delete;

  Owned own(GEOSGeometry* geometry) {
    if (geometry == nullptr) throw failure();
    return Owned(geometry, Destroy{context});
  }

  // The answer of a predicate, which GEOS gives as 0, 1 or 2 for a failure.
  bool is_true(char answer) const {
    if (answer != 0 && answer != 1) throw failure();
    return answer == 1;
  }

  void require(bool is_done) const {
    if (!is_done) throw failure();
  }

  // For GEOS, which takes over what it makes a polygon or collection of, also where it fails.
  static std::vector<GEOSGeometry*> released(std::vector<Owned>& parts) {
    std::vector<GEOSGeometry*> pointers(parts.size());
    std::transform(parts.begin(), parts.end(), pointers.begin(), [](Owned& part) { return part.release(); });
    return pointers;
  }

  Error failure() const {
    return {ErrorKind::internal, "geos", "GEOS could not work on a polygon: " + last_error,
            "please report this with the data"};
  }

  Owned linear_ring(const Ring& ring) {
    const auto count = static_cast<unsigned int>(ring.size() + 1);
    GEOSCoordSequence* sequence = GEOSCoordSeq_create_r(context, count, 2);
    require(sequence != nullptr);
    for (unsigned int i = 0; i < count; ++i) {
      const Vec2 p = ring[i % ring.size()];
      GEOSCoordSeq_setXY_r(context, sequence, i, p.x, p.y);
    }
    return own(GEOSGeom_createLinearRing_r(context, sequence));
  }

  Owned polygon(const Rings& rings) {
    Owned shell = linear_ring(rings.front());
    std::vector<Owned> owned_holes;
    for (std::size_t i = 1; i < rings.size(); ++i) owned_holes.push_back(linear_ring(rings[i]));
    std::vector<GEOSGeometry*> holes = released(owned_holes);
    return own(
        GEOSGeom_createPolygon_r(context, shell.release(), holes.data(), static_cast<unsigned int>(holes.size())));
  }

  Owned multi_polygon(const std::vector<Rings>& polygons) {
    std::vector<Owned> parts;
    for (const Rings& rings : polygons) parts.push_back(polygon(rings));
    return collection(GEOS_MULTIPOLYGON, parts);
  }

  Owned collection(int type, std::vector<Owned>& parts) {
    std::vector<GEOSGeometry*> pointers = released(parts);
    return own(GEOSGeom_createCollection_r(context, type, pointers.data(), static_cast<unsigned int>(pointers.size())));
  }

  // What the outline encloses less what the holes enclose.
  Owned valid(const Rings& rings) {
    Owned made = made_valid(rings);
    if (rings.size() == 1) return made;
    // GEOS takes a hole that lies outside of the outline for another outline.
    return own(GEOSIntersection_r(context, made.get(), made_valid({rings.front()}).get()));
  }

  // GEOS's other method goes by lines alone, whatever ring they are of: it fills a courtyard that has a side in common
  // with the outline.
  Owned made_valid(const Rings& rings) {
    const std::unique_ptr<GEOSMakeValidParams, DestroyParams> params(GEOSMakeValidParams_create_r(context),
                                                                     DestroyParams{context});
    require(params && GEOSMakeValidParams_setMethod_r(context, params.get(), GEOS_MAKE_VALID_STRUCTURE) == 1);
    return own(GEOSMakeValidWithParams_r(context, polygon(rings).get(), params.get()));
  }

  Ring ring_of(const GEOSGeometry* line, bool counter_clockwise) {
    const GEOSCoordSequence* sequence = GEOSGeom_getCoordSeq_r(context, line);
    unsigned int count = 0;
    require(sequence != nullptr && GEOSCoordSeq_getSize_r(context, sequence, &count) == 1);
    Ring ring;
    for (unsigned int i = 0; i + 1 < count; ++i) {
      Vec2 p;
      GEOSCoordSeq_getXY_r(context, sequence, i, &p.x, &p.y);
      ring.push_back({snapped(p.x), snapped(p.y)});
    }
    if ((signed_area(ring) > 0) != counter_clockwise) std::reverse(ring.begin(), ring.end());
    return ring;
  }

  // The polygons of any geometry; points and lines in it are left out.
  void append_polygons(const GEOSGeometry* geometry, std::vector<Rings>& out) {
    if (is_true(GEOSisEmpty_r(context, geometry))) return;
    if (GEOSGeomTypeId_r(context, geometry) != GEOS_POLYGON) {
      const int parts = GEOSGetNumGeometries_r(context, geometry);
      for (int i = 0; i < parts; ++i) {
        const GEOSGeometry* part = GEOSGetGeometryN_r(context, geometry, i);
        if (part != geometry) append_polygons(part, out);
      }
      return;
    }
    Rings rings{ring_of(GEOSGetExteriorRing_r(context, geometry), true)};
    const int holes = GEOSGetNumInteriorRings_r(context, geometry);
    for (int i = 0; i < holes; ++i) rings.push_back(ring_of(GEOSGetInteriorRingN_r(context, geometry, i), false));
    out.push_back(std::move(rings));
  }

  // In an order that does not depend on how GEOS found them.
  std::vector<Rings> polygons_of(const GEOSGeometry* geometry) {
    const Owned normal = own(GEOSGeom_clone_r(context, geometry));
    require(GEOSNormalize_r(context, normal.get()) == 0);
    std::vector<Rings> polygons;
    append_polygons(normal.get(), polygons);
    return polygons;
  }

  GEOSContextHandle_t context;
  std::string last_error;
};

}  // namespace

struct PolygonOverlay::Impl : Geos {};

PolygonOverlay::PolygonOverlay() : impl_(std::make_unique<Impl>()) {}
PolygonOverlay::~PolygonOverlay() = default;

bool PolygonOverlay::is_valid(const Rings& rings) {
  return impl_->is_true(GEOSisValid_r(impl_->context, impl_->polygon(rings).get()));
}

std::vector<Rings> PolygonOverlay::repaired(const Rings& rings) {
  const auto valid = impl_->valid(rings);
  // MakeValid puts nodes where sides cross: back onto the grid, without new crossings.
  const auto on_grid = impl_->own(GEOSGeom_setPrecision_r(impl_->context, valid.get(), coordinate_step_m, 0));
  return impl_->polygons_of(on_grid.get());
}

bool PolygonOverlay::are_disjoint(const std::vector<Rings>& polygons) {
  return impl_->is_true(GEOSisValid_r(impl_->context, impl_->multi_polygon(polygons).get()));
}

std::vector<Rings> PolygonOverlay::joined(const std::vector<Rings>& polygons) {
  std::vector<Geos::Owned> parts;
  for (const Rings& rings : polygons) parts.push_back(impl_->valid(rings));
  const auto all = impl_->collection(GEOS_GEOMETRYCOLLECTION, parts);
  const auto together = impl_->own(GEOSUnaryUnionPrec_r(impl_->context, all.get(), coordinate_step_m));
  return impl_->polygons_of(together.get());
}

std::vector<Rings> PolygonOverlay::difference(const Rings& a, const Rings& b) {
  const auto first = impl_->polygon(a), second = impl_->polygon(b);
  const auto left = impl_->own(GEOSDifferencePrec_r(impl_->context, first.get(), second.get(), coordinate_step_m));
  return impl_->polygons_of(left.get());
}

std::vector<Rings> PolygonOverlay::united(const Rings& a, const Rings& b) {
  const auto first = impl_->polygon(a), second = impl_->polygon(b);
  const auto both = impl_->own(GEOSUnionPrec_r(impl_->context, first.get(), second.get(), coordinate_step_m));
  return impl_->polygons_of(both.get());
}

std::vector<Rings> PolygonOverlay::intersection(const Rings& a, const Rings& b) {
  const auto first = impl_->polygon(a), second = impl_->polygon(b);
  const auto common = impl_->own(GEOSIntersectionPrec_r(impl_->context, first.get(), second.get(), coordinate_step_m));
  return impl_->polygons_of(common.get());
}

struct CommonArea::Impl : Geos {
  explicit Impl(const std::vector<Rings>& polygons)
      : all(multi_polygon(polygons)), prepared(GEOSPrepare_r(context, all.get())) {
    require(prepared != nullptr);
  }
  ~Impl() { GEOSPreparedGeom_destroy_r(context, prepared); }
  Impl(const Impl&) = delete;
  Impl& operator=(const Impl&) = delete;

  Owned all;
  const GEOSPreparedGeometry* prepared;
};

CommonArea::CommonArea(const std::vector<Rings>& polygons) : impl_(std::make_unique<Impl>(polygons)) {}
CommonArea::~CommonArea() = default;

double CommonArea::with(const Ring& ring) const {
  const auto other = impl_->polygon({ring});
  if (!impl_->is_true(GEOSPreparedIntersects_r(impl_->context, impl_->prepared, other.get()))) return 0;
  if (impl_->is_true(GEOSPreparedCovers_r(impl_->context, impl_->prepared, other.get()))) {
    return std::fabs(signed_area(ring));
  }
  const auto common = impl_->own(GEOSIntersection_r(impl_->context, impl_->all.get(), other.get()));
  double area_m2 = 0;
  impl_->require(GEOSArea_r(impl_->context, common.get(), &area_m2) == 1);
  return area_m2;
}

}  // namespace tesseray
