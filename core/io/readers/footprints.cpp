// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/io/readers/footprints.h"

#include <cmath>
#include <memory>
#include <utility>

#include "core/io/sources/dataset_files.h"

namespace tesseray {
namespace {

Ring ring_of(const OGRLinearRing& line) {
  Ring ring;
  ring.reserve(static_cast<std::size_t>(line.getNumPoints()));
  for (int i = 0; i < line.getNumPoints(); ++i) ring.push_back({line.getX(i), line.getY(i)});
  return ring;
}

Rings rings_of(const OGRPolygon& polygon) {
  Rings rings;
  for (const OGRLinearRing* line : polygon) {
    if (line->getNumPoints() > 0) rings.push_back(ring_of(*line));
  }
  return rings;
}

// Collects the polygons of a geometry without curves; counts the parts that are none.
void collect_polygons(const OGRGeometry& geometry, std::vector<Rings>& parts, int& others) {
  switch (wkbFlatten(geometry.getGeometryType())) {
    case wkbPolygon:
      if (!geometry.IsEmpty()) parts.push_back(rings_of(*geometry.toPolygon()));
      break;
    case wkbMultiPolygon:
    case wkbGeometryCollection:
      for (const OGRGeometry* part : *geometry.toGeometryCollection()) collect_polygons(*part, parts, others);
      break;
    default:
      ++others;
  }
}

Rectangle bounds_of(const RawFootprint& footprint) {
  Rectangle box;
  for (const Rings& rings : footprint.parts) {
    for (const Vec2 p : rings.front()) box.extend(p);
  }
  return box;
}

bool all_finite(const RawFootprint& footprint) {
  for (const Rings& rings : footprint.parts) {
    for (const Ring& ring : rings) {
      for (const Vec2 p : ring) {
        if (!std::isfinite(p.x) || !std::isfinite(p.y)) return false;
      }
    }
  }
  return true;
}

void transform(RawFootprint& footprint, const PointTransform& to_environment) {
  for (Rings& rings : footprint.parts) {
    for (Ring& ring : rings) to_environment.apply(ring);
  }
}

}  // namespace

FootprintLayer footprint_layer(VectorSource& source, const Crs& crs, const Crs& environment,
                               const std::optional<Rectangle>& area, std::vector<Issue>& issues) {
  const Rectangle source_area = area ? PointTransform(environment, crs, area).bounds(*area) : Rectangle{};
  // The best operation for the place is that for the area, of whatever is read beside it.
  FootprintLayer layer{
      source, PointTransform(crs, environment, source_area.empty() ? source.bounds() : source_area), area, {}, issues};
  if (const std::string caveat = layer.to_environment.caveat(); !caveat.empty()) {
    issues.push_back(layer_issue(Issue::Action::assumed, "unknown_datum_shift", caveat, source.layer_name()));
  }
  if (!source_area.empty()) layer.source_area = source_area;
  return layer;
}

std::int64_t footprint_id(const OGRFeature& feature, bool is_osm) {
  if (!is_osm) return feature.GetFID();
  const int relation = feature.GetFieldIndex("osm_id");
  const bool is_relation = relation >= 0 && feature.IsFieldSetAndNotNull(relation);
  return is_relation ? -feature.GetFID() : feature.GetFID();
}

std::optional<RawFootprint> footprint_of(const OGRFeature& feature, FootprintLayer& layer) {
  const std::string layer_name = layer.source.layer_name();
  RawFootprint footprint;
  footprint.feature_id = footprint_id(feature, layer.source.is_osm());
  const auto drop = [&](const std::string& code, const std::string& message) {
    layer.issues.push_back(footprint_issue(Issue::Action::dropped, code, message, layer_name, footprint));
    return std::nullopt;
  };
  const OGRGeometry* geometry = feature.GetGeometryRef();
  if (geometry == nullptr || geometry->IsEmpty()) return drop("empty_geometry", "the feature has no geometry");
  const std::unique_ptr<OGRGeometry> without_curves(geometry->getLinearGeometry());
  int others = 0;
  collect_polygons(*without_curves, footprint.parts, others);
  const std::string type = OGRGeometryTypeToName(geometry->getGeometryType());
  if (footprint.parts.empty()) return drop("not_a_polygon", "the geometry is no polygon but a " + type);
  if (!all_finite(footprint)) {
    footprint.parts.clear();
    return drop("bad_coordinate", "a coordinate is not a finite number");
  }
  transform(footprint, layer.to_environment);
  if (!all_finite(footprint)) {
    footprint.parts.clear();
    return drop("no_transformation", "a coordinate cannot be transformed to the environment's CRS");
  }
  if (layer.area && !touch(bounds_of(footprint), *layer.area)) {
    if (layer.not_read) ++*layer.not_read;
    return std::nullopt;
  }
  if (others > 0) {
    layer.issues.push_back(footprint_issue(
        Issue::Action::dropped, "not_a_polygon",
        std::to_string(others) +
            (others == 1 ? " part of the geometry is no polygon" : " parts of the geometry are no polygons"),
        layer_name, footprint));
  }
  return footprint;
}

bool is_within(const RawFootprint& footprint, const std::optional<Rectangle>& extent) {
  return !extent || touch(bounds_of(footprint), *extent);
}

void note_passed_over(FootprintLayer& layer, std::size_t looked_at, Progress& progress,
                      const std::function<bool(const OGRFeature&)>& wanted) {
  constexpr GIntBig most_features = 200'000;
  constexpr std::size_t features_between_checks = 1024;
  OGRLayer& features = layer.source.layer();
  features.SetSpatialFilter(nullptr);
  // To go through a whole country for them, or to fetch it from a server, would take longer than the city does.
  const GIntBig count = is_local_path(layer.source.place().file) ? features.GetFeatureCount(FALSE) : -1;
  if (count < 0 || count > most_features) {
    layer.not_read.reset();
    return;
  }
  layer.source.rewind();
  std::size_t all = 0, with_geometry = 0;
  while (const OGRFeatureUniquePtr feature = layer.source.next()) {
    if (++all % features_between_checks == 0) progress.throw_if_cancelled();
    const OGRGeometry* geometry = feature->GetGeometryRef();
    if (geometry != nullptr && !geometry->IsEmpty()) {
      ++with_geometry;
    } else if (wanted(*feature)) {
      footprint_of(*feature, layer);
    }
  }
  if (layer.not_read && with_geometry > looked_at) *layer.not_read += with_geometry - looked_at;
}

Issue footprint_issue(Issue::Action action, const std::string& code, const std::string& message,
                      const std::string& layer, const RawFootprint& footprint) {
  return {.action = action,
          .code = code,
          .message = message,
          .layer = layer,
          .feature_id = footprint.feature_id,
          .outline = footprint.parts.empty() ? Rings{} : footprint.parts.front()};
}

Issue layer_issue(Issue::Action action, const std::string& code, const std::string& message, const std::string& layer) {
  return {.action = action, .code = code, .message = message, .layer = layer};
}

}  // namespace tesseray
