// SPDX-License-Identifier: GPL-3.0-or-later
// The frequencies that are predicted.
#pragma once

namespace tesseray {

// Of what the models and materials hold for; beyond, a frequency is in other units than said.
inline constexpr double lowest_frequency_mhz = 10.0, highest_frequency_mhz = 300'000.0;

}  // namespace tesseray
