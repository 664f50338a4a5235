// SPDX-License-Identifier: GPL-3.0-or-later
// Rays at receivers and their reflections on the ground, which are rays of their own there, in step over the local
// mean. At ground tiles each ray comes with its own (ray_ending.h).
#pragma once

#include <cstdint>
#include <deque>
#include <span>

#include "core/geometry/vector.h"
#include "core/physics/complex.h"
#include "core/propagation/rays/arrivals.h"
#include "core/propagation/rays/local_mean.h"

namespace tesseray {

struct PairableRay {
  std::uint32_t receiver = 0;
  bool from_ground = false;  // reflected there since it left the antenna or its last edge
  bool straight = false;     // the direct ray or its reflection
  bool over_rooftops = false;
  std::uint64_t way = 0;         // the same for rays that differ by that reflection alone
  Vec2 from;                     // in the plan, as the walls mirror it that follow: the antenna or its last edge
  Complex amplitude;             // with phase
  double stands_for = 1;         // Arrival::stands_for
  Vec3 direction;                // unit, of travel
  Vec3 normal{0, 0, 1};          // unit, of the ground that reflects it
  WaveAlongGround along_ground;  // the direct ray with its reflection
  // What its reflection on the ground below brings with it, where that is no ray of its own.
  double with_ground_below = 0;
  // How far it is in step with the direct ray, 0 … 1, and with reflections of that alone; its own reflection is so by
  // as much of it as is in step with itself, and as is not.
  double in_step = 0, in_step_reflected = 0;
  ReflectionInStep reflection;  // where that is no ray of its own
};

// Many receivers have gigabytes of them, which a vector would have three times while it grows.
using PairableRays = std::deque<PairableRay>;

// Adds what each ray brings together with all of its reflections on the ground, which bring it among themselves, too:
// the rays from there of the same way that come in as it does in the plan, whatever the compass direction; what the
// ground below each ray without a reflection brings; and what those that are in step with the direct ray bring
// together. The same for any parts and any order of the rays, and without a step where azimuths become the same.
void add_ground_pairs(std::span<const PairableRays> parts, double wave_number, std::span<ArrivalSums> receivers);

}  // namespace tesseray
