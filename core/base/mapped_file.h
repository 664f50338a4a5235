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
