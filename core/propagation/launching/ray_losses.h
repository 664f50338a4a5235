// SPDX-License-Identifier: GPL-3.0-or-later
// What each step of a kept ray took (docs/why-this-value.md). Internal to core/propagation.
#pragma once

#include "core/propagation/launching/first_level.h"
#include "core/propagation/launching/launch_arrivals.h"
#include "core/propagation/launching/launch_setting.h"
#include "core/propagation/launching/ray_legs.h"
#include "core/propagation/launching/scattering_tiles.h"
#include "core/propagation/rays/ray.h"
#include "core/propagation/tubes/recorded_ray.h"

namespace tesseray {

class RayLosses {
 public:
  // Keeps references to all. Rays are followed once more by the first level, to arrivals that are of no more use.
  RayLosses(const LaunchSetting& setting, const FirstLevelRecord& record, const RooftopWaves& waves,
            FirstLevel& first_level, LaunchArrivals& arrivals, const ScatteringTiles& scattering)
      : setting_(setting),
        record_(record),
        waves_(waves),
        first_level_(first_level),
        arrivals_(arrivals),
        scattering_(scattering),
        roofs_before_walls_(setting, waves),
        ray_legs_(setting.environment, setting.transmitter, record.view, &roofs_before_walls_) {}

  // `ray`: the recorded one, with its interactions and points. Not thread-safe.
  void add_to(Ray& ray, const RecordedRay& recorded) const;

 private:
  class Account;

  const LaunchSetting& setting_;
  const FirstLevelRecord& record_;
  const RooftopWaves& waves_;
  FirstLevel& first_level_;
  LaunchArrivals& arrivals_;
  const ScatteringTiles& scattering_;
  const RoofsBeforeWalls roofs_before_walls_;
  const RayLegs ray_legs_;
};

}  // namespace tesseray
