// SPDX-License-Identifier: GPL-3.0-or-later
#include <cmath>
#include <cstddef>
#include <string>
#include <utility>

#include "core/io/results/result_layers.h"
#include "core/io/results/styles.h"

namespace tesseray {

namespace {

using enum ColumnType;

// How the columns of a comparison are called and described: levels are in dB, arrival times in ns.
struct ComparisonUnit {
  std::string suffix, symbol;
};

ComparisonUnit unit_of(const Comparison& comparison) {
  return comparison.of_arrival_times ? ComparisonUnit{"_ns", "ns"} : ComparisonUnit{"_db", "dB"};
}

}  // namespace

Layer prediction_error_layer(const std::string& name, const LocalFrame& frame, const Comparison& comparison) {
  using M = MeasurementError;
  Layer layer{.name = name,
              .description = "Prediction against drive test, one row per measurement",
              .geometry = LayerGeometry::point_z,
              .made_from_predictions = true};
  layer.styles = comparison.of_arrival_times ? styles::arrival_time_error() : styles::prediction_error();
  const std::string suffix = unit_of(comparison).suffix;
  const std::string unit = comparison.of_arrival_times ? "ns, one way" : "dB (dBm, dB or dB(µV/m))";
  const std::string sign = comparison.of_arrival_times ? "Error; positive where the prediction is too late, ns"
                                                       : "Error; positive where the predicted power is too strong, dB";
  std::vector<Field<M>> fields = {
      {{"transmitter_id", integer, "Transmitter, see the layer transmitters; NULL for one that is not there"},
       [](const M& m) { return m.transmitter_id ? Value::integer(*m.transmitter_id) : Value(); }},
      {{"measurement_id", integer, "Feature id in the drive test"},
       [](const M& m) { return Value::integer(m.measurement_id); }},
      {{"measured" + suffix, real, "Measured value, " + unit}, [](const M& m) { return Value::real(m.measured); }},
      {{"predicted" + suffix, real, "Predicted value, " + unit}, [](const M& m) { return Value::real(m.predicted); }},
      {{"error" + suffix, real, sign}, [](const M& m) { return Value::real(m.error); }},
      {{"distance_m", real, "Distance to the transmitter, m"}, [](const M& m) { return Value::real(m.distance_m); }},
      {{"line_of_sight", boolean, "True when the transmitter is in sight"},
       [](const M& m) { return m.line_of_sight ? Value::boolean(*m.line_of_sight) : Value(); }},
      {{"tile_id", integer, "Tile that the measurement was compared with"},
       [](const M& m) { return m.tile_id ? Value::integer(*m.tile_id) : Value(); }},
      {{"snap_distance_m", real, "Distance to that tile's centroid, m"},
       [](const M& m) { return Value::real(m.snap_distance_m); }},
      {{"excluded_because", text, "Why the measurement was not used; NULL for those used"},
       [](const M& m) { return Value::text_or_null(m.excluded_because); }},
      {{"above_ground", boolean, "True for a measurement with a height of its own"},
       [](const M& m) { return Value::boolean(m.above_ground); }},
  };
  return with_rows<M>(
      std::move(layer), frame.origin, comparison.errors.size(),
      [&comparison](std::size_t i) -> const M& { return comparison.errors[i]; }, std::move(fields),
      [](const M& m, GeometryEncoder& encoder) {
        // A measurement without a readable place stays, without a geometry.
        if (std::isfinite(m.position.x) && std::isfinite(m.position.y)) {
          encoder.point({m.position.x, m.position.y, std::isfinite(m.position.z) ? m.position.z : 0.0});
        } else {
          encoder.null();
        }
      });
}

Layer error_statistics_layer(const std::string& name, const Comparison& comparison) {
  using S = ErrorStatistics;
  const ComparisonUnit unit = unit_of(comparison);
  const auto number = [&unit](const std::string& field, const std::string& description, double S::*member) {
    return Field<S>{{field + unit.suffix, real, description + ", " + unit.symbol},
                    [member](const S& s) { return Value::real(s.*member); }};
  };
  std::vector<Field<S>> fields = {
      {{"group", text, "Transmitter, all, or sites (figures over the sites' figures)"},
       [](const S& s) { return Value::text(s.group); }},
      {{"transmitter_id", integer, "Transmitter; NULL for groups"},
       [](const S& s) { return s.transmitter_id ? Value::integer(*s.transmitter_id) : Value(); }},
      {{"n", integer, "Measurements used"}, [](const S& s) { return Value::integer(s.n); }},
      number("mean", "Mean error μE", &S::mean),
      number("std", "Standard deviation of the error σE (n − 1)", &S::deviation),
      number("rmse", "Root mean square error", &S::rmse),
      number("mae", "Mean absolute error", &S::mae),
      number("median", "Median error", &S::median),
      number("p10", "10th percentile of the error", &S::p10),
      number("p90", "90th percentile of the error", &S::p90),
      {{"correlation", real, "Correlation of measured and predicted values"},
       [](const S& s) { return Value::real(s.correlation); }},
      number("mean_of_mean", "Mean over sites of their mean errors", &S::mean_of_mean),
      number("std_of_mean", "Standard deviation over sites of their mean errors", &S::deviation_of_mean),
      number("mean_of_std", "Mean over sites of their standard deviations", &S::mean_of_deviation),
      number("std_of_std", "Standard deviation over sites of their standard deviations", &S::deviation_of_deviation),
      number("removed_mean", "Mean error that was taken off (REMOVE_MEAN)", &S::removed_mean),
  };
  if (comparison.of_arrival_times) {
    fields.push_back(
        number("removed_offset", "Timing offset that was taken off the measured times", &S::removed_offset));
    fields.push_back({{"within_resolution_percent", real, "Errors of at most half a step of the resolution, %"},
                      [](const S& s) { return Value::real(100 * s.within_resolution); }});
  }
  Layer layer{.name = name, .description = "Statistics of the prediction error", .made_from_predictions = true};
  layer.styles = styles::error_statistics();
  return with_rows<S>(std::move(layer), {}, comparison.statistics.size(),
                      [&comparison](std::size_t i) -> const S& { return comparison.statistics[i]; }, std::move(fields),
                      {});
}

}  // namespace tesseray
