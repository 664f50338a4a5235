// SPDX-License-Identifier: GPL-3.0-or-later
// What absorbing screens leave of a field, and what the ground beside them reflects, for host and device
// (docs/physics.md §6). Fields are complex ratios of amplitudes, reflections the coefficient Γ of the polarisation that
// is asked for.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "core/base/host_device.h"
#include "core/physics/complex.h"

namespace tesseray {

// Roofs beyond this number, those that weigh least, are left out.
inline constexpr std::uint32_t most_screens = 16;

// Level or sloping ground under a link of a profile.
struct GroundUnderLink {
  // How far below itself a link's end has its image, as seen from the other one.
  double image_below_m = 0;
  Complex reflection;  // 0: none
};

// What the ground reflects along a profile.
struct ProfileGrounds {
  // Of the transmitter and of the target, as GroundUnderLink::image_below_m; 0: none asked for.
  double transmitter_image_below_m = 0, target_image_below_m = 0;
  std::array<GroundUnderLink, most_screens + 1> behind{};  // by point of the profile, up to the next one
  bool any_between = false;                                // edges

  TESSERAY_HD void set_behind(std::size_t point, const GroundUnderLink& ground) {
    behind[point] = ground;
    any_between = true;
  }
};

// What all of these leave.
struct ScreenFactors {
  // Field behind all edges of a profile over free space along the straight line; phase against that line.
  Complex factor{1, 0};
  // The field from the transmitter's image over the one from itself, and the one at the target's image over the one at
  // itself; 1 where none is asked for. Each counts its phase along straight ways between the ends' places and the edges
  // next to them.
  Complex transmitter_image_ratio{1, 0}, target_image_ratio{1, 0};
};

}  // namespace tesseray
