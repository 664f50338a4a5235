// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/physics/link_metrics.h"

#include <algorithm>

#include "core/base/infinity.h"
#include "core/geometry/vector.h"
#include "core/physics/complex.h"

namespace tesseray {
namespace {

Vec3 direction(const PathSample& path) {
  const double level = std::cos(path.elevation);
  return {level * std::sin(path.azimuth), level * std::cos(path.azimuth), std::sin(path.elevation)};
}

}  // namespace

ChannelMetrics channel_metrics(std::span<const PathSample> paths, double threshold_db) {
  ChannelMetrics metrics;
  double strongest = 0.0;
  for (const PathSample& path : paths) strongest = std::max(strongest, path.power);
  if (strongest <= 0.0) return metrics;
  const double weakest = strongest * power_ratio(-threshold_db);
  const auto is_kept = [&](const PathSample& path) { return path.power > 0.0 && path.power >= weakest; };

  // First moments; delays count from the earliest path so that the second moment loses no digits.
  double earliest = infinity;
  for (const PathSample& path : paths) {
    if (is_kept(path)) earliest = std::min(earliest, path.delay_s);
  }
  Vec3 mean_direction;
  Complex resultant;
  for (const PathSample& path : paths) {
    if (!is_kept(path)) continue;
    ++metrics.path_count;
    metrics.total_power += path.power;
    metrics.mean_excess_delay_s += path.power * (path.delay_s - earliest);
    mean_direction = mean_direction + path.power * direction(path);
    resultant = resultant + path.power * exp_j(path.azimuth);
  }
  const double inverse = 1.0 / metrics.total_power;
  metrics.mean_excess_delay_s *= inverse;
  mean_direction = inverse * mean_direction;

  double delay_variance = 0.0, direction_variance = 0.0;
  for (const PathSample& path : paths) {
    if (!is_kept(path)) continue;
    const double deviation = path.delay_s - earliest - metrics.mean_excess_delay_s;
    delay_variance += path.power * deviation * deviation;
    direction_variance += path.power * squared_norm(direction(path) - mean_direction);
  }
  metrics.delay_spread_s = std::sqrt(delay_variance * inverse);
  metrics.direction_spread = std::sqrt(direction_variance * inverse);
  const double concentration = std::min(inverse * norm(resultant), 1.0);
  metrics.azimuth_spread = std::sqrt(1.0 - concentration * concentration);
  metrics.azimuth_spread_38901 = std::sqrt(-2.0 * std::log(concentration));
  metrics.k_factor = metrics.path_count > 1 ? strongest / (metrics.total_power - strongest) : infinity;
  metrics.coherence_bandwidth_hz = 1.0 / (5.0 * metrics.delay_spread_s);
  return metrics;
}

double sinr_db(double signal_dbm, std::span<const double> interferers_dbm, double noise_dbm) {
  double unwanted = power_ratio(noise_dbm);
  for (const double interferer : interferers_dbm) unwanted += power_ratio(interferer);
  return signal_dbm - decibels(unwanted);
}

}  // namespace tesseray
