// SPDX-License-Identifier: GPL-3.0-or-later
// What the golden tests of the physics share.
#pragma once

#include <gtest/gtest.h>

#include "core/physics/complex.h"
#include "core/physics/diffraction.h"
#include "tests/golden/golden_table.h"

namespace tesseray {

inline constexpr TransitionAccuracy accurate = TransitionAccuracy::accurate;

// |got − expected| within an absolute tolerance.
inline void expect_near(Complex got, Complex expected, double tolerance, const std::string& what) {
  EXPECT_LE(norm(got - expected), tolerance)
      << what << ": got " << got.re << " " << got.im << "j, expected " << expected.re << " " << expected.im << "j";
}

}  // namespace tesseray
