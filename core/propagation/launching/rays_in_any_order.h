// SPDX-License-Identifier: GPL-3.0-or-later
// Rays to receivers and ground tiles that meet level ground and upright walls or edges in one order and may be brought
// by tubes in another (has_any_order()): tubes are found by the middles of elements, so that several chains, one, or
// none may stand for one ray. Each counts once. Internal to core/propagation.
#pragma once

#include <compare>
#include <cstdint>
#include <vector>

#include "core/propagation/tubes/held_ray.h"

namespace tesseray {

// What tells such rays apart: along one direction there is one way back from a target, up to the first edge, and one
// way to there from the other end.
struct RayInAnyOrder {
  std::uint32_t number = 0;  // the target's
  std::uint32_t interactions = 0;
  bool cross_polarized = false;
  bool through_building = false;  // to the first place; in the air there may be part of one of the same way
  Vec3 first_place;               // where it interacts first
  Vec3 image;                     // where it seems to come from
};

// A ray that has come in another order than its own.
struct WaitingRay {
  RayInAnyOrder ray;
  HeldRay held;
};

// Of one thread.
struct RaysInAnyOrder {
  std::vector<RayInAnyOrder> arrived;  // in their own order
  std::vector<WaitingRay> waiting;
};

// Of all that wait those which have not arrived, each once and in an order that does not depend on the threads.
std::vector<WaitingRay> not_arrived(const std::vector<const RaysInAnyOrder*>& of_threads);

}  // namespace tesseray
