// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/physics/link_metrics.h"

namespace tesseray {

double sinr_db(double signal_dbm, std::span<const double> interferers_dbm, double noise_dbm) {
  double unwanted = power_ratio(noise_dbm);
  for (const double interferer : interferers_dbm) unwanted += power_ratio(interferer);
  return signal_dbm - decibels(unwanted);
}

}  // namespace tesseray
