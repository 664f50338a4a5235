// SPDX-License-Identifier: GPL-3.0-or-later
// Directive lobes of many rays that one surface scatters, as one function of direction.
//
// A ray of power P that comes in under θ_i and is mirrored towards s scatters P ((1 + s·o)/2)^α / F_α(θ_i) per
// steradian towards o (core/physics/scattering.h). With q = (1, s) and p = (1, o) that is a polynomial of degree α in
// the four numbers of p, whose coefficients are products of those of q: the coefficients of all rays add up, and what
// any number of them scatters into a direction costs the same as what one does. Exact but for rounding.
#pragma once

#include <cmath>
#include <cstddef>
#include <span>

#include "core/base/host_device.h"
#include "core/geometry/vector.h"

namespace tesseray {

inline constexpr int greatest_lobe_exponent = 8;

// The number of coefficients of a polynomial of degree α in four numbers: (α+1)(α+2)(α+3)/6.
TESSERAY_HD constexpr std::size_t lobe_coefficients(int alpha) {
  return static_cast<std::size_t>((alpha + 1) * (alpha + 2) * (alpha + 3) / 6);
}

// Adds `power` · ((1 + specular·o)/2)^α to the function. REQUIRES: 1 ≤ α ≤ greatest_lobe_exponent, as many
// coefficients as lobe_coefficients(α), a unit vector.
void add_lobe(int alpha, double power, Vec3 specular, std::span<double> coefficients);

// The function at the unit vector `direction`.
TESSERAY_HD inline double lobes_along(int alpha, std::span<const double> coefficients, Vec3 direction) {
  // Horner's rule in z, then y, then x: the coefficients stand by ascending powers of z within y within x.
  const double* last = coefficients.data() + coefficients.size();
  double sum = 0;
  for (int i = alpha; i >= 0; --i) {
    double of_x = 0;
    for (int j = alpha - i; j >= 0; --j) {
      double of_y = 0;
      for (int k = alpha - i - j; k >= 0; --k) of_y = of_y * direction.z + *--last;
      of_x = of_x * direction.y + of_y;
    }
    sum = sum * direction.x + of_x;
  }
  return std::fmax(sum, 0.0);
}

}  // namespace tesseray
