// SPDX-License-Identifier: GPL-3.0-or-later
// The corner points of a ray, found again from the elements at which it interacted. Internal to core/propagation.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <vector>

#include "core/propagation/launching/first_level_record.h"
#include "core/propagation/launching/launch_setting.h"
#include "core/propagation/launching/rooftop_waves.h"
#include "core/propagation/tubes/recorded_ray.h"

namespace tesseray {

// A ray's elements in the order in which it meets them, and its points, from its source to the target.
struct RayPath {
  InteractionChain chain;
  std::vector<Vec3> points;
};

// The points of a ray through a chain of elements, from its source, a point or an edge, to the target.
std::vector<Vec3> trace_chain(const Tiling& tiling, const InteractionChain& chain, const VirtualSource& source,
                              Vec3 target);
// The same: as many as the chain has, and two more.
using RayPlaces = std::array<Vec3, most_bounces + 2>;
// The places of such a ray, which may meet some elements in another order (has_any_order()), as which the chain comes
// back: tubes are found by the middles of elements. False where it comes to a tile from behind in any order.
bool trace_in_order(const LaunchEnvironment& environment, const VirtualSource& source, Vec3 target,
                    InteractionChain& chain, RayPlaces& places);

// The path of a ray that a plane of the ground reflects, wherever on its way it meets that.
struct PathByPlane {
  std::vector<Vec3> points;  // from its source to the target
  std::size_t before = 0;    // so many of its chain's elements are met before the plane

  Vec3 place() const { return points[before + 1]; }
};

// `chain`: the rest of what such a ray meets on its way from a source, a point or an edge.
PathByPlane trace_by_plane(const LaunchEnvironment& environment, const InteractionChain& chain,
                           const ReflectingPlane& plane, const VirtualSource& source, Vec3 target);

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
  RayPath trace(const RecordedRay& recorded, Vec3 target) const;

 private:
  // Of a ray that a plane of the ground reflects wherever that lies on its way. REQUIRES: not over the roofs.
  RayPath trace_by_ground_below(const RecordedRay& ray, Vec3 target) const;
  // Of a ray whose chain goes over the roofs.
  RayPath trace_over_rooftops(const RecordedRay& ray, Vec3 target) const;
  // From the antenna or the last edge of a wave over the roofs.
  RayPath trace_from(const VirtualSource& source, const RecordedRay& ray, Vec3 target) const;
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
