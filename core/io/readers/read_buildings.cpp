// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/io/readers/read_buildings.h"

#include <algorithm>
#include <optional>
#include <string>
#include <utility>

#include "core/io/readers/building_attributes.h"
#include "core/io/readers/material_text.h"

namespace tesseray {
namespace {

// A scene numbers them with 16 bits, and a launch has a table of 8 KiB for each.
constexpr std::size_t most_materials = 10'000;

// The properties of each material. Buildings of unknown ones get the default's.
std::vector<Material> resolve_materials(const BuildingAttributes& attributes, std::vector<RawBuilding>& buildings,
                                        const std::optional<Rectangle>& extent, VectorSource& source,
                                        std::vector<Issue>& issues) {
  std::vector<Material> materials;
  for (const std::string& name : attributes.materials()) {
    if (name == "default") continue;
    if (std::optional<Material> known = material_named(name)) {
      materials.push_back(std::move(*known));
      continue;
    }
    std::size_t count = 0;
    std::int64_t first = 0;
    for (RawBuilding& building : buildings) {
      if (building.material != name) continue;
      building.material.clear();
      if (!is_within(building, extent)) continue;
      if (count++ == 0) first = building.feature_id;
    }
    if (count == 0) continue;
    issues.push_back(layer_issue(Issue::Action::assumed, "unknown_material",
                                 attributes.material_field() + " \"" + name + "\" of " + std::to_string(count) +
                                     (count == 1 ? " building (" : " buildings (the first: ") + "feature " +
                                     std::to_string(first) + ") is not known (" + std::string(itu_materials_edition) +
                                     "): the default material is taken; write a name of it, or " +
                                     std::string(material_numbers_example),
                                 source.layer_name()));
  }
  if (materials.size() > most_materials) {
    throw Error(ErrorKind::invalid_input, "too_many_materials",
                attributes.material_field() + " holds " + std::to_string(materials.size()) +
                    " different materials; there may be " + std::to_string(most_materials),
                "round permittivities and conductivities, or group the buildings by classes", source.place());
  }
  return materials;
}

Error no_buildings(VectorSource& source, std::size_t features, const std::vector<Issue>& issues) {
  const std::string hint = source.is_osm() ? "only features tagged building are read; download them with the extract"
                                           : "check that the layer holds the buildings' polygons";
  if (features == 0) return source.no_features(hint);
  const std::string first = issues.empty() ? "" : " (the first: " + issues.front().message + ")";
  return {ErrorKind::invalid_input, "no_buildings",
          "none of its " + std::to_string(features) + " features can be used as a building" + first, hint,
          source.place()};
}

}  // namespace

BuildingsRead read_buildings(FootprintLayer& layer, const EnvironmentInput& input, Progress& progress) {
  BuildingsRead result;
  BuildingAttributes attributes(layer.source, input, layer.issues);
  const std::size_t issues_before = layer.issues.size();
  const auto is_building = [&](const OGRFeature& feature) { return attributes.is_building(feature); };
  const auto take = [&](const OGRFeature& feature, const RawFootprint& footprint) {
    RawBuilding building;
    static_cast<RawFootprint&>(building) = footprint;
    attributes.read(feature, building, layer.issues);
    result.buildings.push_back(std::move(building));
  };
  const std::size_t features = for_each_footprint(layer, progress, is_building, take);
  attributes.finish(layer.issues);
  if (result.buildings.empty() && !layer.area) {
    const auto first = layer.issues.begin() + static_cast<std::ptrdiff_t>(issues_before);
    throw no_buildings(layer.source, features, {first, layer.issues.end()});
  }
  if (result.buildings.empty()) {
    layer.issues.push_back(layer_issue(Issue::Action::assumed, "no_buildings_in_extent", "no building touches EXTENT",
                                       layer.source.layer_name()));
  }
  // Databases give rows in any order.
  std::stable_sort(result.buildings.begin(), result.buildings.end(),
                   [](const RawBuilding& a, const RawBuilding& b) { return a.feature_id < b.feature_id; });
  result.materials = resolve_materials(attributes, result.buildings, input.extent, layer.source, layer.issues);
  return result;
}

}  // namespace tesseray
