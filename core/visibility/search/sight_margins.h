// SPDX-License-Identifier: GPL-3.0-or-later
// How far single precision may be off in a search: what is nearer to a limit than this is decided in double.
#pragma once

namespace tesseray {

// Bounds on errors as seen from one eye. Elements and walls are kept relative to the corner of their block, so that a
// coordinate relative to the eye is off by a small constant (near) and by a small part of its distance (far).
//
// With u = 2⁻²⁴, half a unit in the last place: a coordinate within a block of side B is off by u · 2B at most, the
// block's offset by u · (distance + B), their sum by u · distance more. So the place of a point is off by √2 · u · (3B
// + 2 · distance). The distance of a point from a line, as cross or dot products over the line's length, takes 4 √2 u ·
// distance more. The constants are these sums, rounded up.
struct SightMargins {
  static constexpr float relative = 6e-7F;  // times the larger of |x|, |y|
  float position_m = 0;                     // besides the relative part
  float height_m = 0;                       // of heights

  static SightMargins of_grid(double block_m, double height_range_m) {
    SightMargins margins;
    margins.position_m = static_cast<float>(2.6e-7 * block_m + 1e-6);
    margins.height_m = static_cast<float>(2.5e-7 * height_range_m + 2e-5);
    return margins;
  }
};

// An azimuth's rounding, in eighths of the circle; besides it is off by 2 position_m over the distance.
inline constexpr float azimuth_rounding = 2e-6F;
// Nearer targets (larger of |x|, |y|) go to the exact test: their azimuths are too uncertain.
inline constexpr float least_distance_m = 1.0F;
// Azimuths of what is farther than that are right within this, in eighths of the circle.
inline constexpr float azimuth_margin = 2.4e-4F;
// The eye is taken to lie in a wall's plane when it is nearer than this.
inline constexpr float plane_margin_m = 1e-3F;
// Relative rounding of a slope and of what is computed with it.
inline constexpr float slope_margin = 4e-6F;

}  // namespace tesseray
