// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/comparison/doubtful_measurements.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <set>
#include <sstream>

#include "core/base/listed.h"
#include "core/comparison/measured_values.h"
#include "core/scene/receiver_height.h"

namespace tesseray {
namespace {

constexpr const char* no_plausible_value = "no plausible value";
constexpr const char* no_plausible_height = "no plausible height";

bool has_plausible_height(const Measurement& measurement) {
  return is_receiver_height(measurement.height_m.value_or(0));
}

void warn_of_implausible(const std::vector<MeasurementError>& errors, const std::vector<Measurement>& measurements,
                         ValueKind kind, Progress& progress) {
  const auto count = std::count_if(errors.begin(), errors.end(), [](const MeasurementError& error) {
    return error.excluded_because == no_plausible_value;
  });
  if (count == 0) return;
  const auto first = std::find_if(measurements.begin(), measurements.end(), [kind](const Measurement& m) {
    return std::isfinite(m.value) && !is_plausible(m.value, kind);
  });
  std::ostringstream value;
  value << first->value;
  progress.warn({"implausible_values", std::to_string(count) + " of " + std::to_string(measurements.size()) +
                                           " measured values are not used, since none can be measured, such as " +
                                           value.str() + " of measurement " + std::to_string(first->measurement_id)});
}

void warn_of_implausible_heights(const std::vector<MeasurementError>& errors,
                                 const std::vector<Measurement>& measurements, Progress& progress) {
  const auto count = std::count_if(errors.begin(), errors.end(), [](const MeasurementError& error) {
    return error.excluded_because == no_plausible_height;
  });
  if (count == 0) return;
  // Of texts that are no heights the reader has told.
  const auto first = std::find_if(measurements.begin(), measurements.end(), [](const Measurement& measurement) {
    return !has_plausible_height(measurement) && !std::isnan(*measurement.height_m);
  });
  if (first == measurements.end()) return;
  std::ostringstream height;
  height << *first->height_m;
  progress.warn({"implausible_heights", std::to_string(count) + " of " + std::to_string(measurements.size()) +
                                            " measurements are not used, since their heights are not from 0 to 2,000 m "
                                            "above the ground, such as " +
                                            height.str() + " m of measurement " +
                                            std::to_string(first->measurement_id) +
                                            ". Check the field given as MEASUREMENT_HEIGHT_FIELD"});
}

void warn_of_missing_heights(const std::vector<Measurement>& measurements, Snapping snapping, Progress& progress) {
  const bool has_height = std::any_of(measurements.begin(), measurements.end(),
                                      [](const Measurement& m) { return m.height_m.has_value(); });
  if (snapping != Snapping::nearest_3d || has_height || measurements.empty()) return;
  progress.warn({"no_measurement_heights",
                 "no measurement has a height above the ground, so that all are compared with the nearest ground "
                 "tile. Choose the field with the heights as MEASUREMENT_HEIGHT_FIELD"});
}

void warn_of_fallbacks(const std::vector<Snapped>& snapped, Progress& progress) {
  const auto count = std::count_if(snapped.begin(), snapped.end(),
                                   [](const Snapped& s) { return s.bilinear_fell_back && s.excluded_because.empty(); });
  if (count == 0) return;
  progress.warn({"bilinear_fell_back", std::to_string(count) +
                                           " measurements have no four predicted ground tiles around them (a building "
                                           "or the border is near) and took the nearest ground tile instead"});
}

}  // namespace

std::string unusable_because(const Measurement& measurement, std::uint32_t transmitter,
                             const ComparisonOptions& options) {
  if (transmitter == unknown_transmitter) return "unknown transmitter";
  if (!std::isfinite(measurement.position.x) || !std::isfinite(measurement.position.y)) return "no place";
  if (!std::isfinite(measurement.value)) return "no value";
  if (!is_plausible(measurement.value, options.value_kind)) return no_plausible_value;
  if (!has_plausible_height(measurement)) return no_plausible_height;
  if (is_censored(measurement.value, options)) return "censored: at the scanner's floor";
  return {};
}

void warn_of_unknown_transmitters(const std::vector<Measurement>& measurements,
                                  const std::vector<std::uint32_t>& transmitter_of,
                                  const std::vector<PredictedTransmitter>& transmitters, Progress& progress) {
  std::size_t named = 0, unnamed = 0;
  std::set<std::string> unknown, predicted;
  const auto few = [](const std::set<std::string>& names) {
    constexpr std::size_t most_shown = 5;
    return listed({names.begin(), names.end()}, most_shown);
  };
  for (std::size_t m = 0; m < measurements.size(); ++m) {
    if (transmitter_of[m] != unknown_transmitter) continue;
    (measurements[m].transmitter.empty() ? unnamed : named) += 1;
    if (!measurements[m].transmitter.empty()) unknown.insert(measurements[m].transmitter);
  }
  for (const PredictedTransmitter& transmitter : transmitters) predicted.insert(transmitter.name);
  if (named > 0) {
    progress.warn({"unknown_transmitter",
                   std::to_string(named) +
                       " of the measurements name transmitters that the prediction does not have: " + few(unknown) +
                       ". It has " + few(predicted)});
  }
  if (unnamed > 0) {
    progress.warn({"no_transmitter", std::to_string(unnamed) +
                                         " of the measurements name no transmitter, and the prediction has several: " +
                                         few(predicted) + ". Choose the field that names them as TRANSMITTER_FIELD"});
  }
}

void warn_of_doubtful(const std::vector<MeasurementError>& errors, const std::vector<Measurement>& measurements,
                      const std::vector<Snapped>& snapped, const ComparisonOptions& options, Progress& progress) {
  warn_of_implausible(errors, measurements, options.value_kind, progress);
  warn_of_implausible_heights(errors, measurements, progress);
  warn_of_missing_heights(measurements, options.snapping, progress);
  warn_of_fallbacks(snapped, progress);
}

}  // namespace tesseray
