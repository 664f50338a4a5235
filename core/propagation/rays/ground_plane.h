// SPDX-License-Identifier: GPL-3.0-or-later
// When an edge counts as in front of the plane of the ground, for host and device.
#pragma once

namespace tesseray {

// What comes from an edge in the plane of the ground runs along it, and is reflected there: that all but cancels it.
// So the plane itself counts as in front, within so much: heights of terrains are rounded to single precision.
inline constexpr double in_ground_plane_m = 1e-3;

}  // namespace tesseray
