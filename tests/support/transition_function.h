// SPDX-License-Identifier: GPL-3.0-or-later
// Kouyoumjian and Pathak's F by the tail integrals that the wedge takes, which tests hold against tables and closed
// forms (docs/physics.md §5).
#pragma once

#include <cmath>

#include "core/physics/complex.h"
#include "core/physics/transition_function.h"

namespace tesseray {

// F(x) = 2j √x e^{jx} ∫_{√x}^∞ e^{−jt²} dt, continued by F(−x) = F*(x): F(0) = 0, F(∞) = 1.
template <TransitionAccuracy accuracy>
inline Complex transition_function_to(double x) {
  const double z = std::sqrt(std::fabs(x));
  const Complex tail = scaled_fresnel_tail_to<accuracy>(z);
  const Complex value{-2.0 * z * tail.im, 2.0 * z * tail.re};
  return x < 0.0 ? conj(value) : value;
}
inline Complex transition_function(double x) { return transition_function_to<TransitionAccuracy::accurate>(x); }
inline Complex transition_function_fast(double x) { return transition_function_to<TransitionAccuracy::fast>(x); }

}  // namespace tesseray
