// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/scene/ground_plan/stacks.h"

#include <gtest/gtest.h>

#include "tests/support/synthetic_city.h"

namespace tesseray {
namespace {

TEST(Stacks, AreWhatStandsOnOrOverEachOther) {
  Scene scene = testing::flat_ground(300, 300);
  const auto part = [&](Vec2 from, Vec2 to, double bottom_z, double top_z) {
    scene.prisms.push_back(testing::box_prism(1, from, to, bottom_z, top_z));
  };
  part({10, 10}, {40, 40}, 0, 4);    // a podium
  part({40, 10}, {60, 40}, 0, 4);    // its neighbour, wall to wall
  part({20, 20}, {30, 30}, 4, 30);   // a tower on the podium
  part({22, 22}, {28, 28}, 30, 35);  // and what stands on that
  part({100, 10}, {110, 20}, 0, 3);  // a pavilion
  part({95, 5}, {115, 25}, 10, 20);  // high over it, wider on all sides
  part({200, 200}, {220, 220}, 0, 9);
  EXPECT_EQ(stacks_of(scene, PrismIndex(scene)), (std::vector<std::uint32_t>{0, 1, 0, 0, 4, 4, 6}));
}

}  // namespace
}  // namespace tesseray
