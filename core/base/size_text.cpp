// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/base/size_text.h"

#include <array>
#include <cstddef>
#include <cstdio>

namespace tesseray {

std::string size_text(std::uint64_t bytes) {
  constexpr std::array<const char*, 4> units{"KiB", "MiB", "GiB", "TiB"};
  double size = static_cast<double>(bytes) / 1024;
  std::size_t unit = 0;
  for (; size >= 1024 && unit + 1 < units.size(); ++unit) size /= 1024;
  std::array<char, 48> text{};
  std::snprintf(text.data(), text.size(), "%.1f %s", size, units[unit]);
  return text.data();
}

}  // namespace tesseray
