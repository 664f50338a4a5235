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

// Opening one may wait for ever, what it gives may have no end or come only once, and nothing can be renamed to it.
inline bool is_pipe_or_device(const std::filesystem::path& path) {
  std::error_code unknown;
  const std::filesystem::file_status status = std::filesystem::status(path, unknown);
  return !unknown && std::filesystem::is_other(status);
}

}  // namespace tesseray
