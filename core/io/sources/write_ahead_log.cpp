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

// What SQLite says when it reads the file: an extended code of its own.
int code_of_reading(const std::string& file, int how_to_open) {
  sqlite3* database = nullptr;
  int code = sqlite3_open_v2(file.c_str(), &database, how_to_open, nullptr);
  if (code == SQLITE_OK) {
    sqlite3_extended_result_codes(database, 1);
    code = sqlite3_exec(database, "SELECT 1 FROM sqlite_master", nullptr, nullptr, nullptr);
  }
  sqlite3_close(database);
  return code;
}

// SQLite itself is asked: it reads the log where it may write beside it, or where another program has an index of it.
bool may_be_read_with_its_log(const std::string& file) {
  const int primary = code_of_reading(file, SQLITE_OPEN_READONLY) & 0xff;
  return primary != SQLITE_CANTOPEN && primary != SQLITE_READONLY && primary != SQLITE_PERM;
}

// SQLite tells by its locks whether whoever began the changes is still at it: then nothing is taken back.
void take_back_unfinished_changes(const std::string& file) {
  if (code_of_reading(file, SQLITE_OPEN_READONLY) != SQLITE_READONLY_ROLLBACK) return;
  const int code = code_of_reading(file, SQLITE_OPEN_READWRITE);
  // Another program may have begun to do the same: who reads then is told of the lock.
  if (code == SQLITE_OK || (code & 0xff) == SQLITE_BUSY) return;
  const std::string journal = std::filesystem::path(file + "-journal").filename().string();
  throw Error(ErrorKind::invalid_input, "unfinished_changes",
              "a program that was ended while it changed the file has left " + journal +
                  " beside it, by which the changes are taken back; that cannot be done: the permission to write to "
                  "the file, " +
                  journal + " or the folder is missing, or room on the disk",
              "give that, or copy both files to a folder of your own; without " + journal + " the file is damaged",
              {.file = file});
}

}  // namespace

void refuse_unread_changes(const std::string& dataset) {
  const std::optional<GeoPackageParts> parts = parts_of_geopackage(dataset);
  const std::string file = parts ? parts->file : dataset, log = file + "-wal";
  if (holds_changes(file + "-journal")) take_back_unfinished_changes(file);
  if (!holds_changes(log) || may_be_read_with_its_log(file)) return;
  throw Error(ErrorKind::invalid_input, "unread_changes",
              "its latest changes stand in " + std::filesystem::path(log).filename().string() +
                  " beside it, which cannot be read: the permission to read that is missing, or to write to the folder",
              "close the file in the program that changes it, such as QGIS; or copy both files to a folder of your own",
              {.file = file});
}

bool holds_changes(const std::string& log_or_journal) {
  std::error_code failed;
  const std::uintmax_t bytes = std::filesystem::file_size(log_or_journal, failed);
  return !failed && bytes > 0;
}

}  // namespace tesseray
