// SPDX-License-Identifier: GPL-3.0-or-later
// The local mean of measurements along a route (Lee's criterion: over about 40 wavelengths).
#pragma once

#include <span>
#include <vector>

#include "core/geometry/vector.h"

namespace tesseray {

// One sample of a route, in the order in which it was driven.
struct RouteSample {
  Vec2 position;
  double power_db = 0;  // any level in dB that grows with power; NaN where nothing was measured
};

// For each sample the mean, in power, of the samples whose way along the route to it is at most half of `window_m`
// (the sample itself included). Samples without a level take no part and stay NaN.
// 1. A window of 0 leaves every level as it is.  2. Equal levels stay equal.
// 3. The result does not depend on the direction of the drive (but for rounding).
std::vector<double> average_along_route(std::span<const RouteSample> route, double window_m);

}  // namespace tesseray
