// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/io/results/output_database.h"

#include <tbb/parallel_pipeline.h>

#include <algorithm>
#include <iterator>
#include <vector>

#include "core/base/blank_text.h"
#include "core/base/error.h"
#include "core/io/sources/passwords.h"

namespace tesseray {

namespace {

// Small enough to keep both ends of the pipeline busy, large enough that its cost does not show. Part of the result
// hash: hashes of blocks are chained.
constexpr std::size_t rows_per_block = 2048;
// Blocks under way at once; bounds the memory.
constexpr std::size_t blocks_under_way = 16;

}  // namespace

void throw_layer_exists(const std::filesystem::path& file, const std::string& layer) {
  throw Error(ErrorKind::invalid_input, "layer_exists", "the layer exists",
              "use --overwrite to replace it, or give another name", {.file = file.string(), .layer = layer});
}

void throw_layer_of_others(const std::filesystem::path& file, const std::string& layer) {
  throw Error(ErrorKind::invalid_input, "layer_of_others",
              "no run of Tesseray wrote this layer (tesseray_runs does not name it), so it is not replaced",
              "give the layer another name (file.gpkg|layername=…) or another file, or delete this one yourself",
              {.file = without_password(file.string()), .layer = layer});
}

namespace {

[[noreturn]] void throw_foreign_table(const std::filesystem::path& file, const std::string& table) {
  throw Error(ErrorKind::invalid_input, "foreign_table",
              "the table has other columns than this version of Tesseray writes, so no row can be added to it",
              "write to another file, or rename this table", {.file = file.string(), .layer = table});
}

}  // namespace

std::vector<Column> newer_columns(const std::vector<std::string>& found, const Layer& layer) {
  std::vector<Column> missing;
  std::copy_if(layer.columns.begin(), layer.columns.end(), std::back_inserter(missing), [&](const Column& column) {
    return column.is_newer && std::find(found.begin(), found.end(), column.name) == found.end();
  });
  return missing;
}

void require_columns(const std::vector<std::string>& found, const Layer& layer, const std::filesystem::path& file) {
  const auto has_name = [](const std::string& name, const Column& column) { return name == column.name; };
  if (std::equal(found.begin(), found.end(), layer.columns.begin(), layer.columns.end(), has_name)) return;
  throw_foreign_table(file, layer.name);
}

void require_style_columns(const std::vector<std::string>& found, const std::filesystem::path& file) {
  for (const char* filled : {"f_table_catalog", "f_table_schema", "f_table_name", "f_geometry_column", "stylename",
                             "styleqml", "stylesld", "useasdefault", "description", "owner"}) {
    const auto is_it = [filled](const std::string& column) { return lower_case(column) == filled; };
    if (std::none_of(found.begin(), found.end(), is_it)) throw_foreign_table(file, "layer_styles");
  }
}

ResultHash write_layer(OutputDatabase& database, const Layer& layer, RowProgress& rows) {
  ResultHash hash = hash_of_columns(layer);
  hash.add(layer.row_count);
  database.begin_layer(layer);
  // The pipeline passes numbers on, not blocks: what is under way when a stage throws would never be freed. Blocks
  // leave in order, so that a place is free again when the number that falls on it comes.
  std::vector<LayerRows> under_way(blocks_under_way);
  std::size_t next_block = 0;
  const auto take = [&](tbb::flow_control& control) -> std::size_t {
    if (next_block * rows_per_block >= layer.row_count) control.stop();
    return next_block++;
  };
  const auto encode = [&](std::size_t number) {
    LayerRows& block = under_way[number % blocks_under_way];
    block = LayerRows{};
    const std::size_t first = number * rows_per_block;
    layer.encode(first, std::min(rows_per_block, layer.row_count - first), block);
    block.hash = hash_of_rows(block);
    return number;
  };
  const auto write = [&](std::size_t number) {
    LayerRows& block = under_way[number % blocks_under_way];
    rows.progress.throw_if_cancelled();
    database.write(block);
    hash.add(block.hash);
    rows.add(RowProgress::of_rows(block.rows));
  };
  using tbb::filter_mode;
  tbb::parallel_pipeline(blocks_under_way,
                         tbb::make_filter<void, std::size_t>(filter_mode::serial_in_order, take) &
                             tbb::make_filter<std::size_t, std::size_t>(filter_mode::parallel, encode) &
                             tbb::make_filter<std::size_t, void>(filter_mode::serial_in_order, write));
  database.end_layer();
  rows.add(RowProgress::of_index(layer));
  return hash;
}

}  // namespace tesseray
