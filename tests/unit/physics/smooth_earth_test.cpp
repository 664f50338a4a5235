// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/physics/smooth_earth.h"

#include <gtest/gtest.h>

#include <cmath>

#include "core/base/units.h"
#include "core/physics/fresnel.h"
#include "core/physics/material.h"

namespace tesseray {
namespace {

// With 25 digits (mpmath), on either side of the places where the way to work it out changes.
TEST(AiryFunction, IsRightWhereWavesAlongTheEarthHaveIt) {
  struct Value {
    Complex z, airy;
  };
  for (const auto& [z, airy] :
       {Value{{-3, 0.5}, {-0.52817234188235, 0.186822985529678}},
        Value{{-2, -0.05}, {0.227976505845599, -0.0309339758759435}},
        Value{{2, 4}, {0.330093822527317, -0.088548342815674}}, Value{{1, 7}, {-16.4915171743472, 153.550786491028}},
        Value{{-2.75, 4.8}, {915.834315203934, -581.953116224895}},
        Value{{-3, 5.2}, {2845.49031845693, -1660.45672183896}}, Value{{-7, 1}, {1.1809367546432, -2.13368099128917}},
        Value{{-8, -0.4}, {-0.0879266622868386, -0.460039794553814}},
        Value{{20, 40}, {-3894102.04971298, 5224868.98872382}},
        Value{{-40, 30}, {-3.35132060335126e+81, 1.54416677370973e+83}}}) {
    EXPECT_LT(norm(airy_function(z) - airy), 1e-8 * norm(airy)) << z.re << " " << z.im;
  }
}

// The same series with 40 digits and as many terms as it takes (mpmath), behind the horizon and before it, low and high
// antennas.
TEST(SmoothEarth, IsTheWholeResidueSeries) {
  struct Way {
    double frequency_hz, distance_m, height_m, other_m;
    bool is_horizontal;
    Complex factor;
  };
  for (const Way& way : {Way{150e6, 30e3, 30, 10, true, {0.0144004787, 0.037106576}},
                         Way{150e6, 30e3, 30, 10, false, {0.0174814574, 0.0354895463}},
                         Way{2600e6, 60e3, 100, 1.5, false, {0.00662508292, -0.00735812543}},
                         Way{900e6, 20e3, 30, 1.5, false, {0.0184558617, 0.0472509721}},
                         Way{6000e6, 150e3, 100, 10, true, {-1.29058354e-09, -2.75164598e-09}},
                         Way{150e6, 12e3, 10, 1.5, false, {0.00484080932, 0.00582883328}},
                         Way{450e6, 50e3, 300, 1.5, true, {0.0156851575, 0.0913723256}},
                         Way{6000e6, 45e3, 100, 10, true, {0.528105909, 0.570231272}}}) {
    const BoundaryImpedances of = boundary_impedances(relative_permittivity({5, 0.01}, way.frequency_hz), 0);
    const SmoothEarth earth(8.5e6, wavelength_m(way.frequency_hz), way.is_horizontal ? of.te : of.tm);
    EXPECT_EQ(earth.share_at(way.distance_m), 1);
    for (const bool turned : {false, true}) {
      const double from_m = turned ? way.other_m : way.height_m, to_m = turned ? way.height_m : way.other_m;
      EXPECT_LT(norm(earth.factor(way.distance_m, from_m, to_m) - way.factor), 1e-4 * norm(way.factor))
          << way.frequency_hz << " " << way.distance_m << " " << turned;
    }
  }
}

// Where the series would take too many terms, and over the sea at long waves.
TEST(SmoothEarth, HasNoShareWhereTheSeriesDoesNotServe) {
  const SmoothEarth land(8.5e6, 2, {0.4, 0.1}), sea(8.5e6, 10, {0.01, 0.01});
  EXPECT_EQ(land.share_at(5e3), 0);
  EXPECT_GT(land.share_at(9e3), 0);
  EXPECT_LT(land.share_at(9e3), 1);
  EXPECT_EQ(sea.share_at(60e3), 0);
}

}  // namespace
}  // namespace tesseray
