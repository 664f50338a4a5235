// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/prediction/fingerprints.h"

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "core/base/error.h"
#include "core/base/parallel.h"
#include "core/comparison/statistics.h"
#include "core/io/readers/readers.h"
#include "core/io/results/result_layers.h"
#include "core/io/results/result_writer.h"
#include "core/io/sources/text_values.h"
#include "processing_algorithms/run/json_values.h"
#include "processing_algorithms/run/run.h"
#include "processing_algorithms/stages/path_loss_input.h"

namespace tesseray {
namespace {

using Json = nlohmann::ordered_json;

// SQLite's tables have at most 2,000 columns; four of a transmitter, and those of the place.
constexpr std::size_t most_transmitters = 490;

MatchOptions match_options(const ParameterValues& values) {
  MatchOptions options;
  options.power_sigma_db = values.number("POWER_DEVIATION");
  options.delay_sigma_ns = values.number("DELAY_DEVIATION");
  options.azimuth_sigma_deg = values.number("AZIMUTH_DEVIATION");
  options.unknown_gain = values.flag("UNKNOWN_GAIN");
  options.unknown_clock = values.flag("UNKNOWN_CLOCK");
  options.neighbours = static_cast<std::size_t>(values.integer("NEIGHBOURS"));
  return options;
}

void keep_kinds(const std::vector<std::string>& kinds, std::vector<PredictedTarget>& targets) {
  std::erase_if(targets, [&](const PredictedTarget& target) {
    return std::find(kinds.begin(), kinds.end(), to_text(target.kind)) == kinds.end();
  });
}

Fingerprints fingerprints_of(const PathLossLayer& path_loss, const ParameterValues& values) {
  if (path_loss.transmitters.size() > most_transmitters) {
    throw Error(ErrorKind::invalid_input, "too_many_transmitters",
                "a fingerprint has columns for each transmitter, and " + std::to_string(path_loss.transmitters.size()) +
                    " need more columns than a table has",
                "predict at most " + std::to_string(most_transmitters) + " transmitters in one file");
  }
  const double least_dbm = values.optional_number("MIN_RECEIVED_POWER").value_or(-HUGE_VAL);
  return {path_loss.targets, path_loss.transmitters, least_dbm};
}

std::vector<LocatedQuery> locate(Run& run, const PathLossLayer& path_loss, const Fingerprints& fingerprints) {
  const ParameterValues& values = run.values();
  const std::vector<LocationQuery> queries =
      read_location_queries({.source = values.text("QUERIES"),
                             .crs = values.text("QUERIES_CRS"),
                             .query_field = values.text("QUERY_FIELD"),
                             .transmitter_field = values.text("TRANSMITTER_FIELD"),
                             .power_field = values.text("POWER_FIELD"),
                             .delay_field = values.text("DELAY_FIELD"),
                             .azimuth_field = values.text("AZIMUTH_FIELD")},
                            path_loss.frame, path_loss.transmitters, run.progress());
  run.progress().begin_stage("matching");
  const MatchOptions options = match_options(values);
  std::vector<LocatedQuery> located(queries.size());
  parallel_blocks(queries.size(), 4, run.progress(), [&](std::size_t begin, std::size_t end) {
    for (std::size_t q = begin; q < end; ++q) {
      located[q] = {queries[q].name, queries[q].known_position,
                    match_fingerprint(fingerprints, queries[q].signatures, options)};
    }
  });
  return located;
}

void add_figures(const Fingerprints& fingerprints, const std::vector<LocatedQuery>& located, Json& figures) {
  figures["places"] = fingerprints.places().size();
  figures["transmitters"] = fingerprints.transmitters();
  if (located.empty()) return;
  std::vector<double> errors_m;
  std::size_t matched = 0;
  for (const LocatedQuery& query : located) {
    matched += query.match ? 1 : 0;
    if (std::isfinite(query.error_m())) errors_m.push_back(query.error_m());
  }
  figures["queries"] = located.size();
  figures["located"] = matched;
  figures["queries_with_known_place"] = errors_m.size();
  figures["mean_error_m"] = or_null(mean(errors_m));
  figures["median_error_m"] = or_null(percentile(errors_m, 0.5));
  figures["p90_error_m"] = or_null(percentile(errors_m, 0.9));
}

Outcome make_fingerprints(Run& run) {
  if (run.destinations().asked_for("LOCATED") && !run.values().has("QUERIES")) {
    throw Error(ErrorKind::invalid_input, "no_queries", "LOCATED is asked for without QUERIES",
                "give the queries, or leave the output out");
  }
  PathLossLayer path_loss =
      read_path_loss(run, {.fields = {"received_power_dbm", "first_delay_ns", "arrival_azimuth_deg"},
                           .bytes_per_row = sizeof(Signature) + 2 * sizeof(void*),  // sorted by place
                           .bytes_per_tile = sizeof(FingerprintPlace)});
  keep_kinds(run.values().chosen_words("KINDS"), path_loss.targets);
  const Fingerprints fingerprints = fingerprints_of(path_loss, run.values());
  const std::vector<LocatedQuery> located =
      run.values().has("QUERIES") ? locate(run, path_loss, fingerprints) : std::vector<LocatedQuery>();

  ResultWriter writer(path_loss.frame, run.settings().overwrite);
  std::vector<std::string> written;
  if (const auto destination = run.destinations().layer("FINGERPRINTS")) {
    writer.add_fingerprints(*destination, path_loss, fingerprints);
    written.emplace_back("FINGERPRINTS");
  }
  if (const auto destination = run.destinations().layer("LOCATED"); destination && run.values().has("QUERIES")) {
    writer.add_located(*destination, path_loss, fingerprints, located);
    written.emplace_back("LOCATED");
  }
  Outcome outcome;
  outcome.result_hash = writer.commit(run.record(path_loss.frame, {}), run.progress());
  outcome.outputs = run.destinations().spelled(written);
  add_figures(fingerprints, located, outcome.figures);
  return outcome;
}

Parameter query_field(const std::string& name, const std::string& label, const std::string& help) {
  return {
      .name = name, .label = label, .help = help, .kind = ParameterKind::field, .optional = true, .parent = "QUERIES"};
}

Parameter deviation(const std::string& name, const std::string& label, const std::string& of, double value,
                    const std::string& unit) {
  return {.name = name,
          .label = label,
          .help = "standard deviation of measured and predicted " + of + " together",
          .kind = ParameterKind::number,
          .default_value = shortest(value),
          .unit = unit,
          .minimum = 0.001,
          .maximum = 100000,
          .advanced = true};
}

std::vector<Parameter> database_parameters() {
  using Kind = ParameterKind;
  return {
      path_loss_input("the layer that predictcoverage wrote for several transmitters, with the transmitters beside it"),
      {.name = "KINDS",
       .label = "Kinds of tiles",
       .help = "the tiles that get a fingerprint",
       .kind = Kind::enumeration,
       .default_value = "ground,wall,roof",
       .choices = {"ground", "wall", "roof"},
       .multiple = true},
      least_received_power("a transmitter that is weaker at a place is not heard there; all are if not given"),
  };
}

std::vector<Parameter> query_parameters() {
  using Kind = ParameterKind;
  const MatchOptions defaults;
  return {
      {.name = "QUERIES",
       .label = "Queries",
       .help = "what was measured at places to find: one row per query and transmitter, of any OGR source or a CSV "
               "file; rows with coordinates tell how far off the answer is",
       .kind = Kind::vector_point,
       .optional = true,
       .crs_from = {"QUERIES_CRS", "PATH_LOSS"}},
      query_field("QUERY_FIELD", "Query field",
                  "the field that tells which rows are of one query; found by its usual names (query, location, …) if "
                  "not given"),
      query_field("TRANSMITTER_FIELD", "Transmitter field",
                  "the field with the name or id of the measured transmitter; not needed for one transmitter"),
      query_field("POWER_FIELD", "Power field",
                  "the field with received powers in dBm; found by its usual names (rsrp, rssi, dbm, …) if not given"),
      query_field("DELAY_FIELD", "Delay field",
                  "the field with one-way delays of the first arrival in ns; found by its usual names if not given"),
      query_field("AZIMUTH_FIELD", "Azimuth field",
                  "the field with azimuths that the strongest ray comes from, in degrees from true north; found by its "
                  "usual names if not given"),
      {.name = "QUERIES_CRS",
       .label = "CRS of the queries",
       .help = "CRS of a CSV file, or in place of the layer's",
       .kind = Kind::crs,
       .optional = true,
       .advanced = true},
      deviation("POWER_DEVIATION", "Deviation of powers", "powers", defaults.power_sigma_db, "dB"),
      deviation("DELAY_DEVIATION", "Deviation of delays", "delays", defaults.delay_sigma_ns, "ns"),
      deviation("AZIMUTH_DEVIATION", "Deviation of azimuths", "azimuths", defaults.azimuth_sigma_deg, "°"),
      {.name = "UNKNOWN_GAIN",
       .label = "Unknown receiver gain",
       .help = "compare the powers of a query up to one number for all its transmitters",
       .kind = Kind::boolean,
       .default_value = "false"},
      {.name = "UNKNOWN_CLOCK",
       .label = "Unknown receiver clock",
       .help = "compare the delays of a query up to one number for all its transmitters",
       .kind = Kind::boolean,
       .default_value = "false"},
      {.name = "NEIGHBOURS",
       .label = "Neighbours",
       .help = "how many of the likeliest places a position is a mean of, weighted by likelihood",
       .kind = Kind::number,
       .default_value = std::to_string(defaults.neighbours),
       .minimum = 1,
       .maximum = 1000,
       .integer = true,
       .advanced = true},
  };
}

std::vector<Parameter> fingerprint_layer_parameters() {
  using Kind = ParameterKind;
  return {
      {.name = "FINGERPRINTS",
       .label = "Fingerprints",
       .help = "powers, delays and arrival angles of all transmitters, one row per place",
       .kind = Kind::layer_destination,
       .optional = true,
       .layer = "fingerprints",
       .geometry = "Point Z"},
      {.name = "LOCATED",
       .label = "Located queries",
       .help = "where each query fits best",
       .kind = Kind::layer_destination,
       .optional = true,
       .layer = "located",
       .geometry = "Point Z",
       .needs = "QUERIES"},
  };
}

}  // namespace

Tool fingerprints() {
  return {.id = "fingerprints",
          .title = "Fingerprints",
          .group = "Coverage",
          .help =
              "What all transmitters bring to each place, as a table to match measurements against, and the places "
              "that measured queries fit best.",
          .parameters = concatenated(
              {database_parameters(), query_parameters(), fingerprint_layer_parameters(), {output_parameter()}}),
          .roles = {},
          .run = make_fingerprints};
}

}  // namespace tesseray
