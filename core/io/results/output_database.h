// SPDX-License-Identifier: GPL-3.0-or-later
// A file that takes layers: a GeoPackage or a SpatiaLite database, new or existing.
#pragma once

#include <algorithm>
#include <cstddef>
#include <filesystem>
#include <string>
#include <vector>

#include "core/base/progress.h"
#include "core/io/results/layer.h"

namespace tesseray {

// Until publish() the target stays as it was; without publish() everything is undone.
class OutputDatabase {
 public:
  OutputDatabase() = default;
  virtual ~OutputDatabase() = default;
  OutputDatabase(const OutputDatabase&) = delete;
  OutputDatabase& operator=(const OutputDatabase&) = delete;

  // Makes the layer's table in place of one of that name (or finds it, for Layer::append); blocks follow in order.
  virtual void begin_layer(const Layer& layer) = 0;
  virtual void write(LayerRows& block) = 0;
  virtual void end_layer() = 0;

  // Everything that can fail for want of space but the end of a transaction; then publish() only makes the result
  // visible.
  virtual void prepare() = 0;
  // Throws Error(invalid_input) where publish() would by now, since others have made or replaced the target.
  virtual void require_publishable() = 0;
  virtual void publish() = 0;
};

// The columns of the layer that a table of an earlier version lacks, whose columns besides fid are `found`.
std::vector<Column> newer_columns(const std::vector<std::string>& found, const Layer& layer);

// Throws Error(invalid_input) unless a table that is there already, with the columns `found` besides fid, can take the
// layer's rows: another program's table of that name, or another version's.
void require_columns(const std::vector<std::string>& found, const Layer& layer, const std::filesystem::path& file);

// The same of the table in which QGIS keeps styles, which may have more columns than are filled.
void require_style_columns(const std::vector<std::string>& found, const std::filesystem::path& file);

// Throws Error(invalid_input).
[[noreturn]] void throw_layer_exists(const std::filesystem::path& file, const std::string& layer);
// The same of one that no run of Tesseray wrote, which nothing replaces.
[[noreturn]] void throw_layer_of_others(const std::filesystem::path& file, const std::string& layer);

// How far the writing of several layers is, for a progress bar. In the time that it takes to write three rows, the
// spatial index of one row more is made, when its layer ends.
struct RowProgress {
  Progress& progress;
  std::size_t done = 0, total = 0;

  static std::size_t of_rows(std::size_t rows) { return 3 * rows; }
  static std::size_t of_index(const Layer& layer) {
    return layer.geometry == LayerGeometry::none ? 0 : layer.row_count;
  }
  void expect(const Layer& layer) { total += of_rows(layer.row_count) + of_index(layer); }
  void add(std::size_t more) {
    done += more;
    progress.advance(static_cast<double>(done) / static_cast<double>(std::max<std::size_t>(total, 1)));
  }
};

// Encodes blocks on all threads and writes them in order. Gives the hash of the layer's columns and rows.
ResultHash write_layer(OutputDatabase& database, const Layer& layer, RowProgress& rows);

}  // namespace tesseray
