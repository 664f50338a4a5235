// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/base/listed.h"

#include <algorithm>

namespace tesseray {

std::string listed(const std::vector<std::string>& names, std::size_t most_shown) {
  std::string list;
  for (std::size_t i = 0; i < std::min(names.size(), most_shown); ++i) list += (i == 0 ? "" : ", ") + names[i];
  if (names.size() > most_shown) list += ", … (" + std::to_string(names.size()) + ")";
  return names.empty() ? "none" : list;
}

}  // namespace tesseray
