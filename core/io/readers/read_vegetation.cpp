// SPDX-License-Identifier: GPL-3.0-or-later
#include <algorithm>
#include <array>
#include <string_view>
#include <utility>

#include "core/io/readers/read_buildings.h"
#include "core/io/sources/attribute.h"

namespace tesseray {
namespace {

using Names = std::string_view;

// "hohe" as in building_attributes.cpp.
constexpr std::array tree_height_aliases = {Names("height"),  Names("treeheight"), Names("canopyheight"),
                                            Names("hauteur"), Names("hoehe"),      Names("hohe"),
                                            Names("h")};
constexpr double greatest_tree_height_m = 150.0;  // the tallest tree has 116 m

}  // namespace

std::vector<RawVegetation> read_vegetation(FootprintLayer& layer, const EnvironmentInput& input, Progress& progress) {
  const std::optional<Attribute> height = find_attribute(
      layer.source.fields(),
      {input.vegetation_height_field, "VEGETATION_HEIGHT_FIELD", tree_height_aliases, length_names, "height"},
      layer.source.place());
  const auto read_height = [&](const OGRFeature& feature, const RawFootprint& footprint) -> std::optional<double> {
    if (!height) return std::nullopt;
    const NumberCell cell = read_length_m(*height, feature);
    const bool unusable = cell.value && !(*cell.value > 0 && *cell.value <= greatest_tree_height_m);
    if (!unusable && cell.unreadable.empty()) return cell.value;
    layer.issues.push_back(footprint_issue(Issue::Action::assumed, "unreadable_height",
                                           height->name() + " \"" + height->text(feature).value_or("") +
                                               "\" is not a height of vegetation: taken as missing",
                                           layer.source.layer_name(), footprint));
    return std::nullopt;
  };
  std::vector<RawVegetation> areas;
  for_each_footprint(
      layer, progress, [](const OGRFeature&) { return true; },
      [&](const OGRFeature& feature, const RawFootprint& footprint) {
        RawVegetation area;
        static_cast<RawFootprint&>(area) = footprint;
        area.height_m = read_height(feature, footprint);
        areas.push_back(std::move(area));
      });
  if (areas.empty()) {
    layer.issues.push_back(layer_issue(Issue::Action::assumed, "no_vegetation", "no vegetation touches the area",
                                       layer.source.layer_name()));
  }
  std::stable_sort(areas.begin(), areas.end(),
                   [](const RawVegetation& a, const RawVegetation& b) { return a.feature_id < b.feature_id; });
  return areas;
}

}  // namespace tesseray
