// SPDX-License-Identifier: GPL-3.0-or-later
// The closed forms of one and two absorbing screens, which tests compare with (docs/physics.md §6).
#pragma once

#include <span>

#include "core/geometry/vector.h"
#include "core/physics/complex.h"

namespace tesseray {

// Exact J(ν) of one screen, dB.
double knife_edge_loss_db(double nu);

// Field over free space behind two screens, exact for the parabolic (paraxial) wave; phase against the straight line.
// `profile`: the transmitter, both edges and the receiver (x: distance, y: height; m). REQUIRES: four points, x
// strictly increasing.
Complex double_knife_edge_factor(std::span<const Vec2> profile, double wavelength_m);

}  // namespace tesseray
