// SPDX-License-Identifier: GPL-3.0-or-later
// What is predicted at a target: the sums of the rays that arrive there.
#pragma once

#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "core/prediction/wideband_prediction.h"
#include "core/propagation/launching/ray_launcher.h"
#include "core/propagation/rays/ray.h"
#include "core/scene/transmitter.h"
#include "core/tiling/tiling.h"

namespace tesseray {

// One transmitter at one target; NaN where nothing arrives. Definitions: docs/physics.md, ITU-R P.341 and P.1407.
struct TargetPrediction {
  static constexpr float nan = std::numeric_limits<float>::quiet_NaN();
  float path_loss_db = nan;        // ERP − received power
  float basic_loss_db = nan;       // between isotropic antennas
  float received_power_dbm = nan;  // of a receiver of the given antenna and polarization
  float field_dbuvm = nan;
  float first_delay_ns = nan, mean_delay_ns = nan, delay_spread_ns = nan;
  float angle_spread_deg = nan;     // of the arrival azimuth
  float arrival_azimuth_deg = nan;  // of the strongest ray, from true north: where the receiver looks
  float clutter_loss_db = 0;        // of these losses, what is lost among the clutter around the receiver
  float receiver_gain_dbi = 0;      // that the power and the path loss contain
  std::uint32_t ray_count = 0;
  Mechanism mechanism = Mechanism::none;  // of the strongest ray
  bool line_of_sight = false;
  bool in_near_field = false;  // nearer to the antenna than 2D²/λ

  bool reached() const { return ray_count > 0; }
  // Of the mean over the first ray.
  float mean_excess_delay_ns() const { return mean_delay_ns - first_delay_ns; }
};

struct TransmitterPrediction {
  std::int64_t transmitter_id = 0;
  std::vector<TargetPrediction> tiles;      // one per tile of the tiling, or none when tiles are no targets
  std::vector<TargetPrediction> receivers;  // one per receiver point
  std::vector<Ray> rays;                    // when asked for, strongest first per receiver
  Pruning pruning;                          // that was used
  WidebandPredictions tiles_wideband, receivers_wideband;  // of the same targets, when asked for
};

// What one transmitter brings to a target at `position`, whose antenna has this gain in its maximum.
TargetPrediction predict_target(const ArrivalSums& sums, Vec3 position, const Transmitter& transmitter,
                                double receiver_gain_dbi = 0);

// What depends on the transmitter's power alone: received power and field, from the path loss; the powers of rays.
void set_power(const Transmitter& transmitter, TargetPrediction& prediction);
void set_power(const Transmitter& transmitter, TransmitterPrediction& prediction);

// Turns the sums of arriving rays into what a planner reads. `receivers` and the tiling must be the launcher's.
TransmitterPrediction predict_path_loss(RayLaunchingResult&& rays, const Transmitter& transmitter, const Tiling& tiling,
                                        const std::vector<Receiver>& receivers, const RayLaunchingOptions& options);

}  // namespace tesseray
