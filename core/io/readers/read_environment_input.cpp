// SPDX-License-Identifier: GPL-3.0-or-later
#include <algorithm>
#include <cmath>
#include <utility>

#include "core/io/readers/read_buildings.h"
#include "core/io/readers/read_clutter.h"
#include "core/io/readers/read_terrain.h"
#include "core/io/readers/readers.h"
#include "core/io/sources/crs.h"
#include "core/io/sources/source_crs.h"
#include "core/io/sources/text_values.h"
#include "core/io/sources/vector_source.h"
#include "core/scene/ground_plan/polygon.h"

namespace tesseray {
namespace {

// Read so far beyond EXTENT; what does not touch it is left out, and counted, when the scene is made.
constexpr double footprint_margin_m = 100.0;

Rectangle bounds_of(const std::vector<RawBuilding>& buildings) {
  Rectangle box;
  for (const RawBuilding& building : buildings) {
    for (const Rings& rings : building.parts) {
      for (const Vec2 p : rings.front()) box.extend(p);
    }
  }
  return box;
}

// In whole metres; degrees, which somebody may have given, to a metre.
std::string text_of(const Rectangle& area) {
  const auto rounded = [](double value) {
    constexpr double most_degrees = 400, steps_per_degree = 1e5;
    const double steps = std::abs(value) < most_degrees ? steps_per_degree : 1;
    return shortest(std::round(value * steps) / steps);
  };
  return rounded(area.min.x) + ", " + rounded(area.min.y) + " … " + rounded(area.max.x) + ", " + rounded(area.max.y);
}

// Of EXTENT's numbers into a CRS; none that say no CRS of their own are in it already.
PointTransform way_of_extent(const EnvironmentInput& input, const Crs& to) {
  if (!input.extent || input.extent_crs.empty()) return {Crs(), to};
  return {Crs::from_text(input.extent_crs, {.field = "EXTENT"}), to, *input.extent};
}

// EXTENT in a CRS; empty where it does not reach.
std::optional<Rectangle> extent_in(const Crs& crs, const EnvironmentInput& input) {
  if (!input.extent) return std::nullopt;
  return way_of_extent(input, crs).bounds(*input.extent);
}

// The same extent in whatever CRS has the same bounds: a transformation's last digits are noise.
Rectangle rounded(const Rectangle& area) {
  constexpr double steps_per_m = 1000;
  const auto round = [](Vec2 corner) {
    return Vec2{std::round(corner.x * steps_per_m) / steps_per_m, std::round(corner.y * steps_per_m) / steps_per_m};
  };
  return {round(area.min), round(area.max)};
}

// What was given, with EXTENT in the environment's CRS.
EnvironmentInput with_extent_in(const Crs& environment, const EnvironmentInput& input, Progress& progress) {
  EnvironmentInput result = input;
  const ErrorPlace place{.field = "EXTENT"};
  if (!input.extent || input.extent_crs.empty()) return result;
  if (environment.empty()) {
    throw Error(ErrorKind::invalid_input, "extent_in_local_metres",
                "EXTENT is in " + input.extent_crs + ", but the environment is in metres of no known CRS",
                "give the extent in the metres of the environment, without a CRS", place);
  }
  const PointTransform transform = way_of_extent(input, environment);
  if (transform.is_identity()) return result;
  result.extent = rounded(transform.bounds(*input.extent));
  if (result.extent->empty()) {
    throw Error(ErrorKind::invalid_input, "no_transformation",
                "EXTENT cannot be transformed from " + input.extent_crs + " to " + environment.name(),
                "check its numbers, xmin,xmax,ymin,ymax, and their CRS", place);
  }
  warn_of_unknown_datum_shift(transform, "EXTENT", progress);
  return result;
}

void check_options(const EnvironmentInput& input) {
  const auto refuse = [](const std::string& parameter, const std::string& message, const std::string& hint) {
    return Error(ErrorKind::invalid_input, "bad_parameter", parameter + " " + message, hint);
  };
  if (!(input.storey_height_m > 0 && input.storey_height_m <= 20)) {
    throw refuse("STOREY_HEIGHT", "is not a height of a storey", "give metres, 3 for example");
  }
  if (input.local_metres && !input.crs.empty()) {
    throw refuse("CRS", "and LOCAL_METRES contradict each other", "leave one of them out");
  }
  if (!input.clutter.empty() && !input.clutter_areas.empty()) {
    throw refuse("CLUTTER", "and CLUTTER_AREAS are both given", "leave one of them out");
  }
  if (!input.extent) return;
  const Rectangle& e = *input.extent;
  const bool finite =
      std::isfinite(e.min.x) && std::isfinite(e.min.y) && std::isfinite(e.max.x) && std::isfinite(e.max.y);
  if (!finite || !(e.min.x < e.max.x && e.min.y < e.max.y)) {
    throw refuse("EXTENT", "has no area", "give x and y of two corners, the south-western first");
  }
  // More than any map has, false eastings with the number of a zone before them included.
  constexpr double farthest_m = 1e8;
  if (std::max({-e.min.x, -e.min.y, e.max.x, e.max.y}) > farthest_m) {
    throw refuse("EXTENT", "has a coordinate beyond 100,000 km, where no map is",
                 "give numbers in the CRS of the environment, in the order xmin,xmax,ymin,ymax");
  }
}

// Everything that is read goes through one of these: from its own CRS into the environment's.
struct Reading {
  const EnvironmentInput& given;
  EnvironmentInput input;  // with EXTENT in the environment's CRS
  CrsRule rule;
  Crs environment;
  RawScene& scene;
  Progress& progress;
};

void note_assumed_crs(const Crs& own, const Crs& taken, const std::string& layer, std::vector<Issue>& issues) {
  if (!own.empty() || taken.empty()) return;
  issues.push_back(layer_issue(Issue::Action::assumed, "missing_crs",
                               "there is no CRS with it: taken to be in " + taken.name(), layer));
}

// Exact where the CRS to compute in depends on it. EXTENT is in that, and may be of a small part of a continent.
Rectangle bounds_with_geometry(VectorSource& source, const Crs& crs, const EnvironmentInput& input) {
  Rectangle bounds = source.bounds();
  constexpr double wide_degrees = 1;
  const bool chooses_zone =
      crs.is_geographic() && input.crs.empty() && !input.local_metres && !input.extent && !source.is_osm();
  if (chooses_zone && !bounds.empty() && bounds.max.x - bounds.min.x > wide_degrees) {
    bounds = source.bounds_of_features();
  }
  if (!bounds.empty()) return bounds;
  source.rewind();
  if (source.next() == nullptr) {
    throw source.no_features("check what was given as " + source.parameter());
  }
  throw Error(ErrorKind::invalid_input, "no_geometry", "no feature of the layer has a geometry of finite coordinates",
              "check what was given as " + source.parameter(), source.place());
}

// The part of a country-wide layer that matters. An extent elsewhere is an error of its own, later.
Rectangle part_within(const std::optional<Rectangle>& extent, const Rectangle& bounds) {
  if (!extent || !touch(*extent, bounds)) return bounds;
  return {{std::max(extent->min.x, bounds.min.x), std::max(extent->min.y, bounds.min.y)},
          {std::min(extent->max.x, bounds.max.x), std::min(extent->max.y, bounds.max.y)}};
}

// One feature with absurd coordinates takes the middle of all to where the layer's CRS is not defined: it is named, so
// that the CRS is not blamed.
void refuse_feature_off_the_earth(VectorSource& source, const Crs& crs, Vec2 middle) {
  if (crs.is_engineering()) return;
  const PointTransform to_degrees(crs, Crs::from_text("EPSG:4326"));
  const auto is_on_earth = [&](Vec2 point) {
    point = to_degrees(point);
    return std::isfinite(point.x) && std::isfinite(point.y);
  };
  if (is_on_earth(middle)) return;
  source.rewind();
  while (const OGRFeatureUniquePtr feature = source.next()) {
    OGREnvelope box;
    if (feature->GetGeometryRef() == nullptr || feature->GetGeometryRef()->IsEmpty()) continue;
    feature->GetGeometryRef()->getEnvelope(&box);
    const Vec2 low{box.MinX, box.MinY}, high{box.MaxX, box.MaxY};
    // What is not finite is an issue of its feature.
    if (!std::isfinite(low.x + low.y + high.x + high.y) || (is_on_earth(low) && is_on_earth(high))) continue;
    const Vec2 farthest = norm(low) > norm(high) ? low : high;
    throw Error(ErrorKind::invalid_input, "feature_off_the_earth",
                "it reaches to " + shortest(farthest.x) + ", " + shortest(farthest.y) + ", where " + crs.name() +
                    " is not defined",
                "correct or remove it, and others like it; if all lie so, give the layer its true CRS",
                source.place(*feature));
  }
}

// By the user's word, or chosen from the buildings' CRS, `layer`. `bounds` are theirs in it.
Crs environment_crs(const EnvironmentInput& input, VectorSource& buildings, const Crs& layer, const Rectangle& bounds,
                    std::vector<Issue>& issues) {
  const auto note = [&](const std::vector<Issue>& found) { issues.insert(issues.end(), found.begin(), found.end()); };
  if (input.local_metres) {
    const Crs own = buildings.crs();
    const Vec2 middle = part_within(input.extent, bounds).middle();
    refuse_feature_off_the_earth(buildings, own, middle);
    note(check_local_metres(own, middle, buildings.place()));
    return {};
  }
  if (input.crs.empty()) {
    const bool is_extent_known = layer.is_projected() || !input.extent_crs.empty();
    const Rectangle area = is_extent_known ? part_within(extent_in(layer, input), bounds) : bounds;
    refuse_feature_off_the_earth(buildings, layer, middle_of(layer, area));
    return choose_environment_crs(layer, area);
  }
  Crs chosen = Crs::from_text(input.crs, {.field = "CRS"}).identified();
  Vec2 middle;
  if (!chosen.is_engineering()) {
    const PointTransform to_chosen(layer, chosen, bounds);
    const Rectangle there = to_chosen.bounds(bounds);
    const std::optional<Rectangle> extent = extent_in(chosen, input);
    const bool is_part = extent && touch(*extent, there);
    if (!is_part) refuse_feature_off_the_earth(buildings, layer, middle_of(layer, bounds));
    middle = is_part ? part_within(extent, there).middle() : to_chosen(middle_of(layer, bounds));
  }
  note(check_environment_crs(chosen, middle));
  return chosen;
}

// Most programs give xmin,ymin,xmax,ymax where QGIS gives xmin,xmax,ymin,ymax: the one taken for the other reaches over
// half the globe, or lies far away.
void check_order_of_extent(const Reading& reading, const Rectangle& buildings, const ErrorPlace& place) {
  constexpr double greatest_area_m2 = 1e11;  // of Iceland
  const auto is_sensible = [&](const Rectangle& area) {
    const Vec2 size = area.max - area.min;
    return size.x > 0 && size.y > 0 && size.x * size.y <= greatest_area_m2;
  };
  const Rectangle& extent = *reading.input.extent;
  if (is_sensible(extent) && touch(grown(extent, footprint_margin_m), buildings)) return;
  const Rectangle& numbers = *reading.given.extent;
  EnvironmentInput as_corners = reading.given;
  as_corners.extent = {{numbers.min.x, numbers.max.x}, {numbers.min.y, numbers.max.y}};
  const Rectangle other = *extent_in(reading.environment, as_corners);
  if (!is_sensible(other) || !touch(other, buildings)) return;
  const Vec2 size = extent.max - extent.min;
  const double unit_m = std::max(size.x, size.y) < 10000 ? 1 : 1000;
  const auto in_units = [&](double length_m) { return std::to_string(std::llround(length_m / unit_m)); };
  throw Error(ErrorKind::invalid_input, "extent_order",
              "EXTENT is " + in_units(size.x) + " × " + in_units(size.y) + (unit_m == 1 ? " m" : " km") +
                  ", read as xmin,xmax,ymin,ymax; as xmin,ymin,xmax,ymax it would meet the buildings (" +
                  text_of(buildings) + ")",
              "write its numbers in the order xmin,xmax,ymin,ymax: " + shortest(numbers.min.x) + "," +
                  shortest(numbers.min.y) + "," + shortest(numbers.max.x) + "," + shortest(numbers.max.y),
              place);
}

void read_all_buildings(VectorSource& source, const Crs& crs, const Rectangle& bounds, Reading& reading) {
  std::optional<Rectangle> area;
  if (reading.input.extent) area = grown(*reading.input.extent, footprint_margin_m);
  FootprintLayer layer = footprint_layer(source, crs, reading.environment, area, reading.scene.issues);
  const Rectangle reach = layer.to_environment.bounds(bounds);
  if (area && !reach.empty()) check_order_of_extent(reading, reach, source.place());
  if (area && !reach.empty() && !touch(reach, *area)) {
    throw Error(
        ErrorKind::invalid_input, "extent_elsewhere",
        "EXTENT (" + text_of(*reading.input.extent) + ") is nowhere near the buildings (" + text_of(reach) + ")",
        "give one that meets them; its numbers count in the environment's CRS, " + reading.environment.name(),
        source.place());
  }
  BuildingsRead read = read_buildings(layer, reading.input, reading.progress);
  reading.scene.buildings = std::move(read.buildings);
  reading.scene.materials = std::move(read.materials);
  reading.scene.buildings_not_read = layer.not_read;
}

// A layer of areas around the site.
FootprintLayer layer_around(const Rectangle& site, VectorSource& source, Reading& reading) {
  const Crs own = source.crs();
  const Crs crs = source_crs(own, reading.rule, source.place());
  check_coordinates(crs, source.bounds(), source.place());
  if (reading.rule.local_metres) check_local_metres(own, site.middle(), source.place());
  note_assumed_crs(own, crs, source.layer_name(), reading.scene.issues);
  return footprint_layer(source, crs, reading.environment, grown(site, footprint_margin_m), reading.scene.issues);
}

// The name of the layer of CLUTTER_AREAS; empty without.
std::string read_all_clutter(const Rectangle& site, Reading& reading) {
  const EnvironmentInput& input = reading.input;
  if (!input.clutter.empty()) {
    reading.scene.clutter =
        read_clutter_raster(input.clutter, reading.environment, reading.rule, grown(site, footprint_margin_m),
                            reading.scene.issues, reading.progress);
  } else if (!input.clutter_areas.empty()) {
    VectorSource source(input.clutter_areas, VectorSource::Content::polygons, "CLUTTER_AREAS");
    FootprintLayer layer = layer_around(site, source, reading);
    reading.scene.clutter = read_clutter_areas(layer, input.clutter_field, reading.progress);
    return source.layer_name();
  }
  return {};
}

void read_all_vegetation(const Rectangle& site, Reading& reading) {
  VectorSource source(reading.input.vegetation, VectorSource::Content::polygons, "VEGETATION");
  FootprintLayer layer = layer_around(site, source, reading);
  reading.scene.vegetation_layer = source.layer_name();
  reading.scene.vegetation = read_vegetation(layer, reading.input, reading.progress);
  reading.scene.vegetation_not_read = layer.not_read;
}

// The issues about one layer, and what it was given as.
struct LayerIssues {
  std::string parameter, name;
  std::size_t begin = 0, end = 0;
};

// Layers of one name, of different files mostly, are told apart by what they were given as: their features' numbers are
// others.
void tell_layers_apart(const std::vector<LayerIssues>& layers, RawScene& scene) {
  for (const LayerIssues& layer : layers) {
    const auto with_name =
        std::count_if(layers.begin(), layers.end(), [&](const LayerIssues& other) { return other.name == layer.name; });
    if (with_name < 2) continue;
    const std::string label = layer.name + " (" + layer.parameter + ")";
    for (std::size_t i = layer.begin; i < layer.end; ++i) {
      if (scene.issues[i].layer == layer.name) scene.issues[i].layer = label;
    }
    if (layer.parameter == "BUILDINGS") scene.buildings_layer = label;
    if (layer.parameter == "VEGETATION") scene.vegetation_layer = label;
  }
}

}  // namespace

RawScene read_environment_input(const EnvironmentInput& input, Progress& progress) {
  check_options(input);
  progress.begin_stage("reading");
  const CrsRule rule{input.crs, "CRS", input.local_metres};
  VectorSource buildings(input.buildings, VectorSource::Content::polygons, "BUILDINGS");
  const Crs own_crs = buildings.crs();
  const Crs crs = source_crs(own_crs, rule, buildings.place());
  const Rectangle bounds = bounds_with_geometry(buildings, crs, input);
  check_coordinates(crs, bounds, buildings.place());

  RawScene scene;
  const Crs environment = environment_crs(input, buildings, crs, bounds, scene.issues);
  Reading reading{input, with_extent_in(environment, input, progress), rule, environment, scene, progress};
  scene.extent = reading.input.extent;
  scene.crs_wkt = reading.environment.wkt();
  scene.crs_name = reading.environment.name();
  scene.buildings_file = buildings.place().file;
  scene.buildings_layer = buildings.layer_name();
  note_assumed_crs(own_crs, crs, scene.buildings_layer, scene.issues);
  read_all_buildings(buildings, crs, bounds, reading);
  std::vector<LayerIssues> layers = {{"BUILDINGS", scene.buildings_layer, 0, scene.issues.size()}};
  progress.advance(0.6);

  const Rectangle site = scene.extent ? *scene.extent : bounds_of(scene.buildings);
  if (!input.vegetation.empty()) {
    read_all_vegetation(site, reading);
    layers.push_back({"VEGETATION", scene.vegetation_layer, layers.back().end, scene.issues.size()});
  }
  const std::string clutter_layer = read_all_clutter(site, reading);
  layers.push_back({"CLUTTER_AREAS", clutter_layer, layers.back().end, scene.issues.size()});
  tell_layers_apart(layers, scene);
  progress.advance(0.8);
  if (!input.dem.empty()) {
    scene.terrain =
        read_terrain(input.dem, reading.environment, rule, grown(site, landscape_margin_m), scene.issues, progress);
  }
  progress.advance(1.0);
  return scene;
}

}  // namespace tesseray
