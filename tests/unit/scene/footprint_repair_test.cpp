// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/scene/ground_plan/footprint_repair.h"

#include <geos_c.h>
#include <gtest/gtest.h>

#include <functional>
#include <string>

#include "core/base/error.h"

namespace tesseray {
namespace {

const Rings plain_square{{{0, 0}, {10, 0}, {10, 10}, {0, 10}}};

// The code of the error that it throws.
std::string failure_of(const std::function<void()>& work) {
  try {
    work();
  } catch (const Error& error) {
    return error.code();
  }
  return "";
}

TEST(PolygonOverlay, FailuresOfGeosAreNoAnswers) {
  PolygonOverlay overlay;
  EXPECT_TRUE(overlay.is_valid(plain_square));
  GEOS_interruptRequest();  // its next work fails
  EXPECT_EQ(failure_of([&] { overlay.is_valid(plain_square); }), "geos");
  GEOS_interruptRequest();
  EXPECT_EQ(failure_of([&] { overlay.are_disjoint({plain_square}); }), "geos");
  GEOS_interruptCancel();
  EXPECT_TRUE(overlay.are_disjoint({plain_square}));
}

// Sanitizers tell what is left of those before it.
TEST(PolygonOverlay, ARingThatIsNoneIsRefused) {
  const Ring hole{{1, 1}, {1, 2}, {2, 2}, {2, 1}}, point{{3, 3}};
  const Rings with_point{plain_square.front(), hole, point};
  PolygonOverlay overlay;
  EXPECT_EQ(failure_of([&] { overlay.is_valid(with_point); }), "geos");
  EXPECT_EQ(failure_of([&] { overlay.are_disjoint({plain_square, with_point}); }), "geos");
  EXPECT_EQ(failure_of([&] { overlay.joined({plain_square, with_point}); }), "geos");
}

}  // namespace
}  // namespace tesseray
