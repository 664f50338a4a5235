// SPDX-License-Identifier: GPL-3.0-or-later
// Which heights receivers, and measurements with a height of their own, may have.
#pragma once

namespace tesseray {

// Above the ground. Numbers that stand for none, such as −999 and 9999, lie outside.
inline bool is_receiver_height(double height_m) {
  constexpr double greatest_m = 2000;
  return height_m >= 0 && height_m <= greatest_m;
}

}  // namespace tesseray
