// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/comparison/comparison.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <map>
#include <sstream>
#include <string_view>
#include <tuple>
#include <unordered_map>

#include "core/base/error.h"
#include "core/base/parallel.h"
#include "core/base/units.h"
#include "core/comparison/averaging.h"
#include "core/comparison/statistics.h"
#include "core/comparison/tile_index.h"

namespace tesseray {
namespace {

constexpr double undefined = std::numeric_limits<double>::quiet_NaN();
constexpr std::uint32_t unknown_transmitter = std::numeric_limits<std::uint32_t>::max();

// ── Levels: everything is compared as a level that grows with received power ──

bool is_loss(ValueKind kind) { return kind == ValueKind::path_loss || kind == ValueKind::basic_loss; }

double predicted_level_db(const PredictedTarget& target, ValueKind kind) {
  switch (kind) {
    case ValueKind::received_power:
      return target.received_power_dbm;
    case ValueKind::path_loss:
      return -target.path_loss_db;
    case ValueKind::basic_loss:
      return -target.basic_loss_db;
    case ValueKind::field_strength:
      return target.field_dbuvm;
  }
  return undefined;
}

// A measured value as the level of a 0 dBi receiver.
double measured_level_db(double value, const ComparisonOptions& options) {
  const double level = is_loss(options.value_kind) ? -value : value;
  const bool includes_gain =
      options.value_kind == ValueKind::received_power || options.value_kind == ValueKind::path_loss;
  return includes_gain ? level - options.receiver_gain_dbi : level;
}

// At the scanner's floor: powers and fields at or below the limit, losses at or above it.
bool is_censored(double value, const ComparisonOptions& options) {
  if (!options.censor_below) return false;
  return is_loss(options.value_kind) ? value >= *options.censor_below : value <= *options.censor_below;
}

// Half of the values beyond these bounds are not what the kind says: a receiver gets no milliwatt in a city, a loss is
// positive, and a field of −30 dBµV/m is far below every scanner's noise.
void require_values_of_kind(const std::vector<Measurement>& measurements, ValueKind kind) {
  std::vector<double> values;
  for (const Measurement& m : measurements) {
    if (std::isfinite(m.value)) values.push_back(m.value);
  }
  if (values.empty()) return;
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  std::string kind_name, looks_like;
  if (kind == ValueKind::received_power && *middle > 0) {
    kind_name = "received powers in dBm";
    looks_like = "path_loss or field_strength";
  } else if (is_loss(kind) && *middle < 0) {
    kind_name = "losses in dB";
    looks_like = "received_power";
  } else if (kind == ValueKind::field_strength && *middle < -30) {
    kind_name = "field strengths in dBµV/m";
    looks_like = "received_power";
  }
  if (kind_name.empty()) return;
  std::ostringstream median;
  median << *middle;
  throw Error(ErrorKind::invalid_input, "values_of_another_kind",
              "the measured values cannot be " + kind_name + ": their median is " + median.str(),
              "set VALUE_KIND to what they are (" + looks_like + "?), or choose another VALUE_FIELD");
}

// ── Which transmitter a measurement is of ──

std::string_view trimmed(std::string_view text) {
  constexpr std::string_view blank = " \t\r\n";
  const std::size_t first = text.find_first_not_of(blank);
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(blank) - first + 1);
}

class TransmitterNames {
 public:
  explicit TransmitterNames(const std::vector<PredictedTransmitter>& transmitters)
      : only_one_(transmitters.size() == 1) {
    // A name wins over another transmitter's id that reads the same.
    for (std::uint32_t t = 0; t < transmitters.size(); ++t) by_text_.emplace(trimmed(transmitters[t].name), t);
    for (std::uint32_t t = 0; t < transmitters.size(); ++t) {
      by_text_.emplace(std::to_string(transmitters[t].transmitter_id), t);
    }
  }

  std::uint32_t find(std::string_view text) const {
    const std::string_view name = trimmed(text);
    if (name.empty()) return only_one_ ? 0 : unknown_transmitter;
    const auto found = by_text_.find(std::string(name));
    return found == by_text_.end() ? unknown_transmitter : found->second;
  }

