// SPDX-License-Identifier: GPL-3.0-or-later
// Built-in antenna patterns and polarisation vectors (docs/physics.md §4, §9).
//
// Directions are unit vectors of travel away from the antenna, in the scene frame (x east, y north, z up).
// For a received wave that travels along k, take the direction −k.
#pragma once

#include <cmath>

#include "core/base/host_device.h"
#include "core/base/units.h"
#include "core/geometry/vector.h"

namespace tesseray {

enum class PatternKind { isotropic, half_wave_dipole, sector_3gpp, short_dipole };
enum class LinearPolarization { vertical, horizontal, slant_plus_45, slant_minus_45 };

// rad. Azimuth runs clockwise from the scene's y axis; downtilt (mechanical) is positive downwards.
struct AntennaOrientation {
  double azimuth = 0, downtilt = 0;
};

// The antenna's axes in the scene frame: where it looks, its right hand, and its own vertical.
struct AntennaFrame {
  Vec3 boresight{0, 1, 0}, right{1, 0, 0}, up{0, 0, 1};
};

// The tilt turns the antenna about its horizontal axis, so that a back lobe goes up under downtilt.
TESSERAY_HD inline AntennaFrame antenna_frame(AntennaOrientation orientation) {
  const double sa = std::sin(orientation.azimuth), ca = std::cos(orientation.azimuth);
  const double st = std::sin(orientation.downtilt), ct = std::cos(orientation.downtilt);
  return {{sa * ct, ca * ct, -st}, {ca, -sa, 0.0}, {sa * st, ca * st, ct}};
}

// Gain over isotropic in the strongest direction, dBi. The half-wave dipole has the conventional 2.15 dBi.
TESSERAY_HD constexpr double maximum_gain_dbi(PatternKind pattern) {
  switch (pattern) {
    case PatternKind::half_wave_dipole:
      return half_wave_dipole_gain_dbi;
    case PatternKind::sector_3gpp:
      return 8.0;
    case PatternKind::short_dipole:
      return 1.7609125905568124;  // 10 log10(1.5)
    case PatternKind::isotropic:
      break;
  }
  return 0.0;
}

// Power relative to the strongest direction, 0 … 1.
TESSERAY_HD inline double relative_pattern(PatternKind pattern, const AntennaFrame& frame, Vec3 direction) {
  const double up = std::fmin(std::fmax(dot(direction, frame.up), -1.0), 1.0);
  const double sine_squared = 1.0 - up * up;
  constexpr double of_null = 1e-12;  // both dipoles have one along themselves, where rounding leaves something
  switch (pattern) {
    case PatternKind::short_dipole:
      return sine_squared < of_null ? 0.0 : sine_squared;
    case PatternKind::half_wave_dipole: {
      if (sine_squared < of_null) return 0.0;
      const double numerator = std::cos(0.5 * pi * up);
      return numerator * numerator / sine_squared;
    }
    case PatternKind::sector_3gpp: {
      // 3GPP TR 38.901 Table 7.3-1: 65° beams in both planes, at most 30 dB down.
      const double horizontal = degrees(std::atan2(dot(direction, frame.right), dot(direction, frame.boresight)));
      const double vertical = degrees(std::asin(up));
      const double horizontal_db = std::fmin(12.0 * (horizontal / 65.0) * (horizontal / 65.0), 30.0);
      const double vertical_db = std::fmin(12.0 * (vertical / 65.0) * (vertical / 65.0), 30.0);
      return power_ratio(-std::fmin(horizontal_db + vertical_db, 30.0));
    }
    case PatternKind::isotropic:
      break;
  }
  return 1.0;
}

// The unit vector of the field that the antenna sends along `direction`, at right angles to it: vertical is −θ̂ (up)
// and horizontal φ̂ of the antenna's own spherical frame, slant ±45 is (−θ̂ ± φ̂)/√2. Along the antenna's vertical,
// where θ̂ and φ̂ have no limit, φ̂ is its forward axis.
TESSERAY_HD inline Vec3 polarization_vector(LinearPolarization polarization, const AntennaFrame& frame,
                                            Vec3 direction) {
  Vec3 phi = cross(frame.up, direction);
  const double sine = norm(phi);
  if (sine < 1e-6) {
    // Forward, less its part along the direction.
    phi = normalized(frame.boresight - dot(frame.boresight, direction) * direction);
  } else {
    phi = (1.0 / sine) * phi;
  }
  const Vec3 minus_theta = cross(direction, phi);
  constexpr double half = 0.70710678118654752440;
  switch (polarization) {
    case LinearPolarization::horizontal:
      return phi;
    case LinearPolarization::slant_plus_45:
      return half * (minus_theta + phi);
    case LinearPolarization::slant_minus_45:
      return half * (minus_theta - phi);
    case LinearPolarization::vertical:
      break;
  }
  return minus_theta;
}

TESSERAY_HD inline Vec3 polarization_vector(LinearPolarization polarization, AntennaOrientation orientation,
                                            Vec3 direction) {
  return polarization_vector(polarization, antenna_frame(orientation), direction);
}

}  // namespace tesseray
