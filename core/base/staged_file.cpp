// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/base/staged_file.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <random>
#include <string>
#include <string_view>
#include <system_error>

#include "core/base/error.h"
#include "core/base/folder_entries.h"
#include "core/base/size_text.h"

namespace tesseray {

namespace {

constexpr char hidden_prefix[] = ".tesseray-";

// The disk takes up what is written while the rest is on its way, in parts of this size, so that flush() waits for
// little.
constexpr std::uint64_t flushed_at_a_time = std::uint64_t{32} << 20;

std::string system_message(int number) { return std::generic_category().message(number); }

std::filesystem::path folder_of(const std::filesystem::path& file) {
  return file.has_parent_path() ? file.parent_path() : std::filesystem::path(".");
}

// `written`: the file whose size tells how far a full disk let it come.
[[noreturn]] void fail_to_write(const std::filesystem::path& written, const std::filesystem::path& path,
                                const std::string& doing, int number) {
  if (is_out_of_space(number)) throw_disk_full(written, path);
  throw Error(ErrorKind::invalid_input, "cannot_write", "cannot " + doing + " (" + system_message(number) + ")",
              "check that the folder exists and may be written, or name another one", {.file = path.string()});
}

void remove_with_companions(const std::filesystem::path& path) {
  std::error_code ignored;
  std::filesystem::remove(path, ignored);
  remove_companions(path);
}

// Whoever looks for a name that is free for a temporary file leaves such a one there.
bool is_empty_file(const std::filesystem::path& path) {
  std::error_code failed;
  const std::uintmax_t size = std::filesystem::file_size(path, failed);
  return !failed && size == 0;
}

[[noreturn]] void throw_taken(const std::filesystem::path& target) {
  throw Error(ErrorKind::invalid_input, "file_exists", "another program made the file meanwhile, so it is not replaced",
              "name another file, or run again: what is there before a run is replaced with --overwrite",
              {.file = target.string()});
}

// Others that begin so are somebody's own.
bool is_called_as_staged(std::string_view name) {
  if (!name.starts_with(hidden_prefix)) return false;
  name.remove_prefix(std::string_view(hidden_prefix).size());
  const std::size_t digits = name.find_first_not_of("0123456789");
  return digits != std::string_view::npos && digits > 0 && name[digits] == '-' && digits + 1 < name.size();
}

// A name may be as long as the file system lets it be, which leaves no room for the prefix and for what databases put
// after it. Whole characters of UTF-8.
std::string end_of_name(const std::filesystem::path& file) {
  constexpr std::size_t most_bytes = 100;
  const std::string name = file.filename().string();
  std::size_t begin = name.size() - std::min(name.size(), most_bytes);
  const auto is_within_character = [](char byte) { return (static_cast<unsigned char>(byte) & 0xC0) == 0x80; };
  while (begin < name.size() && is_within_character(name[begin])) ++begin;
  return name.substr(begin);
}

// False when another run's remove_leftovers took the new file before it was locked.
bool lock_new_file(int descriptor) {
  // A file system without locks has no remove_leftovers either.
  if (flock(descriptor, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK) return false;
  struct stat status {};
  return fstat(descriptor, &status) == 0 && status.st_nlink > 0;
}

}  // namespace

std::filesystem::path behind_links(std::filesystem::path file) {
  std::error_code failed;
  constexpr int most_links = 40;  // as many as Linux follows
  for (int i = 0; i < most_links && std::filesystem::is_symlink(file, failed); ++i) {
    const std::filesystem::path to = std::filesystem::read_symlink(file, failed);
    file = to.is_absolute() ? to : file.parent_path() / to;
  }
  return file;
}

Replaceable replaceable_at(const std::filesystem::path& file) {
  const std::filesystem::path target = behind_links(file);
  std::error_code failed;
  if (!std::filesystem::exists(std::filesystem::symlink_status(target, failed))) return Replaceable::nothing;
  return is_empty_file(target) ? Replaceable::empty_file : Replaceable::anything;
}

std::filesystem::path resolved(const std::filesystem::path& named) {
  std::error_code failed;
  const std::filesystem::path file = behind_links(named);
  // Made absolute first: a bare name that is not there yet would stay bare, and have no folder.
  const std::filesystem::path whole = std::filesystem::absolute(file, failed);
  if (failed) return file;
  std::filesystem::path path = std::filesystem::weakly_canonical(whole, failed);
  return failed ? whole : path;
}

void remove_companions(const std::filesystem::path& database) {
  std::error_code ignored;
  for (const char* suffix : {"-journal", "-wal", "-shm"}) std::filesystem::remove(database.string() + suffix, ignored);
}

void remove_leftovers(const std::filesystem::path& folder) {
  for (const std::filesystem::path& path : entries_of(folder)) {
    const std::string name = path.filename().string();
    // Companions carry no lock of their own; they go with their file.
    const bool is_companion = name.ends_with("-journal") || name.ends_with("-wal") || name.ends_with("-shm");
    if (!is_called_as_staged(name) || is_companion) continue;
    const int descriptor = open(path.c_str(), O_RDWR | O_CLOEXEC);
    if (descriptor < 0) continue;
    if (flock(descriptor, LOCK_EX | LOCK_NB) == 0) remove_with_companions(path);
    close(descriptor);
  }
}

bool is_out_of_space(int system_error) {
  return system_error == ENOSPC || system_error == EDQUOT || system_error == EFBIG;
}

void throw_disk_full(const std::filesystem::path& path, const std::filesystem::path& shown_as) {
  std::error_code failed;
  const std::uintmax_t written = std::filesystem::file_size(path, failed);
  const std::string so_far = failed ? "" : " after " + size_text(written);
  const std::filesystem::space_info space = std::filesystem::space(folder_of(path), failed);
  const std::string left = failed ? "" : "; " + size_text(space.available) + " are free in its folder";
  throw Error(ErrorKind::resources, "disk_full", "the disk (or a quota or file-size limit) is full" + so_far + left,
              "free some space, name a file on another disk, or ask for less (fewer layers or rows, larger tiles)",
              {.file = shown_as.string()});
}

StagedFile::StagedFile(const FileTarget& target)
    : target_(behind_links(target.file)), replaceable_(target.replaceable) {
  std::error_code failed;
  const std::filesystem::path folder = folder_of(target_);
  if (!std::filesystem::is_directory(folder, failed))
    fail_to_write(path_, target_, "write: its folder does not exist", ENOENT);
  remove_leftovers(folder);
  std::random_device random;
  while (descriptor_ < 0) {
    path_ = folder / (hidden_prefix + std::to_string(random()) + "-" + end_of_name(target_));
    descriptor_ = open(path_.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    if (descriptor_ < 0 && errno != EEXIST) fail_to_write(path_, target_, "create a file in this folder", errno);
    if (descriptor_ >= 0 && !lock_new_file(descriptor_)) {
      close(descriptor_);
      descriptor_ = -1;
    }
  }
}

StagedFile::~StagedFile() {
  if (!path_.empty()) remove_with_companions(path_);
  close(descriptor_);
}

void StagedFile::reserve([[maybe_unused]] std::uint64_t bytes) {
#ifdef FALLOC_FL_KEEP_SIZE
  is_reserved_ = true;
  // Of too much, a part may have been had.
  if (fallocate(descriptor_, FALLOC_FL_KEEP_SIZE, 0, static_cast<off_t>(bytes)) != 0) give_back_unwritten();
#endif
}

void StagedFile::write(std::uint64_t offset, std::span<const std::uint8_t> bytes) {
  while (!bytes.empty()) {
    const ssize_t written = pwrite(descriptor_, bytes.data(), bytes.size(), static_cast<off_t>(offset));
    if (written < 0) {
      if (errno == EINTR) continue;
      fail_to_write(path_, target_, "write the file", errno);
    }
    offset += static_cast<std::uint64_t>(written);
    bytes = bytes.subspan(static_cast<std::size_t>(written));
    bytes_at_rest_ += static_cast<std::uint64_t>(written);
  }
  if (bytes_at_rest_ < flushed_at_a_time) return;
  start_flush();
  bytes_at_rest_ = 0;
}

void StagedFile::start_flush() {
#ifdef SYNC_FILE_RANGE_WRITE
  // Whether it helps or not, flush() brings everything to the disk and tells what went wrong.
  sync_file_range(descriptor_, 0, 0, SYNC_FILE_RANGE_WRITE);
#endif
}

void StagedFile::flush() {
  if (is_reserved_) give_back_unwritten();
  if (fsync(descriptor_) != 0) fail_to_write(path_, target_, "bring the file to the disk", errno);
}

void StagedFile::give_back_unwritten() {
  struct stat status {};
  // Blocks beyond the end go when a file is cut to the size that it has.
  if (fstat(descriptor_, &status) == 0 && ftruncate(descriptor_, status.st_size) == 0) is_reserved_ = false;
}

bool StagedFile::has_room() const {
  struct stat status {};
  constexpr off_t more_bytes = 1 << 20;
  return fstat(descriptor_, &status) != 0 || !is_out_of_space(posix_fallocate(descriptor_, status.st_size, more_bytes));
}

void StagedFile::rename_to_target() {
  if (rename(path_.c_str(), target_.c_str()) != 0)
    fail_to_write(path_, target_, "put the finished file in its place", errno);
  path_.clear();
  make_rename_durable();
}

void StagedFile::publish() {
#ifdef RENAME_NOREPLACE
  const bool is_new = replaceable_ == Replaceable::nothing;
  if (is_new && renameat2(AT_FDCWD, path_.c_str(), AT_FDCWD, target_.c_str(), RENAME_NOREPLACE) == 0) {
    path_.clear();
    return make_rename_durable();
  }
  if (is_new && errno == EEXIST) throw_taken(target_);
#endif
  // File systems that cannot tell while they rename are asked before.
  require_untaken();
  rename_to_target();
}

void StagedFile::require_untaken() const {
  if (replaceable_at(target_) > replaceable_) throw_taken(target_);
}

void StagedFile::make_rename_durable() {
  // The file is complete either way.
  const int folder = open(folder_of(target_).c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (folder < 0) return;
  fsync(folder);
  close(folder);
}

}  // namespace tesseray
