// SPDX-License-Identifier: GPL-3.0-or-later
// How hashes are spelled.
#pragma once

#include <cstdint>
#include <string>

namespace tesseray {

// 16 digits, most significant first.
inline std::string hexadecimal(std::uint64_t number) {
  static constexpr char digits[] = "0123456789abcdef";
  std::string text;
  for (int shift = 60; shift >= 0; shift -= 4) text += digits[(number >> shift) & 15u];
  return text;
}

}  // namespace tesseray
