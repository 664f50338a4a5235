// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/comparison/measured_values.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <sstream>
#include <string>
#include <utility>

#include "core/base/error.h"
#include "core/comparison/statistics.h"

namespace tesseray {
namespace {

bool is_loss(ValueKind kind) { return kind == ValueKind::path_loss || kind == ValueKind::basic_loss; }

struct KindOfValues {
  std::string name, looks_like;
};

// Bounds that the median of such values keeps: a receiver gets no milliwatt in a city, losses and delays are positive,
// and a field of −30 dBµV/m is far below every scanner's noise. Empty when it does.
KindOfValues contradicted_by(double median, ValueKind kind) {
  switch (kind) {
    case ValueKind::received_power:
      if (median > 0) return {"received powers in dBm", "path_loss or field_strength"};
      break;
    case ValueKind::path_loss:
    case ValueKind::basic_loss:
      if (median < 0) return {"losses in dB", "received_power"};
      break;
    case ValueKind::field_strength:
      if (median < -30) return {"field strengths in dBµV/m", "received_power"};
      break;
    case ValueKind::time_of_arrival:
      if (median < 0) return {"times of arrival in ns", "received_power"};
      break;
    case ValueKind::timing_advance:
      if (median < 0) return {"timing advances in steps", "received_power"};
      break;
  }
  return {};
}

void require_options_of_levels(const ComparisonOptions& options) {
  const char* option = options.averaging_distance_m > 0    ? "AVERAGING_DISTANCE"
                       : options.averaging_wavelengths > 0 ? "AVERAGING_WAVELENGTHS"
                       : options.censor_below              ? "CENSOR_BELOW"
                                                           : nullptr;
  if (option == nullptr) return;
  throw Error(ErrorKind::invalid_input, "option_of_another_kind",
              std::string(option) + " is of powers, and the measured values are arrival times", "leave it out");
}

// What loggers write where they have measured nothing, in a unit in which any number may be; in a coarser one than ns
// and µs no time in a city is 9999 either.
bool stands_for_none(double time_ns) {
  constexpr std::array fillers{-999.0, -9999.0, -99999.0, 99999.0, 999999.0};
  constexpr std::array units_ns{1.0, 1e3, 1e6, 1e9};
  return std::any_of(units_ns.begin(), units_ns.end(), [&](double unit_ns) {
    const double value = time_ns / unit_ns;
    return std::find(fillers.begin(), fillers.end(), value) != fillers.end() || (unit_ns >= 1e6 && value == 9999);
  });
}

}  // namespace

double predicted_value(const PredictedTarget& target, const ComparisonOptions& options) {
  switch (options.value_kind) {
    case ValueKind::received_power:
      return target.received_power_dbm - target.receiver_gain_dbi;
    case ValueKind::path_loss:
      return -target.path_loss_db - target.receiver_gain_dbi;
    case ValueKind::basic_loss:
      return -target.basic_loss_db;
    case ValueKind::field_strength:
      return target.field_dbuvm;
    case ValueKind::time_of_arrival:
    case ValueKind::timing_advance:
      return options.timing.arrival == ComparedArrival::first ? target.first_delay_ns : target.mean_delay_ns;
  }
  return std::numeric_limits<double>::quiet_NaN();
}

double measured_value(double value, const ComparisonOptions& options) {
  switch (options.value_kind) {
    case ValueKind::received_power:
      return value - options.receiver_gain_dbi;
    case ValueKind::path_loss:
      return -value - options.receiver_gain_dbi;
    case ValueKind::basic_loss:
      return -value;
    case ValueKind::field_strength:
    case ValueKind::time_of_arrival:
      return value;
    case ValueKind::timing_advance:
      return value * one_way_step_ns(options.timing.resolution);
  }
  return std::numeric_limits<double>::quiet_NaN();
}

bool is_plausible(double value, ValueKind kind) {
  switch (kind) {
    case ValueKind::received_power:
      // A receiver gets less than a watt; 0 and 99 (GSM's RXLEV) stand for none.
      return value > -250 && value < 30 && value != 0;
    case ValueKind::path_loss:
    case ValueKind::basic_loss:
      return value > -100 && value < 400;
    case ValueKind::field_strength:
      return value > -250 && value < 250;
    case ValueKind::time_of_arrival:
      return !stands_for_none(value);
    case ValueKind::timing_advance:
      return value >= 0 && value < 20'000 && value != 9999;
  }
  return true;
}

bool is_censored(double value, const ComparisonOptions& options) {
  if (!options.censor_below) return false;
  return is_loss(options.value_kind) ? value >= *options.censor_below : value <= *options.censor_below;
}

std::optional<ContradictedKind> contradicted_kind(std::vector<double> values, ValueKind kind) {
  // Some may stand for none; most do not.
  const auto implausible =
      std::partition(values.begin(), values.end(), [kind](double value) { return is_plausible(value, kind); });
  if (implausible - values.begin() > values.end() - implausible) values.erase(implausible, values.end());
  if (values.empty()) return std::nullopt;
  const double middle = percentile(values, 0.5);
  const KindOfValues contradicted = contradicted_by(middle, kind);
  if (contradicted.name.empty()) return std::nullopt;
  std::ostringstream message;
  message << "the measured values cannot be " << contradicted.name << ": their median is " << middle;
  return ContradictedKind{message.str(), contradicted.looks_like};
}

void require_values_of_kind(const std::vector<Measurement>& measurements, const ComparisonOptions& options) {
  if (is_arrival_time(options.value_kind)) require_options_of_levels(options);
  std::vector<double> values;
  for (const Measurement& m : measurements) {
    if (std::isfinite(m.value)) values.push_back(m.value);
  }
  const std::optional<ContradictedKind> contradicted = contradicted_kind(std::move(values), options.value_kind);
  if (!contradicted) return;
  throw Error(ErrorKind::invalid_input, "values_of_another_kind", contradicted->message,
              "set VALUE_KIND to what they are (" + contradicted->looks_like + "?), or choose another VALUE_FIELD");
}

}  // namespace tesseray
