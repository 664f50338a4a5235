// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/io/attribute.h"

#include <cpl_conv.h>
#include <cpl_string.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "core/base/listed.h"
#include "core/io/text_values.h"

namespace tesseray {
namespace {

constexpr const char* other_tags = "other_tags";

bool is_stored_number(OGRFieldType type) { return type == OFTInteger || type == OFTInteger64 || type == OFTReal; }

// Files without a declared encoding are usually Latin-1 when they are not UTF-8.
std::string as_utf8(const char* text) {
  if (CPLIsUTF8(text, -1)) return text;
  char* recoded = CPLRecode(text, CPL_ENC_ISO8859_1, CPL_ENC_UTF8);
  std::string utf8 = recoded;
  CPLFree(recoded);
  return utf8;
}

std::optional<Attribute> find_by_alias(const OGRFeatureDefn& fields, const AttributeSearch& search) {
  for (const std::string_view alias : search.aliases) {
    for (int i = 0; i < fields.GetFieldCount(); ++i) {
      const char* name = fields.GetFieldDefn(i)->GetNameRef();
      const std::string plain = plain_name(name);
      if (!plain.starts_with(alias)) continue;
      const std::string_view rest = std::string_view(plain).substr(alias.size());
      const bool is_unit = std::find(search.units.begin(), search.units.end(), rest) != search.units.end();
      if (rest.empty() || is_unit) return Attribute(i, name, std::string(rest));
    }
  }
  return std::nullopt;
}

std::optional<Attribute> find_requested(const OGRFeatureDefn& fields, const AttributeSearch& search) {
  const int field = fields.GetFieldIndex(search.requested.c_str());  // exact first, then in any case
  if (field < 0) return std::nullopt;
  const std::string name = fields.GetFieldDefn(field)->GetNameRef();
  // "carrier_ghz" by its last word; "freqmhz" by being an alias with a unit.
  std::string unit;
  for (const std::string_view candidate : search.units) {
    if (last_word(name) == candidate) unit = candidate;
    for (const std::string_view alias : search.aliases) {
      if (plain_name(name) == std::string(alias) + std::string(candidate)) unit = candidate;
    }
  }
  return Attribute(field, name, unit);
}

}  // namespace

std::optional<std::string> Attribute::text(const OGRFeature& feature) const {
  if (!feature.IsFieldSetAndNotNull(field_)) return std::nullopt;
  const std::string value = as_utf8(feature.GetFieldAsString(field_));
  const std::optional<std::string> text = tag_.empty() ? value : hstore_value(value, tag_);
  if (!text || is_blank(*text)) return std::nullopt;
  return std::string(trimmed(*text));
}

std::optional<double> Attribute::stored_number(const OGRFeature& feature) const {
  if (!tag_.empty() || !feature.IsFieldSetAndNotNull(field_)) return std::nullopt;
  if (!is_stored_number(feature.GetDefnRef()->GetFieldDefn(field_)->GetType())) return std::nullopt;
  const double value = feature.GetFieldAsDouble(field_);
  return std::isfinite(value) ? std::optional(value) : std::nullopt;
}

bool says_feet(const Attribute& attribute) { return attribute.unit().starts_with("f"); }

bool says_metres(const Attribute& attribute) { return attribute.unit().starts_with("m"); }

std::optional<Attribute> find_attribute(const OGRFeatureDefn& fields, const AttributeSearch& search,
                                        const ErrorPlace& place) {
  const int tags = fields.GetFieldIndex(other_tags);
  if (search.requested.empty()) {
    if (std::optional<Attribute> found = find_by_alias(fields, search)) return found;
    if (tags < 0 || search.osm_tag.empty()) return std::nullopt;
    const std::string tag(search.osm_tag);
    return Attribute(tags, tag, {}, tag);
  }
  if (std::optional<Attribute> found = find_requested(fields, search)) return found;
  if (tags >= 0) return Attribute(tags, search.requested, {}, search.requested);
  const std::vector<std::string> names = field_names(fields);
  const std::string near = nearest_name(search.requested, names);
  throw Error(ErrorKind::invalid_input, "unknown_field",
              "there is no field \"" + search.requested + "\" (given as " + search.parameter + ")",
              (near.empty() ? "its fields: " : "did you mean \"" + near + "\"? Its fields: ") + listed(names), place);
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
  for (int i = 0; i < fields.GetFieldCount(); ++i) names.emplace_back(fields.GetFieldDefn(i)->GetNameRef());
  return names;
}

}  // namespace tesseray
