// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/comparison/comparison.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <map>
#include <tuple>

#include "core/base/listed.h"
#include "core/base/parallel.h"
#include "core/base/units.h"
#include "core/comparison/averaging.h"
#include "core/comparison/doubtful_measurements.h"
#include "core/comparison/measured_values.h"
#include "core/comparison/snapping.h"
#include "core/comparison/statistics.h"

namespace tesseray {
namespace {

std::vector<std::uint32_t> transmitters_of(const std::vector<Measurement>& measurements,
                                           const std::vector<PredictedTransmitter>& transmitters) {
  const TransmitterNames names(transmitters);
  const bool are_names = std::any_of(measurements.begin(), measurements.end(), [&](const Measurement& measurement) {
    return names.is_name(measurement.transmitter);
  });
  std::vector<std::uint32_t> of;
  of.reserve(measurements.size());
  for (const Measurement& measurement : measurements) {
    const bool may_be_id = measurement.transmitter_may_be_id && !are_names;
    of.push_back(names.find(measurement.transmitter, may_be_id).value_or(unknown_transmitter));
  }
  return of;
}

// Measured levels, averaged along each transmitter's route when asked for. Values at the scanner's floor count in
// their neighbours' averages: leaving out the weak ones would lift the mean.
std::vector<double> measured_levels(const std::vector<Measurement>& measurements,
                                    const std::vector<std::uint32_t>& transmitter_of,
                                    const std::vector<PredictedTransmitter>& transmitters,
                                    const ComparisonOptions& options) {
  std::vector<double> levels;
  levels.reserve(measurements.size());
  std::vector<std::vector<std::size_t>> routes(transmitters.size());
  for (std::size_t m = 0; m < measurements.size(); ++m) {
    levels.push_back(measured_value(measurements[m].value, options));
    const Vec2 position = measurements[m].position;
    const bool is_averaged = transmitter_of[m] != unknown_transmitter && std::isfinite(position.x) &&
                             std::isfinite(position.y) && is_plausible(measurements[m].value, options.value_kind);
    if (is_averaged) routes[transmitter_of[m]].push_back(m);
  }
  for (std::uint32_t t = 0; t < transmitters.size(); ++t) {
    std::vector<RouteSample> route;
    route.reserve(routes[t].size());
    for (const std::size_t m : routes[t]) route.push_back({measurements[m].position, levels[m]});
    double window_m = options.averaging_distance_m;
    if (window_m <= 0 && options.averaging_wavelengths > 0 && transmitters[t].frequency_hz > 0) {
      window_m = options.averaging_wavelengths * wavelength_m(transmitters[t].frequency_hz);
    }
    const std::vector<double> averaged = average_along_route(route, window_m);
    for (std::size_t i = 0; i < averaged.size(); ++i) levels[routes[t][i]] = averaged[i];
  }
  return levels;
}

MeasurementError error_of(const Measurement& measurement, double measured, const PredictedTransmitter* transmitter,
                          const Snapped& snapped, const std::string& unusable) {
  MeasurementError error;
  if (transmitter) error.transmitter_id = transmitter->transmitter_id;
  error.measurement_id = measurement.measurement_id;
  error.position = snapped.position;
  error.measured = measured;
  error.predicted = snapped.level;
  error.error = snapped.level - measured;
  error.distance_m = transmitter ? norm(snapped.position - transmitter->position) : undefined;
  error.line_of_sight = snapped.line_of_sight;
  error.above_ground = measurement.height_m.has_value();
  error.tile_id = snapped.tile_id;
  error.snap_distance_m = snapped.distance_m;
  error.excluded_because = unusable.empty() ? snapped.excluded_because : unusable;
  return error;
}

// Takes the mean error of each transmitter's used measurements, on the ground and above together, off its
// predictions. Returns the means by transmitter id.
std::map<std::int64_t, double> remove_means(std::vector<MeasurementError>& errors) {
  std::map<std::int64_t, std::vector<double>> used;
  for (const MeasurementError& error : errors) {
    if (error.excluded_because.empty()) used[*error.transmitter_id].push_back(error.error);
  }
  std::map<std::int64_t, double> means;
  for (const auto& [transmitter_id, values] : used) means[transmitter_id] = mean(values);
  for (MeasurementError& error : errors) {
    const auto found = error.transmitter_id ? means.find(*error.transmitter_id) : means.end();
    if (found == means.end()) continue;
    error.predicted -= found->second;
    error.error = error.predicted - error.measured;
  }
  return means;
}

// The rows of one height class: each transmitter, all, sites. `suffix` tells the classes apart. `half_step_ns` is NaN
// for levels.
void add_statistics(const std::vector<MeasurementError>& errors, bool above_ground,
                    const std::vector<PredictedTransmitter>& transmitters, const std::string& suffix,
                    double half_step_ns, std::vector<ErrorStatistics>& statistics) {
  std::map<std::int64_t, std::vector<const MeasurementError*>> used_of;
  std::vector<const MeasurementError*> used;
  for (const MeasurementError& error : errors) {
    if (!error.excluded_because.empty() || error.above_ground != above_ground) continue;
    used_of[*error.transmitter_id].push_back(&error);
    used.push_back(&error);
  }
  std::vector<ErrorStatistics> sites;
  for (const PredictedTransmitter& transmitter : transmitters) {
    ErrorStatistics row = describe_errors(used_of[transmitter.transmitter_id]);
    row.within_resolution = share_within(used_of[transmitter.transmitter_id], half_step_ns);
    row.group = transmitter.name + suffix;
    row.transmitter_id = transmitter.transmitter_id;
    sites.push_back(std::move(row));
  }
  ErrorStatistics all = describe_errors(used);
  all.within_resolution = share_within(used, half_step_ns);
  all.group = "all" + suffix;
  ErrorStatistics over_sites = describe_sites(sites);
  over_sites.within_resolution = undefined;
  over_sites.group = "sites" + suffix;
  statistics.insert(statistics.end(), sites.begin(), sites.end());
  statistics.push_back(std::move(all));
  statistics.push_back(std::move(over_sites));
}

// Warns of transmitters whose offset nothing tells.
std::map<std::int64_t, double> find_and_remove_offsets(std::vector<MeasurementError>& errors,
                                                       const std::vector<PredictedTransmitter>& transmitters,
                                                       const TimingOptions& options, Progress& progress) {
  std::map<std::int64_t, double> offsets = remove_timing_offsets(errors, options.offset);
  std::map<std::int64_t, std::size_t> without;
  for (const MeasurementError& error : errors) {
    if (error.excluded_because.empty() && !offsets.contains(*error.transmitter_id)) ++without[*error.transmitter_id];
  }
  if (options.offset == TimingOffset::none || without.empty()) return offsets;
  constexpr std::size_t most_named = 5;
  std::size_t measurements = 0;
  std::vector<std::string> names;
  for (const PredictedTransmitter& transmitter : transmitters) {
    const auto found = without.find(transmitter.transmitter_id);
    if (found == without.end()) continue;
    names.push_back(transmitter.name);
    measurements += found->second;
  }
  const bool is_one = without.size() == 1;
  progress.warn({"no_timing_offset",
                 std::to_string(without.size()) + (is_one ? " transmitter has" : " transmitters have") +
                     " no measurement in line of sight that tells " + (is_one ? "its" : "their") + " timing offset (" +
                     listed(names, most_named) + "): the times of " + std::to_string(measurements) +
                     (measurements == 1 ? " measurement" : " measurements") + " are taken as they are"});
  return offsets;
}

// Each measurement, in their order, snapped to what it is compared with.
std::vector<MeasurementError> compare_each(const PredictedTiles& predicted,
                                           const std::vector<PredictedTransmitter>& transmitters,
                                           const std::vector<Measurement>& measurements,
                                           const ComparisonOptions& options, std::vector<Snapped>& snapped,
                                           Progress& progress) {
  const std::vector<std::uint32_t> transmitter_of = transmitters_of(measurements, transmitters);
  warn_of_unknown_transmitters(measurements, transmitter_of, transmitters, progress);
  const std::vector<double> measured = measured_levels(measurements, transmitter_of, transmitters, options);
  const Snapper snapper(predicted, options);
  snapped.resize(measurements.size());
  std::vector<MeasurementError> errors(measurements.size());
  parallel_blocks(measurements.size(), 1024, progress, [&](std::size_t begin, std::size_t end) {
    for (std::size_t m = begin; m < end; ++m) {
      const Measurement& measurement = measurements[m];
      const std::string unusable = unusable_because(measurement, transmitter_of[m], options);
      snapped[m] = unusable.empty() ? snapper.snap(measurement, transmitter_of[m]) : snapper.place(measurement);
      const bool known = transmitter_of[m] != unknown_transmitter;
      errors[m] =
          error_of(measurement, measured[m], known ? &transmitters[transmitter_of[m]] : nullptr, snapped[m], unusable);
    }
  });
  return errors;
}

void sort_by_transmitter(std::vector<MeasurementError>& errors) {
  std::stable_sort(errors.begin(), errors.end(), [](const MeasurementError& a, const MeasurementError& b) {
    return std::tie(a.transmitter_id, a.measurement_id) < std::tie(b.transmitter_id, b.measurement_id);
  });
}

// What was taken off the errors of the row's transmitter; undefined of several.
double removed_of(const ErrorStatistics& row, const std::map<std::int64_t, double>& of_transmitter) {
  const auto found = row.transmitter_id ? of_transmitter.find(*row.transmitter_id) : of_transmitter.end();
  return found == of_transmitter.end() ? undefined : found->second;
}

}  // namespace

Comparison compare_with_drive_test(const PredictedTiles& predicted,
                                   const std::vector<PredictedTransmitter>& transmitters,
                                   const std::vector<Measurement>& measurements, const ComparisonOptions& options,
                                   Progress& progress) {
  require_values_of_kind(measurements, options);
  std::vector<Snapped> snapped;
  Comparison comparison;
  comparison.errors = compare_each(predicted, transmitters, measurements, options, snapped, progress);
  warn_of_doubtful(comparison.errors, measurements, snapped, options, progress);
  sort_by_transmitter(comparison.errors);

  comparison.of_arrival_times = is_arrival_time(options.value_kind);
  std::map<std::int64_t, double> removed, offsets;
  if (comparison.of_arrival_times)
    offsets = find_and_remove_offsets(comparison.errors, transmitters, options.timing, progress);
  if (options.remove_mean) removed = remove_means(comparison.errors);
  const double half_step_ns =
      comparison.of_arrival_times ? 0.5 * one_way_step_ns(options.timing.resolution) : undefined;
  add_statistics(comparison.errors, false, transmitters, "", half_step_ns, comparison.statistics);
  const bool any_above = std::any_of(measurements.begin(), measurements.end(),
                                     [](const Measurement& m) { return m.height_m.has_value(); });
  if (any_above) {
    add_statistics(comparison.errors, true, transmitters, ", above ground", half_step_ns, comparison.statistics);
  }
  for (ErrorStatistics& row : comparison.statistics) {
    if (options.remove_mean) row.removed_mean = removed_of(row, removed);
    row.removed_offset = removed_of(row, offsets);
  }
  return comparison;
}

}  // namespace tesseray
