// SPDX-License-Identifier: GPL-3.0-or-later
// A file that is written beside its target under a hidden name and takes the target's place when it is complete.
#pragma once

#include <cstdint>
#include <filesystem>
#include <span>

namespace tesseray {

// While it lives, the hidden file is locked (flock); a hidden file that nobody locks is what a killed run left behind
// and is removed by the next run that writes to the folder.
class StagedFile {
 public:
  // Makes the hidden file, empty; of a link, beside what it points at. Throws Error(invalid_input) when the folder does
  // not exist or cannot be written.
  explicit StagedFile(const std::filesystem::path& target);
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
  // Renames the file to its target. REQUIRES: flush().
  void publish();
  // The same, but throws Error(invalid_input) when there was nothing at the target at first, or an empty file, and
  // something is by now.
  void publish_unless_taken();
  // Throws what publish_unless_taken would throw now for that.
  void require_untaken() const;

 private:
  void start_flush();
  void give_back_unwritten();
  void make_rename_durable();

  std::filesystem::path target_, path_;
  int descriptor_ = -1;
  bool is_new_ = false;     // nothing was at the target
  bool was_empty_ = false;  // an empty file was
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
