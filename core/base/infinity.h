// SPDX-License-Identifier: GPL-3.0-or-later
// Above all numbers: what a least value starts from, and a limit that nothing reaches.
#pragma once

#include <limits>

namespace tesseray {

inline constexpr double infinity = std::numeric_limits<double>::infinity();
inline constexpr float infinity_f = std::numeric_limits<float>::infinity();

}  // namespace tesseray
