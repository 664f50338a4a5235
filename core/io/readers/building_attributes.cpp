// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/io/readers/building_attributes.h"

#include <algorithm>
#include <array>
#include <string_view>

#include "core/base/listed.h"
#include "core/io/readers/footprints.h"
#include "core/io/readers/material_text.h"
#include "core/io/sources/text_values.h"
#include "core/scene/elevation_range.h"
#include "core/scene/issue_text.h"

namespace tesseray {
namespace {

using Names = std::string_view;

// Names of other languages are compared without their marks, with ä, ö and ü as ae, oe and ue; "hohe" is what is left
// of Höhe where marks were dropped before.
constexpr std::array building_height_aliases = {
    Names("height"),      Names("buildingheight"), Names("htotale"),         Names("hauteur"),
    Names("buildingh"),   Names("bldgheight"),     Names("bldgh"),           Names("roofheight"),
    Names("heightabove"), Names("heightag"),       Names("measuredheight"),  Names("hoehe"),
    Names("hohe"),        Names("gebaeudehoehe"),  Names("hauteurbatiment"), Names("hauteurdubatiment"),
    Names("gebaudehohe"), Names("altura"),         Names("altezza"),         Names("hoogte"),
    Names("wysokosc"),    Names("vyska"),          Names("visina"),          Names("hoejd"),
    Names("hojd"),        Names("højde"),          Names("høyde"),           Names("korkeus"),
    Names("magassag"),    Names("yuekseklik"),     Names("yukseklik"),       Names("h")};
constexpr std::array roof_aliases = {
    Names("roofelevation"), Names("roofelev"), Names("elevationroof"),        Names("zroof"),    Names("roofz"),
    Names("zmax"),          Names("zmaxi"),    Names("altitudemaximaletoit"), Names("altitoit"), Names("topz"),
};
constexpr std::array storey_aliases = {
    Names("buildinglevels"), Names("levels"),   Names("storeys"),   Names("stories"),
    Names("numstoreys"),     Names("nstoreys"), Names("numfloors"), Names("floors"),
    Names("nfloors"),        Names("nbetages"), Names("etages"),    Names("geschosse"),
};
constexpr std::array base_aliases = {Names("base"), Names("baseheight"), Names("heightbase")};
constexpr std::array osm_base_aliases = {Names("minheight"), Names("buildingminheight")};
constexpr std::array material_aliases = {Names("material"), Names("buildingmaterial"), Names("wallmaterial")};
constexpr std::array building_aliases = {Names("building")};
constexpr std::array part_aliases = {Names("buildingpart")};

// Beyond these a value is a marker for "unknown", in other units, or of another column. The highest building so far
// has 828 m and 163 storeys.
constexpr double greatest_height_m = 1000.0;
constexpr double most_storeys = 200.0;

AttributeSearch height_search(const std::string& requested, HeightKind kind) {
  const bool above_ground = kind == HeightKind::above_ground;
  const bool storeys = kind == HeightKind::storeys;
  return {.requested = requested,
          .parameter = "HEIGHT_FIELD",
          .aliases = above_ground ? std::span<const Names>(building_height_aliases)
                     : storeys    ? std::span<const Names>(storey_aliases)
                                  : std::span<const Names>(roof_aliases),
          .units = storeys ? std::span<const Names>() : std::span<const Names>(length_names),
          .osm_tag = above_ground ? "height"
                     : storeys    ? "building:levels"
                                  : ""};
}

// What heights of a kind are, in the words of a sentence and of HEIGHT_KIND.
struct KindWords {
  HeightKind kind;
  std::string_view meaning, parameter_value;
};
constexpr std::array kind_words = {KindWords{HeightKind::above_ground, "heights above the ground", "above_ground"},
                                   KindWords{HeightKind::roof_elevation, "elevations of roofs", "roof_elevation"},
                                   KindWords{HeightKind::storeys, "numbers of storeys", "storeys"}};

const KindWords& words_of(HeightKind kind) {
  return *std::find_if(kind_words.begin(), kind_words.end(),
                       [&](const KindWords& words) { return words.kind == kind; });
}

// The kind that a field's name says; none where `taken` is one that it may be called by.
std::optional<HeightKind> other_kind_in_name(const std::string& field, HeightKind taken) {
  const auto says = [&field](HeightKind kind) { return is_named_as(field, height_search({}, kind)); };
  if (says(taken)) return std::nullopt;
  for (const KindWords& words : kind_words) {
    if (says(words.kind)) return words.kind;
  }
  return std::nullopt;
}

std::string_view in_words(LengthUnit unit) {
  switch (unit) {
    case LengthUnit::foot:
      return "feet";
    case LengthUnit::decimetre:
      return "decimetres";
    case LengthUnit::centimetre:
      return "centimetres";
    case LengthUnit::millimetre:
      return "millimetres";
    case LengthUnit::metre:
      break;
  }
  return "metres";
}

}  // namespace

BuildingAttributes::BuildingAttributes(VectorSource& source, const EnvironmentInput& input, std::vector<Issue>& issues)
    : kind_(input.height_kind),
      bare_unit_(input.height_unit),
      unit_(input.height_unit),
      storey_height_m_(input.storey_height_m),
      extent_(input.extent),
      layer_(source.layer_name()) {
  const OGRFeatureDefn& fields = source.fields();
  const ErrorPlace place = source.place();
  const auto find = [&](const std::string& requested, const std::string& parameter, std::span<const Names> aliases,
                        std::string_view osm_tag) {
    return find_attribute(source, {requested, parameter, aliases, length_names, osm_tag});
  };
  // Also true of extracts that were converted to other formats with their tags.
  has_osm_tags_ = source.is_osm() || fields.GetFieldIndex("other_tags") >= 0;
  if (has_osm_tags_) {
    osm_building_ = find({}, {}, building_aliases, "building");
    osm_part_ = find({}, {}, part_aliases, "building:part");
  }
  const AttributeSearch search = height_search(input.height_field, kind_);
  height_ = find_attribute(source, search);
  if (!height_ && kind_ != HeightKind::above_ground) {
    throw missing_attribute(fields, search, kind_ == HeightKind::storeys ? "storeys" : "roof elevations",
                            "name it with HEIGHT_FIELD, or choose another HEIGHT_KIND", place);
  }
  if (kind_ != HeightKind::storeys) storeys_ = find({}, {}, storey_aliases, "building:levels");
  if (storeys_ && height_ && storeys_->name() == height_->name()) storeys_.reset();
  base_ = find(input.base_field, "BASE_FIELD", base_aliases, "min_height");
  // Tags as fields of their own. Elsewhere a "min_height" may be of a roof.
  const std::vector<std::string> names = field_names(fields);
  const bool has_tags_as_fields = std::find(names.begin(), names.end(), "building") != names.end();
  if (!base_ && has_tags_as_fields) base_ = find({}, {}, osm_base_aliases, {});
  // Never by alias: elevations of the ground are of many kinds, and only people know which is the entrance's.
  if (!input.entrance_field.empty()) entrance_ = find(input.entrance_field, "ENTRANCE_FIELD", {}, {});
  material_ = find(input.material_field, "MATERIAL_FIELD", material_aliases, "building:material");
  if (!height_) {
    std::string instead = storeys_ ? "; they are assumed from the storeys in " + storeys_->name() : "";
    if (const std::optional<Attribute> roof = find({}, {}, roof_aliases, {})) {
      instead += "; if " + roof->name() + " holds elevations of roofs, as its name says, give HEIGHT_KIND " +
                 "roof_elevation and HEIGHT_FIELD " + roof->name();
    }
    issues.push_back(layer_issue(Issue::Action::assumed, "no_height_field",
                                 "no field holds heights by its name (fields: " + listed(field_names(fields)) +
                                     "): all heights are missing" + instead,
                                 layer_));
  }
  if (const auto other = height_ ? other_kind_in_name(height_->name(), kind_) : std::nullopt) {
    const KindWords &said_words = words_of(*other), &taken = words_of(kind_);
    issues.push_back(layer_issue(Issue::Action::assumed, "height_field_of_another_kind",
                                 height_->name() + " is taken as " + std::string(taken.meaning) + "; if it holds " +
                                     std::string(said_words.meaning) + ", as its name says, give HEIGHT_KIND " +
                                     std::string(said_words.parameter_value),
                                 layer_));
  }
  // A name is the better witness: the unit option has a default that nobody may have looked at.
  const auto said = height_ ? length_unit_in_name(*height_) : std::nullopt;
  if (!said || *said == unit_) return;
  unit_ = *said;
  issues.push_back(layer_issue(
      Issue::Action::assumed, "unit_from_name",
      std::string("heights are in ").append(in_words(unit_)) + ", as the name of field " + height_->name() + " says" +
          (base_ && !length_unit_in_name(*base_)
               ? std::string("; those in ") + base_->name() + " are in " + std::string(in_words(bare_unit_))
               : std::string()),
      layer_));
}

bool BuildingAttributes::is_building(const OGRFeature& feature) {
  if (!has_osm_tags_) return true;
  const std::optional<std::string> building = osm_building_ ? osm_building_->text(feature) : std::nullopt;
  if (building) return *building != "no";
  if (osm_part_ && osm_part_->text(feature)) ++osm_parts_;
  return false;
}

void BuildingAttributes::read(const OGRFeature& feature, RawBuilding& building, std::vector<Issue>& issues) {
  if (kind_ == HeightKind::roof_elevation) {
    building.roof_elevation_m = read_height(feature, building, issues);
  } else {
    building.height_m = read_height(feature, building, issues);
  }
  if (!building.height_m && !building.roof_elevation_m) assume_height_from_storeys(feature, building, issues);
  building.base_m = read_base(feature, building, issues);
  building.entrance_elevation_m = read_entrance(feature, building, issues);
  building.material = read_material(feature, building, issues);
  if (!building.material.empty()) materials_.insert(building.material);
}

std::string BuildingAttributes::read_material(const OGRFeature& feature, const RawBuilding& building,
                                              std::vector<Issue>& issues) const {
  const std::optional<std::string> text = material_ ? material_->text(feature) : std::nullopt;
  if (!text) return {};
  if (const std::optional<ElectricProperties> numbers = parse_electric_properties(*text)) {
    const std::string problem = out_of_range(*numbers);
    if (problem.empty()) return material_name(*numbers);
    issues.push_back(footprint_issue(Issue::Action::assumed, "unusable_material",
                                     material_->name() + " \"" + *text + "\": " + problem +
                                         ": the default material is taken; write a name of ITU-R P.2040, or " +
                                         std::string(material_numbers_example),
                                     layer_, building));
    return {};
  }
  return material_word(*text);
}

std::optional<double> BuildingAttributes::read_height(const OGRFeature& feature, const RawBuilding& building,
                                                      std::vector<Issue>& issues) {
  if (!height_) return std::nullopt;
  if (kind_ == HeightKind::storeys) return read_storeys_m(feature, building, issues);
  const NumberCell cell = read_number(*height_, feature, metres_per(unit_),
                                      [&](const std::string& text) { return parse_length_m(text, unit_); });
  const auto missing = [&](const std::string& code, const std::string& message) {
    issues.push_back(footprint_issue(Issue::Action::assumed, code, message + ": taken as missing", layer_, building));
    return std::nullopt;
  };
  if (!cell.unreadable.empty()) {
    return missing("unreadable_height", height_->name() + " \"" + cell.unreadable + "\" is not a height");
  }
  if (!cell.value) return std::nullopt;
  if (is_within(building, extent_)) count_unit(feature);
  const bool plausible = kind_ == HeightKind::above_ground
                             ? *cell.value > 0 && *cell.value <= greatest_height_m
                             : *cell.value >= lowest_ground_m && *cell.value <= highest_elevation_m;
  if (!plausible) return missing("implausible_height", height_->name() + " says " + metres(*cell.value));
  return cell.value;
}

void BuildingAttributes::count_unit(const OGRFeature& feature) {
  const std::string text = height_->text(feature).value_or("");
  if (height_->stored_number(feature) || parse_number(text)) {
    ++bare_heights_;
    return;
  }
  // Metric units are written with an m, the others without.
  const bool says_feet = lower_case(text).find('m') == std::string::npos;
  if (says_feet != (unit_ == LengthUnit::foot)) ++heights_in_other_unit_;
}

std::optional<double> BuildingAttributes::read_storeys_m(const OGRFeature& feature, const RawBuilding& building,
                                                         std::vector<Issue>& issues) const {
  const Attribute& attribute = kind_ == HeightKind::storeys ? *height_ : *storeys_;
  const NumberCell cell =
      read_number(attribute, feature, 1.0, [](const std::string& text) { return parse_number(text); });
  const auto say = [&](const std::string& code, const std::string& message) {
    issues.push_back(footprint_issue(Issue::Action::assumed, code, message, layer_, building));
  };
  if (!cell.unreadable.empty()) {
    say("unreadable_storeys",
        attribute.name() + " \"" + cell.unreadable + "\" is not a number of storeys: taken as missing");
    return std::nullopt;
  }
  if (!cell.value) return std::nullopt;
  if (*cell.value < 0 || *cell.value > most_storeys) {
    say("implausible_storeys", attribute.name() + " says " + shortest(*cell.value) + ": taken as missing");
    return std::nullopt;
  }
  if (*cell.value < 1) {
    say("clamped_storeys", attribute.name() + " says " + shortest(*cell.value) + ": taken as 1");
  }
  return std::max(1.0, *cell.value) * storey_height_m_;
}

void BuildingAttributes::assume_height_from_storeys(const OGRFeature& feature, RawBuilding& building,
                                                    std::vector<Issue>& issues) {
  if (!storeys_) return;
  building.height_m = read_storeys_m(feature, building, issues);
  if (!building.height_m) return;
  if (is_within(building, extent_)) ++heights_from_storeys_;
  // Of OSM extracts most heights come from storeys: there the layer's count says it (finish).
  if (has_osm_tags_) return;
  issues.push_back(footprint_issue(Issue::Action::assumed, "height_from_storeys",
                                   "no height: " + metres(*building.height_m) + " assumed from " + storeys_->name(),
                                   layer_, building));
}

std::optional<double> BuildingAttributes::read_base(const OGRFeature& feature, const RawBuilding& building,
                                                    std::vector<Issue>& issues) const {
  if (!base_) return std::nullopt;
  const LengthUnit unit = length_unit_in_name(*base_).value_or(bare_unit_);
  const NumberCell cell = read_number(*base_, feature, metres_per(unit),
                                      [&](const std::string& text) { return parse_length_m(text, unit); });
  const auto none = [&](const std::string& message) {
    issues.push_back(footprint_issue(Issue::Action::assumed, "unusable_base",
                                     base_->name() + " " + message + ": taken as standing on the ground", layer_,
                                     building));
    return std::nullopt;
  };
  if (!cell.unreadable.empty()) return none("\"" + cell.unreadable + "\" is not a height");
  if (!cell.value || *cell.value == 0) return std::nullopt;
  if (*cell.value < 0 || *cell.value > greatest_height_m) return none("says " + metres(*cell.value));
  if (building.height_m && *cell.value >= *building.height_m) {
    return none("says " + metres(*cell.value) + ", not below the roof at " + metres(*building.height_m));
  }
  return cell.value;
}

std::optional<double> BuildingAttributes::read_entrance(const OGRFeature& feature, const RawBuilding& building,
                                                        std::vector<Issue>& issues) const {
  if (!entrance_) return std::nullopt;
  const LengthUnit unit = length_unit_in_name(*entrance_).value_or(LengthUnit::metre);
  const NumberCell cell = read_number(*entrance_, feature, metres_per(unit),
                                      [&](const std::string& text) { return parse_length_m(text, unit); });
  const bool plausible = cell.value && *cell.value >= lowest_ground_m && *cell.value <= highest_elevation_m;
  if (cell.unreadable.empty() && (plausible || !cell.value)) return cell.value;
  const std::string found =
      cell.unreadable.empty() ? "says " + metres(*cell.value) : "\"" + cell.unreadable + "\" is not an elevation";
  issues.push_back(footprint_issue(Issue::Action::assumed, "unusable_entrance",
                                   entrance_->name() + " " + found + ": taken as missing", layer_, building));
  return std::nullopt;
}

void BuildingAttributes::finish(std::vector<Issue>& issues) const {
  if (has_osm_tags_ && heights_from_storeys_ > 0) {
    issues.push_back(
        layer_issue(Issue::Action::assumed, "height_from_storeys",
                    std::to_string(heights_from_storeys_) + (heights_from_storeys_ == 1 ? " building" : " buildings") +
                        " without a height: assumed from building:levels, " + metres(storey_height_m_) + " each",
                    layer_));
  }
  if (heights_in_other_unit_ > 0 && bare_heights_ > 0) {
    const bool are_feet = unit_ == LengthUnit::foot;
    const std::string taken(in_words(unit_)), other = are_feet ? "metres" : "feet";
    issues.push_back(layer_issue(
        Issue::Action::assumed, "mixed_units",
        height_->name() + ": " + std::to_string(heights_in_other_unit_) +
            (heights_in_other_unit_ == 1 ? " height says that it is " : " heights say that they are ") + other +
            ", and the " + std::to_string(bare_heights_) + " without a unit " + (bare_heights_ == 1 ? "is" : "are") +
            " taken as " + taken + "; if these are " + other + " as well, give HEIGHT_UNIT " + (are_feet ? "m" : "ft"),
        layer_));
  }
  if (osm_parts_ > 0) {
    issues.push_back(layer_issue(
        Issue::Action::dropped, "building_parts",
        std::to_string(osm_parts_) +
            (osm_parts_ == 1 ? " feature tagged building:part is not read: its building's outline is"
                             : " features tagged building:part are not read: their buildings' outlines are"),
        layer_));
  }
}

}  // namespace tesseray
