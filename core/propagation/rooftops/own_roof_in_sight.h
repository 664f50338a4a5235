// SPDX-License-Identifier: GPL-3.0-or-later
// What the edge of the roof that an end stands over makes of a way in sight (docs/physics.md §6).
#pragma once

#include <algorithm>
#include <cstdint>

#include "core/base/infinity.h"
#include "core/physics/complex.h"
#include "core/propagation/rooftops/rooftop_bends.h"
#include "core/propagation/rooftops/rooftop_profile_row.h"

namespace tesseray {

// Of the roof below an end of a line, the edge past which the line leaves it, where that comes near.
struct OwnRoofEdge {
  std::uint32_t roof = no_roof;  // that the end stands over, by its number
  // Of the one nearest to the end.
  double from_end_m = infinity;  // over the ground plan
  double edge_z = 0;             // over the earth's bulge
  ProfileEdge edge;
  double longer_m = 0;               // the way by it than the straight one
  double least_longer_m = infinity;  // of all of that roof

  bool is_of(std::uint32_t other) const { return is_same_roof(roof, other); }
  void consider(double distance_m, double z, ProfileEdge of_side, double detour_m) {
    least_longer_m = std::min(least_longer_m, detour_m);
    if (!(distance_m < from_end_m)) return;
    from_end_m = distance_m;
    edge_z = z;
    edge = of_side;
    longer_m = detour_m;
  }
  // Behind a yard the roof goes on, to an edge that comes nearer to the line.
  bool counts() const { return from_end_m < infinity && longer_m <= least_longer_m; }
};

// What leaves that roof over the field past a screen (past_own_roof.h), for the transmitter's polarisation, as far as
// the edge counts. `end_z`: of the end over the roof; `other`: the other end (x: from that end over the ground plan, y:
// height). The same from either end.
Complex past_own_roof(const OwnRoofEdge& own, double end_z, Vec2 other, const rooftop_detail::EdgeFaces& faces,
                      double horizontal_share, double wavelength_m);

}  // namespace tesseray
