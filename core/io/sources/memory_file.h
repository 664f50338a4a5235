// SPDX-License-Identifier: GPL-3.0-or-later
// A file in GDAL's memory.
#pragma once

#include <cpl_vsi.h>

#include <cstdint>
#include <span>
#include <string>

namespace tesseray {

// Goes with this object.
class MemoryFile {
 public:
  // `extension`: ".tif".
  explicit MemoryFile(const std::string& extension)
      : name_("/vsimem/tesseray_" + std::to_string(reinterpret_cast<std::uintptr_t>(this)) + extension) {}
  ~MemoryFile() { VSIUnlink(name_.c_str()); }
  MemoryFile(const MemoryFile&) = delete;
  MemoryFile& operator=(const MemoryFile&) = delete;

  const std::string& name() const { return name_; }
  // None where nothing has made the file.
  std::span<const std::uint8_t> bytes() const {
    vsi_l_offset size = 0;
    const GByte* data = VSIGetMemFileBuffer(name_.c_str(), &size, FALSE);
    return {data, data == nullptr ? 0 : static_cast<std::size_t>(size)};
  }

 private:
  std::string name_;
};

}  // namespace tesseray
