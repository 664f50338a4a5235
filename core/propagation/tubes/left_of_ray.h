// SPDX-License-Identifier: GPL-3.0-or-later
// What is left of a ray on its way besides what elements send on, for host and device.
#pragma once

#include "core/propagation/tubes/ray_ending.h"

namespace tesseray {

// What roofs or the ground near a straight line leave of a ray: of its amplitude, and of its phase as a length that it
// seems to go more (VirtualSource::offset_m).
struct LeftOfRay {
  double amplitude = 1, offset_m = 0;
  bool comes_near = false;   // any roof
  bool is_one_edge = false;  // that does
};

// A ray with what is left of it besides: its source, and its end with that source, which must outlive it.
TESSERAY_HD inline VirtualSource past_roofs(VirtualSource source, const LeftOfRay& left) {
  source.offset_m += left.offset_m;
  return source;
}
TESSERAY_HD inline RayEnding past_roofs(const RayEnding& ending, const VirtualSource& source, const LeftOfRay& left) {
  return {source,
          ending.strength,
          ending.mechanism,
          ending.departure_gain,
          ending.chain,
          ending.coherent_ground_reflection,
          {ending.attenuation.ray * left.amplitude, ending.attenuation.companion * left.amplitude},
          ending.companion_offset_m,
          ending.ground_normal,
          ending.ground_place,
          ending.along_ground,
          ending.stands_for};
}

}  // namespace tesseray
