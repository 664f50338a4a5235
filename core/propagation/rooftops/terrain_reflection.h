// SPDX-License-Identifier: GPL-3.0-or-later
// What uneven ground below a line of sight reflects along it, by physical optics (docs/physics.md §6).
#pragma once

#include <span>
#include <vector>

#include "core/geometry/vector.h"
#include "core/physics/complex.h"
#include "core/propagation/rooftops/reflecting_ground.h"

namespace tesseray {

// Whether ground reflects between two ends as the plane from foot to foot: no height changes the phase of what is
// reflected there by much (Rayleigh's criterion), at grazing angles none of any terrain model's noise. Physical optics
// would have it hide what lies behind it. Points as below.
bool reflects_as_plane(std::span<const Vec2> ground, Vec2 from, Vec2 to, double wavelength_m);

// Points lie in the vertical plane of the two ends: x the distance over the ground plan, y the height; m.
class TerrainReflection {
 public:
  // `ground`: from below one end to below the other, straight between; `screens`: the tops of what stands on it, by x.
  // What either end does not see, or from below, reflects nothing.
  void find(std::span<const Vec2> ground, std::span<const Vec2> screens, Vec2 from, Vec2 to, double wavelength_m,
            const ReflectingGround& as);

  // Over the direct ray's field, with phase against it.
  Complex factor;
  // Of the ground that both ends see, where the way by it is shortest, and that way; infinite where they see none.
  Vec2 place;
  double way_m = 0;

 private:
  struct Node {
    double x, ground_y, top_y;
    Vec2 ground() const { return {x, ground_y}; }
  };
  void set_nodes(std::span<const Vec2> ground, std::span<const Vec2> screens);
  // Seen from an end, piece by piece from `first`, the node below it, on: where what it sees of the piece begins.
  void see_from(Vec2 eye, bool forwards, std::vector<double>& begins) const;

  std::vector<Node> nodes_;
  std::vector<double> seen_from_, seen_to_;  // x, per piece
};

}  // namespace tesseray
