// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/comparison/averaging.h"

#include <cmath>
#include <cstddef>

#include "core/base/infinity.h"
#include "core/base/units.h"

namespace tesseray {
namespace {

// The way from the first sample to each sample, m.
std::vector<double> ways_m(std::span<const RouteSample> route) {
  std::vector<double> ways(route.size(), 0.0);
  for (std::size_t i = 1; i < route.size(); ++i) {
    ways[i] = ways[i - 1] + norm(route[i].position - route[i - 1].position);
  }
  return ways;
}

// Over that of the strongest sample, each worked out once: many have it in their windows. NaN without a level.
std::vector<double> powers_of(std::span<const RouteSample> route) {
  double strongest_db = -infinity;
  for (const RouteSample& sample : route) strongest_db = std::fmax(strongest_db, sample.power_db);
  std::vector<double> powers;
  powers.reserve(route.size());
  for (const RouteSample& sample : route) powers.push_back(power_ratio(sample.power_db - strongest_db));
  return powers;
}

}  // namespace

std::vector<double> average_along_route(std::span<const RouteSample> route, double window_m) {
  const std::vector<double> way_m = ways_m(route), powers = powers_of(route);
  std::vector<double> averages(route.size());
  std::size_t first = 0, of_last_mean = route.size();
  for (std::size_t i = 0; i < route.size(); ++i) {
    averages[i] = route[i].power_db;
    if (window_m <= 0 || std::isnan(route[i].power_db)) continue;
    // Where the vehicle stands, all samples have one window.
    if (of_last_mean < i && way_m[of_last_mean] == way_m[i]) {
      averages[i] = averages[of_last_mean];
      continue;
    }
    while (way_m[i] - way_m[first] > 0.5 * window_m) ++first;
    // Summed anew for each sample: a running sum would carry rounding from strong samples into weak ones. Powers are
    // taken over the sample's own, so that a window of equal levels returns them exactly.
    double sum = 0;
    double count = 0;
    for (std::size_t k = first; k < route.size() && way_m[k] - way_m[i] <= 0.5 * window_m; ++k) {
      if (std::isnan(powers[k])) continue;
      sum += powers[k] / powers[i];
      count += 1;
    }
    averages[i] = route[i].power_db + decibels(sum / count);
    of_last_mean = i;
  }
  return averages;
}

}  // namespace tesseray
