// SPDX-License-Identifier: GPL-3.0-or-later
#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <string_view>
#include <utility>

#include "core/comparison/measured_values.h"
#include "core/comparison/statistics.h"
#include "core/io/readers/level_units.h"
#include "core/io/readers/measurement_fields.h"
#include "core/io/readers/readers.h"
#include "core/io/sources/attribute.h"
#include "core/io/sources/name_spellings.h"
#include "core/io/sources/point_source.h"
#include "core/io/sources/text_values.h"

namespace tesseray {
namespace {

using Names = std::string_view;

constexpr std::array query_aliases = {Names("query"),       Names("queryid"), Names("location"), Names("locationid"),
                                      Names("fingerprint"), Names("point"),   Names("pointid")};
constexpr std::array delay_aliases = {Names("delay"), Names("firstdelay"), Names("toa"), Names("timeofarrival")};
constexpr std::array arrival_azimuth_aliases = {Names("azimuth"), Names("arrivalazimuth"), Names("aoa"),
                                                Names("angleofarrival")};
constexpr std::array received_power_names = {Names("dbm"), Names("dbw"), Names("mw"), Names("w")};

// The columns of a row of queries.
struct QueryFields {
  Attribute query;
  std::optional<Attribute> transmitter, power, delay, azimuth;
};

AttributeSearch power_search(const std::string& requested) {
  return {requested, "POWER_FIELD", received_power_aliases, received_power_names, {}};
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
  fields.azimuth = points.find({input.azimuth_field, "AZIMUTH_FIELD", arrival_azimuth_aliases, angle_names, {}});
  if (!fields.power && !fields.delay && !fields.azimuth) {
    throw missing_attribute(points.fields(), power_search(""), "measured values",
                            "name them with POWER_FIELD, DELAY_FIELD or AZIMUTH_FIELD", points.place());
  }
  return fields;
}

// What was found in the rows beside values.
struct RowProblems {
  std::size_t without_query = 0, unknown_transmitter = 0, unreadable = 0, repeated = 0;
  std::string first_unreadable;  // with its place

  void tell(Progress& progress) const;
};

// Whether they are powers at all is asked of all together (require_powers).
bool may_be_power(double dbm) { return is_plausible(dbm, ValueKind::received_power); }
bool may_be_delay(double ns) { return is_plausible(ns, ValueKind::time_of_arrival); }
bool may_be_azimuth(double degrees) { return std::abs(degrees) <= 360; }

// REQUIRES: the attribute holds times or angles.
NumberCell read_quantity(const Attribute& attribute, const OGRFeature& feature, std::span<const Unit> units) {
  const double factor = ns_in_unit_of(attribute);
  return read_number(attribute, feature, factor,
                     [&](const std::string& text) { return parse_quantity(text, units, factor); });
}

// A value in a row, as it is told of.
std::string value_with_place(const Attribute& attribute, const OGRFeature& feature, ErrorPlace place) {
  place.field = attribute.name();
  return "\"" + attribute.text(feature).value_or("") + "\" (" + describe(place) + ")";
}

// Takes a value of a row, and counts what is none. Rows without one leave what another row has said. `told`: how the
// cell is told of.
template <class Told>
void take(double& value, const NumberCell& cell, bool (*may_be)(double), const Told& told, RowProblems& problems) {
  if (!cell.unreadable.empty() || (cell.value && !may_be(*cell.value))) {
    if (++problems.unreadable == 1) problems.first_unreadable = told();
  } else if (cell.value) {
    problems.repeated += std::isfinite(value) && value != *cell.value ? 1 : 0;
    value = *cell.value;
  }
}

void RowProblems::tell(Progress& progress) const {
  const auto warn = [&progress](const char* code, std::size_t count, const char* of_one, const char* of_many,
                                const std::string& such_as = "") {
    if (count > 0) progress.warn({code, std::to_string(count) + (count == 1 ? of_one : of_many) + such_as});
  };
  warn("rows_without_query", without_query, " row of the queries says of no query, and is left out",
       " rows of the queries say of no query, and are left out");
  warn("unknown_transmitters", unknown_transmitter, " row of the queries names no transmitter of the prediction",
       " rows of the queries name no transmitter of the prediction");
  warn("unreadable_values", unreadable, " value of the queries is none that can be measured, and left out",
       " values of the queries are none that can be measured, and left out", ", such as " + first_unreadable);
  warn("repeated_values", repeated, " value of the queries replaces another one of the same query and transmitter",
       " values of the queries replace others of the same query and transmitter");
}

void require_powers(std::vector<double> powers, const ErrorPlace& place) {
  const std::optional<ContradictedKind> contradicted = contradicted_kind(std::move(powers), ValueKind::received_power);
  if (!contradicted) return;
  throw Error(ErrorKind::invalid_input, "values_of_another_kind", contradicted->message,
              "give received powers in dBm, or choose another POWER_FIELD", place);
}

// `spellings`: a copy, since what it tells of are the rows that are taken.
bool holds_a_name(PointSource& points, const Attribute& transmitter, const TransmitterNames& names,
                  NameSpellings spellings) {
  bool holds = false;
  points.for_each(no_progress(), [&](const PointRow& row) {
    holds = holds || names.is_name(spellings.known(transmitter.name_in(row.feature)));
  });
  return holds;
}

// Rows put together to queries.
class QueryRows {
 public:
  // Keeps a reference to the source.
  QueryRows(PointSource& points, const LocationQueryInput& input, const std::vector<PredictedTransmitter>& transmitters)
      : points_(points),
        fields_(find_fields(points, input)),
        transmitter_count_(transmitters.size()),
        names_(transmitters),
        spellings_(names_of(transmitters)),
        may_be_ids_(!fields_.transmitter || (may_hold_transmitter_ids(*fields_.transmitter) &&
                                             !holds_a_name(points, *fields_.transmitter, names_, spellings_))) {}

