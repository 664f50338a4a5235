// SPDX-License-Identifier: GPL-3.0-or-later
// Lengths and areas as messages write them.
#pragma once

#include <array>
#include <cstdio>
#include <string>

namespace tesseray {

// "12.50 m".
inline std::string metres(double length_m) {
  std::array<char, 32> text{};
  std::snprintf(text.data(), text.size(), "%.2f m", length_m);
  return text.data();
}

// "12.50 m²".
inline std::string square_metres(double area_m2) {
  std::array<char, 32> text{};
  std::snprintf(text.data(), text.size(), "%.2f m²", area_m2);
  return text.data();
}

}  // namespace tesseray
