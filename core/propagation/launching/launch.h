// SPDX-License-Identifier: GPL-3.0-or-later
// One transmitter's launch, step by step. Internal to core/propagation.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/base/progress.h"
#include "core/propagation/launching/bounces.h"
#include "core/propagation/launching/first_level.h"
#include "core/propagation/launching/first_level_record.h"
#include "core/propagation/launching/launch_arrivals.h"
#include "core/propagation/launching/launch_forecast.h"
#include "core/propagation/launching/launch_setting.h"
#include "core/propagation/launching/ray_path.h"
#include "core/propagation/launching/rooftop_waves.h"
#include "core/propagation/launching/scattering_tiles.h"
#include "core/propagation/rays/launch_cost.h"

namespace tesseray {

// Whether weak rays are drawn by chance at all.
bool draws_by_chance(const RayLaunchingOptions& options, const TargetPoints& points);

// How large a launch is. `lit`: by element, lit_as_element where the transmitter lights it.
LaunchExtent extent_of(const LaunchEnvironment& environment, Vec3 antenna, std::span<const std::uint8_t> lit);

class Launch {
 public:
  Launch(const LaunchEnvironment& environment, const Transmitter& transmitter);

  RayLaunchingResult run(LaunchForecast& forecast, Progress& progress);

 private:
  // The parts of the whole progress that the phases take.
  struct PhaseParts {
    LaunchForecast::Ends ends;
    Progress& progress;
    PartOfStage of(LaunchPhase phase) const;
  };
  class PartOfBounces;
  // pruning.cpp: by what is in sight.
  Pruning choose_pruning() const;
  // All that the tiles scatter.
  void scatter(Bounces& bounces, const PhaseParts& parts);
  RayLaunchingResult collect(const Bounces& bounces);
  // The strongest ones of each receiver. REQUIRES: they are sorted.
  std::vector<Ray> strongest_rays(const std::vector<RecordedRay>& recorded);
  Ray as_ray(const RecordedRay& recorded, const RayPaths& paths) const;

  const LaunchSetting setting_;
  const LaunchEnvironment& environment_;
  FirstLevelRecord record_;
  LaunchArrivals arrivals_;
  ScatteringTiles scattering_;
  RooftopWaves waves_;
  FirstLevel first_level_;
  Pruning pruning_;
  LaunchCost cost_;
};

}  // namespace tesseray
