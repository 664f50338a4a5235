// SPDX-License-Identifier: GPL-3.0-or-later
// Excess loss through vegetation, dB (docs/physics.md §8). All are total: a path of no length costs nothing.
#pragma once

#include <cmath>

#include "core/base/host_device.h"

namespace tesseray {

// Proportional to the length, as in the validation of discrete ray launching (paper 002): sparse street trees at
// 850–1900 MHz.
inline constexpr double default_vegetation_db_per_m = 0.04;
TESSERAY_HD constexpr double specific_vegetation_loss_db(double length_m,
                                                         double db_per_m = default_vegetation_db_per_m) {
  return db_per_m * length_m;
}

// ITU-R P.833 §2: saturates at maximum_db, because waves around and above the wood take over.
TESSERAY_HD inline double saturating_vegetation_loss_db(double length_m, double db_per_m, double maximum_db) {
  if (maximum_db <= 0.0) return 0.0;
  return -maximum_db * std::expm1(-length_m * db_per_m / maximum_db);
}

// Weissberger 1982: dense, dry, leafed trees, 230 MHz to 95 GHz, up to 400 m.
TESSERAY_HD inline double weissberger_loss_db(double length_m, double frequency_hz) {
  if (length_m <= 0.0) return 0.0;
  const double frequency_factor = std::pow(frequency_hz * 1e-9, 0.284);
  return length_m <= 14.0 ? 0.45 * frequency_factor * length_m : 1.33 * frequency_factor * std::pow(length_m, 0.588);
}

}  // namespace tesseray
