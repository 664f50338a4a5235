// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/io/sources/attribute.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "core/base/listed.h"
#include "core/io/sources/text_values.h"
#include "core/io/sources/vector_source.h"

namespace tesseray {
namespace {

constexpr const char* other_tags = "other_tags";
constexpr std::size_t shapefile_name_length = 10;

std::string name_of(const OGRFieldDefn& field) { return as_utf8(field.GetNameRef()); }

// Units that names may end with and that are not read, of fields in the first one's kind of unit.
struct UnreadUnits {
  std::string_view kind;
  std::span<const std::string_view> units;
};
constexpr std::array unread_lengths =
    std::to_array<std::string_view>({"km", "in", "inch", "inches", "yd", "yard", "yards", "mi", "mile", "miles"});
constexpr std::array unread_angles =
    std::to_array<std::string_view>({"rad", "radian", "radians", "gon", "gons", "grad", "grads"});
constexpr std::array unread_steps = std::to_array<std::string_view>({"ns", "us", "µs", "ms", "s", "m", "km"});
constexpr std::array unread_units = {UnreadUnits{"m", unread_lengths}, UnreadUnits{"deg", unread_angles},
                                     UnreadUnits{"steps", unread_steps}};

void refuse_unread_unit(const std::string& name, const AttributeSearch& search, const ErrorPlace& place) {
  for (const UnreadUnits& unread : unread_units) {
    if (std::find(search.units.begin(), search.units.end(), unread.kind) == search.units.end()) continue;
    const std::string unit(unit_at_end(name, unread.units));
    if (unit.empty()) continue;
    ErrorPlace field = place;
    field.field = name;
    throw Error(ErrorKind::invalid_input, "unread_unit",
                "its name says \"" + unit + "\", in which no values are read (given as " + search.parameter + ")",
                "convert them to " + std::string(unread.kind) + ", in a field of another name", field);
  }
}

// The unit behind an alias in a name, "" for none; nothing when the name is no such one. An "s" is the plural's unless
// it stands apart: "delays", "delay_s".
std::optional<std::string> unit_behind(const std::string& name, std::string_view alias, const AttributeSearch& search) {
  const std::string plain = plain_name(name);
  if (!plain.starts_with(alias)) return std::nullopt;
  const std::string_view rest = std::string_view(plain).substr(alias.size());
  const bool is_unit = std::find(search.units.begin(), search.units.end(), rest) != search.units.end();
  const bool is_plural = rest == "s" && unit_at_end(name, search.units) != rest;
  return rest.empty() || (is_unit && !is_plural) ? std::optional<std::string>(rest) : std::nullopt;
}

// The same for a name that a shapefile has cut.
std::optional<std::string> unit_behind_cut(const std::string& plain, std::string_view alias,
                                           const AttributeSearch& search) {
  if (alias.starts_with(plain)) return "";
  for (const std::string_view unit : search.units) {
    if ((std::string(alias) + std::string(unit)).starts_with(plain)) return std::string(unit);
  }
  return std::nullopt;
}

// "height_unit" beside "height" or "height_ft", also as a shapefile has cut it.
bool says_unit_of(const std::string& name, const Attribute& attribute) {
  constexpr std::array words =
      std::to_array<std::string_view>({"unit", "units", "uom", "einheit", "einheiten", "unite", "unidad", "unita"});
  constexpr std::size_t least_letters = 3;
  const std::string plain = plain_name(name), values = plain_name(attribute.name());
  std::string_view quantity = values;
  if (quantity.ends_with(attribute.unit())) quantity.remove_suffix(attribute.unit().size());
  const bool may_be_cut = name.size() == shapefile_name_length;
  for (const std::string_view before : {std::string_view(values), quantity}) {
    if (before.empty() || !plain.starts_with(before)) continue;
    const std::string_view behind = std::string_view(plain).substr(before.size());
    const auto is_behind = [&](std::string_view word) {
      return behind == word || (may_be_cut && behind.size() >= least_letters && word.starts_with(behind));
    };
    if (std::any_of(words.begin(), words.end(), is_behind)) return true;
  }
  return false;
}

// Of what has units.
void look_for_unit_field(const OGRFeatureDefn& fields, const AttributeSearch& search, Attribute& attribute) {
  if (search.units.empty()) return;
  for (int i = 0; i < fields.GetFieldCount(); ++i) {
    const std::string name = name_of(*fields.GetFieldDefn(i));
    if (says_unit_of(name, attribute)) return attribute.set_unit_field(i, name);
  }
}

// The unit in a name by an alias, whole or cut; nothing when the name is no such one.
std::optional<std::string> unit_by(std::string_view alias, bool cut, const std::string& name,
                                   const AttributeSearch& search) {
  // Two of the ten may be signs between words.
  constexpr std::size_t least_letters = 8;
  if (!cut) return unit_behind(name, alias, search);
  const std::string plain = plain_name(name);
  if (name.size() != shapefile_name_length || plain.size() < least_letters) return std::nullopt;
  return unit_behind_cut(plain, alias, search);
}

std::optional<Attribute> find_by_alias(const OGRFeatureDefn& fields, const AttributeSearch& search) {
  for (const bool cut : {false, true}) {
    for (const std::string_view alias : search.aliases) {
      for (int i = 0; i < fields.GetFieldCount(); ++i) {
        const std::string name = name_of(*fields.GetFieldDefn(i));
        if (const auto unit = unit_by(alias, cut, name, search)) return Attribute(i, name, *unit);
      }
    }
  }
  return std::nullopt;
}

// Exact first, then in any case; the column of the features' numbers where no field is called so.
std::optional<int> field_called(VectorSource& source, const std::string& requested) {
  const OGRFeatureDefn& fields = source.fields();
  std::optional<int> in_any_case;
  for (int i = fields.GetFieldCount() - 1; i >= 0; --i) {
    const std::string name = name_of(*fields.GetFieldDefn(i));
    if (name == requested) return i;
    if (in_small_letters(name) == in_small_letters(requested)) in_any_case = i;
  }
  const bool is_number = in_small_letters(source.number_column()) == in_small_letters(requested);
  return in_any_case || !is_number ? in_any_case : Attribute::feature_number;
}

std::optional<Attribute> find_requested(VectorSource& source, const AttributeSearch& search) {
  const std::optional<int> field = field_called(source, search.requested);
  if (!field) return std::nullopt;
  const bool is_number = field == Attribute::feature_number;
  const std::string name = is_number ? source.number_column() : name_of(*source.fields().GetFieldDefn(*field));
  // "carrier_ghz" by its last word; "freqmhz" by being an alias with a unit.
  std::string unit(unit_at_end(name, search.units));
  for (const std::string_view candidate : search.units) {
    for (const std::string_view alias : search.aliases) {
      if (candidate != "s" && plain_name(name) == std::string(alias) + std::string(candidate)) unit = candidate;
    }
  }
  if (unit.empty()) refuse_unread_unit(name, search, source.place());
  return Attribute(*field, name, unit);
}

}  // namespace

std::string Attribute::name_in(const OGRFeature& feature) const {
  if (field_ == feature_number) return std::to_string(feature.GetFID());
  if (!feature.IsFieldSetAndNotNull(field_)) return {};
  const std::string value = as_utf8(feature.GetFieldAsString(field_));
  return std::string(trimmed(tag_.empty() ? value : hstore_value(value, tag_).value_or("")));
}

std::optional<std::string> Attribute::text(const OGRFeature& feature) const {
  std::string value = name_in(feature);
  if (is_blank(value)) return std::nullopt;
  const std::string unit = unit_beside(feature);
  if (unit.empty() || !parse_number(value)) return value;
  const std::optional<double> number = number_in(feature);
  return (number ? shortest(*number) : value) + " " + unit;
}

std::optional<double> Attribute::stored_number(const OGRFeature& feature) const {
  return unit_beside(feature).empty() ? number_in(feature) : std::nullopt;
}

// A number is none: "height_units" may count flats.
std::string Attribute::unit_beside(const OGRFeature& feature) const {
  if (!unit_field_ || !feature.IsFieldSetAndNotNull(*unit_field_)) return {};
  const std::string unit = as_utf8(feature.GetFieldAsString(*unit_field_));
  return is_blank(unit) || parse_number(unit) ? std::string() : std::string(trimmed(unit));
}

std::optional<double> Attribute::number_in(const OGRFeature& feature) const {
  if (field_ == feature_number) return static_cast<double>(feature.GetFID());
  if (!tag_.empty() || !feature.IsFieldSetAndNotNull(field_)) return std::nullopt;
  if (!holds_numbers(*feature.GetDefnRef()->GetFieldDefn(field_))) return std::nullopt;
  const double value = feature.GetFieldAsDouble(field_);
  return std::isfinite(value) ? std::optional(value) : std::nullopt;
}

std::optional<LengthUnit> length_unit_in_name(const Attribute& attribute) {
  const std::string& unit = attribute.unit();
  if (unit == "dm") return LengthUnit::decimetre;
  if (unit == "cm") return LengthUnit::centimetre;
  if (unit == "mm") return LengthUnit::millimetre;
  if (unit.starts_with("f")) return LengthUnit::foot;
  return unit.empty() ? std::nullopt : std::optional(LengthUnit::metre);
}

NumberCell read_length_m(const Attribute& attribute, const OGRFeature& feature) {
  const LengthUnit unit = length_unit_in_name(attribute).value_or(LengthUnit::metre);
  return read_number(attribute, feature, metres_per(unit),
                     [&](const std::string& text) { return parse_length_m(text, unit); });
}

bool has_thousands(const std::string& number, const OGRFeature& feature) {
  const std::optional<char> sign = possible_thousands_sign(number);
  if (!sign) return false;
  bool is_other_decimal = false;
  for (int i = 0; i < feature.GetFieldCount(); ++i) {
    if (feature.GetFieldDefnRef(i)->GetType() != OFTString || !feature.IsFieldSetAndNotNull(i)) continue;
    const std::optional<char> decimal = decimal_sign(feature.GetFieldAsString(i));
    if (decimal == sign) return false;
    is_other_decimal = is_other_decimal || decimal;
  }
  return is_other_decimal;
}

namespace {

// Empty when nothing fits the aliases.
std::optional<Attribute> find_field_or_tag(VectorSource& source, const AttributeSearch& search) {
  const OGRFeatureDefn& fields = source.fields();
  const int tags = fields.GetFieldIndex(other_tags);
  if (search.requested.empty()) {
    if (std::optional<Attribute> found = find_by_alias(fields, search)) return found;
    if (tags < 0 || search.osm_tag.empty()) return std::nullopt;
    const std::string tag(search.osm_tag);
    return Attribute(tags, tag, {}, tag);
  }
  if (std::optional<Attribute> found = find_requested(source, search)) return found;
  if (tags >= 0) return Attribute(tags, search.requested, {}, search.requested);
  std::vector<std::string> names = field_names(fields);
  if (!source.number_column().empty()) names.push_back(source.number_column());
  const std::string near = nearest_name(search.requested, names);
  throw Error(ErrorKind::invalid_input, "unknown_field",
              "there is no field \"" + search.requested + "\" (given as " + search.parameter + ")",
              (near.empty() ? "its fields: " : "did you mean \"" + near + "\"? Its fields: ") + listed(names),
              source.place());
}

// Of two columns of one name, which tables without rules have, nobody can tell which is meant.
void refuse_name_of_two(VectorSource& source, const std::string& name) {
  const std::vector<std::string> names = field_names(source.fields());
  const auto columns = std::count(names.begin(), names.end(), name);
  if (columns < 2) return;
  throw Error(ErrorKind::invalid_input, "name_of_two_fields",
              std::to_string(columns) + " of its columns are called \"" + name + "\"",
              "give those that are not meant other names", source.place());
}

}  // namespace

std::optional<Attribute> find_attribute(VectorSource& source, const AttributeSearch& search) {
  std::optional<Attribute> found = find_field_or_tag(source, search);
  const std::optional<int> field = found ? found->field() : std::nullopt;
  if (!field) return found;
  refuse_name_of_two(source, found->name());
  source.refuse_texts_among_numbers(*field);
  look_for_unit_field(source.fields(), search, *found);
  return found;
}

bool is_named_as(const std::string& field, const AttributeSearch& search) {
  return std::any_of(search.aliases.begin(), search.aliases.end(), [&](std::string_view alias) {
    return unit_by(alias, false, field, search) || unit_by(alias, true, field, search);
  });
}

Error missing_attribute(const OGRFeatureDefn& fields, const AttributeSearch& search, const std::string& meaning,
                        const std::string& hint, const ErrorPlace& place) {
  std::vector<std::string> aliases(search.aliases.begin(), search.aliases.end());
  return {ErrorKind::invalid_input, "missing_field",
          "there is no field with " + meaning + ": looked for " + listed(aliases) +
              "; its fields: " + listed(field_names(fields)),
          hint, place};
}

std::vector<std::string> field_names(const OGRFeatureDefn& fields) {
  std::vector<std::string> names;
  names.reserve(static_cast<std::size_t>(fields.GetFieldCount()));
  for (int i = 0; i < fields.GetFieldCount(); ++i) names.push_back(name_of(*fields.GetFieldDefn(i)));
  return names;
}

}  // namespace tesseray
