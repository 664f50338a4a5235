// SPDX-License-Identifier: GPL-3.0-or-later
// Rays that are held before their targets until it is known whether they arrive, for host and device.
#pragma once

#include <cstdint>

#include "core/propagation/tubes/left_of_ray.h"
#include "core/propagation/tubes/ray_ending.h"

namespace tesseray {

// Whether a ray that tubes bring to a target is followed there leg by leg (ray_legs.h): to receivers and over the
// ground. Scattered power comes to tiles from so many that it is left at what their middles see.
TESSERAY_HD inline bool is_followed(const TargetPointsView& points, const InteractionChain& chain,
                                    std::uint32_t number) {
  return points.is_receiver(number) || (!chain.is_scattered() && points.is_tile(number) && points.is_ground(number));
}

// The end of a ray that tubes bring to a target, by itself.
struct HeldRay {
  HeldRay() = default;
  TESSERAY_HD HeldRay(const RayEnding& ending, std::uint32_t target)
      : source(ending.source),
        strength(ending.strength),
        chain(ending.chain),
        departure_gain(ending.departure_gain),
        attenuation(ending.attenuation),
        stands_for(ending.stands_for),
        number(target),
        mechanism(ending.mechanism),
        coherent_ground_reflection(ending.coherent_ground_reflection) {}
  TESSERAY_HD void keep(const LeftOfRay& left) {
    source.offset_m += left.offset_m;
    attenuation = left.amplitude * attenuation;
  }
  // Refers to this.
  TESSERAY_HD RayEnding ending() const {
    RayEnding ending{source, strength, mechanism, departure_gain, chain, coherent_ground_reflection, attenuation};
    ending.stands_for = stands_for;
    return ending;
  }

  VirtualSource source;
  ComplexVec3 strength;
  InteractionChain chain;
  double departure_gain = 1;
  VegetationAtTarget attenuation;
  double stands_for = 1;
  std::uint32_t number = 0;  // of the target
  Mechanism mechanism = Mechanism::none;
  bool coherent_ground_reflection = false;
};

}  // namespace tesseray
