// SPDX-License-Identifier: GPL-3.0-or-later
// What a set of paths means for a radio link (docs/physics.md §11; ITU-R P.1407, 3GPP TR 38.901 Annex A).
#pragma once

#include <cmath>
#include <span>

#include "core/base/host_device.h"
#include "core/base/infinity.h"
#include "core/base/units.h"

namespace tesseray {

// One path; power in any linear unit, azimuth and elevation in rad.
struct PathSample {
  double power = 0, delay_s = 0, azimuth = 0, elevation = 0;
};

struct ChannelMetrics {
  double total_power = 0;  // of the paths kept, like all the rest
  int path_count = 0;
  double mean_excess_delay_s = 0;     // after the earliest path
  double delay_spread_s = 0;          // rms
  double k_factor = 0;                // strongest over all others, power ratio; infinite for a single path
  double azimuth_spread = 0;          // √(1 − R²), rad (Fleury, P.1407)
  double azimuth_spread_38901 = 0;    // √(−2 ln R), rad
  double direction_spread = 0;        // of the unit vectors, dimensionless
  double coherence_bandwidth_hz = 0;  // B_50 ≈ 1/(5 · delay spread); infinite without spread
};

// Paths weaker than the strongest by more than threshold_db are left out. All zero without any power.
ChannelMetrics channel_metrics(std::span<const PathSample> paths, double threshold_db = infinity);

// Thermal noise kTB·F at 290 K, dBm.
TESSERAY_HD inline double noise_dbm(double bandwidth_hz, double noise_figure_db) {
  constexpr double boltzmann = 1.380649e-23;
  return decibels(boltzmann * 290.0 * bandwidth_hz * 1000.0) + noise_figure_db;
}

// Signal over noise and all interferers, dB.
double sinr_db(double signal_dbm, std::span<const double> interferers_dbm, double noise_dbm);

}  // namespace tesseray
