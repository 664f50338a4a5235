// SPDX-License-Identifier: GPL-3.0-or-later
// Names as messages list them.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace tesseray {

// "A, B, C", of more than `most_shown` "A, B, … (12)"; "none".
std::string listed(const std::vector<std::string>& names, std::size_t most_shown = 20);

}  // namespace tesseray
