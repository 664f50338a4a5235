// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/io/read_buildings.h"

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>

#include "core/io/building_attributes.h"
#include "core/physics/material.h"

namespace tesseray {
namespace {

// The properties of each named material. Buildings of unknown ones get the default's.
std::vector<Material> resolve_materials(const std::set<std::string>& names, std::vector<RawBuilding>& buildings,
                                        const std::string& layer, std::vector<Issue>& issues) {
  std::vector<Material> materials;
  for (const std::string& name : names) {
    if (name == "default") continue;
    if (const ItuMaterial* known = find_itu_material(name)) {
      const MaterialPowerLaw& law = known->law;
      materials.push_back({name, law.a, law.b, law.c, law.d, law.minimum_ghz, law.maximum_ghz});
      continue;
    }
    std::size_t count = 0;
    for (RawBuilding& building : buildings) {
      if (building.material != name) continue;
      building.material.clear();
      ++count;
    }
    issues.push_back(layer_issue(Issue::Action::assumed, "unknown_material",
                                 "material \"" + name + "\" of " + std::to_string(count) + " buildings is not known (" +
                                     std::string(itu_materials_edition) + "): the default material is taken",
                                 layer));
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
  result.materials =
      resolve_materials(attributes.materials(), result.buildings, layer.source.layer_name(), layer.issues);
  return result;
}

}  // namespace tesseray
