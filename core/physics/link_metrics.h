// SPDX-License-Identifier: GPL-3.0-or-later
// Noise and interference of a radio link (docs/physics.md §11).
#pragma once

#include <span>

#include "core/base/host_device.h"
#include "core/base/units.h"

namespace tesseray {

// Thermal noise kTB·F at 290 K, dBm.
TESSERAY_HD inline double noise_dbm(double bandwidth_hz, double noise_figure_db) {
  constexpr double boltzmann = 1.380649e-23;
  return decibels(boltzmann * 290.0 * bandwidth_hz * 1000.0) + noise_figure_db;
}

// Signal over noise and all interferers, dB.
double sinr_db(double signal_dbm, std::span<const double> interferers_dbm, double noise_dbm);

}  // namespace tesseray
