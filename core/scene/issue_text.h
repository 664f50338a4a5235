// SPDX-License-Identifier: GPL-3.0-or-later
// Lengths and areas as messages write them.
#pragma once

#include <array>
#include <cstdio>
#include <string>
#include <utility>

namespace tesseray {

// "12.50 m".
inline std::string metres(double length_m, int decimals = 2) {
  std::array<char, 32> text{};
  std::snprintf(text.data(), text.size(), "%.*f m", decimals, length_m);
  return text.data();
}

// Two heights, with as many decimals as tell them apart: "15.000 m" and "14.999 m".
inline std::pair<std::string, std::string> metres_told_apart(double first_m, double second_m) {
  constexpr int most_decimals = 9;
  int decimals = 2;
  while (first_m != second_m && decimals < most_decimals && metres(first_m, decimals) == metres(second_m, decimals)) {
    ++decimals;
  }
  return {metres(first_m, decimals), metres(second_m, decimals)};
}

// "12.50 m", and "3.2 mm" of less than a centimetre.
inline std::string distance(double length_m) {
  if (length_m >= 0.01) return metres(length_m);
  std::array<char, 32> text{};
  std::snprintf(text.data(), text.size(), "%.1f mm", 1000 * length_m);
  return text.data();
}

// "12.50 m²".
inline std::string square_metres(double area_m2) {
  std::array<char, 32> text{};
  std::snprintf(text.data(), text.size(), "%.2f m²", area_m2);
  return text.data();
}

}  // namespace tesseray
