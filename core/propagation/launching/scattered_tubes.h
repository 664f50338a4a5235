// SPDX-License-Identifier: GPL-3.0-or-later
// Scattering with two interactions after it (docs/physics.md §7): the power that a tile scatters goes on as tubes.
// Internal to core/propagation.
#pragma once

#include <tbb/enumerable_thread_specific.h>

#include <cstdint>
#include <vector>

#include "core/base/progress.h"
#include "core/propagation/launching/bounces.h"
#include "core/propagation/launching/launch_setting.h"
#include "core/propagation/launching/scattered_power.h"
#include "core/propagation/launching/scattering_tiles.h"
#include "core/propagation/rays/launch_cost.h"

namespace tesseray {

class ScatteredTubes {
 public:
  // Keeps references to all.
  ScatteredTubes(const LaunchSetting& setting, const ScatteringTiles& scattering, const ScatteredPower& power,
                 Bounces& bounces)
      : setting_(setting),
        environment_(setting.environment),
        scattering_(scattering),
        power_(power),
        bounces_(bounces) {}

  void scatter_then_twice(Progress& progress);

  LaunchCost cost() const;

 private:
  // By way of all elements from `first` to `last`.
  void launch_scattered(AfterScattering after, std::uint32_t first, std::uint32_t last, Progress& progress);
  void launch_scattered_at(AfterScattering after, std::uint32_t element, ScatteredPower::SourceFinder& state,
                           std::vector<Tube>& tubes);

  const LaunchSetting& setting_;
  const LaunchEnvironment& environment_;
  const ScatteringTiles& scattering_;
  const ScatteredPower& power_;
  Bounces& bounces_;
  tbb::enumerable_thread_specific<ScatteredPower::SourceFinder> finders_;
};

}  // namespace tesseray
