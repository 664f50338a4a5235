// SPDX-License-Identifier: GPL-3.0-or-later
// From the numbers of an antenna file to two full cuts, checked.
#pragma once

#include <string>

#include "core/io/antennas/antenna_text.h"

namespace tesseray {

// Fills in raw.antenna's cuts: attenuations of one sign, angles from 0 to 360 once each, around the whole circle; what
// had to be assumed goes to its assumptions. Throws Error for what cannot be understood.
void fill_cuts(RawAntenna& raw, const std::string& file);

}  // namespace tesseray
