// SPDX-License-Identifier: GPL-3.0-or-later
#include <algorithm>
#include <array>
#include <optional>
#include <string>
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

// What is covered by trees or shrubs by the meaning that OSM's wiki gives the tags; of parks, gardens and the like
// nobody says how much.
struct Tag {
  Names key, value;
};
constexpr std::array tree_tags = {
    Tag{"natural", "wood"},      Tag{"natural", "scrub"},    Tag{"natural", "tree_row"}, Tag{"natural", "tree_group"},
    Tag{"natural", "shrubbery"}, Tag{"landuse", "forest"},   Tag{"landuse", "orchard"},  Tag{"landcover", "trees"},
    Tag{"wetland", "swamp"},     Tag{"wetland", "mangrove"},
};

// Which features of OSM's extracts are vegetation; all of other layers.
class TreeTags {
 public:
  explicit TreeTags(VectorSource& source) {
    const OGRFeatureDefn& fields = source.fields();
    // Also true of extracts that were converted to other formats with their tags.
    has_tags_ = source.is_osm() || fields.GetFieldIndex("other_tags") >= 0;
    if (!has_tags_) return;
    for (std::size_t i = 0; i < tree_tags.size(); ++i) {
      const std::array alias = {tree_tags[i].key};
      keys_[i] = find_attribute(source, {{}, {}, alias, {}, tree_tags[i].key});
    }
  }

  bool are_on(const OGRFeature& feature) const {
    if (!has_tags_) return true;
    for (std::size_t i = 0; i < tree_tags.size(); ++i) {
      if (keys_[i] && keys_[i]->text(feature) == tree_tags[i].value) return true;
    }
    return false;
  }

  bool are_on_any(VectorSource& source, Progress& progress) const {
    constexpr std::size_t features_between_checks = 1024;
    source.layer().SetSpatialFilter(nullptr);
    source.rewind();
    std::size_t count = 0;
    while (const OGRFeatureUniquePtr feature = source.next()) {
      if (++count % features_between_checks == 0) progress.throw_if_cancelled();
      if (are_on(*feature)) return true;
    }
    return false;
  }

  // "natural=wood, natural=scrub, …".
  static std::string in_words() {
    std::string words;
    for (const Tag& tag : tree_tags) {
      words += (words.empty() ? "" : ", ") + std::string(tag.key) + "=" + std::string(tag.value);
    }
    return words;
  }

 private:
  bool has_tags_ = false;
  std::array<std::optional<Attribute>, tree_tags.size()> keys_;
};

}  // namespace

std::vector<RawVegetation> read_vegetation(FootprintLayer& layer, const EnvironmentInput& input, Progress& progress) {
  const std::optional<Attribute> height = find_attribute(
      layer.source,
      {input.vegetation_height_field, "VEGETATION_HEIGHT_FIELD", tree_height_aliases, length_names, "height"});
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
  const TreeTags tags(layer.source);
  std::size_t others = 0;
  std::vector<RawVegetation> areas;
  for_each_footprint(
      layer, progress,
      [&](const OGRFeature& feature) {
        const bool is_vegetation = tags.are_on(feature);
        if (!is_vegetation) ++others;
        return is_vegetation;
      },
      [&](const OGRFeature& feature, const RawFootprint& footprint) {
        RawVegetation area;
        static_cast<RawFootprint&>(area) = footprint;
        area.height_m = read_height(feature, footprint);
        areas.push_back(std::move(area));
      });
  const std::string read_only = "of OpenStreetMap only features tagged " + TreeTags::in_words() + " are read";
  if (areas.empty() && others > 0 && !tags.are_on_any(layer.source, progress)) {
    throw Error(
        ErrorKind::invalid_input, "no_vegetation", "no feature of the layer is tagged as vegetation",
        read_only + "; leave VEGETATION out, or give a layer without the field other_tags, all of which is read",
        layer.source.place());
  }
  if (others > 0) {
    layer.issues.push_back(layer_issue(
        Issue::Action::dropped, "not_vegetation",
        (others == 1 ? "1 feature is" : std::to_string(others) + " features are") + " left out: " + read_only,
        layer.source.layer_name()));
  }
  if (areas.empty()) {
    layer.issues.push_back(layer_issue(Issue::Action::assumed, "no_vegetation", "no vegetation touches the area",
                                       layer.source.layer_name()));
  }
  std::stable_sort(areas.begin(), areas.end(),
                   [](const RawVegetation& a, const RawVegetation& b) { return a.feature_id < b.feature_id; });
  return areas;
}

}  // namespace tesseray
