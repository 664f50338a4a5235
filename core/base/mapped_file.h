// SPDX-License-Identifier: GPL-3.0-or-later
// Files read in place.
#pragma once

#include <cstdint>
#include <filesystem>
#include <span>

namespace tesseray {

// A file mapped into memory for reading.
class MappedFile {
 public:
  // Throws Error(invalid_input) when it cannot be read, Error(resources) when the memory has no room for it.
  explicit MappedFile(const std::filesystem::path& path);
  ~MappedFile();
  MappedFile(const MappedFile&) = delete;
  MappedFile& operator=(const MappedFile&) = delete;

  std::span<const std::uint8_t> bytes() const { return bytes_; }
  // Gives back the memory of a part of the bytes, which are read from the file again when next looked at.
  void forget(std::span<const std::uint8_t> part) const;

 private:
  std::span<const std::uint8_t> bytes_;
};

}  // namespace tesseray
