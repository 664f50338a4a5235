// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/prediction/prediction.h"

#include <algorithm>
#include <cmath>

#include "core/base/parallel.h"
#include "core/base/units.h"
#include "core/propagation/rays/link.h"
#include "core/propagation/rows/row_targets.h"

namespace tesseray {
namespace {

// Rays are followed by what the antenna sends: of what arrives by less than this of its strongest, little is known of
// the loss between isotropic antennas.
constexpr double least_known_pattern_gain = 2e-6;

// Whether the antenna sends enough towards a target, and the rays that bring its power leave where it does.
bool is_basic_loss_known(const ArrivalSums& sums, Vec3 way, const LinkView& antenna) {
  if (!(sums.gain.value() > least_known_pattern_gain * sums.basic_gain.value())) return false;
  return !(norm(way) > 0) || antenna.transmit_gain(normalized(way)) > least_known_pattern_gain;
}

// `antenna`: the transmitter's.
TargetPrediction predict(const ArrivalSums& sums, Vec3 target, const Transmitter& transmitter, const LinkView& antenna,
                         double receiver_gain_dbi) {
  TargetPrediction prediction;
  prediction.receiver_gain_dbi = static_cast<float>(receiver_gain_dbi);
  const double distance_m = norm(target - transmitter.position);
  const double lambda_m = wavelength_m(transmitter.frequency_hz);
  prediction.in_near_field = distance_m < 2.0 * transmitter.diameter_m * transmitter.diameter_m / lambda_m;
  prediction.line_of_sight = sums.direct;
  const double all = sums.gain.value();
  const double gain = received_gain(sums);
  if (sums.rays == 0 || !(all > 0) || !(gain > 0)) return prediction;

  prediction.ray_count = sums.rays;
  prediction.mechanism = sums.strongest_mechanism;
  prediction.path_loss_db = static_cast<float>(-half_wave_dipole_gain_dbi - decibels(gain) - receiver_gain_dbi);
  const double basic = sums.basic_gain.value();
  // What rays in step did to the power, it does to the loss between isotropic antennas too.
  if (is_basic_loss_known(sums, target - transmitter.position, antenna)) {
    prediction.basic_loss_db = static_cast<float>(-decibels(basic * (gain / all)));
  }
  set_power(transmitter, prediction);

  const double ns_per_m = 1e9 / speed_of_light;
  // Of next to no power the sums have no more than a few digits.
  const double first_m = static_cast<double>(sums.first_excess_m);
  const double mean_m = std::max(sums.excess.value() / all * excess_unit_m, first_m);
  const double mean_square_m2 = sums.squared_excess.value() / all * excess_unit_m * excess_unit_m;
  prediction.first_delay_ns = static_cast<float>((distance_m + first_m) * ns_per_m);
  prediction.mean_delay_ns = static_cast<float>((distance_m + mean_m) * ns_per_m);
  prediction.delay_spread_ns =
      static_cast<float>(std::sqrt(std::max(0.0, mean_square_m2 - mean_m * mean_m)) * ns_per_m);
  prediction.angle_spread_deg =
      static_cast<float>(circular_spread_deg(sums.cos_azimuth.value(), sums.sin_azimuth.value(), all));
  prediction.arrival_azimuth_deg = static_cast<float>(
      in_full_circle(degrees(static_cast<double>(sums.strongest_azimuth)) + transmitter.convergence_deg()));
  return prediction;
}

}  // namespace

TargetPrediction predict_target(const ArrivalSums& sums, Vec3 target, const Transmitter& transmitter,
                                double receiver_gain_dbi) {
  return predict(sums, target, transmitter, transmitting_end(transmitter), receiver_gain_dbi);
}

void set_power(const Transmitter& transmitter, TargetPrediction& prediction) {
  const double received_dbm = transmitter.erp_dbm - static_cast<double>(prediction.path_loss_db);
  prediction.received_power_dbm = static_cast<float>(received_dbm);
  prediction.field_dbuvm = static_cast<float>(
      field_dbuvm(received_dbm - static_cast<double>(prediction.receiver_gain_dbi), transmitter.frequency_hz));
}

void set_power(const Transmitter& transmitter, TransmitterPrediction& prediction) {
  for (TargetPrediction& tile : prediction.tiles) set_power(transmitter, tile);
  for (TargetPrediction& receiver : prediction.receivers) set_power(transmitter, receiver);
  for (Ray& ray : prediction.rays) ray.set_power(transmitter);
  prediction.tiles_wideband.set_power(transmitter);
  prediction.receivers_wideband.set_power(transmitter);
}

TransmitterPrediction predict_path_loss(RayLaunchingResult&& rays, const Transmitter& transmitter, const Tiling& tiling,
                                        const std::vector<Receiver>& receivers, const RayLaunchingOptions& options) {
  TransmitterPrediction prediction;
  prediction.transmitter_id = transmitter.transmitter_id;
  const LinkView antenna = transmitting_end(transmitter);
  const double gain_dbi = maximum_receiver_gain_dbi(options);
  const auto predict_all = [&](const std::vector<ArrivalSums>& sums, const auto& target_of) {
    constexpr std::size_t targets_per_block = 1024;
    std::vector<TargetPrediction> predictions(sums.size());
    parallel_blocks(sums.size(), targets_per_block, no_progress(), [&](std::size_t begin, std::size_t end) {
      for (std::size_t k = begin; k < end; ++k) {
        predictions[k] = predict(sums[k], target_of(k), transmitter, antenna, gain_dbi);
      }
    });
    return predictions;
  };
  prediction.tiles =
      predict_all(rays.tiles, [&](std::size_t t) { return target_point(tiling.tiles[t], options.receiver_height_m); });
  prediction.receivers = predict_all(rays.receivers, [&](std::size_t r) { return receivers[r].position; });
  const std::size_t tile_count = rays.tiles.size();
  prediction.tiles_wideband = WidebandPredictions(
      rays.wideband, 0, rays.tiles,
      [&](std::size_t t) { return target_point(tiling.tiles[t], options.receiver_height_m); }, transmitter, gain_dbi);
  prediction.receivers_wideband = WidebandPredictions(
      rays.wideband, tile_count, rays.receivers, [&](std::size_t r) { return receivers[r].position; }, transmitter,
      gain_dbi);
  prediction.rays = std::move(rays.rays);
  prediction.pruning = rays.pruning;
  return prediction;
}

}  // namespace tesseray
