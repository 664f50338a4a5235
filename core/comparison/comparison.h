// SPDX-License-Identifier: GPL-3.0-or-later
// Prediction against drive test: snapping, errors, statistics (definitions: docs/physics.md, paper 002 eqs. 3–5).
#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "core/base/progress.h"
#include "core/comparison/predicted_tiles.h"
#include "core/comparison/timing.h"
#include "core/geometry/vector.h"
#include "core/prediction/predicted_target.h"

namespace tesseray {

struct Measurement {
  std::int64_t measurement_id = 0;  // source feature id
  Vec2 position;
  std::optional<double> height_m = std::nullopt;  // above ground; absent: at street level
  std::string transmitter;                        // name or id; empty when the file has no such field
  bool transmitter_may_be_id = true;              // false for a network's own numbers (PCI, cell id)
  double value = std::numeric_limits<double>::quiet_NaN();
};

enum class ValueKind {
  received_power,
  path_loss,
  basic_loss,
  field_strength,
  time_of_arrival,  // ns, one way
  timing_advance,   // steps of the handset's resolution, there and back
};
inline bool is_arrival_time(ValueKind kind) {
  return kind == ValueKind::time_of_arrival || kind == ValueKind::timing_advance;
}

enum class Snapping { nearest_ground, nearest_3d, bilinear };

struct ComparisonOptions {
  ValueKind value_kind = ValueKind::received_power;
  double receiver_gain_dbi = 0;      // of the measuring antenna; taken off received powers and path losses
  double averaging_distance_m = 0;   // > 0: power average of measurements along the route over this distance
  double averaging_wavelengths = 0;  // > 0 and no distance: in wavelengths of each transmitter (40 is usual)
  Snapping snapping = Snapping::nearest_ground;
  double max_snap_distance_m = 15;
  // Powers and fields at or below (losses at or above) are at the scanner's floor and not used.
  std::optional<double> censor_below = std::nullopt;
  TimingOptions timing;      // of arrival times
  bool remove_mean = false;  // take the mean error of each transmitter off its errors
};

// Why a measurement is not used that lies outside of the prediction.
inline constexpr const char* outside_of_the_prediction = "outside of the predicted area";
// Of one that CENSOR_BELOW leaves out.
inline constexpr const char* at_the_floor = "censored: at the scanner's floor";
// Of any where walls and roofs alone are predicted.
inline constexpr const char* no_ground_tile = "no ground tile in the prediction";

// A row of prediction_error. Values are arrival times in ns, or levels in dB with the sign of received power: losses
// are compared, and stand here, with their sign changed. So a positive error means predicted too late, or too strong.
// error = predicted − measured always: a removed mean is off both error and predicted, a removed timing offset off
// measured.
struct MeasurementError {
  std::optional<std::int64_t> transmitter_id;  // none: unknown, and the measurement not used
  std::int64_t measurement_id = 0;
  Vec3 position;  // z is NaN where no ground is predicted
  double measured = 0, predicted = std::numeric_limits<double>::quiet_NaN();
  double error = std::numeric_limits<double>::quiet_NaN();
  double distance_m = 0;              // to the transmitter, 3D
  std::optional<bool> line_of_sight;  // none: nothing is predicted there
  bool above_ground = false;          // a measurement with a height of its own
  std::optional<std::int64_t> tile_id;
  double snap_distance_m = std::numeric_limits<double>::quiet_NaN();
  std::string excluded_because;  // empty for those used
};

// A row of error_statistics: of one transmitter, of all, or over the sites. Figures that are not defined (n too small,
// other rows) are NaN.
struct ErrorStatistics {
  std::string group;  // transmitter name, "all", "sites"; with ", above ground" where apart
  std::optional<std::int64_t> transmitter_id;
  std::int64_t n = 0;
  double mean = 0, deviation = 0, rmse = 0, mae = 0, median = 0, p10 = 0, p90 = 0, correlation = 0;
  // Of the row "sites".
  double mean_of_mean = 0, deviation_of_mean = 0, mean_of_deviation = 0, deviation_of_deviation = 0;
  double removed_mean = 0;       // with remove_mean, of a transmitter; 0 without
  double removed_offset = 0;     // of arrival times: the timing offset of a transmitter; NaN without one
  double within_resolution = 0;  // of arrival times: the part of errors of at most half a step
};

struct Comparison {
  bool of_arrival_times = false;         // in ns; otherwise levels in dB
  std::vector<MeasurementError> errors;  // by transmitter, then measurement
  std::vector<ErrorStatistics> statistics;
};

// Throws Error(invalid_input) when the measured values cannot be of options.value_kind (losses taken for powers).
Comparison compare_with_drive_test(const PredictedTiles& predicted,
                                   const std::vector<PredictedTransmitter>& transmitters,
                                   const std::vector<Measurement>& measurements, const ComparisonOptions& options,
                                   Progress& progress);

}  // namespace tesseray
