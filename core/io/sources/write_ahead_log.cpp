// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/io/sources/write_ahead_log.h"

#include <sqlite3.h>

#include <cstdint>
#include <filesystem>
#include <optional>
#include <system_error>

#include "core/base/error.h"
#include "core/io/sources/dataset_files.h"

namespace tesseray {

namespace {

// SQLite itself is asked: it reads the log where it may write beside it, or where another program has an index of it.
bool may_be_read_with_its_log(const std::string& file) {
  sqlite3* database = nullptr;
  int code = sqlite3_open_v2(file.c_str(), &database, SQLITE_OPEN_READONLY, nullptr);
  if (code == SQLITE_OK) code = sqlite3_exec(database, "SELECT 1 FROM sqlite_master", nullptr, nullptr, nullptr);
  sqlite3_close(database);
  const int primary = code & 0xff;
  return primary != SQLITE_CANTOPEN && primary != SQLITE_READONLY && primary != SQLITE_PERM;
}

}  // namespace

void refuse_unread_changes(const std::string& dataset) {
  const std::optional<GeoPackageParts> parts = parts_of_geopackage(dataset);
  const std::string file = parts ? parts->file : dataset, log = file + "-wal";
  std::error_code failed;
  const std::uintmax_t log_bytes = std::filesystem::file_size(log, failed);
  if (failed || log_bytes == 0 || may_be_read_with_its_log(file)) return;
  throw Error(ErrorKind::invalid_input, "unread_changes",
              "its latest changes stand in " + std::filesystem::path(log).filename().string() +
                  " beside it, which cannot be read: the permission to read that is missing, or to write to the folder",
              "close the file in the program that changes it, such as QGIS; or copy both files to a folder of your own",
              {.file = file});
}

}  // namespace tesseray
