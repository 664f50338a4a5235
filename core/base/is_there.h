// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <filesystem>
#include <system_error>

namespace tesseray {

// False also where it cannot be told, as in a folder that may not be entered, of which std::filesystem::exists throws.
inline bool is_there(const std::filesystem::path& path) {
  std::error_code unknown;
  return std::filesystem::exists(path, unknown);
}

}  // namespace tesseray
