// SPDX-License-Identifier: GPL-3.0-or-later
// What is predicted at a target: the sums of the rays that arrive there.
#pragma once

#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "core/geometry/vector.h"

namespace tesseray {

enum class Mechanism : std::uint8_t { none, direct, reflection, diffraction, scattering, over_rooftop, through_building };
std::string to_string(Mechanism mechanism);  // "" for none

// One transmitter at one target; NaN where nothing arrives. Definitions: docs/physics.md, ITU-R P.341 and P.1407.
struct TargetPrediction {
  static constexpr float nan = std::numeric_limits<float>::quiet_NaN();
  float path_loss_db = nan;         // ERP − received power
  float basic_loss_db = nan;        // between isotropic antennas
  float received_power_dbm = nan;   // of a 0 dBi receiver of the given polarization
  float field_dbuvm = nan;
  float first_delay_ns = nan, mean_delay_ns = nan, delay_spread_ns = nan;
  float angle_spread_deg = nan;     // of the arrival azimuth
  float arrival_azimuth_deg = nan;  // of the strongest ray, from true north: where the receiver looks
  std::uint32_t ray_count = 0;
  Mechanism mechanism = Mechanism::none;  // of the strongest ray
  bool line_of_sight = false;
  bool in_near_field = false;       // nearer to the antenna than 2D²/λ

  bool reached() const { return ray_count > 0; }
};

// One ray that arrives at a target.
struct Ray {
  std::int64_t transmitter_id = 0;
  std::int64_t target_id = 0;       // receiver id
  std::string interactions;         // "T-R-D-G": T transmitter, R reflection, D diffraction, S scattering, G ground
  std::vector<Vec3> points;         // from the transmitter to the target, scene frame
  double power_dbm = 0;
  double delay_ns = 0;
  double departure_azimuth_deg = 0, departure_elevation_deg = 0;  // true north; up is positive
  double arrival_azimuth_deg = 0, arrival_elevation_deg = 0;      // where the receiver looks
  double phase_deg = 0;
};

struct TransmitterPrediction {
  std::int64_t transmitter_id = 0;
  std::vector<TargetPrediction> tiles;      // one per tile of the tiling
  std::vector<TargetPrediction> receivers;  // one per receiver point
  std::vector<Ray> rays;                    // when asked for, strongest first per receiver
};

}  // namespace tesseray
