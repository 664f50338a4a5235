// SPDX-License-Identifier: GPL-3.0-or-later
// A file that takes layers: a GeoPackage or a SpatiaLite database, new or existing.
#pragma once

#include <cstddef>
#include <filesystem>
#include <string>
#include <vector>

#include "core/base/progress.h"
#include "core/io/layer.h"

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
  virtual void write(RowBlock& block) = 0;
  virtual void end_layer() = 0;

  // Everything that can fail for want of space; then publish() only makes the result visible.
  virtual void prepare() = 0;
  virtual void publish() = 0;
};

// Throws Error(invalid_input).
// Throws Error(invalid_input) unless a table that is there already, with the columns `found` besides fid, can take the
// layer's rows: another program's table of that name, or another version's.
void require_columns(const std::vector<std::string>& found, const Layer& layer, const std::filesystem::path& file);

[[noreturn]] void throw_layer_exists(const std::filesystem::path& file, const std::string& layer);

// What happens to rows in the order of their numbers, for a progress bar.
struct RowProgress {
  Progress& progress;
  std::size_t done = 0, total = 0;
};

// Encodes blocks on all threads and writes them in order. Gives the hash of the layer's columns and rows.
ResultHash write_layer(OutputDatabase& database, const Layer& layer, RowProgress& rows);

}  // namespace tesseray
