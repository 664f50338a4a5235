// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/io/results/layer_values.h"

#include <cmath>
#include <limits>
#include <string_view>
#include <utility>

#include "core/io/results/sqlite_database.h"
#include "core/io/sources/sql_text.h"
#include "core/io/sources/text_values.h"

namespace tesseray {

namespace {

bool is_of_sqlite(GDALDataset& dataset) {
  const std::string_view driver = dataset.GetDriverName();
  return driver == "GPKG" || driver == "SQLite";
}

bool is_of_numbers(const OGRFieldDefn& field) {
  const OGRFieldType type = field.GetType();
  return type == OFTInteger || type == OFTInteger64 || type == OFTReal;
}

// Other formats, and copies of SpatiaLite's layers by QGIS, keep numbers as texts. Infinity where it is none.
double number_in(const OGRFeature& feature, int field) {
  if (is_of_numbers(*feature.GetFieldDefnRef(field))) return feature.GetFieldAsDouble(field);
  return parse_number(feature.GetFieldAsString(field)).value_or(HUGE_VAL);
}

}  // namespace

LayerValues::LayerValues(OGRLayer& layer, std::string file, std::string hint)
    : layer_(&layer), file_(std::move(file)), hint_(std::move(hint)) {}

int LayerValues::find(const char* field) const { return layer_->GetLayerDefn()->GetFieldIndex(field); }

int LayerValues::require(const char* field) const {
  const int index = find(field);
  if (index != missing) return index;
  throw Error(ErrorKind::invalid_input, "no_field", "the field is missing", hint_,
              {.file = file_, .layer = layer_->GetName(), .field = field});
}

double LayerValues::number(const OGRFeature& feature, int field) const {
  if (field == missing || !feature.IsFieldSetAndNotNull(field)) return std::numeric_limits<double>::quiet_NaN();
  const double value = number_in(feature, field);
  if (std::isinf(value)) fail_for_value(feature, field, "a number");
  return value;
}

double LayerValues::required_number(const OGRFeature& feature, int field) const {
  const double value = number(feature, field);
  if (std::isnan(value)) fail_for_value(feature, field, "a number");
  return value;
}

std::int64_t LayerValues::required_integer(const OGRFeature& feature, int field) const {
  const OGRFieldType type = feature.GetFieldDefnRef(field)->GetType();
  const bool is_of_integers = type == OFTInteger || type == OFTInteger64;
  if (is_of_integers && feature.IsFieldSetAndNotNull(field)) return feature.GetFieldAsInteger64(field);
  // As formats without integers of 64 bits keep it.
  const double value = required_number(feature, field);
  constexpr double first_inexact = 9007199254740992;  // 2⁵³
  if (std::fabs(value) < first_inexact && value == std::round(value)) return static_cast<std::int64_t>(value);
  fail_for_value(feature, field, "a whole number");
}

void LayerValues::refuse_texts_among_numbers(GDALDataset& dataset, const std::vector<int>& fields,
                                             const std::string& filter) const {
  if (!is_of_sqlite(dataset)) return;
  const std::string number_column = layer_->GetFIDColumn();
  if (number_column.empty()) return;
  std::string cases, any;
  for (const int field : fields) {
    if (field == missing || !is_of_numbers(*layer_->GetLayerDefn()->GetFieldDefn(field))) continue;
    // Texts come behind all numbers; to ask for their type takes four times as long.
    const std::string is_text = quoted_name(name_of(field)) + " >= ''";
    cases += " WHEN " + is_text + " THEN " + std::to_string(field);
    any += (any.empty() ? "" : " OR ") + is_text;
  }
  if (any.empty()) return;
  const std::string sql = "SELECT +" + quoted_name(number_column) + " AS row_number, CASE" + cases +
                          " END AS field FROM " + quoted_name(layer_->GetName()) + " WHERE (" + any + ")" +
                          (filter.empty() ? "" : " AND (" + filter + ")") + " LIMIT 1";
  OGRLayer* rows = dataset.ExecuteSQL(sql.c_str(), nullptr, nullptr);
  if (rows == nullptr) return;
  const OGRFeatureUniquePtr row(rows->GetNextFeature());
  const std::optional<std::pair<int, std::int64_t>> found =
      row ? std::optional(std::pair(row->GetFieldAsInteger("field"), row->GetFieldAsInteger64("row_number")))
          : std::nullopt;
  dataset.ReleaseResultSet(rows);
  if (found) fail("bad_value", "there is a text in place of a number", found->first, found->second);
}

void LayerValues::fail(const std::string& code, const std::string& message, int field,
                       std::optional<std::int64_t> feature) const {
  throw Error(ErrorKind::invalid_input, code, message, hint_,
              {.file = file_, .layer = layer_->GetName(), .field = name_of(field), .feature_id = feature});
}

void LayerValues::fail_for_value(const OGRFeature& feature, int field, const std::string& wanted) const {
  const std::string value =
      feature.IsFieldSetAndNotNull(field) ? "\"" + text(feature, field) + "\"" : std::string("NULL");
  fail("bad_value", value + " stands where " + wanted + " must be", field, feature.GetFID());
}

}  // namespace tesseray
