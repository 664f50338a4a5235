// SPDX-License-Identifier: GPL-3.0-or-later
// What uneven ground reflects to a place in sight where waves graze it: the field on the ground lights it again farther
// on, and leaks behind its crests (docs/physics.md §6).
#pragma once

#include <span>
#include <vector>

#include "core/geometry/vector.h"
#include "core/physics/complex.h"
#include "core/propagation/rooftops/light_along_ground.h"
#include "core/propagation/rooftops/reflecting_ground.h"

namespace tesseray {

// By the integral equation of the field on the ground, forwards alone: what leaves the ground gives the field at each
// of its places, with what comes there from the antenna and from all places before, the slope that the ground's
// impedance asks for. Points as in terrain_reflection.h.
class GrazedGround {
 public:
  // As TerrainReflection::factor. What stands on the ground hides it as it would from light.
  // Properties: of a plane it is the image's; the same from either end. REQUIRES: both ends stand above the ground.
  Complex reflected(std::span<const Vec2> ground, std::span<const Vec2> screens, Vec2 from, Vec2 to,
                    double wavelength_m, const ReflectingGround& as);

 private:
  class Link;
  struct Node {
    Vec2 ground, plane;
    // Of what comes from the one end and goes to the other: it fades behind what stands on the ground, and where the
    // ground is left out.
    double seen_from = 1, seen_to = 1, share_from = 1, share_to = 1;
  };
  void choose_nodes(const Link& link);
  void hide_behind(std::span<const Vec2> screens, const Link& link);
  // As seen from the other end.
  void turn(Link& link);
  Complex reflected_by(const Link& link, bool by_plane);
  // By the ground, so that a plane is the image.
  Complex corrected(const Link& link);

  std::vector<Node> nodes_;
  LightAlongGround light_;
  std::vector<Complex> source_;  // on the ground from node to node, against the direct wave there
};

}  // namespace tesseray
