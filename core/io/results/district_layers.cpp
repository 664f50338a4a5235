// SPDX-License-Identifier: GPL-3.0-or-later
#include <algorithm>
#include <cmath>
#include <string>
#include <utility>

#include "core/io/results/result_layers.h"
#include "core/io/results/styles.h"
#include "core/io/sources/text_values.h"

namespace tesseray {

namespace {

using enum ColumnType;

// Part of a column's name: −95 → "minus_95", −92.5 → "minus_92_5".
std::string name_of(double threshold_dbm) {
  std::string digits = shortest(std::fabs(threshold_dbm));
  std::replace(digits.begin(), digits.end(), '.', '_');
  return (threshold_dbm < 0 ? "minus_" : "") + digits;
}

// Of what is a part but for rounding. The quotient first: 100 x / x may be more than 100.
double percent(double part, double whole) { return std::min(100.0, 100 * (part / whole)); }

// What both layers tell of powers on the ground.
template <class Row>
void add_power_fields(const std::vector<double>& thresholds_dbm, std::vector<Field<Row>>& fields) {
  fields.push_back({{"reached_percent", real, "Share of the predicted ground where anything arrives, %"},
                    [](const Row& row) { return Value::real(percent(row.power.reached_m2, row.ground_m2)); }});
  for (std::size_t i = 0; i < thresholds_dbm.size(); ++i) {
    const std::string at_least = shortest(thresholds_dbm[i]) + " dBm or more arrive";
    const std::string start = "covered_" + name_of(thresholds_dbm[i]);
    fields.push_back({{start + "_m2", real, "Predicted ground where " + at_least + ", m²"},
                      [i](const Row& row) { return Value::real(row.power.covered_m2[i]); }});
    fields.push_back({{start + "_percent", real, "Share of the predicted ground where " + at_least + ", %"},
                      [i](const Row& row) { return Value::real(percent(row.power.covered_m2[i], row.ground_m2)); }});
  }
  fields.push_back({{"mean_dbm", real, "Mean of the received powers in dBm over the ground where anything arrives"},
                    [](const Row& row) { return Value::real(row.power.mean_dbm); }});
  fields.push_back({{"median_dbm", real, "Received power that half of the predicted ground exceeds, dBm"},
                    [](const Row& row) { return Value::real(row.power.median_dbm); }});
  fields.push_back({{"p10_dbm", real, "Received power that 90 % of the predicted ground exceed, dBm"},
                    [](const Row& row) { return Value::real(row.power.p10_dbm); }});
}

void add_population_fields(const DistrictReport& report, std::vector<Field<DistrictCoverage>>& fields) {
  using Row = DistrictCoverage;
  if (!report.has_inhabitants) return;
  const std::string of_whom =
      report.inhabitants_are_placed ? "Inhabitants at places near predicted ground" : "Inhabitants of the district";
  const std::string where = report.inhabitants_are_placed ? " at the ground tile nearest to their place"
                                                          : ", spread evenly over the predicted ground of the district";
  fields.push_back({{"population", real, of_whom},
                    [](const Row& row) { return Value::real(row.population.value_or(std::nan(""))); }});
  for (std::size_t i = 0; i < report.thresholds_dbm.size(); ++i) {
    const double threshold_dbm = report.thresholds_dbm[i];
    fields.push_back(
        {{"population_" + name_of(threshold_dbm), real,
          "Inhabitants where " + shortest(threshold_dbm) + " dBm or more arrive" + where},
         [i](const Row& row) { return Value::real(row.population ? row.covered_population[i] : std::nan("")); }});
  }
}

}  // namespace

Layer district_coverage_layer(const std::string& name, const LocalFrame& frame, const DistrictReport& report) {
  using Row = DistrictCoverage;
  Layer layer{
      .name = name,
      .description = "Ground and inhabitants covered in each district, by the strongest transmitter at each place",
      .geometry = LayerGeometry::multi_polygon,
      .made_from_predictions = true};
  std::vector<styles::CoveredShare> shares;
  for (const double threshold_dbm : report.thresholds_dbm) {
    shares.push_back({"covered_" + name_of(threshold_dbm) + "_percent", shortest(threshold_dbm) + " dBm"});
  }
  std::vector<std::string> names;
  for (const PredictedTransmitter& transmitter : report.transmitters) names.push_back(transmitter.name);
  layer.styles = styles::district_coverage(shares, names);
  const auto best = [&report](const Row& row) {
    return row.best_server ? Value::text(report.transmitters[*row.best_server].name) : Value();
  };
  std::vector<Field<Row>> fields = {
      {{"district_id", integer, "Number of the feature among the districts given"},
       [&report](const Row& row) { return Value::integer(report.districts[row.district].feature_id); }},
      {{"name", text, "Name of the district"},
       [&report](const Row& row) { return Value::text_or_null(report.districts[row.district].name); }},
      {{"district_m2", real, "Area of the district, m²"}, [](const Row& row) { return Value::real(row.district_m2); }},
      {{"ground_m2", real, "Predicted ground in it, seen from above, m²"},
       [](const Row& row) { return Value::real(row.ground_m2); }},
      {{"ground_percent", real, "The same as a share of the district, %"},
       [](const Row& row) { return Value::real(percent(row.ground_m2, row.district_m2)); }},
  };
  add_power_fields(report.thresholds_dbm, fields);
  add_population_fields(report, fields);
  fields.push_back({{"best_server", text, "The transmitter that is the strongest on most of the ground"}, best});
  fields.push_back({{"best_server_percent", real, "Share of the predicted ground where it is, %"},
                    [](const Row& row) { return Value::real(percent(row.best_server_m2, row.ground_m2)); }});
  fields.push_back({{"server_count", integer, "Transmitters that are the strongest somewhere in the district"},
                    [](const Row& row) { return Value::integer(row.servers); }});
  return with_rows<Row>(
      std::move(layer), frame.origin, report.coverage.districts.size(),
      [&report](std::size_t i) -> const Row& { return report.coverage.districts[i]; }, std::move(fields),
      [&report](const Row& row, GeometryEncoder& encoder) {
        encoder.multi_polygon(report.districts[row.district].polygons);
      });
}

Layer district_transmitters_layer(const std::string& name, const DistrictReport& report) {
  using Row = TransmitterInDistrict;
  Layer layer{.name = name,
              .description = "What each transmitter covers alone in each district where it arrives",
              .made_from_predictions = true};
  layer.styles = styles::district_transmitters();
  std::vector<Field<Row>> fields = {
      {{"district_id", integer, "Number of the feature among the districts given"},
       [&report](const Row& row) { return Value::integer(report.districts[row.district].feature_id); }},
      {{"name", text, "Name of the district"},
       [&report](const Row& row) { return Value::text_or_null(report.districts[row.district].name); }},
      {{"transmitter_id", integer, "Transmitter, see the layer transmitters"},
       [&report](const Row& row) { return Value::integer(report.transmitters[row.transmitter].transmitter_id); }},
      {{"transmitter", text, "Its name"},
       [&report](const Row& row) { return Value::text(report.transmitters[row.transmitter].name); }},
      {{"served_m2", real, "Predicted ground where it is the strongest, m²"},
       [](const Row& row) { return Value::real(row.served_m2); }},
      {{"served_percent", real, "The same as a share of the predicted ground, %"},
       [](const Row& row) { return Value::real(percent(row.served_m2, row.ground_m2)); }},
  };
  add_power_fields(report.thresholds_dbm, fields);
  return with_rows<Row>(std::move(layer), {}, report.coverage.transmitters.size(),
                        [&report](std::size_t i) -> const Row& { return report.coverage.transmitters[i]; },
                        std::move(fields), {});
}

}  // namespace tesseray
