// SPDX-License-Identifier: GPL-3.0-or-later
// Sums of rays that must be the same bit for bit.
#pragma once

#include <gtest/gtest.h>

#include "core/propagation/rays/arrivals.h"

namespace tesseray::testing {

inline void expect_same(const ArrivalSums& a, const ArrivalSums& b) {
  EXPECT_EQ(a.gain, b.gain);
  EXPECT_EQ(a.coherent_gain, b.coherent_gain);
  EXPECT_EQ(a.coherent_re, b.coherent_re);
  EXPECT_EQ(a.coherent_im, b.coherent_im);
  EXPECT_EQ(a.reflected_re, b.reflected_re);
  EXPECT_EQ(a.reflected_im, b.reflected_im);
  EXPECT_EQ(a.interference, b.interference);
  EXPECT_EQ(a.basic_gain, b.basic_gain);
  EXPECT_EQ(a.excess, b.excess);
  EXPECT_EQ(a.squared_excess, b.squared_excess);
  EXPECT_EQ(a.cos_azimuth, b.cos_azimuth);
  EXPECT_EQ(a.sin_azimuth, b.sin_azimuth);
  EXPECT_EQ(a.strongest_gain, b.strongest_gain);
  EXPECT_EQ(a.strongest_azimuth, b.strongest_azimuth);
  EXPECT_EQ(a.first_excess_m, b.first_excess_m);
  EXPECT_EQ(a.rays, b.rays);
  EXPECT_EQ(a.strongest_mechanism, b.strongest_mechanism);
  EXPECT_EQ(a.direct, b.direct);
}

}  // namespace tesseray::testing
