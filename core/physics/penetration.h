// SPDX-License-Identifier: GPL-3.0-or-later
// What a wall takes from a wave that goes through it (3GPP TR 38.901, table 7.4.3-1; docs/physics.md §8).
#pragma once

#include <string_view>

namespace tesseray {

// Where TR 38.901 is defined. Beyond, the losses go on as they are.
inline constexpr double lowest_penetration_hz = 0.5e9, highest_penetration_hz = 100e9;

// Loss of one outer wall, dB. `material` is what find_itu_material() knows: glass, the light ones
// (wood, boards) as wood, metal as coated glass, which is mostly its metal, and all others as concrete, those in
// numbers
// ("5.31/0.0326") among them.
double wall_penetration_loss_db(std::string_view material, double frequency_hz);

}  // namespace tesseray
