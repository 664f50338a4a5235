// SPDX-License-Identifier: GPL-3.0-or-later
// Ground as a profile has it, for tests.
#pragma once

#include <vector>

#include "core/geometry/vector.h"

namespace tesseray::testing {

// Of equal pieces, x: distance, y: height_at(x); m.
std::vector<Vec2> ground_with(double length_m, int pieces, const auto& height_at) {
  std::vector<Vec2> points;
  for (int i = 0; i <= pieces; ++i) {
    const double x = length_m * i / pieces;
    points.push_back({x, height_at(x)});
  }
  return points;
}

}  // namespace tesseray::testing
