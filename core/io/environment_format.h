// SPDX-License-Identifier: GPL-3.0-or-later
// What writer and reader of the environment file agree on.
#pragma once

#include <cstdint>
#include <string>

namespace tesseray {

inline constexpr int environment_format_version = 1;
inline constexpr char environment_table[] = "tesseray_environment";

// 16 digits: how the file spells hashes, since SQLite has no unsigned integers.
inline std::string hexadecimal(std::uint64_t number) {
  static constexpr char digits[] = "0123456789abcdef";
  std::string text;
  for (int shift = 60; shift >= 0; shift -= 4) text += digits[(number >> shift) & 15u];
  return text;
}

}  // namespace tesseray
