// SPDX-License-Identifier: GPL-3.0-or-later
// Whether the ground below a way is the smooth earth's and nothing stands on it that the wave notices, so that the wave
// along it is known in closed form (docs/physics.md §6).
#pragma once

#include <span>

#include "core/geometry/vector.h"
#include "core/physics/complex.h"
#include "core/propagation/rooftops/rooftop_line.h"
#include "core/propagation/rooftops/rooftop_profile_row.h"
#include "core/scene/terrain_view.h"

namespace tesseray {

// The wave along some ground as a whole, and how much of it counts, 0 … 1.
struct WaveOverGround {
  double share = 0;
  // Over the field of free space along the straight line, with phase against that; of polarisations asked for.
  Complex horizontal, vertical;
};

// By what the ground is off the straight one from foot to foot. `over`: the line's ends, and the points over which the
// ray goes between them, with the earth's bulge.
double share_of_smooth_ground(const TerrainView& terrain, const RooftopLine& line, std::span<const Vec2> over);

// Roofs farther below the way leave all of it.
inline constexpr double least_nu_of_roofs_near_way = -2;

// By the ν of roofs, in order of their distances, between neighbours of `over`.
double share_over_roofs(const ProfileRow<1>& roofs, std::span<const Vec2> over, double wavelength_m);

// By the ν with which the earth reaches up to a straight line in sight.
double share_near_horizon(double nearest_nu);

}  // namespace tesseray
