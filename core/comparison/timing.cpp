// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/comparison/timing.h"

#include <algorithm>
#include <tuple>
#include <vector>

#include "core/comparison/comparison.h"
#include "core/comparison/statistics.h"

namespace tesseray {
namespace {

// How late each measurement is that tells of the offset, by how early it arrived.
using Lateness = std::vector<std::tuple<double, std::int64_t, double>>;  // measured time, measurement id, lateness

double offset_of(const Lateness& in_sight, TimingOffset offset) {
  if (offset == TimingOffset::first_line_of_sight) {
    return std::get<2>(*std::min_element(in_sight.begin(), in_sight.end()));
  }
  std::vector<double> late;
  for (const auto& [measured, id, lateness] : in_sight) late.push_back(lateness);
  return percentile(late, 0.5);
}

}  // namespace

double one_way_step_ns(TimingResolution resolution) {
  constexpr double lte_ns = 8 * basic_time_unit_ns;
  switch (resolution) {
    case TimingResolution::lte:
    case TimingResolution::nr_15khz:
      return lte_ns;
    case TimingResolution::lte_test:
      return basic_time_unit_ns;
    case TimingResolution::nr_30khz:
      return lte_ns / 2;
    case TimingResolution::nr_60khz:
      return lte_ns / 4;
    case TimingResolution::nr_120khz:
      return lte_ns / 8;
    case TimingResolution::nr_240khz:
      return lte_ns / 16;
  }
  return lte_ns;
}

std::map<std::int64_t, double> remove_timing_offsets(std::span<MeasurementError> errors, TimingOffset offset) {
  std::map<std::int64_t, double> offsets;
  if (offset == TimingOffset::none) return offsets;
  std::map<std::int64_t, Lateness> in_sight;
  for (const MeasurementError& error : errors) {
    if (!error.excluded_because.empty() || !error.line_of_sight) continue;
    in_sight[error.transmitter_id].emplace_back(error.measured, error.measurement_id, -error.error);
  }
  for (const auto& [transmitter_id, lateness] : in_sight) offsets[transmitter_id] = offset_of(lateness, offset);
  for (MeasurementError& error : errors) {
    const auto found = offsets.find(error.transmitter_id);
    if (found == offsets.end()) continue;
    error.measured -= found->second;
    error.error = error.predicted - error.measured;
  }
  return offsets;
}

}  // namespace tesseray
