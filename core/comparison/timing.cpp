// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/comparison/timing.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "core/comparison/comparison.h"
#include "core/comparison/statistics.h"

namespace tesseray {
namespace {

// A measurement in line of sight: it tells of the offset.
struct InSight {
  double measured = 0, lateness = 0;  // lateness: measured − predicted
};

double offset_of(std::vector<InSight> in_sight, TimingOffset offset) {
  // The sum of the mean has the same bits in whatever order the measurements come.
  std::ranges::sort(in_sight, {}, [](const InSight& m) { return std::pair(m.measured, m.lateness); });
  if (offset == TimingOffset::first_line_of_sight) {
    const double earliest = in_sight.front().measured;
    const auto is_later = [earliest](const InSight& m) { return m.measured > earliest; };
    in_sight.erase(std::find_if(in_sight.begin(), in_sight.end(), is_later), in_sight.end());
  }
  std::vector<double> late;
  late.reserve(in_sight.size());
  for (const InSight& measurement : in_sight) late.push_back(measurement.lateness);
  return offset == TimingOffset::first_line_of_sight ? mean(late) : percentile(late, 0.5);
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
  std::map<std::int64_t, std::vector<InSight>> in_sight;
  for (const MeasurementError& error : errors) {
    if (!error.excluded_because.empty() || !error.line_of_sight.value_or(false)) continue;
    in_sight[*error.transmitter_id].push_back({error.measured, -error.error});
  }
  for (const auto& [transmitter_id, measurements] : in_sight) offsets[transmitter_id] = offset_of(measurements, offset);
  for (MeasurementError& error : errors) {
    const auto found = error.transmitter_id ? offsets.find(*error.transmitter_id) : offsets.end();
    if (found == offsets.end()) continue;
    error.measured -= found->second;
    error.error = error.predicted - error.measured;
  }
  return offsets;
}

}  // namespace tesseray
