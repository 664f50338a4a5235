// SPDX-License-Identifier: GPL-3.0-or-later
// Files that are there in whole or not at all, and files read in place.
#pragma once

#include <cstdint>
#include <filesystem>
#include <span>
#include <string>

namespace tesseray {

// A file that is written beside its target and takes the target's place in `commit`; without it, it is removed.
// All functions throw Error(resources) when the disk does not take it, and Error(invalid_input) for a bad folder.
class WholeFileWriter {
 public:
  explicit WholeFileWriter(const std::filesystem::path& target);
  ~WholeFileWriter();
  WholeFileWriter(const WholeFileWriter&) = delete;
  WholeFileWriter& operator=(const WholeFileWriter&) = delete;

  void append(std::span<const std::uint8_t> bytes);
  // Overwrites what is at `offset`, which was appended before.
  void overwrite(std::uint64_t offset, std::span<const std::uint8_t> bytes);
  // Makes the bytes durable, then replaces the target by them.
  void commit();

 private:
  void write_at(std::uint64_t offset, std::span<const std::uint8_t> bytes);

  std::filesystem::path target_;
  std::string temporary_;
  int descriptor_ = -1;
  std::uint64_t size_ = 0;
};

// A file mapped into memory for reading.
class MappedFile {
 public:
  // Throws Error(invalid_input) when it cannot be read.
  explicit MappedFile(const std::filesystem::path& path);
  ~MappedFile();
  MappedFile(const MappedFile&) = delete;
  MappedFile& operator=(const MappedFile&) = delete;

  std::span<const std::uint8_t> bytes() const { return bytes_; }

 private:
  std::span<const std::uint8_t> bytes_;
};

}  // namespace tesseray
