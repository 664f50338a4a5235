// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/tiling/minimum_rectangle.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <limits>

#include "core/base/units.h"
#include "tests/unit/tiling/tiled.h"

namespace tesseray {
namespace {

TEST(MinimumRectangle, OfATurnedRectangleIsItself) {
  const Rings box{{{30, 40}, {70, 40}, {70, 65}, {30, 65}}};
  for (const double angle : {0.0, 0.3, 1.1, 2.7}) {
    const OrientedRectangle found = minimum_rectangle(testing::turned(box, angle)[0]);
    EXPECT_NEAR(std::max(found.length_u, found.length_v), 40, 0.003);
    EXPECT_NEAR(std::min(found.length_u, found.length_v), 25, 0.003);
    EXPECT_NEAR(cross(found.u, found.v), 1, 1e-12);
    EXPECT_NEAR(norm(found.centre - testing::turned({{{50, 52.5}}}, angle)[0][0]), 0, 0.003);
  }
}

TEST(MinimumRectangle, IsSmallestOfAllDirectionsTried) {
  testing::Random random(4);
  for (int trial = 0; trial < 50; ++trial) {
    Ring ring;
    for (int i = 0; i < 12; ++i) {
      const double x = random.uniform(0, 40), y = random.uniform(0, 25);
      ring.push_back({x, y});
    }
    const OrientedRectangle found = minimum_rectangle(ring);
    for (const Vec2 p : ring) {
      EXPECT_LE(std::fabs(dot(p - found.centre, found.u)), found.length_u / 2 + 1e-9);
      EXPECT_LE(std::fabs(dot(p - found.centre, found.v)), found.length_v / 2 + 1e-9);
    }
    double least = std::numeric_limits<double>::infinity();
    for (double angle = 0; angle < 90; angle += 0.05) {
      const Vec2 u{std::cos(radians(angle)), std::sin(radians(angle))}, v{-u.y, u.x};
      double low_u = 1e9, high_u = -1e9, low_v = 1e9, high_v = -1e9;
      for (const Vec2 p : ring) {
        low_u = std::min(low_u, dot(p, u));
        high_u = std::max(high_u, dot(p, u));
        low_v = std::min(low_v, dot(p, v));
        high_v = std::max(high_v, dot(p, v));
      }
      least = std::min(least, (high_u - low_u) * (high_v - low_v));
    }
    EXPECT_LE(found.length_u * found.length_v, least + 1e-9);
    EXPECT_GT(found.length_u * found.length_v, 0.99 * least);
  }
}

}  // namespace
}  // namespace tesseray
