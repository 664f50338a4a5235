// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/io/results/layer_styles.h"

#include <algorithm>

#include "core/io/sources/sql_text.h"

namespace tesseray {

namespace {

// By these words, at the end of its description, a style is known as ours.
constexpr char by_us[] = " by Tesseray";

}  // namespace

std::vector<std::string> statements_for_styles(const Layer& layer, bool fit) {
  const std::string of_layer = " WHERE lower(f_table_name) = lower(" + quoted_text(layer.name) + ")";
  std::vector<std::string> statements = {"DELETE FROM layer_styles" + of_layer + " AND description LIKE " +
                                         quoted_text(std::string("%") + by_us)};
  if (!fit) statements.push_back("UPDATE layer_styles SET useAsDefault = 0" + of_layer);
  for (const qml::Style& style : layer.styles) {
    const bool is_first = &style == &layer.styles.front();
    statements.push_back(
        "INSERT INTO layer_styles (f_table_catalog, f_table_schema, f_table_name, f_geometry_column, styleName, "
        "styleQML, styleSLD, useAsDefault, description, owner) SELECT '', '', " +
        quoted_text(layer.name) + ", " + quoted_text(style.symbol ? geometry_column : "") + ", " +
        quoted_text(style.name) + ", " + quoted_text(qml::document(style, layer.columns)) + ", '', " +
        (is_first ? "NOT EXISTS (SELECT 1 FROM layer_styles" + of_layer + " AND useAsDefault)" : "0") + ", " +
        quoted_text(style.name + by_us) + ", ''");
  }
  return statements;
}

bool has_columns(const Layer& layer, const std::vector<std::string>& names) {
  return std::all_of(names.begin(), names.end(), [&](const std::string& name) {
    return std::any_of(layer.columns.begin(), layer.columns.end(),
                       [&](const Column& column) { return column.name == name; });
  });
}

}  // namespace tesseray
