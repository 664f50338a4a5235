// SPDX-License-Identifier: GPL-3.0-or-later
// A town so small that every single ray in it can be listed.
#pragma once

#include <vector>

#include "tests/support/environment.h"
#include "tests/support/synthetic_city.h"

namespace tesseray::testing {

// Two houses across a street, one of them turned and low, so that rays go over it; on ground with tiles.
inline const Environment& two_houses() {
  static const Environment made(
      [] {
        Scene scene = flat_ground(90, 90);
        scene.prisms = {box_prism(1, {15, 20}, {30, 60}, 0, 14)};
        Prism turned = box_prism(2, {0, 0}, {1, 1}, 0, 10);
        turned.rings = {{{55, 20}, {72, 28}, {62, 50}, {45, 42}}};
        scene.prisms.push_back(turned);
        return scene;
      }(),
      7);
  return made;
}

// In the street, and where rays end: around the houses and over one of them.
inline constexpr Vec3 antenna_between_houses{38.3, 37.1, 6};
inline const std::vector<Vec3> around_houses{{40, 15, 1.5}, {76, 50, 1.5}, {10, 40, 1.5}, {40, 55, 20}};

}  // namespace tesseray::testing
