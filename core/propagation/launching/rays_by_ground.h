// SPDX-License-Identifier: GPL-3.0-or-later
// Rays to receivers that tiles of the ground reflect, and that come with another ray, which brings what the plane of
// the ground reflects of it. Whether it arrives is known at the end: it may pass over a wall whose lower part sends its
// reflection, or miss elements by their middles. Internal to core/propagation.
#pragma once

#include <cstdint>
#include <deque>
#include <vector>

#include "core/geometry/vector.h"
#include "core/propagation/rays/ground_pairs.h"
#include "core/propagation/tubes/held_ray.h"

namespace tesseray {

struct RayByGround {
  std::uint32_t receiver = 0;
  std::uint64_t way = 0;  // PairableRay's
  Vec2 from;              // PairableRay's
  Vec2 edge_direction;    // unit, of the edge there, along which the places of both may differ; none: 0
  double within_m = 0;    // so far from there the other ray comes from
  double tilt = 0;        // of the tile, against the plane of the ground around: 1 − cos
  HeldRay held;
};

// As PairableRays.
using RaysByGround = std::deque<RayByGround>;

// Of all those that none has brought which has arrived, each once, of several tiles by the one that is tilted least;
// and in an order that does not depend on the threads.
std::vector<const RayByGround*> not_brought(const std::vector<const RaysByGround*>& of_threads,
                                            const std::vector<const PairableRays*>& arrived);

}  // namespace tesseray