  void read(Progress& progress) {
    points_.for_each(progress, [this](const PointRow& row) { add(row); });
    require_powers(std::move(powers_), points_.place());
  }

  // With the places that are known, in the environment's frame.
  std::vector<LocationQuery> placed(const LocalFrame& frame, Progress& progress) {
    points_.to_environment(positions_, progress);
    for (std::size_t q = 0; q < queries_.size(); ++q) {
      if (std::isfinite(positions_[q].x)) queries_[q].known_position = positions_[q] - frame.origin;
    }
    return std::move(queries_);
  }

  void tell_of_problems(Progress& progress) const {
    problems_.tell(progress);
    spellings_.tell("rows of the queries", progress);
  }

 private:
  void add(const PointRow& row) {
    const std::string name = fields_.query.name_in(row.feature);
    if (name.empty()) {
      ++problems_.without_query;
      return;
    }
    const std::size_t query = number_of(name);
    if (!std::isfinite(positions_[query].x)) positions_[query] = row.position;
    const std::string transmitter =
        fields_.transmitter ? spellings_.known(fields_.transmitter->name_in(row.feature)) : "";
    if (const std::optional<std::uint32_t> number = names_.find(transmitter, may_be_ids_)) {
      take_values(row.feature, queries_[query].signatures[*number]);
    } else {
      ++problems_.unknown_transmitter;
    }
  }

  std::size_t number_of(const std::string& query) {
    const auto [place, is_new] = numbers_.emplace(query, queries_.size());
    if (is_new) {
      queries_.push_back({query, std::vector<Signature>(transmitter_count_), std::nullopt});
      positions_.push_back({undefined, undefined});
    }
    return place->second;
  }

  void take_values(const OGRFeature& feature, Signature& signature) {
    const auto told = [&](const Attribute& attribute) {
      return [&] { return value_with_place(attribute, feature, points_.place(feature)); };
    };
    if (fields_.power) {
      const NumberCell power = read_level(*fields_.power, feature, ValueKind::received_power);
      if (power.value) powers_.push_back(*power.value);
      take(signature.power_dbm, power, may_be_power, told(*fields_.power), problems_);
    }
    if (fields_.delay) {
      take(signature.delay_ns, read_quantity(*fields_.delay, feature, time_units), may_be_delay, told(*fields_.delay),
           problems_);
    }
    if (fields_.azimuth) {
      take(signature.azimuth_deg, read_quantity(*fields_.azimuth, feature, angle_units), may_be_azimuth,
           told(*fields_.azimuth), problems_);
    }
  }

  PointSource& points_;
  QueryFields fields_;
  std::size_t transmitter_count_;
  TransmitterNames names_;
  NameSpellings spellings_;
  bool may_be_ids_;
  std::vector<LocationQuery> queries_;
  std::vector<Vec2> positions_;  // of the queries' first rows with a place; NaN without one
  std::vector<double> powers_;   // of all rows
  std::map<std::string, std::size_t> numbers_;
  RowProblems problems_;
};

}  // namespace

std::vector<LocationQuery> read_location_queries(const LocationQueryInput& input, const LocalFrame& frame,
                                                 const std::vector<PredictedTransmitter>& transmitters,
                                                 Progress& progress) {
  progress.begin_stage("reading");
  PointSource points(input.source, input.crs, frame, "QUERIES", PointSource::Places::optional);
  QueryRows rows(points, input, transmitters);
  rows.read(progress);
  std::vector<LocationQuery> queries = rows.placed(frame, progress);
  rows.tell_of_problems(progress);
  return queries;
}

}  // namespace tesseray
