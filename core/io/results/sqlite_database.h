// SPDX-License-Identifier: GPL-3.0-or-later
// SQLite with errors as exceptions: a connection and its prepared statements.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <string_view>

struct sqlite3;
struct sqlite3_stmt;

namespace tesseray {

class SqliteDatabase;
class StagedFile;

// A prepared statement. Columns count from 0, parameters from 1; texts and blobs are not copied: they must live until
// the next run().
class SqliteStatement {
 public:
  SqliteStatement(SqliteDatabase& database, const std::string& sql);
  ~SqliteStatement();
  SqliteStatement(SqliteStatement&& other) noexcept;
  SqliteStatement(const SqliteStatement&) = delete;
  SqliteStatement& operator=(const SqliteStatement&) = delete;

  SqliteStatement& bind_null(int parameter);
  SqliteStatement& bind(int parameter, std::int64_t value);
  SqliteStatement& bind(int parameter, double value);
  SqliteStatement& bind(int parameter, std::string_view text);
  SqliteStatement& bind(int parameter, std::span<const unsigned char> blob);

  // Goes to the next row; false behind the last.
  bool step();
  // Runs a statement that gives no rows, and makes it ready for the next.
  void run();

  bool is_null(int column) const;
  std::int64_t integer(int column) const;
  std::string text(int column) const;

 private:
  SqliteStatement& bound(int code);

  SqliteDatabase* database_;
  sqlite3_stmt* statement_ = nullptr;
};

class SqliteDatabase {
 public:
  enum class Access {
    shared,  // a file that others may have open as well: locks, journal, full durability
    staged,  // a file of this run alone, thrown away when anything fails: no locks, no journal
  };
  // Opens an existing file (an empty one is an empty database). Errors call it `shown_as`, when that is not empty.
  SqliteDatabase(const std::filesystem::path& path, Access access, const std::filesystem::path& shown_as = {});
  ~SqliteDatabase();
  SqliteDatabase(const SqliteDatabase&) = delete;
  SqliteDatabase& operator=(const SqliteDatabase&) = delete;

  void execute(const std::string& sql);
  // The first column of the first row, or `otherwise`.
  std::int64_t integer(const std::string& sql, std::int64_t otherwise = 0);
  bool has_table(std::string_view name);
  // True when the path has another file by now than the one that is open here, or none.
  bool was_replaced() const;
  // Copies everything to `target`, page by page and in one state, even while others write. Row ids stay.
  void copy_to(SqliteDatabase& target);

  // Names the file and tells apart what the user can do something about: locked, full disk, read-only, damaged.
  [[noreturn]] void fail(int code) const;

 private:
  friend class SqliteStatement;
  std::filesystem::path path_, shown_as_;
  sqlite3* handle_ = nullptr;
};

// Keeps everybody else from writing to a database until it dies; they may read. For a database that a changed copy is
// to replace. Waits for others who write as any writer does, then throws Error(invalid_input).
class SqliteWriteLock {
 public:
  explicit SqliteWriteLock(const std::filesystem::path& file);

 private:
  std::unique_ptr<SqliteDatabase> database_;
};

// Throws where an earlier database holds what must not be lost.
using LossCheck = void(const std::filesystem::path& earlier);

// Puts a finished database in the place of what is there, as StagedFile::publish does. Logs of changes
// that an earlier database has left beside the name would be taken for the new one's: none stays. Throws
// Error(invalid_input) while others have the earlier one open in WAL mode, or write to it, and what `require_lossless`
// throws for the earlier one, which nobody changes from there on.
void publish_database(StagedFile& staged, LossCheck& require_lossless);
// Throws what publish_database would throw now.
void require_publishable(const StagedFile& staged, LossCheck& require_lossless);
// The same of a database that is yet to be made.
void require_replaceable_database(const std::filesystem::path& file);

}  // namespace tesseray
