// SPDX-License-Identifier: GPL-3.0-or-later
// A layer on its way to a file: its columns with units, and rows that are made block by block, on any thread.
//
// A layer is declared as a table of fields, each with its name, type, description and value in one place:
//   Field<Row>{{"area_m2", ColumnType::real, "Area, m²"}, [](const Row& row) { return Value::real(row.area); }}
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/geometry/vector.h"
#include "core/io/results/column.h"
#include "core/io/results/geometry_encoder.h"
#include "core/io/results/qml.h"
#include "core/io/results/result_hash.h"

namespace tesseray {

// The name of every layer's geometries.
inline constexpr char geometry_column[] = "geom";

enum class LayerGeometry { none, point_z, line_string_z, polygon_z, multi_polygon, geometry };

// One field of one row. Texts are not owned: they live as long as the layer.
class Value {
 public:
  enum class Type : std::uint8_t { null, integer, real, text };

  Value() = default;
  static Value integer(std::int64_t i) {
    Value value;
    value.type_ = Type::integer;
    value.integer_ = i;
    return value;
  }
  static Value boolean(bool b) { return integer(b ? 1 : 0); }
  // NaN is NULL. SQLite keeps no negative zero, so neither does the hash over what was written.
  static Value real(double r) {
    Value value;
    if (std::isnan(r)) return value;
    value.type_ = Type::real;
    value.real_ = r + 0.0;
    return value;
  }
  static Value text(std::string_view t) {
    Value value;
    value.type_ = Type::text;
    value.text_ = t;
    return value;
  }
  static Value text_or_null(std::string_view t) { return t.empty() ? Value() : text(t); }

  Type type() const { return type_; }
  std::int64_t as_integer() const { return integer_; }
  double as_real() const { return real_; }
  std::string_view as_text() const { return text_; }

 private:
  Type type_ = Type::null;
  std::int64_t integer_ = 0;
  double real_ = 0;
  std::string_view text_;
};

// Consecutive rows of a layer, ready to be written.
struct LayerRows {
  std::size_t first_row = 0, rows = 0, columns = 0;
  std::vector<Value> values;  // row by row
  GeometryBuffer geometries;  // one per row; empty for a table
  ResultHash hash;            // over values and geometries

  const Value* row(std::size_t index) const { return values.data() + index * columns; }
};

struct Layer {
  std::string name = {};         // in the file
  std::string description = {};  // for people, shown in the layer's properties
  LayerGeometry geometry = LayerGeometry::none;
  std::vector<Column> columns = {};
  std::vector<qml::Style> styles = {};  // of QGIS, the default first
  bool append = false;                  // rows are added to those of earlier runs
  bool made_from_predictions = false;   // of rows of path losses, and wrong beside others that replace them
  std::size_t row_count = 0;
  // Fills a block with rows [first, first + count). Thread-safe.
  std::function<void(std::size_t first, std::size_t count, LayerRows& block)> encode = {};
};

template <class Row>
struct Field {
  Column column;
  std::function<Value(const Row&)> value;
};

// Completes `layer` with its rows. `row_at(i)` gives row i; `shape` (may be empty for a table) encodes its geometry.
template <class Row, class RowAt>
Layer with_rows(Layer layer, Vec2 origin, std::size_t row_count, RowAt row_at, std::vector<Field<Row>> fields,
                std::function<void(const Row&, GeometryEncoder&)> shape) {
  for (const Field<Row>& field : fields) layer.columns.push_back(field.column);
  layer.row_count = row_count;
  layer.encode = [origin, row_at = std::move(row_at), fields = std::move(fields), shape = std::move(shape)](
                     std::size_t first, std::size_t count, LayerRows& block) {
    block.first_row = first;
    block.rows = count;
    block.columns = fields.size();
    block.values.reserve(count * fields.size());
    GeometryEncoder encoder(origin, block.geometries);
    for (std::size_t i = first; i < first + count; ++i) {
      const Row& row = row_at(i);
      for (const Field<Row>& field : fields) block.values.push_back(field.value(row));
      if (shape) shape(row, encoder);
    }
  };
  return layer;
}

// The hash of a block's rows, and of what identifies a layer's columns.
ResultHash hash_of_rows(const LayerRows& block);
ResultHash hash_of_columns(const Layer& layer);

}  // namespace tesseray
