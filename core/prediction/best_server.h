// SPDX-License-Identifier: GPL-3.0-or-later
// Which transmitter serves each place, by how much, and what the others leave of its signal.
#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <vector>

#include "core/base/infinity.h"
#include "core/prediction/predicted_target.h"

namespace tesseray {

struct BestServerOptions {
  double bandwidth_hz = 10e6;
  double noise_figure_db = 7;
  double load = 1;                   // the part of the time, or of the band, that other transmitters send in, 0 … 1
  double overlap_db = 6;             // servers within this of the best are counted
  double min_power_dbm = -infinity;  // below it a transmitter serves nobody
};

// A place (tile or receiver) and its server. Powers in dBm; NaN and none where nobody serves.
struct ServedPlace {
  static constexpr double nan = std::numeric_limits<double>::quiet_NaN();
  std::int64_t tile_id = 0;
  SurfaceKind kind = SurfaceKind::ground;
  Vec3 centroid;
  std::optional<std::uint32_t> server, second;  // numbers of transmitters in the span given
  std::uint32_t servers = 0;                    // within overlap_db of the best, the best among them
  double received_power_dbm = nan, path_loss_db = nan;
  double margin_db = nan;         // over the second
  double interference_dbm = nan;  // of all other transmitters on the server's frequency, times the load
  double sinr_db = nan;           // over interference and noise
};

// One row per place, by tile_id. Of equal powers the one of the lower transmitter_id serves; a transmitter that has
// several rows at a place counts with its strongest. Interference counts however weak it is. Throws
// Error(invalid_input) for a row of a transmitter that is not given.
std::vector<ServedPlace> best_servers(std::span<const PredictedTarget> targets,
                                      std::span<const PredictedTransmitter> transmitters,
                                      const BestServerOptions& options);

}  // namespace tesseray
