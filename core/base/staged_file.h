// SPDX-License-Identifier: GPL-3.0-or-later
// A file that is written beside its target under a hidden name and takes the target's place when it is complete.
#pragma once

#include <cstdint>
#include <filesystem>
#include <span>
#include <utility>

namespace tesseray {

// What a file may take the place of when it is complete, from the least to the most. What others make or fill meanwhile
// is theirs.
enum class Replaceable { nothing, empty_file, anything };
// What stands at a path by now; of a link, where it points at.
Replaceable replaceable_at(const std::filesystem::path& file);

// Where a file goes.
struct FileTarget {
  // Implicit: a path alone is a target where anything may be replaced.
  FileTarget(std::filesystem::path where, Replaceable what = Replaceable::anything)
      : file(std::move(where)), replaceable(what) {}

  std::filesystem::path file;
  Replaceable replaceable = Replaceable::anything;
};

// While it lives, the hidden file is locked (flock); a hidden file that nobody locks is what a killed run left behind
// and is removed by the next run that writes to the folder.
class StagedFile {
 public:
  // Makes the hidden file, empty; of a link, beside what it points at. Throws Error(invalid_input) when the folder does
  // not exist or cannot be written.
  explicit StagedFile(const FileTarget& target);
  // Removes the hidden file (and what databases put beside it) unless it was published.
  ~StagedFile();
  StagedFile(const StagedFile&) = delete;
  StagedFile& operator=(const StagedFile&) = delete;

  const std::filesystem::path& path() const { return path_; }
  const std::filesystem::path& target() const { return target_; }
  // Asks for room for a file of so many bytes in one piece, which the system then need not find page by page. Where it
  // cannot be had nothing is said: write() and flush() tell what is amiss. flush() gives back what was not written.
  void reserve(std::uint64_t bytes);
  // Writes all of `bytes` at `offset`.
  void write(std::uint64_t offset, std::span<const std::uint8_t> bytes);
  // Brings the content safely to the disk. Errors of a full disk come here at the latest.
  void flush();
  // False when the disk, a quota or a limit takes no more of this file.
  bool has_room() const;
  // Renames the file to its target. Throws Error(invalid_input) when something is there by now that may not be
  // replaced. REQUIRES: flush().
  void publish();
  // Throws what publish() would throw now for that.
  void require_untaken() const;

 private:
  void start_flush();
  void give_back_unwritten();
  void rename_to_target();
  void make_rename_durable();

  std::filesystem::path target_, path_;
  int descriptor_ = -1;
  Replaceable replaceable_ = Replaceable::anything;
  bool is_reserved_ = false;
  std::uint64_t bytes_at_rest_ = 0;  // written since the disk was last asked to take them up
};

// What a symbolic link points at in the end, there or not, so that this is written and the link stays; still a link
// where it leads round in a circle. Other paths stay as they are.
std::filesystem::path behind_links(std::filesystem::path file);
// The same file gives the same path, whatever way it is written and through whatever links; absolute.
std::filesystem::path resolved(const std::filesystem::path& named);
// Removes what SQLite and GDAL put beside a database while they work.
void remove_companions(const std::filesystem::path& database);
// Removes what killed runs left in a folder: hidden files that no living run has locked.
void remove_leftovers(const std::filesystem::path& folder);
// errno values that mean a full disk, quota or file-size limit.
bool is_out_of_space(int system_error);
// Throws Error(resources): how much was written to `path`, what is free there, what to do. Names the file `shown_as`.
[[noreturn]] void throw_disk_full(const std::filesystem::path& path, const std::filesystem::path& shown_as);

}  // namespace tesseray
