// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/comparison/comparison.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <map>
#include <set>
#include <sstream>
#include <tuple>
#include <unordered_map>

#include "core/base/listed.h"
#include "core/base/parallel.h"
#include "core/base/units.h"
#include "core/comparison/averaging.h"
#include "core/comparison/measured_values.h"
#include "core/comparison/statistics.h"
#include "core/scene/receiver_height.h"
#include "core/tiling/tile_index.h"

namespace tesseray {
namespace {

constexpr std::uint32_t unknown_transmitter = std::numeric_limits<std::uint32_t>::max();

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
  double level = undefined;
  Vec3 position;  // of the measurement: on the ground, or at its height above it
  std::optional<IndexedTile> tile;
  double distance_m = undefined;  // from the measurement to the tile's centroid
  std::optional<bool> line_of_sight;
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

  // Where a measurement is that nothing is compared with.
  Snapped place(const Measurement& measurement) const {
    const bool is_somewhere = std::isfinite(measurement.position.x) && std::isfinite(measurement.position.y);
    return {.position =
                position_on(is_somewhere ? ground_.nearest_2d(measurement.position) : std::nullopt, measurement)};
  }

  Snapped snap(const Measurement& measurement, std::uint32_t transmitter) const {
    const std::optional<NearestTile> ground = ground_.nearest_2d(measurement.position);
    Snapped snapped{.position = position_on(ground, measurement)};
    if (!is_inside(measurement.position)) {
      snapped.excluded_because = outside_of_the_prediction;
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

  Vec3 position_on(const std::optional<NearestTile>& ground, const Measurement& measurement) const {
    const double z =
        ground ? predicted_.ground_tiles()[ground->tile].centroid.z + measurement.height_m.value_or(0) : undefined;
    return {measurement.position.x, measurement.position.y, z};
  }

  // The level at the snapped tile, or between the four around when asked for and there.
  void read_level(const Measurement& measurement, std::uint32_t transmitter, Snapped& snapped) const {
    if (const PredictedTarget* row = predicted_.row(transmitter, snapped.tile->id)) {
      snapped.level = predicted_value(*row, options_);
      snapped.line_of_sight = row->line_of_sight;
    }
    if (options_.snapping == Snapping::bilinear) {
      const double between = bilinear_level(measurement.position, transmitter);
      snapped.bilinear_fell_back = std::isnan(between);
      if (!snapped.bilinear_fell_back) snapped.level = between;
    }
    if (std::isnan(snapped.level)) snapped.excluded_because = "no prediction there";
  }

  // Interpolated in dB, as measured levels vary; NaN unless all four tiles around have a level.
  double bilinear_level(Vec2 p, std::uint32_t transmitter) const {
    const std::optional<GroundLattice::Cell> cell = lattice_.around(p);
    if (!cell) return undefined;
    std::array<double, 4> level{};
    for (std::size_t corner = 0; corner < level.size(); ++corner) {
      const IndexedTile& tile = predicted_.ground_tiles()[cell->tiles[corner]];
      const PredictedTarget* row = predicted_.row(transmitter, tile.id);
      level[corner] = row ? predicted_value(*row, options_) : undefined;
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
  for (const Measurement& measurement : measurements)
    of.push_back(names.find(measurement.transmitter, measurement.transmitter_may_be_id).value_or(unknown_transmitter));
  return of;
}

// Measured levels, averaged along each transmitter's route when asked for. Values at the scanner's floor count in
// their neighbours' averages: leaving out the weak ones would lift the mean.
std::vector<double> measured_levels(const std::vector<Measurement>& measurements,
                                    const std::vector<std::uint32_t>& transmitter_of,
                                    const std::vector<PredictedTransmitter>& transmitters,
                                    const ComparisonOptions& options) {
  std::vector<double> levels;
  levels.reserve(measurements.size());
  for (const Measurement& measurement : measurements) levels.push_back(measured_value(measurement.value, options));
  for (std::uint32_t t = 0; t < transmitters.size(); ++t) {
    std::vector<RouteSample> route;
    std::vector<std::size_t> source;
    for (std::size_t m = 0; m < measurements.size(); ++m) {
      const Vec2 position = measurements[m].position;
      if (transmitter_of[m] != t || !std::isfinite(position.x) || !std::isfinite(position.y)) continue;
      if (!is_plausible(measurements[m].value, options.value_kind)) continue;
      route.push_back({position, levels[m]});
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

constexpr const char* no_plausible_value = "no plausible value";
constexpr const char* no_plausible_height = "no plausible height";

bool has_plausible_height(const Measurement& measurement) {
  return is_receiver_height(measurement.height_m.value_or(0));
}

// Why a measurement cannot be used whatever is predicted; empty when it can.
std::string unusable_because(const Measurement& measurement, std::uint32_t transmitter,
                             const ComparisonOptions& options) {
  if (transmitter == unknown_transmitter) return "unknown transmitter";
  if (!std::isfinite(measurement.position.x) || !std::isfinite(measurement.position.y)) return "no place";
  if (!std::isfinite(measurement.value)) return "no value";
  if (!is_plausible(measurement.value, options.value_kind)) return no_plausible_value;
  if (!has_plausible_height(measurement)) return no_plausible_height;
  if (is_censored(measurement.value, options)) return "censored: at the scanner's floor";
  return {};
}

MeasurementError error_of(const Measurement& measurement, double measured, const PredictedTransmitter* transmitter,
                          const Snapped& snapped, const std::string& unusable) {
  MeasurementError error;
  if (transmitter) error.transmitter_id = transmitter->transmitter_id;
  error.measurement_id = measurement.measurement_id;
  error.position = snapped.position;
  error.measured = measured;
  error.predicted = snapped.level;
  error.error = snapped.level - measured;
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
    if (error.excluded_because.empty()) used[*error.transmitter_id].push_back(error.error);
  }
  std::map<std::int64_t, double> means;
  for (const auto& [transmitter_id, values] : used) means[transmitter_id] = mean(values);
  for (MeasurementError& error : errors) {
    const auto found = error.transmitter_id ? means.find(*error.transmitter_id) : means.end();
    if (found == means.end()) continue;
    error.predicted -= found->second;
    error.error = error.predicted - error.measured;
  }
  return means;
}

// The rows of one height class: each transmitter, all, sites. `suffix` tells the classes apart. `half_step_ns` is NaN
// for levels.
void add_statistics(const std::vector<MeasurementError>& errors, bool above_ground,
                    const std::vector<PredictedTransmitter>& transmitters, const std::string& suffix,
                    double half_step_ns, std::vector<ErrorStatistics>& statistics) {
  std::map<std::int64_t, std::vector<const MeasurementError*>> used_of;
  std::vector<const MeasurementError*> used;
  for (const MeasurementError& error : errors) {
    if (!error.excluded_because.empty() || error.above_ground != above_ground) continue;
    used_of[*error.transmitter_id].push_back(&error);
    used.push_back(&error);
  }
  std::vector<ErrorStatistics> sites;
  for (const PredictedTransmitter& transmitter : transmitters) {
    ErrorStatistics row = describe_errors(used_of[transmitter.transmitter_id]);
    row.within_resolution = share_within(used_of[transmitter.transmitter_id], half_step_ns);
    row.group = transmitter.name + suffix;
    row.transmitter_id = transmitter.transmitter_id;
    sites.push_back(std::move(row));
  }
  ErrorStatistics all = describe_errors(used);
  all.within_resolution = share_within(used, half_step_ns);
  all.group = "all" + suffix;
  ErrorStatistics over_sites = describe_sites(sites);
  over_sites.within_resolution = undefined;
  over_sites.group = "sites" + suffix;
  statistics.insert(statistics.end(), sites.begin(), sites.end());
  statistics.push_back(std::move(all));
  statistics.push_back(std::move(over_sites));
}

// Warns of transmitters whose offset nothing tells.
std::map<std::int64_t, double> find_and_remove_offsets(std::vector<MeasurementError>& errors,
                                                       const TimingOptions& options, Progress& progress) {
  std::map<std::int64_t, double> offsets = remove_timing_offsets(errors, options.offset);
  std::map<std::int64_t, std::size_t> without;
  for (const MeasurementError& error : errors) {
    if (error.excluded_because.empty() && !offsets.contains(*error.transmitter_id)) ++without[*error.transmitter_id];
  }
  if (options.offset == TimingOffset::none || without.empty()) return offsets;
  std::size_t measurements = 0;
  for (const auto& [transmitter_id, count] : without) measurements += count;
  progress.warn({"no_timing_offset", std::to_string(without.size()) +
                                         " transmitters have no measurement in line of sight that tells their timing "
                                         "offset: the times of " +
                                         std::to_string(measurements) + " measurements are taken as they are"});
  return offsets;
}

// Names that differ are what most often leaves nothing to compare; those of both sides are told.
void warn_of_unknown_transmitters(const std::vector<Measurement>& measurements,
                                  const std::vector<std::uint32_t>& transmitter_of,
                                  const std::vector<PredictedTransmitter>& transmitters, Progress& progress) {
  std::size_t named = 0, unnamed = 0;
  std::set<std::string> unknown, predicted;
  const auto few = [](const std::set<std::string>& names) {
    constexpr std::size_t most_shown = 5;
    return listed({names.begin(), names.end()}, most_shown);
  };
  for (std::size_t m = 0; m < measurements.size(); ++m) {
    if (transmitter_of[m] != unknown_transmitter) continue;
    (measurements[m].transmitter.empty() ? unnamed : named) += 1;
    if (!measurements[m].transmitter.empty()) unknown.insert(measurements[m].transmitter);
  }
  for (const PredictedTransmitter& transmitter : transmitters) predicted.insert(transmitter.name);
  if (named > 0) {
    progress.warn({"unknown_transmitter",
                   std::to_string(named) +
                       " of the measurements name transmitters that the prediction does not have: " + few(unknown) +
                       ". It has " + few(predicted)});
  }
  if (unnamed > 0) {
    progress.warn({"no_transmitter", std::to_string(unnamed) +
                                         " of the measurements name no transmitter, and the prediction has several: " +
                                         few(predicted) + ". Choose the field that names them as TRANSMITTER_FIELD"});
  }
}

void warn_of_implausible(const std::vector<MeasurementError>& errors, const std::vector<Measurement>& measurements,
                         ValueKind kind, Progress& progress) {
  const auto count = std::count_if(errors.begin(), errors.end(), [](const MeasurementError& error) {
    return error.excluded_because == no_plausible_value;
  });
  if (count == 0) return;
  const auto first = std::find_if(measurements.begin(), measurements.end(), [kind](const Measurement& m) {
    return std::isfinite(m.value) && !is_plausible(m.value, kind);
  });
  std::ostringstream value;
  value << first->value;
  progress.warn({"implausible_values", std::to_string(count) + " of " + std::to_string(measurements.size()) +
                                           " measured values are not used, since none can be measured, such as " +
                                           value.str() + " of measurement " + std::to_string(first->measurement_id)});
}

void warn_of_implausible_heights(const std::vector<MeasurementError>& errors,
                                 const std::vector<Measurement>& measurements, Progress& progress) {
  const auto count = std::count_if(errors.begin(), errors.end(), [](const MeasurementError& error) {
    return error.excluded_because == no_plausible_height;
  });
  if (count == 0) return;
  const auto first = std::find_if_not(measurements.begin(), measurements.end(), has_plausible_height);
  std::ostringstream height;
  height << *first->height_m;
  progress.warn({"implausible_heights", std::to_string(count) + " of " + std::to_string(measurements.size()) +
                                            " measurements are not used, since their heights are not from 0 to 2,000 m "
                                            "above the ground, such as " +
                                            height.str() + " m of measurement " +
                                            std::to_string(first->measurement_id) +
                                            ". Check the field given as MEASUREMENT_HEIGHT_FIELD"});
}

void warn_of_missing_heights(const std::vector<Measurement>& measurements, Snapping snapping, Progress& progress) {
  const bool has_height = std::any_of(measurements.begin(), measurements.end(),
                                      [](const Measurement& m) { return m.height_m.has_value(); });
  if (snapping != Snapping::nearest_3d || has_height || measurements.empty()) return;
  progress.warn({"no_measurement_heights",
                 "no measurement has a height above the ground, so that all are compared with the nearest ground "
                 "tile. Choose the field with the heights as MEASUREMENT_HEIGHT_FIELD"});
}

void warn_of_fallbacks(const std::vector<Snapped>& snapped, Progress& progress) {
  const auto count = std::count_if(snapped.begin(), snapped.end(),
                                   [](const Snapped& s) { return s.bilinear_fell_back && s.excluded_because.empty(); });
  if (count == 0) return;
  progress.warn({"bilinear_fell_back", std::to_string(count) +
                                           " measurements have no four predicted ground tiles around them (a building "
                                           "or the border is near) and took the nearest ground tile instead"});
}

// Each measurement, in their order, snapped to what it is compared with.
std::vector<MeasurementError> compare_each(const std::vector<PredictedTarget>& predicted,
                                           const std::vector<PredictedTransmitter>& transmitters,
                                           const std::vector<Measurement>& measurements,
                                           const ComparisonOptions& options, std::vector<Snapped>& snapped,
                                           Progress& progress) {
  const std::vector<std::uint32_t> transmitter_of = transmitters_of(measurements, transmitters);
  warn_of_unknown_transmitters(measurements, transmitter_of, transmitters, progress);
  const std::vector<double> measured = measured_levels(measurements, transmitter_of, transmitters, options);
  const PredictedTiles tiles(predicted, transmitters);
  const Snapper snapper(tiles, options);
  snapped.resize(measurements.size());
  std::vector<MeasurementError> errors(measurements.size());
  parallel_blocks(measurements.size(), 1024, progress, [&](std::size_t begin, std::size_t end) {
    for (std::size_t m = begin; m < end; ++m) {
      const Measurement& measurement = measurements[m];
      const std::string unusable = unusable_because(measurement, transmitter_of[m], options);
      snapped[m] = unusable.empty() ? snapper.snap(measurement, transmitter_of[m]) : snapper.place(measurement);
      const bool known = transmitter_of[m] != unknown_transmitter;
      errors[m] =
          error_of(measurement, measured[m], known ? &transmitters[transmitter_of[m]] : nullptr, snapped[m], unusable);
    }
  });
  return errors;
}

void sort_by_transmitter(std::vector<MeasurementError>& errors) {
  std::stable_sort(errors.begin(), errors.end(), [](const MeasurementError& a, const MeasurementError& b) {
    return std::tie(a.transmitter_id, a.measurement_id) < std::tie(b.transmitter_id, b.measurement_id);
  });
}

// What was taken off the errors of the row's transmitter; undefined of several.
double removed_of(const ErrorStatistics& row, const std::map<std::int64_t, double>& of_transmitter) {
  const auto found = row.transmitter_id ? of_transmitter.find(*row.transmitter_id) : of_transmitter.end();
  return found == of_transmitter.end() ? undefined : found->second;
}

}  // namespace

Comparison compare_with_drive_test(const std::vector<PredictedTarget>& predicted,
                                   const std::vector<PredictedTransmitter>& transmitters,
                                   const std::vector<Measurement>& measurements, const ComparisonOptions& options,
                                   Progress& progress) {
  require_values_of_kind(measurements, options);
  std::vector<Snapped> snapped;
  Comparison comparison;
  comparison.errors = compare_each(predicted, transmitters, measurements, options, snapped, progress);
  warn_of_implausible(comparison.errors, measurements, options.value_kind, progress);
  warn_of_implausible_heights(comparison.errors, measurements, progress);
  warn_of_missing_heights(measurements, options.snapping, progress);
  warn_of_fallbacks(snapped, progress);
  sort_by_transmitter(comparison.errors);

  comparison.of_arrival_times = is_arrival_time(options.value_kind);
  std::map<std::int64_t, double> removed, offsets;
  if (comparison.of_arrival_times) offsets = find_and_remove_offsets(comparison.errors, options.timing, progress);
  if (options.remove_mean) removed = remove_means(comparison.errors);
  const double half_step_ns =
      comparison.of_arrival_times ? 0.5 * one_way_step_ns(options.timing.resolution) : undefined;
  add_statistics(comparison.errors, false, transmitters, "", half_step_ns, comparison.statistics);
  const bool any_above = std::any_of(measurements.begin(), measurements.end(),
                                     [](const Measurement& m) { return m.height_m.has_value(); });
  if (any_above) {
    add_statistics(comparison.errors, true, transmitters, ", above ground", half_step_ns, comparison.statistics);
  }
  for (ErrorStatistics& row : comparison.statistics) {
    if (options.remove_mean) row.removed_mean = removed_of(row, removed);
    row.removed_offset = removed_of(row, offsets);
  }
  return comparison;
}

}  // namespace tesseray
