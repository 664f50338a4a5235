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

using Doubtful = std::vector<const Measurement*>;

// The measurements that were left out for this reason alone. REQUIRES: `errors` in their order.
Doubtful left_out_because(const char* reason, const std::vector<MeasurementError>& errors,
                          const std::vector<Measurement>& measurements) {
  Doubtful left_out;
  for (std::size_t m = 0; m < errors.size(); ++m) {
    if (errors[m].excluded_because == reason) left_out.push_back(&measurements[m]);
  }
  return left_out;
}

void warn_of_implausible(const std::vector<MeasurementError>& errors, const std::vector<Measurement>& measurements,
                         Progress& progress) {
  const Doubtful left_out = left_out_because(no_plausible_value, errors, measurements);
  if (left_out.empty()) return;
  std::ostringstream value;
  value << left_out.front()->value;
  progress.warn({"implausible_values", std::to_string(left_out.size()) + " of " + std::to_string(measurements.size()) +
                                           " measured values " +
                                           (left_out.size() == 1 ? "is not used, since it cannot be measured"
                                                                 : "are not used, since none can be measured") +
                                           ", such as " + value.str() + " of measurement " +
                                           std::to_string(left_out.front()->measurement_id)});
}

void warn_of_implausible_heights(const std::vector<MeasurementError>& errors,
                                 const std::vector<Measurement>& measurements, Progress& progress) {
  const auto warn = [&](const char* code, const Doubtful& left_out, const std::string& what, const std::string& first) {
    const bool is_one = left_out.size() == 1;
    progress.warn({code, std::to_string(left_out.size()) + " of " + std::to_string(measurements.size()) +
                             " measurements " + (is_one ? "is" : "are") + " not used, since " +
                             (is_one ? "its height is " : "their heights are ") + what + ", such as " + first +
                             " of measurement " + std::to_string(left_out.front()->measurement_id) +
                             ". Check the field given as MEASUREMENT_HEIGHT_FIELD"});
  };
  Doubtful texts, numbers;
  for (const Measurement* measurement : left_out_because(no_plausible_height, errors, measurements)) {
    (std::isnan(*measurement->height_m) ? texts : numbers).push_back(measurement);
  }
  if (!texts.empty()) warn("unreadable_heights", texts, "no length", "the text");
  if (numbers.empty()) return;
  std::ostringstream height;
  height << *numbers.front()->height_m;
  warn("implausible_heights", numbers, "not from 0 to 2,000 m above the ground", height.str() + " m");
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
                                           (count == 1 ? " measurement has no four predicted ground tiles around it"
                                                       : " measurements have no four predicted ground tiles around "
                                                         "them") +
                                           " (a building or the border is near) and took the nearest ground tile "
                                           "instead"});
}

}  // namespace

std::string unusable_because(const Measurement& measurement, std::uint32_t transmitter,
                             const ComparisonOptions& options) {
  if (transmitter == unknown_transmitter) return "unknown transmitter";
  if (!std::isfinite(measurement.position.x) || !std::isfinite(measurement.position.y)) return "no place";
  if (!std::isfinite(measurement.value)) return "no value";
  if (!is_plausible(measurement.value, options.value_kind)) return no_plausible_value;
  if (!has_plausible_height(measurement)) return no_plausible_height;
  if (is_censored(measurement.value, options)) return at_the_floor;
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
    progress.warn({"unknown_transmitter", std::to_string(named) + " of the measurements " +
                                              (named == 1 ? "names a transmitter" : "name transmitters") +
                                              " that the prediction does not have: " + few(unknown) + ". It has " +
                                              few(predicted)});
  }
  if (unnamed > 0) {
    progress.warn({"no_transmitter", std::to_string(unnamed) + " of the measurements " +
                                         (unnamed == 1 ? "names" : "name") +
                                         " no transmitter, and the prediction has several: " + few(predicted) +
                                         ". Choose the field that names them as TRANSMITTER_FIELD"});
  }
}

void warn_of_doubtful(const std::vector<MeasurementError>& errors, const std::vector<Measurement>& measurements,
                      const std::vector<Snapped>& snapped, const ComparisonOptions& options, Progress& progress) {
  warn_of_implausible(errors, measurements, progress);
  warn_of_implausible_heights(errors, measurements, progress);
  warn_of_missing_heights(measurements, options.snapping, progress);
  warn_of_fallbacks(snapped, progress);
}

}  // namespace tesseray
