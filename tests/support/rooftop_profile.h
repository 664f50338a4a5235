// SPDX-License-Identifier: GPL-3.0-or-later
// The profile by itself of which a launch finds what comes over the roofs.
#pragma once

#include <vector>

#include "core/geometry/vector.h"
#include "core/propagation/rooftops/rooftop_profile_row.h"
#include "core/propagation/rooftops/rooftop_profile_trace.h"
#include "core/propagation/rooftops/rooftop_profiles.h"
#include "core/propagation/rooftops/side_crossings_in_vectors.h"

namespace tesseray::testing {

// Points over the distance from one end, strictly increasing in x (horizontal distance from the start; y: height; m);
// the ends are among them. What lies more than margin_m below their straight line is left out. Beyond 5 km heights
// count from the straight line of a flat earth: what is between stands higher by the bulge d₁ d₂ / 2a, a = 8,500 km.
inline std::vector<Vec2> profile_between(const RooftopProfiles& profiles, Vec3 from, Vec3 to, double margin_m) {
  const RooftopLine line(from, to, margin_m);
  for (ProfileMemory memory;; memory.grow()) {
    ProfileRow<1> row = memory.row();
    if (!RooftopProfileTrace<ProfileRow<1>, SideCrossingsInVectors>(profiles.view(), line, row).run()) continue;
    const auto points = memory.first_points(row.size());
    return {points.begin(), points.end()};
  }
}

}  // namespace tesseray::testing
