// SPDX-License-Identifier: GPL-3.0-or-later
// Directive lobes of many rays that one surface scatters, as one function of direction.
//
// A ray of power P that comes in under θ_i and is mirrored towards s scatters P ((1 + s·o)/2)^α / F_α(θ_i) per
// steradian towards o (core/physics/scattering.h). With q = (1, s) and p = (1, o) that is a polynomial of degree α in
// the four numbers of p, whose coefficients are products of those of q: the coefficients of all rays add up, and what
// any number of them scatters into a direction costs the same as what one does. Exact but for rounding.
#pragma once

#include <cstddef>
#include <span>

#include "core/geometry/vector.h"

namespace tesseray {

inline constexpr int greatest_lobe_exponent = 8;

// The number of coefficients of a polynomial of degree α in four numbers: (α+1)(α+2)(α+3)/6.
constexpr std::size_t lobe_coefficients(int alpha) {
  return static_cast<std::size_t>((alpha + 1) * (alpha + 2) * (alpha + 3) / 6);
}

// Adds `power` · ((1 + specular·o)/2)^α to the function. REQUIRES: 1 ≤ α ≤ greatest_lobe_exponent, as many
// coefficients as lobe_coefficients(α), a unit vector.
void add_lobe(int alpha, double power, Vec3 specular, std::span<double> coefficients);

// The function at the unit vector `direction`.
double lobes_along(int alpha, std::span<const double> coefficients, Vec3 direction);

}  // namespace tesseray
