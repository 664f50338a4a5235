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

namespace tesseray {

// Field behind all edges of a profile over free space along the straight line; phase against that line. Right to 1e-4
// of itself for edges that choose_screens chose. REQUIRES: at most most_screens edges.
Complex multiple_screen_factor(std::span<const Vec2> profile, double wavelength_m);

}  // namespace tesseray
