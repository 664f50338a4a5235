// SPDX-License-Identifier: GPL-3.0-or-later
// Sine, cosine and angle by polynomials, for the hot loops of diffraction: without calls or tables, to 1e-15, and with
// the same bits on every machine, where library functions differ. The polynomials are summed in pairs (Estrin), which
// shortens the chain of dependent operations. Angles are in rad.
#pragma once

#include <cmath>

#include "core/base/host_device.h"
#include "core/base/units.h"

namespace tesseray {

struct CosSin {
  double cos = 1, sin = 0;
};

// Of the sum and the difference of two angles.
TESSERAY_HD constexpr CosSin sum(CosSin a, CosSin b) {
  return {a.cos * b.cos - a.sin * b.sin, a.sin * b.cos + a.cos * b.sin};
}
TESSERAY_HD constexpr CosSin difference(CosSin a, CosSin b) {
  return {a.cos * b.cos + a.sin * b.sin, a.sin * b.cos - a.cos * b.sin};
}

// REQUIRES: |angle| ≤ π/4. Taylor's series, which ends below the rounding there.
TESSERAY_HD constexpr CosSin cos_sin_eighth(double angle) {
  const double q = angle * angle, q2 = q * q, q4 = q2 * q2, q8 = q4 * q4;
  const double sine = ((1.0 + -0.16666666666666666 * q) + (0.008333333333333333 + -0.0001984126984126984 * q) * q2) +
                      ((2.7557319223985893e-06 + -2.505210838544172e-08 * q) +
                       (1.6059043836821613e-10 + -7.647163731819816e-13 * q) * q2) *
                          q4;
  const double cosine = (((1.0 + -0.5 * q) + (0.041666666666666664 + -0.001388888888888889 * q) * q2) +
                         ((2.48015873015873e-05 + -2.755731922398589e-07 * q) +
                          (2.08767569878681e-09 + -1.1470745597729725e-11 * q) * q2) *
                             q4) +
                        4.779477332387385e-14 * q8;
  return {cosine, angle * sine};
}

// REQUIRES: 0 ≤ angle ≤ π/2.
TESSERAY_HD constexpr CosSin cos_sin_quarter(double angle) {
  constexpr double root_half = 0.70710678118654752440;
  const CosSin offset = cos_sin_eighth(angle - 0.25 * pi);
  return {root_half * (offset.cos - offset.sin), root_half * (offset.cos + offset.sin)};
}

// REQUIRES: 0 ≤ angle ≤ 2π.
TESSERAY_HD constexpr CosSin cos_sin_turn(double angle) {
  // A quarter of the distance to π is within ±π/4; double it twice and turn back by π.
  const CosSin quarter = cos_sin_eighth(0.25 * (angle - pi));
  const CosSin half{quarter.cos * quarter.cos - quarter.sin * quarter.sin, 2.0 * quarter.cos * quarter.sin};
  return {half.sin * half.sin - half.cos * half.cos, -2.0 * half.cos * half.sin};
}

// The angle of the plane vector (x, y) of length `length`, in [0, 2π). REQUIRES: length > 0.
TESSERAY_HD inline double angle_of(double x, double y, double length) {
  const double a = std::fabs(x), b = std::fabs(y);
  const double smaller = a < b ? a : b, larger = a < b ? b : a;
  // tan of half the angle to the nearest axis, at most tan(π/8); then a polynomial fitted on Chebyshev nodes.
  const double t = smaller / (length + larger);
  const double q = t * t, q2 = q * q, q4 = q2 * q2, q8 = q4 * q4;
  const double series =
      (((1.0 + -0.33333333333327525 * q) + (0.1999999999868403 + -0.14285714163883256 * q) * q2) +
       ((0.11111105340121982 + -0.090907508308417 * q) + (0.07689611511105851 + -0.06637084384966208 * q) * q2) * q4) +
      ((0.05671224735005086 + -0.04297377968347442 * q) + 0.020506149743490163 * q2) * q8;
  double angle = 2.0 * t * series;
  angle = a < b ? 0.5 * pi - angle : angle;
  angle = x < 0.0 ? pi - angle : angle;
  return y < 0.0 ? 2.0 * pi - angle : angle;
}

}  // namespace tesseray
