// SPDX-License-Identifier: GPL-3.0-or-later
#include <array>
#include <string_view>
#include <utility>

#include "core/base/listed.h"
#include "core/io/readers/footprints.h"
#include "core/io/readers/population_field.h"
#include "core/io/readers/readers.h"
#include "core/io/sources/attribute.h"
#include "core/io/sources/source_crs.h"
#include "core/scene/ground_plan/footprint_repair.h"
#include "core/scene/ground_plan/polygon.h"

namespace tesseray {
namespace {

using Names = std::string_view;

constexpr std::array district_name_aliases = {Names("name"), Names("district"), Names("municipality"), Names("bezirk"),
                                              Names("label")};

// Without a closing point and others that repeat the one before; empty for less than a triangle.
Ring moved_ring(const Ring& ring, Vec2 origin) {
  Ring moved;
  for (const Vec2 p : ring) {
    const Vec2 local = p - origin;
    if (moved.empty() || !(moved.back() == local)) moved.push_back(local);
  }
  while (moved.size() > 1 && moved.front() == moved.back()) moved.pop_back();
  return moved.size() < 3 ? Ring{} : moved;
}

std::vector<Rings> moved_polygons(const RawFootprint& footprint, Vec2 origin) {
  std::vector<Rings> polygons;
  for (const Rings& part : footprint.parts) {
    Rings rings{moved_ring(part.front(), origin)};
    if (rings.front().empty()) continue;
    for (std::size_t i = 1; i < part.size(); ++i) {
      Ring hole = moved_ring(part[i], origin);
      if (!hole.empty()) rings.push_back(std::move(hole));
    }
    polygons.push_back(std::move(rings));
  }
  return polygons;
}

// Polygons of which areas can be taken; none, with an issue, where there is no area.
std::vector<Rings> measurable_polygons(const RawFootprint& footprint, Vec2 origin, PolygonOverlay& overlay,
                                       FootprintLayer& layer) {
  const auto note = [&](Issue::Action action, const std::string& code, const std::string& message) {
    layer.issues.push_back(footprint_issue(action, code, message, layer.source.layer_name(), footprint));
  };
  std::vector<Rings> polygons = moved_polygons(footprint, origin);
  if (!overlay.are_disjoint(polygons)) {
    polygons = overlay.joined(polygons);
    if (!polygons.empty()) {
      note(Issue::Action::repaired, "invalid_geometry", "the polygon crosses itself or overlaps with itself: repaired");
    }
  }
  for (Rings& rings : polygons) orient(rings);
  if (polygons.empty()) note(Issue::Action::dropped, "no_area", "the polygon has no area: left out");
  return polygons;
}

bool has_geometry(const OGRFeature& feature) {
  const OGRGeometry* geometry = feature.GetGeometryRef();
  return geometry != nullptr && !geometry->IsEmpty();
}

// Districts without geometry, by name. They touch no area, so that a spatial filter passes over them.
void list_without_geometry(VectorSource& source, const std::optional<Attribute>& name, Progress& progress,
                           std::vector<Issue>& issues) {
  constexpr std::size_t features_between_checks = 1024, most_named = 10;
  std::vector<std::string> named;
  std::size_t looked_at = 0;
  source.layer().SetSpatialFilter(nullptr);
  source.rewind();
  while (const OGRFeatureUniquePtr feature = source.next()) {
    if (++looked_at % features_between_checks == 0) progress.throw_if_cancelled();
    if (has_geometry(*feature)) continue;
    const std::string number = "feature " + std::to_string(footprint_id(*feature, source.is_osm()));
    const std::string called = name ? name->name_in(*feature) : "";
    named.push_back(called.empty() ? number : called);
  }
  if (named.empty()) return;
  issues.push_back(layer_issue(Issue::Action::dropped, "empty_geometry",
                               std::to_string(named.size()) + " of " + std::to_string(looked_at) + " districts " +
                                   (named.size() == 1 ? "has no geometry and is" : "have no geometry and are") +
                                   " left out: " + listed(named, most_named),
                               source.layer_name()));
}

// Of a layer of which nothing was read: whether it is because of the place is the caller's to say.
void require_polygons(VectorSource& source) {
  const char* const hint = "give a layer with the districts' polygons";
  source.layer().SetSpatialFilter(nullptr);
  source.rewind();
  bool has_features = false;
  while (const OGRFeatureUniquePtr feature = source.next()) {
    constexpr int dimension_of_surfaces = 2;
    if (has_geometry(*feature) && feature->GetGeometryRef()->getDimension() == dimension_of_surfaces) return;
    has_features = true;
  }
  if (!has_features) throw source.no_features(hint);
  throw Error(ErrorKind::invalid_input, "no_polygons", "none of the layer's features is a polygon", hint,
              source.place());
}

}  // namespace

DistrictsRead read_districts(const DistrictInput& input, const LocalFrame& frame, const Rectangle& area,
                             Progress& progress) {
  VectorSource source(input.source, VectorSource::Content::polygons, "DISTRICTS");
  const Crs environment = frame.crs_wkt.empty() ? Crs() : Crs::from_text(frame.crs_wkt);
  const Crs crs = source_crs(source.crs(), {input.crs, "DISTRICTS_CRS", environment.empty()}, source.place());
  check_coordinates(crs, source.bounds(), source.place());
  if (environment.empty()) check_local_metres(source.crs(), frame.origin + area.middle(), source.place());
  const std::optional<Attribute> name =
      find_attribute(source, {input.name_field, "NAME_FIELD", district_name_aliases, {}, "name"});
  std::optional<PopulationField> population;
  if (input.with_population) {
    auto found = find_attribute(source, population_search(input.population_field, "POPULATION_FIELD"));
    if (found) population.emplace(std::move(*found));
  }

  DistrictsRead read;
  if (population) read.population_field = population->name();
  list_without_geometry(source, name, progress, read.issues);
  const Rectangle where{area.min + frame.origin, area.max + frame.origin};
  FootprintLayer layer = footprint_layer(source, crs, environment, where, read.issues);
  PolygonOverlay overlay;
  for_each_footprint(layer, progress, has_geometry, [&](const OGRFeature& feature, const RawFootprint& footprint) {
    District district{.feature_id = footprint.feature_id};
    if (name) district.name = name->name_in(feature);
    if (population) district.population = population->read(feature, source.place(feature));
    district.polygons = measurable_polygons(footprint, frame.origin, overlay, layer);
    if (!district.polygons.empty()) read.districts.push_back(std::move(district));
  });
  if (population) population->refuse_ambiguous();
  if (read.districts.empty()) require_polygons(source);
  return read;
}

}  // namespace tesseray
