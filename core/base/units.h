// SPDX-License-Identifier: GPL-3.0-or-later
// Physical constants and conversions between the units of the field. See docs/physics.md.
#pragma once

#include <cmath>
#include <numbers>

#include "core/base/host_device.h"

namespace tesseray {

inline constexpr double speed_of_light = 299'792'458.0;          // m/s, exact
inline constexpr double vacuum_permittivity = 8.8541878128e-12;  // F/m
inline constexpr double vacuum_impedance = 376.730313668;        // ohm
inline constexpr double pi = std::numbers::pi;
// Gain of a half-wave dipole by convention of the field (2.1509 to four decimals): EIRP = ERP + 2.15 dB.
inline constexpr double half_wave_dipole_gain_dbi = 2.15;

TESSERAY_HD constexpr double radians(double degrees) { return degrees * (pi / 180.0); }
TESSERAY_HD constexpr double degrees(double radians) { return radians * (180.0 / pi); }
// From 0 up to 360 degrees; what rounds to 360 is 360.
TESSERAY_HD inline double in_full_circle(double degrees) { return degrees - 360.0 * std::floor(degrees / 360.0); }
TESSERAY_HD inline double decibels(double power_ratio) { return 10.0 * std::log10(power_ratio); }
TESSERAY_HD inline double power_ratio(double decibels) { return std::pow(10.0, decibels / 10.0); }
TESSERAY_HD inline double wavelength_m(double frequency_hz) { return speed_of_light / frequency_hz; }

// Basic free-space loss between isotropic antennas, dB. REQUIRES: both positive. docs/physics.md §2.
TESSERAY_HD inline double free_space_loss_db(double distance_m, double frequency_hz) {
  return 20.0 * std::log10(4.0 * pi * distance_m / wavelength_m(frequency_hz));
}
// Field strength at a 0 dBi receiver that takes `received_power_dbm`, dB(µV/m) rms. docs/physics.md §2.
TESSERAY_HD inline double field_dbuvm(double received_power_dbm, double frequency_hz) {
  const double lambda = wavelength_m(frequency_hz);
  const double watts = power_ratio(received_power_dbm - 30.0);
  return 20.0 * std::log10(std::sqrt(watts * vacuum_impedance * 4.0 * pi) / lambda * 1e6);
}

}  // namespace tesseray
