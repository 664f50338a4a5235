// SPDX-License-Identifier: GPL-3.0-or-later
// A small result of every kind for the tests of the writer, and SQL on what was written, independent of the writer.
#pragma once

#include <sqlite3.h>

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "core/io/results/result_writer.h"

namespace tesseray::testing {

// WKT2 of a CRS given as any text; empty for an empty one.
std::string wkt_of(const std::string& crs);

// Two buildings (one with a courtyard, one of two parts), vegetation, hills, tiles, edges, two transmitters with a
// part of the tiles out of reach, receivers, rays, drive test. Nothing is physical; everything is different.
struct WriterCase {
  explicit WriterCase(const std::string& crs = "EPSG:3946");

  Scene scene;
  Tiling tiling;
  std::vector<Issue> issues;
  std::vector<Transmitter> transmitters;
  std::vector<Receiver> receivers;
  std::vector<TransmitterPrediction> predictions;
  Comparison comparison;
  std::vector<std::uint32_t> visible_tiles;

  // All result layers under their own names.
  void add_results(ResultWriter& writer, const std::filesystem::path& file) const;
  // A file with all result layers; gives the result hash.
  std::string write(const std::filesystem::path& file, bool overwrite = false) const;
};

// `columns` × `rows` ground tiles with a prediction each, for tests that need many rows.
WriterCase large_case(std::uint32_t columns, std::uint32_t rows);

RunRecord test_run();

// A plain SQLite connection.
class Sql {
 public:
  explicit Sql(const std::filesystem::path& file);
  ~Sql();
  Sql(const Sql&) = delete;
  Sql& operator=(const Sql&) = delete;

  // All rows of a query; NULL as "NULL". An error of SQLite is a row with its message.
  std::vector<std::vector<std::string>> rows(const std::string& sql);
  // The first value of the first row.
  std::string value(const std::string& sql);
  // The first value of each row.
  std::vector<std::string> column(const std::string& sql);
  // False when the SpatiaLite module is not installed.
  bool load_spatialite();
  sqlite3* handle() { return handle_; }

 private:
  sqlite3* handle_ = nullptr;
};

// The names in a folder, hidden ones too, sorted.
std::vector<std::string> names_in(const std::filesystem::path& folder);

}  // namespace tesseray::testing
