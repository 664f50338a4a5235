// SPDX-License-Identifier: GPL-3.0-or-later
// The elevations that there are.
#pragma once

namespace tesseray {

// Land lies between −430 m and 8,850 m: beyond these an elevation is a marker for "unknown", or in other units than
// said.
inline constexpr double lowest_ground_m = -500.0, highest_ground_m = 9000.0;
// Of roofs and antennas, too.
inline constexpr double highest_elevation_m = 10'000.0;

}  // namespace tesseray