 private:
  bool only_one_;
  std::unordered_map<std::string, std::uint32_t> by_text_;
};

// ── What is predicted where ──

// The tiles of a prediction, each once, and what each transmitter's row says there.
class PredictedTiles {
 public:
  PredictedTiles(const std::vector<PredictedTarget>& targets, const std::vector<PredictedTransmitter>& transmitters) {
    std::unordered_map<std::int64_t, std::uint32_t> transmitter_of_id;
    for (std::uint32_t t = 0; t < transmitters.size(); ++t) {
      transmitter_of_id.emplace(transmitters[t].transmitter_id, t);
    }
    rows_.resize(transmitters.size());
    for (const PredictedTarget& target : targets) {
      const auto transmitter = transmitter_of_id.find(target.transmitter_id);
      if (transmitter == transmitter_of_id.end()) continue;
      if (tile_ids_.emplace(target.tile_id, 0).second) {
        tiles_.push_back({target.tile_id, target.kind, target.centroid});
        if (target.kind == SurfaceKind::ground) ground_tiles_.push_back(tiles_.back());
      }
      rows_[transmitter->second].emplace(target.tile_id, &target);
    }
  }

  const std::vector<IndexedTile>& tiles() const { return tiles_; }
  const std::vector<IndexedTile>& ground_tiles() const { return ground_tiles_; }
  // Null where the transmitter has no row.
  const PredictedTarget* row(std::uint32_t transmitter, std::int64_t tile_id) const {
    const auto found = rows_[transmitter].find(tile_id);
    return found == rows_[transmitter].end() ? nullptr : found->second;
  }

 private:
  std::vector<IndexedTile> tiles_, ground_tiles_;
  std::unordered_map<std::int64_t, std::uint32_t> tile_ids_;
  std::vector<std::unordered_map<std::int64_t, const PredictedTarget*>> rows_;
};

// ── Snapping ──

struct Snapped {
  double level_db = undefined;
  Vec3 position;  // of the measurement: on the ground, or at its height above it
  std::optional<IndexedTile> tile;
  double distance_m = undefined;  // from the measurement to the tile's centroid
  bool line_of_sight = false;
  bool bilinear_fell_back = false;
  std::string excluded_because;
};

class Snapper {
 public:
  Snapper(const PredictedTiles& predicted, const ComparisonOptions& options)
      : predicted_(predicted),
        options_(options),
        ground_(predicted.ground_tiles()),
        all_(predicted.tiles()),
        lattice_(predicted.ground_tiles()) {}

  Snapped snap(const Measurement& measurement, std::uint32_t transmitter) const {
    Snapped snapped;
    snapped.position = {measurement.position.x, measurement.position.y, 0.0};
    const std::optional<NearestTile> ground = ground_.nearest_2d(measurement.position);
    if (ground)
      snapped.position.z = predicted_.ground_tiles()[ground->tile].centroid.z + measurement.height_m.value_or(0);

    if (!is_inside(measurement.position)) {
      snapped.excluded_because = "outside of the predicted area";
      return snapped;
    }
    if (!ground) {
      snapped.excluded_because = "no ground tile in the prediction";
      return snapped;
    }
    const bool in_space = options_.snapping == Snapping::nearest_3d && measurement.height_m.has_value();
    const NearestTile nearest = in_space ? all_.nearest_3d(snapped.position).value_or(NearestTile{}) : *ground;
    const IndexedTile& tile = in_space ? predicted_.tiles()[nearest.tile] : predicted_.ground_tiles()[nearest.tile];
    snapped.tile = tile;
    snapped.distance_m = nearest.distance_m;
    if (nearest.distance_m > options_.max_snap_distance_m) {
      snapped.excluded_because = "farther than the maximum snap distance from any tile";
      return snapped;
    }
    read_level(measurement, transmitter, snapped);
    return snapped;
  }

 private:
  bool is_inside(Vec2 p) const {
    const Rectangle& area = all_.bounds();
    const double reach = options_.max_snap_distance_m;
    return !area.empty() && p.x >= area.min.x - reach && p.x <= area.max.x + reach && p.y >= area.min.y - reach &&
           p.y <= area.max.y + reach;
  }

  // The level at the snapped tile, or between the four around when asked for and there.
  void read_level(const Measurement& measurement, std::uint32_t transmitter, Snapped& snapped) const {
    if (const PredictedTarget* row = predicted_.row(transmitter, snapped.tile->id)) {
      snapped.level_db = predicted_level_db(*row, options_.value_kind);
      snapped.line_of_sight = row->line_of_sight;
    }
    if (options_.snapping == Snapping::bilinear) {
      const double between = bilinear_level_db(measurement.position, transmitter);
      snapped.bilinear_fell_back = std::isnan(between);
      if (!snapped.bilinear_fell_back) snapped.level_db = between;
    }
    if (std::isnan(snapped.level_db)) snapped.excluded_because = "no prediction there";
  }

