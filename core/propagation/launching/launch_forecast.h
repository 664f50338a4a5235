// SPDX-License-Identifier: GPL-3.0-or-later
// How a launch's time is shared out among its phases, for its progress: told from what the transmitter sees, before the
// rest is worked out, and corrected by the launches before it.
#pragma once

#include <array>
#include <mutex>
#include <optional>

#include "core/propagation/launching/ray_launcher.h"
#include "core/propagation/rays/launch_cost.h"
#include "core/propagation/rays/pruning.h"

namespace tesseray {

// How large a launch is, known as soon as the transmitter's view is.
struct LaunchExtent {
  double tiles = 0, tiles_in_sight = 0;
  double hidden_distance_m = 0;     // from the transmitter to the tiles out of sight, mean
  double row_entries = 0;           // of the visibility rows of all tiles
  double entries_of_lit_tiles = 0;  // of the rows of the tiles in sight
  double entries_of_lit_edges = 0;  // and of the edge segments in sight
  bool draws_by_chance = false;     // Pruning
  bool is_ground_level = true;
  // What the bounces take, where a sample of them has told it (Bounces::expected_ns).
  std::optional<double> bounces_ns = std::nullopt;
};

// The tubes of one level of bounces that are bounced together, known when their turn comes.
struct TubesOfLevel {
  int level = 0;           // how often they have bounced before
  double tubes = 0;        // before some of them stand for all
  double edge_pairs = 0;   // of a tube at an edge segment and a member of that one's row
  double row_entries = 0;  // LaunchExtent
};

// Of the time of such tubes and all that come of them, what they take themselves.
double own_share_of(const TubesOfLevel& tubes, const RayLaunchingOptions& options, const Pruning& pruning);

// The options without interactions after the scattering where no material of the scene scatters.
RayLaunchingOptions options_with_work(RayLaunchingOptions options, const Scene& scene);

// Thread-safe.
class LaunchForecast {
 public:
  using Ends = std::array<double, launch_phases>;

  explicit LaunchForecast(const RayLaunchingOptions& options);

  // The part of the time after which each phase ends.
  Ends ends(const LaunchExtent& extent) const;
  // The part of the first one's that goes by until it is known what the transmitter sees.
  double in_sight(const LaunchExtent& extent) const;
  // The usual seconds of all phases, of which only the ratios matter.
  double work(const LaunchExtent& extent) const;
  void learn_from(const LaunchExtent& extent, const LaunchCost& cost);

 private:
  using Seconds = std::array<double, launch_phases>;
  Seconds usual_seconds(const LaunchExtent& extent) const;

  RayLaunchingOptions options_;
  mutable std::mutex mutex_;
  Seconds foretold_{}, taken_{};  // of the launches before
};

}  // namespace tesseray
