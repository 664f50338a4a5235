// SPDX-License-Identifier: GPL-3.0-or-later
#include "processing_algorithms/stages/comparison_stage.h"

#include <algorithm>
#include <cmath>
#include <map>

#include "core/io/readers/readers.h"
#include "core/io/sources/name_spellings.h"
#include "core/io/sources/text_values.h"
#include "processing_algorithms/run/json_values.h"
#include "processing_algorithms/run/spelling.h"

namespace tesseray {
namespace {

constexpr Choice<ValueKind> value_kinds[] = {
    {"received_power", ValueKind::received_power},   {"path_loss", ValueKind::path_loss},
    {"basic_loss", ValueKind::basic_loss},           {"field_strength", ValueKind::field_strength},
    {"time_of_arrival", ValueKind::time_of_arrival}, {"timing_advance", ValueKind::timing_advance}};
constexpr Choice<TimingResolution> timing_resolutions[] = {{"lte", TimingResolution::lte},
                                                           {"lte_test", TimingResolution::lte_test},
                                                           {"nr_15khz", TimingResolution::nr_15khz},
                                                           {"nr_30khz", TimingResolution::nr_30khz},
                                                           {"nr_60khz", TimingResolution::nr_60khz},
                                                           {"nr_120khz", TimingResolution::nr_120khz},
                                                           {"nr_240khz", TimingResolution::nr_240khz}};
constexpr Choice<TimingOffset> timing_offsets[] = {{"first_line_of_sight", TimingOffset::first_line_of_sight},
                                                   {"median_line_of_sight", TimingOffset::median_line_of_sight},
                                                   {"none", TimingOffset::none}};
constexpr Choice<ComparedArrival> arrivals[] = {{"first", ComparedArrival::first}, {"mean", ComparedArrival::mean}};
constexpr Choice<Snapping> snappings[] = {{"nearest_ground", Snapping::nearest_ground},
                                          {"nearest_3d", Snapping::nearest_3d},
                                          {"bilinear", Snapping::bilinear}};

ComparisonOptions comparison_options(const ParameterValues& values) {
  ComparisonOptions options;
  options.value_kind = values.choice("VALUE_KIND", value_kinds);
  options.receiver_gain_dbi = values.number("RECEIVER_GAIN");
  options.averaging_distance_m = values.number("AVERAGING_DISTANCE");
  options.averaging_wavelengths = values.number("AVERAGING_WAVELENGTHS");
  options.snapping = values.choice("SNAPPING", snappings);
  options.max_snap_distance_m = values.number("MAX_SNAP_DISTANCE");
  options.censor_below = values.optional_number("CENSOR_BELOW");
  options.timing.resolution = values.choice("TIMING_RESOLUTION", timing_resolutions);
  options.timing.offset = values.choice("TIMING_OFFSET", timing_offsets);
  options.timing.arrival = values.choice("ARRIVAL", arrivals);
  options.remove_mean = values.flag("REMOVE_MEAN");
  return options;
}

// Of path losses: where predicted_value() comes from.
std::vector<std::string> fields_of_value(const ComparisonOptions& options) {
  switch (options.value_kind) {
    case ValueKind::received_power:
      return {"received_power_dbm", "receiver_gain_dbi"};
    case ValueKind::path_loss:
      return {"path_loss_db", "receiver_gain_dbi"};
    case ValueKind::basic_loss:
      return {"basic_loss_db"};
    case ValueKind::field_strength:
      return {"field_dbuvm"};
    case ValueKind::time_of_arrival:
    case ValueKind::timing_advance:
      return {options.timing.arrival == ComparedArrival::first ? "first_delay_ns" : "mean_delay_ns"};
  }
  return {};
}

// Why measurements were not used, and how many for each reason.
std::map<std::string, std::size_t> reasons(const Comparison& comparison) {
  std::map<std::string, std::size_t> counts;
  for (const MeasurementError& error : comparison.errors) {
    if (!error.excluded_because.empty()) ++counts[error.excluded_because];
  }
  return counts;
}

// What to look at where the floor leaves nothing: the sign of losses is the other one.
std::string advice_on_floor(const ComparisonOptions& options) {
  const std::string floor = shortest(*options.censor_below);
  const bool is_loss = options.value_kind == ValueKind::path_loss || options.value_kind == ValueKind::basic_loss;
  return is_loss
             ? ". CENSOR_BELOW " + floor +
                   " is taken as a loss, and losses at or above it are not used: give the greatest loss that can be "
                   "measured, a positive number of dB"
             : ". Check CENSOR_BELOW: values at or below " + floor + " are not used";
}

std::vector<Parameter> measurement_parameters(bool optional, const std::string& frame) {
  using Kind = ParameterKind;
  return {
      {.name = "DRIVE_TEST",
       .label = "Drive test",
       .help = "measured points of any OGR source, or a CSV file with coordinates",
       .kind = Kind::vector_point,
       .optional = optional,
       .crs_from = {"DRIVE_TEST_CRS", frame}},
      {.name = "VALUE_FIELD",
       .label = "Value field",
       .help = "the field with the measured values; found by the usual names of VALUE_KIND (rsrp, rssi, dbm, …) if not "
               "given",
       .kind = Kind::field,
       .optional = true,
       .parent = "DRIVE_TEST",
       .content = "number"},
      {.name = "VALUE_KIND",
       .label = "What values mean",
       .help =
           "received power (dBm), path loss (dB, ERP − received power), basic transmission loss (dB), field strength "
           "(dBµV/m), time of arrival (ns, one way), or timing advance (steps of TIMING_RESOLUTION)",
       .kind = Kind::enumeration,
       .default_value = "received_power",
       .choices = words(value_kinds)},
      {.name = "TRANSMITTER_FIELD",
       .label = "Transmitter field",
       .help = "the field with the name or id of the measured transmitter; not needed for one transmitter",
       .kind = Kind::field,
       .optional = true,
       .parent = "DRIVE_TEST"},
      {.name = "MEASUREMENT_HEIGHT_FIELD",
       .label = "Measurement height field",
       .help = "the field with heights above the ground, of measurements in staircases and at façades",
       .kind = Kind::field,
       .optional = true,
       .advanced = true,
       .parent = "DRIVE_TEST",
       .content = "length"},
      {.name = "DRIVE_TEST_CRS",
       .label = "CRS of the drive test",
       .help = "CRS of a CSV file, or in place of the layer's",
       .kind = Kind::crs,
       .optional = true,
       .advanced = true},
  };
}

// Which measurements count, at which places.
std::vector<Parameter> snapping_parameters() {
  using Kind = ParameterKind;
  return {
      {.name = "AVERAGING_DISTANCE",
       .label = "Averaging distance",
       .help = "measurements are averaged, in power, along the route over this distance; 0 for none",
       .kind = Kind::distance,
       .default_value = "0",
       .unit = "m",
       .minimum = 0,
       .maximum = 10000},
      {.name = "AVERAGING_WAVELENGTHS",
       .label = "Averaging wavelengths",
       .help = "the same in wavelengths of each transmitter (40 is usual), without an AVERAGING_DISTANCE; 0 for none",
       .kind = Kind::number,
       .default_value = "0",
       .minimum = 0,
       .maximum = 10000,
       .advanced = true},
      {.name = "SNAPPING",
       .label = "Snapping",
       .help = "to the nearest ground tile, to the nearest tile in space for measurements with a height, or between "
               "the four ground tiles around",
       .kind = Kind::enumeration,
       .default_value = "nearest_ground",
       .choices = words(snappings)},
      {.name = "MAX_SNAP_DISTANCE",
       .label = "Greatest snap distance",
       .help = "measurements farther from any tile are not used",
       .kind = Kind::distance,
       .default_value = "15",
       .unit = "m",
       .minimum = 0.1,
       .maximum = 10000},
      {.name = "CENSOR_BELOW",
       .label = "Scanner's floor",
       .help = "in dBm, dBµV/m or dB, whatever unit the field has: powers and fields at or below, and losses at or "
               "above, are "
               "not used",
       .kind = Kind::number,
       .minimum = -300,
       .maximum = 400,
       .optional = true},
  };
}

// What predictions are compared with.
std::vector<Parameter> error_parameters() {
  using Kind = ParameterKind;
  return {
      {.name = "TIMING_RESOLUTION",
       .label = "Timing resolution",
       .help =
           "of arrival times: 8 Ts one way (78.1 m) for LTE handsets, 1 Ts (9.8 m) for LTE test handsets, 8 Ts / 2^μ "
           "for NR by its subcarrier spacing",
       .kind = Kind::enumeration,
       .default_value = "lte",
       .choices = words(timing_resolutions),
       .advanced = true},
      {.name = "TIMING_OFFSET",
       .label = "Timing offset",
       .help =
           "what is taken off the arrival times of each transmitter for its equipment: how late the earliest arrivals "
           "in line of sight are in the mean, the median of how late those in line of sight are, or nothing",
       .kind = Kind::enumeration,
       .default_value = "first_line_of_sight",
       .choices = words(timing_offsets),
       .advanced = true},
      {.name = "ARRIVAL",
       .label = "Arrival",
       .help = "what arrival times are compared with: the first ray, or the mean by power",
       .kind = Kind::enumeration,
       .default_value = "first",
       .choices = words(arrivals),
       .advanced = true},
      {.name = "REMOVE_MEAN",
       .label = "Remove the mean error",
       .help = "take the mean error of each transmitter off its errors; the mean stays in removed_mean_db or _ns",
       .kind = Kind::boolean,
       .default_value = "false"},
  };
}

}  // namespace

std::vector<Parameter> drive_test_parameters(bool optional, const std::string& frame) {
  return concatenated({measurement_parameters(optional, frame), snapping_parameters(), error_parameters()});
}

std::vector<Parameter> comparison_layer_parameters() {
  using Kind = ParameterKind;
  return {
      {.name = "PREDICTION_ERROR",
       .label = "Prediction error",
       .help = "error of each measurement, and why it was not used if so",
       .kind = Kind::layer_destination,
       .optional = true,
       .layer = "prediction_error",
       .geometry = "Point Z",
       .needs = "DRIVE_TEST"},
      {.name = "ERROR_STATISTICS",
       .label = "Error statistics",
       .help = "mean, standard deviation and further figures per transmitter, over all and over the sites",
       .kind = Kind::layer_destination,
       .optional = true,
       .layer = "error_statistics",
       .geometry = "None",
       .needs = "DRIVE_TEST"},
  };
}

std::vector<Measurement> read_measurements(Run& run, const LocalFrame& frame) {
  const ParameterValues& values = run.values();
  return read_drive_test({.source = values.text("DRIVE_TEST"),
                          .crs = values.text("DRIVE_TEST_CRS"),
                          .value_field = values.text("VALUE_FIELD"),
                          .transmitter_field = values.text("TRANSMITTER_FIELD"),
                          .height_field = values.text("MEASUREMENT_HEIGHT_FIELD"),
                          .value_kind = values.choice("VALUE_KIND", value_kinds)},
                         frame, run.progress());
}

std::vector<PredictedTransmitter> predicted_transmitters(const Sites& sites) {
  std::vector<PredictedTransmitter> transmitters;
  transmitters.reserve(sites.transmitters.size());
  for (const Transmitter& transmitter : sites.transmitters) {
    transmitters.push_back(
        {transmitter.transmitter_id, transmitter.name, transmitter.position, transmitter.frequency_hz});
  }
  return transmitters;
}

namespace {

// The mean of all so far above the measured values that these are of another kind, or in another unit.
void warn_of_another_kind(const Run& run, const ErrorStatistics& of_all, Progress& progress) {
  const ValueKind kind = run.values().choice("VALUE_KIND", value_kinds);
  constexpr double far_above_db = 15;  // the narrowest LTE carrier has 72 resource elements, 18.6 dB
  constexpr double other_unit_db = 40;
  const std::string far = shortest(std::round(10 * of_all.mean) / 10) + " dB above the measured ones in the mean";
  if (kind == ValueKind::received_power && of_all.mean >= far_above_db) {
    progress.warn(
        {"predicted_far_above", "predicted powers are " + far +
                                    ". RSRP is the power of one resource element: compared with it, ERP must be that "
                                    "of one, too, 10·log10(12 × resource blocks) below the carrier's "
                                    "(27.8 dB for 10 MHz LTE), or REMOVE_MEAN given"});
  }
  if (kind == ValueKind::field_strength && of_all.mean >= other_unit_db) {
    progress.warn(
        {"fields_of_another_unit", "predicted field strengths are " + far +
                                       ". Those count as dBµV/m, unless the name of VALUE_FIELD says V/m, mV/m or "
                                       "µV/m, as in \"E [V/m]\", or each value does"});
  }
}

// Levels that fall where the predicted ones rise: losses among powers, whatever the mean of all says of them.
void warn_of_opposite_levels(const ErrorStatistics& of_all, Progress& progress) {
  constexpr std::int64_t enough = 30;
  constexpr double opposite = -0.5;  // of 30 unrelated values 3 in 1,000 drives, of more fewer
  if (of_all.n < enough || !(of_all.correlation <= opposite)) return;
  progress.warn({"opposite_levels", "measured values fall where predicted ones rise: their correlation is " +
                                        shortest(std::round(100 * of_all.correlation) / 100) +
                                        ". Losses rise where powers and field strengths fall: check which of them "
                                        "VALUE_FIELD holds, and VALUE_KIND"});
}

void warn_of_other_values(const Run& run, const Comparison& comparison, Progress& progress) {
  if (comparison.of_arrival_times) return;
  for (const ErrorStatistics& statistics : comparison.statistics) {
    if (statistics.transmitter_id || statistics.group != "all") continue;
    warn_of_another_kind(run, statistics, progress);
    warn_of_opposite_levels(statistics, progress);
  }
}

}  // namespace

std::vector<std::string> compared_fields(const ParameterValues& values) {
  std::vector<std::string> fields = fields_of_value(comparison_options(values));
  fields.emplace_back("line_of_sight");
  return fields;
}

Comparison compare_with_drive_test(Run& run, const PredictedTiles& predicted,
                                   const std::vector<PredictedTransmitter>& transmitters,
                                   std::vector<Measurement> measurements) {
  run.progress().begin_stage("comparison");
  NameSpellings spellings(names_of(transmitters));
  for (Measurement& measurement : measurements) measurement.transmitter = spellings.known(measurement.transmitter);
  spellings.tell("measurements", run.progress());
  const ComparisonOptions options = comparison_options(run.values());
  Comparison comparison = compare_with_drive_test(predicted, transmitters, measurements, options, run.progress());
  std::size_t excluded = 0;
  std::string advice;
  std::vector<std::string> counts;
  for (const auto& [reason, count] : reasons(comparison)) {
    excluded += count;
    counts.push_back(std::to_string(count) + " " + reason);
    if (reason == outside_of_the_prediction) advice = ". Check the drive test's CRS (DRIVE_TEST_CRS)";
    if (reason == at_the_floor) advice = advice_on_floor(options);
    if (reason == no_ground_tile)
      advice = ". PATH_LOSS needs ground tiles: predict them (KINDS), or leave them in its filter";
  }
  if (excluded == comparison.errors.size()) {
    run.progress().warn({"no_measurement_used", "no measurement could be used: " +
                                                    (counts.empty() ? "there are none" : join(counts, ", ")) + advice});
  }
  warn_of_other_values(run, comparison, run.progress());
  return comparison;
}

void add_comparison_layers(const Run& run, const Comparison& comparison, ResultWriter& writer,
                           std::vector<std::string>& written) {
  if (const auto destination = run.destinations().layer("PREDICTION_ERROR")) {
    writer.add_prediction_error(*destination, comparison);
    written.emplace_back("PREDICTION_ERROR");
  }
  if (const auto destination = run.destinations().layer("ERROR_STATISTICS")) {
    writer.add_error_statistics(*destination, comparison);
    written.emplace_back("ERROR_STATISTICS");
  }
}

void add_comparison_figures(const Comparison& comparison, nlohmann::ordered_json& figures) {
  figures["measurements"] = comparison.errors.size();
  auto excluded = nlohmann::ordered_json::array();
  for (const auto& [reason, count] : reasons(comparison)) {
    excluded.push_back({{"excluded_because", reason}, {"n", count}});
  }
  figures["excluded"] = std::move(excluded);
  const std::string unit = comparison.of_arrival_times ? "_ns" : "_db";
  auto rows = nlohmann::ordered_json::array();
  for (const ErrorStatistics& statistics : comparison.statistics) {
    if (!statistics.transmitter_id && statistics.group.starts_with("sites")) continue;
    nlohmann::ordered_json row{{"group", statistics.group},
                               {"n", statistics.n},
                               {"mean" + unit, or_null(statistics.mean)},
                               {"std" + unit, or_null(statistics.deviation)},
                               {"rmse" + unit, or_null(statistics.rmse)},
                               {"mae" + unit, or_null(statistics.mae)},
                               {"median" + unit, or_null(statistics.median)},
                               {"correlation", or_null(statistics.correlation)}};
    if (comparison.of_arrival_times) {
      row["removed_offset_ns"] = or_null(statistics.removed_offset);
      row["within_resolution_percent"] = or_null(100 * statistics.within_resolution);
    }
    rows.push_back(std::move(row));
  }
  figures["error_statistics"] = std::move(rows);
  for (const ErrorStatistics& statistics : comparison.statistics) {
    if (statistics.transmitter_id || statistics.group != "sites") continue;
    figures["mean_of_mean" + unit] = or_null(statistics.mean_of_mean);
    figures["std_of_mean" + unit] = or_null(statistics.deviation_of_mean);
    figures["mean_of_std" + unit] = or_null(statistics.mean_of_deviation);
    figures["std_of_std" + unit] = or_null(statistics.deviation_of_deviation);
  }
}

}  // namespace tesseray
