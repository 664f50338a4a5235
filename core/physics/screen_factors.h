// SPDX-License-Identifier: GPL-3.0-or-later
// What absorbing screens leave of a field, for host and device.
#pragma once

#include "core/physics/complex.h"

namespace tesseray {

struct ScreenFactors {
  // Field behind all edges of a profile over free space along the straight line; phase against that line.
  Complex factor{1, 0};
  // The field from a point below the transmitter over the one from there. Each counts its phase from the first edge, to
  // which it goes straight.
  Complex image_ratio{1, 0};
};

}  // namespace tesseray
