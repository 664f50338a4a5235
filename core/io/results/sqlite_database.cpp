// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/io/results/sqlite_database.h"

#include <sqlite3.h>

#include <cerrno>
#include <optional>
#include <system_error>
#include <utility>

#include "core/base/error.h"
#include "core/base/staged_file.h"

namespace tesseray {

namespace {

// A writer waits this long for others before it says that the file is locked.
constexpr int busy_timeout_ms = 2000;
// No locks and no journal are needed for a file that nobody else knows.
constexpr char staged_vfs[] = "unix-none";

// True when the last error of writing was a full disk or the like. The database's own file is asked as well as the
// connection: the one knows nothing of the journal, the other forgets when more goes wrong after it.
bool ran_out_of_space(sqlite3* database) {
  int error = 0;
  sqlite3_file_control(database, "main", SQLITE_FCNTL_LAST_ERRNO, &error);
  return is_out_of_space(error) || is_out_of_space(sqlite3_system_errno(database));
}

}  // namespace

SqliteDatabase::SqliteDatabase(const std::filesystem::path& path, Access access, const std::filesystem::path& shown_as)
    : path_(path), shown_as_(shown_as.empty() ? path : shown_as) {
  const int opened =
      sqlite3_open_v2(path.c_str(), &handle_, SQLITE_OPEN_READWRITE, access == Access::staged ? staged_vfs : nullptr);
  try {
    if (opened != SQLITE_OK) fail(opened);
    sqlite3_extended_result_codes(handle_, 1);
    if (access == Access::staged) {
      execute(
          "PRAGMA locking_mode=EXCLUSIVE; PRAGMA journal_mode=OFF; PRAGMA synchronous=OFF; PRAGMA cache_size=-65536");
    } else {
      sqlite3_busy_timeout(handle_, busy_timeout_ms);
      // Many builds of SQLite write zeros over what is deleted: to replace a layer took a third as long as to write it.
      execute("PRAGMA secure_delete=FAST");
    }
  } catch (...) {
    sqlite3_close(handle_);
    throw;
  }
}

SqliteDatabase::~SqliteDatabase() {
  // An open transaction is rolled back by closing.
  sqlite3_close(handle_);
}

void SqliteDatabase::execute(const std::string& sql) {
  const int code = sqlite3_exec(handle_, sql.c_str(), nullptr, nullptr, nullptr);
  if (code != SQLITE_OK) fail(code);
}

std::int64_t SqliteDatabase::integer(const std::string& sql, std::int64_t otherwise) {
  SqliteStatement statement(*this, sql);
  return statement.step() && !statement.is_null(0) ? statement.integer(0) : otherwise;
}

bool SqliteDatabase::has_table(std::string_view name) {
  return SqliteStatement(*this,
                         "SELECT 1 FROM sqlite_master WHERE lower(name) = lower(?) AND type IN ('table', 'view')")
      .bind(1, name)
      .step();
}

bool SqliteDatabase::was_replaced() const {
  int moved = 0;
  return sqlite3_file_control(handle_, "main", SQLITE_FCNTL_HAS_MOVED, &moved) == SQLITE_OK && moved != 0;
}

void SqliteDatabase::copy_to(SqliteDatabase& target) {
  sqlite3_backup* backup = sqlite3_backup_init(target.handle_, "main", handle_, "main");
  if (backup == nullptr) target.fail(sqlite3_extended_errcode(target.handle_));
  const int copied = sqlite3_backup_step(backup, -1);
  // Of a source that stays locked this tells nothing.
  const int finished = sqlite3_backup_finish(backup);
  const int code = finished == SQLITE_OK && copied != SQLITE_DONE ? copied : finished;
  if (code == SQLITE_BUSY || code == SQLITE_LOCKED) fail(code);
  if (code != SQLITE_OK) target.fail(code);
}

void SqliteDatabase::fail(int code) const {
  const std::string message = handle_ != nullptr ? sqlite3_errmsg(handle_) : "out of memory";
  const ErrorPlace place{.file = shown_as_.string()};
  const int primary = code & 0xff;
  if (primary == SQLITE_FULL || (primary == SQLITE_IOERR && ran_out_of_space(handle_)))
    throw_disk_full(path_, shown_as_);
  if (primary == SQLITE_NOMEM) {
    throw Error(ErrorKind::resources, "out_of_memory", "SQLite ran out of memory", "close other programs", place);
  }
  if (primary == SQLITE_BUSY || primary == SQLITE_LOCKED) {
    throw Error(ErrorKind::invalid_input, "file_locked", "another program is writing to the file or holds it open",
                "stop editing it in QGIS (or close the other program), or name another file", place);
  }
  if (primary == SQLITE_READONLY || primary == SQLITE_CANTOPEN || primary == SQLITE_PERM || primary == SQLITE_AUTH) {
    throw Error(ErrorKind::invalid_input, "cannot_write", "the file cannot be written (" + message + ")",
                "check the permissions of file and folder, or name another file", place);
  }
  if (primary == SQLITE_NOTADB || primary == SQLITE_CORRUPT) {
    throw Error(ErrorKind::invalid_input, "damaged_database",
                "the file is not a sound SQLite database (" + message + ")", "name another file", place);
  }
  if (primary == SQLITE_IOERR) {
    throw Error(ErrorKind::resources, "write_failed", "the file cannot be read or written (" + message + ")",
                "check the disk, or name another file", place);
  }
  throw Error(ErrorKind::internal, "sqlite", "SQLite: " + message, {}, place);
}

SqliteWriteLock::SqliteWriteLock(const std::filesystem::path& file) {
  // Who held the lock before may have put another file at the path: then the lock is on what nobody reads any more.
  do {
    database_ = std::make_unique<SqliteDatabase>(file, SqliteDatabase::Access::shared);
    // The log of a database in WAL mode stays beside its name and belongs to no other file. The mode cannot be left
    // while others have the database open.
    database_->execute("PRAGMA journal_mode = DELETE; BEGIN IMMEDIATE");
  } while (database_->was_replaced());
}

namespace {

// None where there is no database, or one that is damaged or may not be written to: nobody has a log of that.
std::optional<SqliteWriteLock> lock_of_earlier(const std::filesystem::path& file) {
  std::error_code failed;
  const std::uintmax_t bytes = std::filesystem::file_size(file, failed);
  if (failed || bytes == 0) return std::nullopt;
  try {
    return std::make_optional<SqliteWriteLock>(file);
  } catch (const Error& refused) {
    if (refused.code() == "file_locked") throw;
    return std::nullopt;
  }
}

}  // namespace

void publish_database(StagedFile& staged, LossCheck& require_lossless) {
  const std::optional<SqliteWriteLock> lock = lock_of_earlier(staged.target());
  staged.require_untaken();
  if (lock) require_lossless(staged.target());
  remove_companions(staged.target());
  staged.publish();
}

void require_publishable(const StagedFile& staged, LossCheck& require_lossless) {
  const std::optional<SqliteWriteLock> lock = lock_of_earlier(staged.target());
  staged.require_untaken();
  if (lock) require_lossless(staged.target());
}

void require_replaceable_database(const std::filesystem::path& file) { (void)lock_of_earlier(file); }

SqliteStatement::SqliteStatement(SqliteDatabase& database, const std::string& sql) : database_(&database) {
  const int code =
      sqlite3_prepare_v2(database.handle_, sql.c_str(), static_cast<int>(sql.size()), &statement_, nullptr);
  if (code != SQLITE_OK) database.fail(code);
}

SqliteStatement::SqliteStatement(SqliteStatement&& other) noexcept
    : database_(other.database_), statement_(std::exchange(other.statement_, nullptr)) {}

SqliteStatement::~SqliteStatement() { sqlite3_finalize(statement_); }

SqliteStatement& SqliteStatement::bound(int code) {
  if (code != SQLITE_OK) database_->fail(code);
  return *this;
}
SqliteStatement& SqliteStatement::bind_null(int parameter) { return bound(sqlite3_bind_null(statement_, parameter)); }
SqliteStatement& SqliteStatement::bind(int parameter, std::int64_t value) {
  return bound(sqlite3_bind_int64(statement_, parameter, value));
}
SqliteStatement& SqliteStatement::bind(int parameter, double value) {
  return bound(sqlite3_bind_double(statement_, parameter, value));
}
SqliteStatement& SqliteStatement::bind(int parameter, std::string_view text) {
  return bound(sqlite3_bind_text64(statement_, parameter, text.data(), text.size(), nullptr, SQLITE_UTF8));
}
SqliteStatement& SqliteStatement::bind(int parameter, std::span<const unsigned char> blob) {
  return bound(sqlite3_bind_blob64(statement_, parameter, blob.data(), blob.size(), nullptr));
}

bool SqliteStatement::step() {
  const int code = sqlite3_step(statement_);
  if (code == SQLITE_ROW) return true;
  if (code != SQLITE_DONE) database_->fail(code);
  return false;
}

void SqliteStatement::run() {
  const int code = sqlite3_step(statement_);
  sqlite3_reset(statement_);
  if (code != SQLITE_DONE && code != SQLITE_ROW) database_->fail(code);
}

bool SqliteStatement::is_null(int column) const { return sqlite3_column_type(statement_, column) == SQLITE_NULL; }
std::int64_t SqliteStatement::integer(int column) const { return sqlite3_column_int64(statement_, column); }
std::string SqliteStatement::text(int column) const {
  const auto* text = reinterpret_cast<const char*>(sqlite3_column_text(statement_, column));
  return text == nullptr ? std::string()
                         : std::string(text, static_cast<std::size_t>(sqlite3_column_bytes(statement_, column)));
}

}  // namespace tesseray
