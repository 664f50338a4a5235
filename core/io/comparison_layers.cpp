// SPDX-License-Identifier: GPL-3.0-or-later
#include <cstddef>
#include <utility>

#include "core/io/result_layers.h"
#include "core/io/styles.h"

namespace tesseray {

namespace {

using enum ColumnType;

}  // namespace

Layer prediction_error_layer(const std::string& name, const LocalFrame& frame,
                             const std::vector<MeasurementError>& errors) {
  using M = MeasurementError;
  Layer layer{.name = name,
              .description = "Prediction against drive test, one row per measurement",
              .geometry = LayerGeometry::point_z};
  layer.styles = styles::prediction_error();
  std::vector<Field<M>> fields = {
      {{"transmitter_id", integer, "Transmitter, see the layer transmitters"},
       [](const M& m) { return Value::integer(m.transmitter_id); }},
      {{"measurement_id", integer, "Feature id in the drive test"},
       [](const M& m) { return Value::integer(m.measurement_id); }},
      {{"measured_db", real, "Measured value, dB (dBm, dB or dB(µV/m))"},
       [](const M& m) { return Value::real(m.measured_db); }},
      {{"predicted_db", real, "Predicted value, dB (dBm, dB or dB(µV/m))"},
       [](const M& m) { return Value::real(m.predicted_db); }},
      {{"error_db", real, "Error; positive where the predicted power is too strong, dB"},
       [](const M& m) { return Value::real(m.error_db); }},
      {{"distance_m", real, "Distance to the transmitter, m"}, [](const M& m) { return Value::real(m.distance_m); }},
      {{"line_of_sight", boolean, "True when the transmitter is in sight"},
       [](const M& m) { return Value::boolean(m.line_of_sight); }},
      {{"tile_id", integer, "Tile that the measurement was compared with"},
       [](const M& m) { return m.tile_id ? Value::integer(*m.tile_id) : Value(); }},
      {{"snap_distance_m", real, "Distance to that tile, m"},
       [](const M& m) { return Value::real(m.snap_distance_m); }},
      {{"excluded_because", text, "Why the measurement was not used; NULL for those used"},
       [](const M& m) { return Value::text_or_null(m.excluded_because); }},
      {{"above_ground", boolean, "True for a measurement with a height of its own"},
       [](const M& m) { return Value::boolean(m.above_ground); }},
  };
  return with_rows<M>(
      std::move(layer), frame.origin, errors.size(), [&errors](std::size_t i) -> const M& { return errors[i]; },
      std::move(fields),
      [](const M& m, GeometryEncoder& encoder) {
        // A measurement without a readable place stays, without a geometry.
        if (std::isfinite(m.position.x) && std::isfinite(m.position.y)) {
          encoder.point({m.position.x, m.position.y, std::isfinite(m.position.z) ? m.position.z : 0.0});
        } else {
          encoder.null();
        }
      });
}

Layer error_statistics_layer(const std::string& name, const std::vector<ErrorStatistics>& statistics) {
  using S = ErrorStatistics;
  const auto number = [](const char* field, const char* description, double S::*member) {
    return Field<S>{{field, real, description}, [member](const S& s) { return Value::real(s.*member); }};
  };
  std::vector<Field<S>> fields = {
      {{"group", text, "Transmitter, all, or sites (figures over the sites' figures)"},
       [](const S& s) { return Value::text(s.group); }},
      {{"transmitter_id", integer, "Transmitter; NULL for groups"},
       [](const S& s) { return s.transmitter_id ? Value::integer(*s.transmitter_id) : Value(); }},
      {{"n", integer, "Measurements used"}, [](const S& s) { return Value::integer(s.n); }},
      number("mean_db", "Mean error μE, dB", &S::mean_db),
      number("std_db", "Standard deviation of the error σE (n − 1), dB", &S::std_db),
      number("rmse_db", "Root mean square error, dB", &S::rmse_db),
      number("mae_db", "Mean absolute error, dB", &S::mae_db),
      number("median_db", "Median error, dB", &S::median_db),
      number("p10_db", "10th percentile of the error, dB", &S::p10_db),
      number("p90_db", "90th percentile of the error, dB", &S::p90_db),
      number("correlation", "Correlation of measured and predicted values", &S::correlation),
      number("mean_of_mean_db", "Mean over sites of their mean errors, dB", &S::mean_of_mean_db),
      number("std_of_mean_db", "Standard deviation over sites of their mean errors, dB", &S::std_of_mean_db),
      number("mean_of_std_db", "Mean over sites of their standard deviations, dB", &S::mean_of_std_db),
      number("std_of_std_db", "Standard deviation over sites of their standard deviations, dB", &S::std_of_std_db),
      number("removed_mean_db", "Mean error that was taken off (REMOVE_MEAN), dB", &S::removed_mean_db),
  };
  Layer layer{.name = name, .description = "Statistics of the prediction error"};
  layer.styles = styles::error_statistics();
  return with_rows<S>(std::move(layer), {}, statistics.size(),
                      [&statistics](std::size_t i) -> const S& { return statistics[i]; }, std::move(fields), {});
}

}  // namespace tesseray
