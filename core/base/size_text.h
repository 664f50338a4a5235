// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <string>

namespace tesseray {

// Of a file or a disk, in whole kB below a megabyte and in whole MB from there on, rounded down: "999 kB", "4 MB".
inline std::string size_text(std::uintmax_t bytes) {
  constexpr std::uintmax_t kilobyte = 1000, megabyte = 1'000'000;
  return bytes < megabyte ? std::to_string(bytes / kilobyte) + " kB" : std::to_string(bytes / megabyte) + " MB";
}

}  // namespace tesseray