  // Interpolated in dB, as measured levels vary; NaN unless all four tiles around have a level.
  double bilinear_level_db(Vec2 p, std::uint32_t transmitter) const {
    const std::optional<GroundLattice::Cell> cell = lattice_.around(p);
    if (!cell) return undefined;
    std::array<double, 4> level{};
    for (std::size_t corner = 0; corner < level.size(); ++corner) {
      const IndexedTile& tile = predicted_.ground_tiles()[cell->tiles[corner]];
      const PredictedTarget* row = predicted_.row(transmitter, tile.id);
      level[corner] = row ? predicted_level_db(*row, options_.value_kind) : undefined;
    }
    const double south = (1 - cell->east) * level[0] + cell->east * level[1];
    const double north = (1 - cell->east) * level[2] + cell->east * level[3];
    return (1 - cell->north) * south + cell->north * north;
  }

  const PredictedTiles& predicted_;
  const ComparisonOptions& options_;
  TileIndex ground_, all_;
  GroundLattice lattice_;
};

// ── The stages of a comparison ──

std::vector<std::uint32_t> transmitters_of(const std::vector<Measurement>& measurements,
                                           const std::vector<PredictedTransmitter>& transmitters) {
  const TransmitterNames names(transmitters);
  std::vector<std::uint32_t> of;
  of.reserve(measurements.size());
  for (const Measurement& measurement : measurements) of.push_back(names.find(measurement.transmitter));
  return of;
}

// Measured levels, averaged along each transmitter's route when asked for. Values at the scanner's floor count in
// their neighbours' averages: leaving out the weak ones would lift the mean.
std::vector<double> measured_levels_db(const std::vector<Measurement>& measurements,
                                       const std::vector<std::uint32_t>& transmitter_of,
                                       const std::vector<PredictedTransmitter>& transmitters,
                                       const ComparisonOptions& options) {
  std::vector<double> levels(measurements.size(), undefined);
  for (std::uint32_t t = 0; t < transmitters.size(); ++t) {
    std::vector<RouteSample> route;
    std::vector<std::size_t> source;
    for (std::size_t m = 0; m < measurements.size(); ++m) {
      const Vec2 position = measurements[m].position;
      if (transmitter_of[m] != t || !std::isfinite(position.x) || !std::isfinite(position.y)) continue;
      route.push_back({position, measured_level_db(measurements[m].value, options)});
      source.push_back(m);
    }
    double window_m = options.averaging_distance_m;
    if (window_m <= 0 && options.averaging_wavelengths > 0 && transmitters[t].frequency_hz > 0) {
      window_m = options.averaging_wavelengths * wavelength_m(transmitters[t].frequency_hz);
    }
    const std::vector<double> averaged = average_along_route(route, window_m);
    for (std::size_t i = 0; i < source.size(); ++i) levels[source[i]] = averaged[i];
  }
  return levels;
}

// Why a measurement cannot be used whatever is predicted; empty when it can.
std::string unusable_because(const Measurement& measurement, std::uint32_t transmitter,
                             const ComparisonOptions& options) {
  if (transmitter == unknown_transmitter) return "unknown transmitter";
  if (!std::isfinite(measurement.position.x) || !std::isfinite(measurement.position.y)) return "no place";
  if (!std::isfinite(measurement.value)) return "no value";
  if (is_censored(measurement.value, options)) return "censored: at the scanner's floor";
  return {};
}

MeasurementError error_of(const Measurement& measurement, double measured_db, const PredictedTransmitter* transmitter,
                          const Snapped& snapped, const std::string& unusable) {
  MeasurementError error;
  error.transmitter_id = transmitter ? transmitter->transmitter_id : 0;
  error.measurement_id = measurement.measurement_id;
  error.position = snapped.position;
  error.measured_db = measured_db;
  error.predicted_db = snapped.level_db;
  error.error_db = snapped.level_db - measured_db;
  error.distance_m = transmitter ? norm(snapped.position - transmitter->position) : undefined;
  error.line_of_sight = snapped.line_of_sight;
  error.above_ground = measurement.height_m.has_value();
  if (snapped.tile) error.tile_id = snapped.tile->id;
  error.snap_distance_m = snapped.distance_m;
  error.excluded_because = unusable.empty() ? snapped.excluded_because : unusable;
  return error;
}

// Takes the mean error of each transmitter's used measurements, on the ground and above together, off its
// predictions. Returns the means by transmitter id.
std::map<std::int64_t, double> remove_means(std::vector<MeasurementError>& errors) {
  std::map<std::int64_t, std::vector<double>> used;
  for (const MeasurementError& error : errors) {
    if (error.excluded_because.empty()) used[error.transmitter_id].push_back(error.error_db);
  }
  std::map<std::int64_t, double> means;
  for (const auto& [transmitter_id, values] : used) means[transmitter_id] = mean(values);
  for (MeasurementError& error : errors) {
    const auto found = means.find(error.transmitter_id);
    if (found == means.end()) continue;
    error.predicted_db -= found->second;
    error.error_db = error.predicted_db - error.measured_db;
  }
  return means;
}

// The rows of one height class: each transmitter, all, sites. `suffix` tells the classes apart.
void add_statistics(const std::vector<MeasurementError>& errors, bool above_ground,
                    const std::vector<PredictedTransmitter>& transmitters, const std::string& suffix,
                    std::vector<ErrorStatistics>& statistics) {
  std::map<std::int64_t, std::vector<const MeasurementError*>> used_of;
  std::vector<const MeasurementError*> used;
  for (const MeasurementError& error : errors) {
    if (!error.excluded_because.empty() || error.above_ground != above_ground) continue;
    used_of[error.transmitter_id].push_back(&error);
    used.push_back(&error);
  }
  std::vector<ErrorStatistics> sites;
  for (const PredictedTransmitter& transmitter : transmitters) {
    ErrorStatistics row = describe_errors(used_of[transmitter.transmitter_id]);
    row.group = transmitter.name + suffix;
    row.transmitter_id = transmitter.transmitter_id;
    sites.push_back(std::move(row));
  }
  ErrorStatistics all = describe_errors(used);
  all.group = "all" + suffix;
  ErrorStatistics over_sites = describe_sites(sites);
  over_sites.group = "sites" + suffix;
  statistics.insert(statistics.end(), sites.begin(), sites.end());
  statistics.push_back(std::move(all));
  statistics.push_back(std::move(over_sites));
}

void warn_of_fallbacks(const std::vector<Snapped>& snapped, Progress& progress) {
  const auto count = std::count_if(snapped.begin(), snapped.end(),
                                   [](const Snapped& s) { return s.bilinear_fell_back && s.excluded_because.empty(); });
  if (count == 0) return;
  progress.warn({"bilinear_fell_back", std::to_string(count) +
                                           " measurements have no four predicted ground tiles around them (a building "
                                           "or the border is near) and took the nearest ground tile instead"});
}

}  // namespace

