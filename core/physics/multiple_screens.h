// SPDX-License-Identifier: GPL-3.0-or-later
// Any number of absorbing screens in a vertical plane, exactly for the paraxial wave (docs/physics.md §6).
//
// The field behind N screens is an N-fold Fresnel–Kirchhoff integral over the openings above their edges (Vogler 1982).
// It is a chain: each screen's opening is lit by the one before alone. Along the contour z = edge + t e^{−jπ/4} the
// integrands decay like Gaussians, so that a few Gauss–Legendre nodes an edge serve and the chain costs one small real
// matrix an edge. Edges well below the path would need the decay of the others; they matter little and are left out
// beforehand (screen_choice.h).
#pragma once

#include <span>

#include "core/geometry/vector.h"
#include "core/physics/complex.h"
#include "core/physics/screen_choice.h"
#include "core/physics/screen_factors.h"

namespace tesseray {

// Field behind all edges of a profile (as of deygout_loss_db: x: distance, y: height; m) over free space along the
// straight line; phase against that line. For edges that
// choose_screens chose right to 2e-4 of itself but for one in a hundred, and to 4e-3 always; up to 0.2 dB off where one
// of two edges close together is hardly the lower one, and 0.3 dB where edges stand within 1/1300 of the path of each
// other, in its middle. REQUIRES: at most most_screens edges.
Complex multiple_screen_factor(std::span<const Vec2> profile, double wavelength_m);
// The same with the ground under links between edges, and what comes from and to images at the ends.
ScreenFactors multiple_screen_factors(std::span<const Vec2> profile, double wavelength_m,
                                      const ProfileGrounds& grounds);

}  // namespace tesseray
