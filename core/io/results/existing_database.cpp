// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/io/results/existing_database.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>
#include <fstream>
#include <system_error>

#include "core/base/blank_text.h"
#include "core/base/error.h"
#include "core/base/is_there.h"
#include "core/base/listed.h"
#include "core/io/results/sqlite_database.h"

namespace tesseray {
namespace {

// A table of the name that others made tells of no runs of ours.
bool has_runs(SqliteDatabase& database) {
  return database.integer("SELECT count(*) FROM pragma_table_info('tesseray_runs') WHERE name IN ('tool', 'layers')") ==
         2;
}

// A list in a column, which others may have changed to what is none.
std::string list_in(const std::string& column) {
  return "json_each(CASE WHEN json_valid(" + column + ") THEN " + column + " ELSE '[]' END)";
}

// Of runs that did not record it: by their tools, and the layers' usual names.
constexpr char made_from_predictions_before[] =
    "tool IN ('bestserver', 'coveragebydistrict', 'fingerprints', 'comparewithdrivetest') OR tool IN ('coveragestudy', "
    "'predictcoverage') AND layer IN ('prediction_error', 'error_statistics', 'rays')";

}  // namespace

FileContent content_of(const std::filesystem::path& file) {
  std::error_code failed;
  const std::uintmax_t size = std::filesystem::file_size(file, failed);
  // An empty file (as temporary-file functions make it) holds nothing that could be lost.
  if (!is_there(file) || (!failed && size == 0)) return FileContent::absent;
  std::array<char, 72> header{};
  std::ifstream stream(file, std::ios::binary);
  stream.read(header.data(), header.size());
  constexpr char magic[] = "SQLite format 3";
  if (!stream || std::memcmp(header.data(), magic, sizeof magic) != 0) return FileContent::other;
  const bool is_geopackage =
      std::memcmp(header.data() + 68, "GPKG", 4) == 0 || std::memcmp(header.data() + 68, "GP1", 3) == 0;
  return is_geopackage ? FileContent::geopackage : FileContent::sqlite;
}

bool is_database(const std::filesystem::path& file) {
  const FileContent content = content_of(file);
  return content == FileContent::geopackage || content == FileContent::sqlite;
}

bool is_spatialite(const std::filesystem::path& file) { return lower_case(file.extension().string()) == ".sqlite"; }

bool has_layer(const std::filesystem::path& file, const std::string& layer) {
  SqliteDatabase database(file, SqliteDatabase::Access::shared);
  return database.has_table(layer);
}

std::vector<std::string> tables_of_others(const std::filesystem::path& file) {
  SqliteDatabase database(file, SqliteDatabase::Access::shared);
  const std::string own = has_runs(database) ? std::string(" AND lower(name) NOT IN (SELECT lower(value) FROM ") +
                                                   "tesseray_runs, " + list_in("layers") + " WHERE value NOTNULL)"
                                             : "";
  SqliteStatement list(
      database,
      "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT GLOB 'gpkg_*' AND name NOT GLOB "
      "'rtree_*' AND name NOT GLOB 'sqlite_*' AND name NOT GLOB 'tesseray_*' AND name <> "
      "'layer_styles'" +
          own + " ORDER BY name");
  std::vector<std::string> names;
  while (list.step()) names.push_back(list.text(0));
  return names;
}

void require_nothing_of_others(const std::filesystem::path& file) {
  const std::vector<std::string> lost = tables_of_others(file);
  if (lost.empty()) return;
  throw Error(ErrorKind::invalid_input, "layers_would_be_lost",
              "the whole file would be replaced, and with it what is not Tesseray's: " + listed(lost),
              "give another name, or delete the file yourself if nobody needs it", {.file = file.string()});
}

bool is_of_others(const std::filesystem::path& file, const std::string& layer) {
  const std::vector<std::string> others = tables_of_others(file);
  return std::any_of(others.begin(), others.end(),
                     [&](const std::string& table) { return lower_case(table) == lower_case(layer); });
}

std::vector<std::string> layers_made_from_predictions(const std::filesystem::path& file) {
  SqliteDatabase database(file, SqliteDatabase::Access::shared);
  std::vector<std::string> names;
  if (!has_runs(database)) return names;
  const bool is_recorded =
      database.integer("SELECT count(*) FROM pragma_table_info('tesseray_runs') WHERE name = 'made_from_predictions'") >
      0;
  // Runs of versions before the column tell nothing: NULL.
  const std::string recorded = is_recorded ? "made_from_predictions" : "NULL";
  SqliteStatement list(
      database, "WITH written AS (SELECT r.rowid AS run, tool, value AS layer, " + recorded +
                    " AS recorded FROM tesseray_runs r, " + list_in("layers") +
                    ") SELECT layer FROM written WHERE run = (SELECT max(run) FROM written w WHERE lower(w.layer) = "
                    "lower(written.layer)) AND EXISTS (SELECT 1 FROM sqlite_master WHERE type = 'table' AND "
                    "lower(name) = lower(layer)) AND CASE WHEN recorded ISNULL THEN " +
                    made_from_predictions_before + " ELSE layer IN (SELECT value FROM " + list_in("recorded") +
                    ") END ORDER BY run, layer");
  while (list.step()) names.push_back(list.text(0));
  return names;
}

}  // namespace tesseray
