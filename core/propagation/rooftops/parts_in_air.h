// SPDX-License-Identifier: GPL-3.0-or-later
// Parts of buildings with air below: bridges, gateways, overhanging floors. Rays over the roofs pass above and below
// them, for which they are no screens, but not through them.
#pragma once

#include <cstdint>
#include <memory>
#include <span>

#include "core/scene/scene.h"
#include "core/visibility/visibility.h"

namespace tesseray {

class PartsInAir {
 public:
  // `parts`: numbers of the scene's prisms.
  PartsInAir(const Scene& scene, std::span<const std::uint32_t> parts);

  // Whether one of them stands in the straight way.
  bool stand_between(Vec3 from, Vec3 to) const;
  // Whether one of them is above a place.
  bool are_above(Vec3 place) const { return stand_between(place, place + Vec3{0, 0, sky_m}); }

 private:
  static constexpr double sky_m = 1e4;  // no building is as high

  std::unique_ptr<const Occlusion> occlusion_;  // nullptr: there are none
};

}  // namespace tesseray