Comparison compare_with_drive_test(const std::vector<PredictedTarget>& predicted,
                                   const std::vector<PredictedTransmitter>& transmitters,
                                   const std::vector<Measurement>& measurements, const ComparisonOptions& options,
                                   Progress& progress) {
  require_values_of_kind(measurements, options.value_kind);
  const std::vector<std::uint32_t> transmitter_of = transmitters_of(measurements, transmitters);
  const std::vector<double> measured_db = measured_levels_db(measurements, transmitter_of, transmitters, options);

  const PredictedTiles tiles(predicted, transmitters);
  const Snapper snapper(tiles, options);
  std::vector<Snapped> snapped(measurements.size());
  Comparison comparison;
  comparison.errors.resize(measurements.size());
  parallel_blocks(measurements.size(), 1024, progress, [&](std::size_t begin, std::size_t end) {
    for (std::size_t m = begin; m < end; ++m) {
      const Measurement& measurement = measurements[m];
      const std::string unusable = unusable_because(measurement, transmitter_of[m], options);
      if (unusable.empty())
        snapped[m] = snapper.snap(measurement, transmitter_of[m]);
      else
        snapped[m].position = {measurement.position.x, measurement.position.y, 0.0};
      const bool known = transmitter_of[m] != unknown_transmitter;
      comparison.errors[m] = error_of(measurement, measured_db[m], known ? &transmitters[transmitter_of[m]] : nullptr,
                                      snapped[m], unusable);
    }
  });
  warn_of_fallbacks(snapped, progress);
  std::stable_sort(comparison.errors.begin(), comparison.errors.end(),
                   [](const MeasurementError& a, const MeasurementError& b) {
                     return std::tie(a.transmitter_id, a.measurement_id) < std::tie(b.transmitter_id, b.measurement_id);
                   });

  std::map<std::int64_t, double> removed;
  if (options.remove_mean) removed = remove_means(comparison.errors);
  add_statistics(comparison.errors, false, transmitters, "", comparison.statistics);
  const bool any_above = std::any_of(measurements.begin(), measurements.end(),
                                     [](const Measurement& m) { return m.height_m.has_value(); });
  if (any_above) add_statistics(comparison.errors, true, transmitters, ", above ground", comparison.statistics);
  for (ErrorStatistics& row : comparison.statistics) {
    if (!options.remove_mean) continue;
    const auto found = row.transmitter_id ? removed.find(*row.transmitter_id) : removed.end();
    row.removed_mean_db = found == removed.end() ? undefined : found->second;
  }
  return comparison;
}

}  // namespace tesseray
