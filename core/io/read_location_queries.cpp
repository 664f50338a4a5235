// SPDX-License-Identifier: GPL-3.0-or-later
#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <sstream>
#include <string_view>

#include "core/io/attribute.h"
#include "core/io/measurement_fields.h"
#include "core/io/point_source.h"
#include "core/io/readers.h"
#include "core/io/text_values.h"

namespace tesseray {
namespace {

using Names = std::string_view;

constexpr std::array query_aliases = {Names("query"),       Names("queryid"), Names("location"), Names("locationid"),
                                      Names("fingerprint"), Names("point"),   Names("pointid")};
constexpr std::array delay_aliases = {Names("delay"), Names("firstdelay"), Names("toa"), Names("timeofarrival")};
constexpr std::array arrival_azimuth_aliases = {Names("azimuth"), Names("arrivalazimuth"), Names("aoa"),
                                                Names("angleofarrival")};
constexpr std::array power_names = {Names("dbm")};
constexpr std::array azimuth_names = {Names("deg")};
constexpr std::array azimuth_units = {Unit{"deg", 1.0}, Unit{"°", 1.0}};

// The columns of a row of queries.
struct QueryFields {
  Attribute query;
  std::optional<Attribute> transmitter, power, delay, azimuth;
};

AttributeSearch power_search(const std::string& requested) {
  return {requested, "POWER_FIELD", received_power_aliases, power_names, {}};
}

QueryFields find_fields(PointSource& points, const LocationQueryInput& input) {
  const AttributeSearch query_search{input.query_field, "QUERY_FIELD", query_aliases, {}, {}};
  std::optional<Attribute> query = points.find(query_search);
  if (!query) {
    throw missing_attribute(points.fields(), query_search, "the query that a row belongs to",
                            "name it with QUERY_FIELD", points.place());
  }
  QueryFields fields{std::move(*query), {}, {}, {}, {}};
  fields.transmitter = points.find(measured_transmitter_search(input.transmitter_field, "TRANSMITTER_FIELD"));
  fields.power = points.find(power_search(input.power_field));
  fields.delay = points.find({input.delay_field, "DELAY_FIELD", delay_aliases, time_names, {}});
  fields.azimuth = points.find({input.azimuth_field, "AZIMUTH_FIELD", arrival_azimuth_aliases, azimuth_names, {}});
  if (!fields.power && !fields.delay && !fields.azimuth) {
    throw missing_attribute(points.fields(), power_search(""), "measured values",
                            "name them with POWER_FIELD, DELAY_FIELD or AZIMUTH_FIELD", points.place());
  }
  return fields;
}

// Takes a value of a row, and counts a text that is none. Rows without one leave what another row has said.
void take(double& value, const std::optional<Attribute>& attribute, const OGRFeature& feature,
          std::span<const Unit> units, std::size_t& unreadable) {
  if (!attribute) return;
  const double factor = ns_in_unit_of(*attribute);
  const NumberCell cell = read_number(*attribute, feature, factor,
                                      [&](const std::string& text) { return parse_quantity(text, units, factor); });
  if (cell.value) value = *cell.value;
  unreadable += cell.unreadable.empty() ? 0 : 1;
}

void require_powers(const std::vector<LocationQuery>& queries, const ErrorPlace& place) {
  std::vector<double> powers;
  for (const LocationQuery& query : queries) {
    for (const Signature& signature : query.signatures) {
      if (signature.heard()) powers.push_back(signature.power_dbm);
    }
  }
  if (powers.empty()) return;
  const auto middle = powers.begin() + static_cast<std::ptrdiff_t>(powers.size() / 2);
  std::nth_element(powers.begin(), middle, powers.end());
  constexpr double most_dbm = 30;
  if (*middle <= most_dbm) return;
  std::ostringstream median;
  median << *middle;
  throw Error(ErrorKind::invalid_input, "values_of_another_kind",
              "the measured values cannot be received powers in dBm: their median is " + median.str(),
              "give received powers in dBm, or choose another POWER_FIELD", place);
}

}  // namespace

std::vector<LocationQuery> read_location_queries(const LocationQueryInput& input, const LocalFrame& frame,
                                                 const std::vector<PredictedTransmitter>& transmitters,
                                                 Progress& progress) {
  progress.begin_stage("reading");
  PointSource points(input.source, input.crs, frame, "QUERIES", PointSource::Places::optional);
  const QueryFields fields = find_fields(points, input);
  const TransmitterNames names(transmitters);
  std::vector<LocationQuery> queries;
  std::vector<Vec2> positions;  // of the queries' first rows
  std::map<std::string, std::size_t> numbers;
  const bool may_be_ids = !fields.transmitter || may_hold_transmitter_ids(*fields.transmitter);
  std::size_t unknown = 0, unreadable = 0;
  points.for_each(progress, [&](const PointRow& row) {
    const std::string name = fields.query.text(row.feature).value_or("");
    const auto [place, is_new] = numbers.emplace(name, queries.size());
    if (is_new) {
      queries.push_back({name, std::vector<Signature>(transmitters.size()), std::nullopt});
      positions.push_back(row.position);
    }
    const std::string transmitter = fields.transmitter ? fields.transmitter->text(row.feature).value_or("") : "";
    const std::optional<std::uint32_t> number = names.find(transmitter, may_be_ids);
    if (!number) {
      ++unknown;
      return;
    }
    Signature& signature = queries[place->second].signatures[*number];
    take(signature.power_dbm, fields.power, row.feature, measured_value_units, unreadable);
    take(signature.delay_ns, fields.delay, row.feature, time_units, unreadable);
    take(signature.azimuth_deg, fields.azimuth, row.feature, azimuth_units, unreadable);
  });
  require_powers(queries, points.place());
  points.to_environment(positions);
  for (std::size_t q = 0; q < queries.size(); ++q) {
    if (std::isfinite(positions[q].x)) queries[q].known_position = positions[q] - frame.origin;
  }
  if (unknown > 0) {
    progress.warn(
        {"unknown_transmitters", std::to_string(unknown) +
                                     (unknown == 1 ? " row of the queries names" : " rows of the queries name") +
                                     " no transmitter of the prediction"});
  }
  if (unreadable > 0) {
    progress.warn(
        {"unreadable_values", std::to_string(unreadable) +
                                  (unreadable == 1 ? " value of the queries is" : " values of the queries are") +
                                  " no number and left out"});
  }
  return queries;
}

}  // namespace tesseray
