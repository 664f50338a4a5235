// SPDX-License-Identifier: GPL-3.0-or-later
// Attributes of features found by name or by alias, and their values as numbers and texts.
#pragma once

#include <ogr_feature.h>

#include <array>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/error.h"
#include "core/io/sources/text_values.h"

namespace tesseray {

class VectorSource;

// Lengths as they stand behind names: "height_ft".
inline constexpr std::array<std::string_view, 11> length_names = {"m",    "metre", "metres", "meter", "meters", "ft",
                                                                  "foot", "feet",  "dm",     "cm",    "mm"};

// Angles.
inline constexpr std::array<std::string_view, 5> angle_names = {"deg", "degree", "degrees", "°", "º"};

// What to look for. Aliases and units are plain names (text_values.h); a field matches an alias alone or with a unit
// behind it: "freq_MHz" is alias "freq" with unit "mhz". Earlier aliases go first. A name of ten characters may be the
// beginning of such a name, as shapefiles keep it: "downtilt_d".
struct AttributeSearch {
  std::string requested;  // a name that the user gave; empty: by alias
  std::string parameter;  // what it was given as, for messages: "HEIGHT_FIELD"
  std::span<const std::string_view> aliases;
  std::span<const std::string_view> units;
  std::string_view osm_tag;  // looked up in other_tags; empty: none
};

// One attribute of each feature of a layer: a field, a tag inside OSM's other_tags, or the feature's number.
class Attribute {
 public:
  // In place of a field's place: the feature's number.
  static constexpr int feature_number = -1;

  Attribute(int field, std::string name, std::string unit, std::string tag = {})
      : field_(field), name_(std::move(name)), unit_(std::move(unit)), tag_(std::move(tag)) {}

  const std::string& name() const { return name_; }
  // In the layer's; none for a tag and for the features' numbers.
  std::optional<int> field() const {
    return tag_.empty() && field_ != feature_number ? std::optional(field_) : std::nullopt;
  }
  // From the name, as one of the search's units; empty: none.
  const std::string& unit() const { return unit_; }
  // True for the field of the values, and for that of their units.
  bool is_read_from(const std::string& field) const { return field == name_ || field == unit_field_name_; }
  // Of a field that says the values' units, feature by feature: "height_unit".
  void set_unit_field(int field, const std::string& name) {
    unit_field_ = field;
    unit_field_name_ = name;
  }
  // Empty when the feature has no value, or one that says so ("n/a"). With its unit, where that has a field of its own
  // and stands not in the value: "60 ft".
  std::optional<std::string> text(const OGRFeature& feature) const;
  // The value as a name, which any word can be ("None"); "" when the feature has none.
  std::string name_in(const OGRFeature& feature) const;
  // The value when it is stored as a number; empty for texts, NULL and NaN, and where a field says its unit.
  std::optional<double> stored_number(const OGRFeature& feature) const;

 private:
  std::optional<double> number_in(const OGRFeature& feature) const;
  std::string unit_beside(const OGRFeature& feature) const;

  int field_;
  std::string name_, unit_, tag_;
  std::optional<int> unit_field_;
  std::string unit_field_name_;
};

// What the name says that its lengths are in; empty where it says nothing.
std::optional<LengthUnit> length_unit_in_name(const Attribute& attribute);

// Empty when nothing fits the aliases. Throws Error, with what is near, when the requested field is not there, and for
// a field that cannot be read as it is (two of one name, texts among numbers). The
// column of the features' numbers ("fid") is one by request alone.
std::optional<Attribute> find_attribute(VectorSource& source, const AttributeSearch& search);

// Whether a field of this name is one that the search finds by alias.
bool is_named_as(const std::string& field, const AttributeSearch& search);

// The error for an attribute that must be there: names what was looked for and what the layer has.
Error missing_attribute(const OGRFeatureDefn& fields, const AttributeSearch& search, const std::string& meaning,
                        const std::string& hint, const ErrorPlace& place);

std::vector<std::string> field_names(const OGRFeatureDefn& fields);

// A number with the text that it could not be read from: nothing at all, a value, or an unreadable text.
struct NumberCell {
  std::optional<double> value;
  std::string unreadable;
};

// Whether a number's sign is one of thousands, as in "28,000": other texts of the feature have the other sign before
// their decimals ("54.3067"), and none has this one.
bool has_thousands(const std::string& number, const OGRFeature& feature);

// The attribute's number; texts go through `parse`, stored numbers are multiplied by `stored_factor`. A text with
// thousands is unreadable.
template <class Parse>
NumberCell read_number(const Attribute& attribute, const OGRFeature& feature, double stored_factor,
                       const Parse& parse) {
  if (const std::optional<double> number = attribute.stored_number(feature)) return {*number * stored_factor, {}};
  const std::optional<std::string> text = attribute.text(feature);
  if (!text) return {};
  const std::optional<double> value = parse(*text);
  if (!value || has_thousands(*text, feature)) return {std::nullopt, *text};
  return {value, {}};
}

// The attribute's length in metres: as a text says, or else in the unit that the attribute's name says.
NumberCell read_length_m(const Attribute& attribute, const OGRFeature& feature);

}  // namespace tesseray
