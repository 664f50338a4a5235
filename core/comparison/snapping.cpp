// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/comparison/snapping.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "core/comparison/measured_values.h"

namespace tesseray {
namespace {

// Receivers over one another, and of one height, but for rounding.
constexpr double same_place_m = 0.01;

double distance_to_line(Vec3 p, Vec3 middle, Vec3 half) {
  const double half_squared = squared_norm(half);
  const double along = half_squared > 0 ? std::clamp(dot(p - middle, half) / half_squared, -1.0, 1.0) : 0.0;
  return norm(p - (middle + along * half));
}

// From p to the nearest point of the parallelogram, or of the line or point that it is.
double distance_to_tile(Vec3 p, Vec3 centroid, Vec3 half_u, Vec3 half_v) {
  const Vec3 normal = cross(half_u, half_v), way = p - centroid;
  const double area_squared = squared_norm(normal);
  if (area_squared > 0) {
    const double u = dot(cross(way, half_v), normal) / area_squared, v = dot(cross(half_u, way), normal) / area_squared;
    if (std::fabs(u) <= 1 && std::fabs(v) <= 1) return std::fabs(dot(way, normal)) / std::sqrt(area_squared);
  }
  return std::min({distance_to_line(p, centroid - half_u, half_v), distance_to_line(p, centroid + half_u, half_v),
                   distance_to_line(p, centroid - half_v, half_u), distance_to_line(p, centroid + half_v, half_u)});
}

}  // namespace

Snapper::Snapper(const PredictedTiles& predicted, const ComparisonOptions& options)
    : predicted_(predicted),
      options_(options),
      ground_(predicted.ground_tiles()),
      all_(predicted.tiles()),
      lattice_(predicted.ground_tiles()) {
  for (std::uint32_t tile = 0; tile < predicted.tiles().size(); ++tile) {
    const PredictedTarget& target = predicted.target(tile);
    const Vec2 half{std::fabs(target.half_u.x) + std::fabs(target.half_v.x),
                    std::fabs(target.half_u.y) + std::fabs(target.half_v.y)};
    area_.extend(target.centroid.xy() - half);
    area_.extend(target.centroid.xy() + half);
  }
}

Snapped Snapper::place(const Measurement& measurement) const {
  const bool is_somewhere = std::isfinite(measurement.position.x) && std::isfinite(measurement.position.y);
  return {.position = position_on(is_somewhere ? nearest_ground(measurement) : std::nullopt, measurement)};
}

Snapped Snapper::snap(const Measurement& measurement, std::uint32_t transmitter) const {
  const std::optional<NearestTile> ground = nearest_ground(measurement);
  Snapped snapped{.position = position_on(ground, measurement)};
  if (!ground && !predicted_.tiles().empty()) {
    snapped.excluded_because = no_ground_tile;
    return snapped;
  }
  if (!is_inside(measurement.position)) {
    snapped.excluded_because = outside_of_the_prediction;
    return snapped;
  }
  const bool in_space = options_.snapping == Snapping::nearest_3d && measurement.height_m.has_value();
  std::uint32_t tile = predicted_.number_of(ground->tile);
  if (in_space) {
    // That with the nearest centroid may be farther away than a large one on the ground below.
    const NearestTile nearest = all_.nearest_3d(snapped.position).value_or(NearestTile{});
    if (is_near(predicted_.target(nearest.tile), snapped.position, in_space)) tile = nearest.tile;
  }
  const PredictedTarget target = predicted_.target(tile);
  snapped.tile_id = target.tile_id;
  const Vec3 to_centroid = target.centroid - snapped.position;
  snapped.distance_m = in_space ? norm(to_centroid) : norm(to_centroid.xy());
  if (!is_near(target, snapped.position, in_space)) {
    snapped.excluded_because = "farther than the maximum snap distance from any tile";
    return snapped;
  }
  read_level(measurement, transmitter, tile, snapped);
  return snapped;
}

bool Snapper::is_inside(Vec2 p) const {
  const double reach = options_.max_snap_distance_m;
  return !area_.empty() && p.x >= area_.min.x - reach && p.x <= area_.max.x + reach && p.y >= area_.min.y - reach &&
         p.y <= area_.max.y + reach;
}

bool Snapper::is_near(const PredictedTarget& tile, Vec3 p, bool in_space) const {
  const auto seen = [in_space](Vec3 v) { return in_space ? v : at_height(v.xy(), 0); };
  return distance_to_tile(seen(p), seen(tile.centroid), seen(tile.half_u), seen(tile.half_v)) <=
         options_.max_snap_distance_m;
}

std::optional<NearestTile> Snapper::nearest_ground(const Measurement& measurement) const {
  std::optional<NearestTile> nearest = ground_.at_or_nearest_2d(measurement.position);
  if (!nearest || !measurement.height_m) return nearest;
  const auto misfit_m = [&](std::uint32_t tile) {
    return std::fabs(ground_target(tile).height_m - *measurement.height_m);
  };
  for (const std::uint32_t tile :
       ground_.within(predicted_.ground_tiles()[nearest->tile].centroid.xy(), same_place_m)) {
    if (misfit_m(tile) < misfit_m(nearest->tile)) nearest->tile = tile;
  }
  return nearest;
}

Vec3 Snapper::position_on(const std::optional<NearestTile>& ground, const Measurement& measurement) const {
  if (!ground) return at_height(measurement.position, undefined);
  const PredictedTarget target = ground_target(ground->tile);
  return at_height(measurement.position, target.centroid.z - target.height_m + measurement.height_m.value_or(0));
}

void Snapper::read_level(const Measurement& measurement, std::uint32_t transmitter, std::uint32_t tile,
                         Snapped& snapped) const {
  if (const std::optional<PredictedTarget> row = predicted_.row(transmitter, tile)) {
    snapped.level = predicted_value(*row, options_);
    snapped.line_of_sight = row->line_of_sight;
  }
  if (options_.snapping == Snapping::bilinear) {
    const double between = bilinear_level(measurement, transmitter, predicted_.target(tile).height_m);
    snapped.bilinear_fell_back = std::isnan(between);
    if (!snapped.bilinear_fell_back) snapped.level = between;
  }
  if (std::isnan(snapped.level)) snapped.excluded_because = "no prediction there";
}

double Snapper::bilinear_level(const Measurement& measurement, std::uint32_t transmitter, double height_m) const {
  const std::optional<GroundLattice::Cell> cell = lattice_.around(measurement.position);
  if (!cell) return undefined;
  std::array<double, 4> level{};
  for (std::size_t corner = 0; corner < level.size(); ++corner) {
    const std::uint32_t tile = predicted_.number_of(cell->tiles[corner]);
    if (measurement.height_m && std::fabs(predicted_.target(tile).height_m - height_m) > same_place_m) return undefined;
    const std::optional<PredictedTarget> row = predicted_.row(transmitter, tile);
    level[corner] = row ? predicted_value(*row, options_) : undefined;
  }
  const double south = (1 - cell->east) * level[0] + cell->east * level[1];
  const double north = (1 - cell->east) * level[2] + cell->east * level[3];
  return (1 - cell->north) * south + cell->north * north;
}

}  // namespace tesseray
