// SPDX-License-Identifier: GPL-3.0-or-later
// The corner points of a ray, found again from the elements at which it interacted. Internal to core/propagation.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "core/propagation/launching/first_level_record.h"
#include "core/propagation/launching/launch_setting.h"
#include "core/propagation/launching/rooftop_waves.h"
#include "core/propagation/tubes/recorded_ray.h"

namespace tesseray {

// The points of a ray through a chain of elements, from its source, a point or an edge, to the target.
std::vector<Vec3> trace_chain(const Tiling& tiling, const InteractionChain& chain, const VirtualSource& source,
                              Vec3 target);
// The same of a ray that the chain's element number `scattered_at` scatters, at its centroid.
std::vector<Vec3> trace_scattered(const Tiling& tiling, const InteractionChain& chain, std::uint8_t scattered_at,
                                  const VirtualSource& source, Vec3 target);

// Of the rays that a launch has recorded.
class RayPaths {
 public:
  // Keeps references to all.
  RayPaths(const LaunchSetting& setting, const RooftopWaves& waves, const FirstLevelRecord& record)
      : setting_(setting),
        environment_(setting.environment),
        transmitter_(setting.transmitter),
        waves_(waves),
        record_(record) {}

  // To a receiver at `target`.
  std::vector<Vec3> trace(const RecordedRay& recorded, Vec3 target) const;

 private:
  // Of a ray whose chain goes over the roofs.
  std::vector<Vec3> trace_over_rooftops(const RecordedRay& ray, Vec3 target) const;
  // The wave that a recorded ray over the roofs was; without edges where it is not found again.
  RooftopWave recorded_wave(const RecordedRay& ray, Vec3 target) const;
  bool is_reflected_by_ground_below(const RecordedRay& ray) const;
  // Where uneven ground reflects what comes straight or through the nearest building to the receiver over it, if
  // that is what the chain says.
  std::optional<Vec3> place_on_uneven_ground(const InteractionChain& chain, std::uint32_t number) const;

  const LaunchSetting& setting_;
  const LaunchEnvironment& environment_;
  const Transmitter& transmitter_;
  const RooftopWaves& waves_;
  const FirstLevelRecord& record_;
};

}  // namespace tesseray
