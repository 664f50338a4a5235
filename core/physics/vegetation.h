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

// ITU-R P.833's pairs for a terminal within woodland: specific attenuation and the loss at which it saturates.
struct WoodlandLoss {
  double frequency_hz, db_per_m, maximum_db;
};
inline constexpr WoodlandLoss p833_woodland[] = {
    {105.9e6, 0.04, 9.4}, {466.475e6, 0.12, 18.0}, {949e6, 0.17, 26.5}, {1852.2e6, 0.30, 29.0}, {2117.5e6, 0.34, 34.1}};

// Between the table's frequencies as power laws, pair by pair; beyond its ends as the power law between the two ends
// (γ ~ f^0.71, A_m ~ f^0.43), of which P.833 says nothing. REQUIRES: frequency_hz > 0.
TESSERAY_HD inline WoodlandLoss p833_woodland_loss(double frequency_hz) {
  constexpr int last = 4;
  const auto on_power_law = [&](const WoodlandLoss& anchor, const WoodlandLoss& a, const WoodlandLoss& b) {
    const double share = std::log(frequency_hz / anchor.frequency_hz) / std::log(b.frequency_hz / a.frequency_hz);
    return WoodlandLoss{frequency_hz, anchor.db_per_m * std::pow(b.db_per_m / a.db_per_m, share),
                        anchor.maximum_db * std::pow(b.maximum_db / a.maximum_db, share)};
  };
  const WoodlandLoss &lowest = p833_woodland[0], &highest = p833_woodland[last];
  if (frequency_hz <= lowest.frequency_hz) return on_power_law(lowest, lowest, highest);
  if (frequency_hz >= highest.frequency_hz) return on_power_law(highest, lowest, highest);
  int i = 0;
  while (frequency_hz > p833_woodland[i + 1].frequency_hz) ++i;
  return on_power_law(p833_woodland[i], p833_woodland[i], p833_woodland[i + 1]);
}

}  // namespace tesseray
