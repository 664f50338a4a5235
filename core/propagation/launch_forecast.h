// SPDX-License-Identifier: GPL-3.0-or-later
// How a launch's time is shared out among its phases, for its progress: told from what the transmitter sees, before the
// rest is worked out, and corrected by the launches before it.
#pragma once

#include <array>
#include <mutex>

#include "core/propagation/launch_cost.h"
#include "core/propagation/ray_launcher.h"

namespace tesseray {

// How large a launch is, known as soon as the transmitter's view is.
struct LaunchExtent {
  double tiles = 0, tiles_in_sight = 0;
  double hidden_distance_m = 0;     // from the transmitter to the tiles out of sight, mean
  double row_entries = 0;           // of the visibility rows of all tiles
  double entries_of_lit_tiles = 0;  // of the rows of the tiles in sight
  double entries_of_lit_edges = 0;  // and of the edge segments in sight
  bool draws_by_chance = false;     // Pruning
};

// The options without interactions after the scattering where no material of the scene scatters.
RayLaunchingOptions options_with_work(RayLaunchingOptions options, const Scene& scene);

// Thread-safe.
class LaunchForecast {
 public:
  using Seconds = std::array<double, launch_phases>;

  explicit LaunchForecast(const RayLaunchingOptions& options);

  // Of each phase, of which only the ratios matter.
  Seconds seconds(const LaunchExtent& extent) const;
  // The part of the first one's that goes by until it is known what the transmitter sees.
  double in_sight(const LaunchExtent& extent) const;
  // How many times as long bounces take as is usual for what is counted of them.
  double times_counted() const;
  // The usual seconds of all phases, of which only the ratios matter.
  double work(const LaunchExtent& extent) const;
  // `counted`: usual seconds of what the launch has counted of bounces.
  void learn_from(const LaunchExtent& extent, double counted, const LaunchCost& cost);

 private:
  Seconds usual_seconds(const LaunchExtent& extent) const;

  RayLaunchingOptions options_;
  mutable std::mutex mutex_;
  Seconds foretold_{}, taken_{};  // of the launches before
  double counted_ = 0;            // the same of bounces, by what was counted of them
};

}  // namespace tesseray
