// SPDX-License-Identifier: GPL-3.0-or-later
#include <algorithm>
#include <cmath>
#include <limits>
#include <span>

#include "core/base/listed.h"
#include "core/io/readers/height_names.h"
#include "core/io/readers/level_units.h"
#include "core/io/readers/measurement_fields.h"
#include "core/io/readers/readers.h"
#include "core/io/readers/receiver_heights.h"
#include "core/io/sources/attribute.h"
#include "core/io/sources/point_source.h"
#include "core/io/sources/text_values.h"

namespace tesseray {
namespace {

Attribute find_values(PointSource& points, const DriveTestInput& input) {
  const std::vector<AttributeSearch> searches =
      measured_value_searches(input.value_field, "VALUE_FIELD", input.value_kind);
  for (const AttributeSearch& search : searches) {
    if (std::optional<Attribute> found = points.find(search)) return *found;
  }
  throw missing_attribute(points.fields(), searches.back(), "measured values", "name it with VALUE_FIELD",
                          points.place());
}

// Levels in their units, times in ns, timing advances in steps.
std::optional<double> value_in(const Attribute& attribute, const OGRFeature& feature, ValueKind kind) {
  const bool is_time = kind == ValueKind::time_of_arrival;
  if (!is_time && kind != ValueKind::timing_advance) return read_level(attribute, feature, kind).value;
  const double factor = is_time ? ns_in_unit_of(attribute) : 1.0;
  const std::span<const Unit> units =
      is_time ? std::span<const Unit>(time_units) : std::span<const Unit>(timing_advance_units);
  return read_number(attribute, feature, factor,
                     [&](const std::string& text) { return parse_quantity(text, units, factor); })
      .value;
}

// No number where a text is none: that measurement stands somewhere, but not at street level.
std::optional<double> height_in(const Attribute& attribute, const OGRFeature& feature) {
  const NumberCell cell = read_length_m(attribute, feature);
  return cell.unreadable.empty() ? cell.value : std::numeric_limits<double>::quiet_NaN();
}

// Of heights that nobody has asked for: without them all measurements are compared at street level.
void warn_of_unread_heights(PointSource& points, std::size_t with_z, Progress& progress) {
  const std::string all_at_street_level = "all are compared at street level";
  if (const auto field = points.find({{}, "MEASUREMENT_HEIGHT_FIELD", receiver_height_aliases, length_names, {}})) {
    progress.warn({"heights_not_used", "the field \"" + field->name() +
                                           "\" of the measurements is not used: unless it is given as "
                                           "MEASUREMENT_HEIGHT_FIELD " +
                                           all_at_street_level});
  } else if (const std::vector<std::string> fields = those_like_heights(field_names(points.fields()));
             !fields.empty()) {
    progress.warn({"heights_not_used", "of the measurements nothing is read from " + listed(fields) +
                                           ", which may tell of heights: unless a field of heights above the ground "
                                           "is given as MEASUREMENT_HEIGHT_FIELD " +
                                           all_at_street_level});
  } else if (with_z > 0) {
    progress.warn({"z_not_used", "the Z of " + std::to_string(with_z) +
                                     (with_z == 1 ? " measured point" : " measured points") +
                                     " is not used: without a field of heights above the ground "
                                     "(MEASUREMENT_HEIGHT_FIELD) " +
                                     all_at_street_level});
  }
}

}  // namespace

std::vector<Measurement> read_drive_test(const DriveTestInput& input, const LocalFrame& frame, Progress& progress) {
  progress.begin_stage("reading");
  PointSource points(input.source, input.crs, frame, "DRIVE_TEST");
  const Attribute value = find_values(points, input);
  const std::optional<Attribute> transmitter =
      points.find(measured_transmitter_search(input.transmitter_field, "TRANSMITTER_FIELD"));
  std::optional<Attribute> height;
  if (!input.height_field.empty())
    height = points.find({input.height_field, "MEASUREMENT_HEIGHT_FIELD", {}, length_names, {}});

  std::vector<Measurement> measurements;
  std::vector<Vec2> positions;
  std::string first_problem;
  std::size_t with_z = 0;
  points.for_each(progress, [&](const PointRow& row) {
    Measurement measurement;
    measurement.measurement_id = row.feature.GetFID();
    measurement.value =
        value_in(value, row.feature, input.value_kind).value_or(std::numeric_limits<double>::quiet_NaN());
    if (transmitter) measurement.transmitter = transmitter->name_in(row.feature);
    measurement.transmitter_may_be_id = !transmitter || may_hold_transmitter_ids(*transmitter);
    if (height) measurement.height_m = height_in(*height, row.feature);
    measurements.push_back(std::move(measurement));
    positions.push_back(row.position);
    with_z += has_own_z(row.feature) ? 1 : 0;
    if (first_problem.empty()) first_problem = row.problem;
  });
  const auto has_value = [](const Measurement& m) { return std::isfinite(m.value); };
  if (std::none_of(measurements.begin(), measurements.end(), has_value)) {
    ErrorPlace place = points.place();
    place.field = value.name();
    throw Error(ErrorKind::invalid_input, "no_values",
                "none of the " + std::to_string(measurements.size()) + " values is a number",
                "choose the field of the measured values with VALUE_FIELD", place);
  }
  if (!height) warn_of_unread_heights(points, with_z, progress);
  points.to_environment(positions, progress);
  for (std::size_t i = 0; i < measurements.size(); ++i) measurements[i].position = positions[i] - frame.origin;
  const auto has_place = [](const Measurement& m) { return std::isfinite(m.position.x); };
  if (std::none_of(measurements.begin(), measurements.end(), has_place)) {
    throw Error(ErrorKind::invalid_input, "no_positions",
                "no measurement has a place that can be used" +
                    (first_problem.empty() ? "" : " (the first: " + first_problem + ")"),
                "give points, and check the coordinates and their CRS", points.place());
  }
  return measurements;
}

}  // namespace tesseray
