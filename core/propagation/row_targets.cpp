// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/propagation/row_targets.h"

#include <tbb/blocked_range.h>
#include <tbb/parallel_for.h>

#include <algorithm>
#include <limits>

namespace tesseray {
namespace {

// Members nearer than this to a tile's plane (an edge's line) are on it: nothing is reflected (diffracted) to them.
constexpr double least_distance_m = 1e-3;

void add_member(RowIntervals& intervals, Vec3 coordinates, std::uint32_t target) {
  if (coordinates.z < least_distance_m) return;
  const double scale = 1.0 / coordinates.z;
  intervals.first_u.push_back(static_cast<float>((coordinates.x - 1.0) * scale));
  intervals.last_u.push_back(static_cast<float>((coordinates.x + 1.0) * scale));
  intervals.first_v.push_back(static_cast<float>((coordinates.y - 1.0) * scale));
  intervals.last_v.push_back(static_cast<float>((coordinates.y + 1.0) * scale));
  intervals.target.push_back(target);
}

void add_member(RowIntervals& intervals, const EdgeSegment& edge, Vec3 point, std::uint32_t target) {
  const Vec3 way = point - edge.midpoint;
  const double z = dot(way, edge.direction);
  const double distance = norm(way - z * edge.direction);
  if (distance < least_distance_m) return;
  const double half = 0.5 * edge.length_m, scale = 1.0 / distance;
  intervals.first_u.push_back(static_cast<float>((z - half) * scale));
  intervals.last_u.push_back(static_cast<float>((z + half) * scale));
  intervals.target.push_back(target);
}

}  // namespace

TileFrame::TileFrame(const Tile& tile) : centroid(tile.centroid), normal(tile.normal) {
  // The dual basis of (half_u, half_v) in the tile's plane: sides of ground tiles need not be at right angles.
  const double uu = dot(tile.half_u, tile.half_u), uv = dot(tile.half_u, tile.half_v),
               vv = dot(tile.half_v, tile.half_v);
  const double scale = 1.0 / (uu * vv - uv * uv);
  dual_u = scale * (vv * tile.half_u - uv * tile.half_v);
  dual_v = scale * (uu * tile.half_v - uv * tile.half_u);
}

Vec3 target_point(const Tile& tile, double receiver_height_m) {
  if (tile.kind != SurfaceKind::ground) return tile.centroid;
  return tile.centroid + Vec3{0, 0, receiver_height_m};
}

TargetPoints::TargetPoints(const Tiling& tiling, const std::vector<Receiver>& receivers, double receiver_height_m,
                           bool tiles_are_targets)
    : tile_count_(static_cast<std::uint32_t>(tiling.tiles.size())),
      edge_count_(static_cast<std::uint32_t>(tiling.edges.size())),
      receiver_count_(static_cast<std::uint32_t>(receivers.size())),
      tiles_are_targets_(tiles_are_targets) {
  arrival_.reserve(std::size_t{tile_count_} + edge_count_ + receiver_count_);
  reference_.reserve(std::size_t{tile_count_} + edge_count_);
  for (const Tile& tile : tiling.tiles) {
    arrival_.push_back(target_point(tile, receiver_height_m));
    reference_.push_back(tile.centroid);
  }
  for (const EdgeSegment& edge : tiling.edges) {
    arrival_.push_back(edge.midpoint);
    reference_.push_back(edge.midpoint);
  }
  for (const Receiver& receiver : receivers) arrival_.push_back(receiver.position);
}

ReceiverRows::ReceiverRows(const Occlusion& occlusion, const Tiling& tiling, const std::vector<Receiver>& receivers)
    : rows_(receivers.size()), offsets_(tiling.tiles.size() + tiling.edges.size() + 1, 0) {
  tbb::parallel_for(std::size_t{0}, receivers.size(),
                    [&](std::size_t r) { rows_[r] = visible_from(occlusion, tiling, receivers[r].position); });
  for (const auto& row : rows_) {
    for (const std::uint32_t element : row) ++offsets_[element + 1];
  }
  for (std::size_t e = 1; e < offsets_.size(); ++e) offsets_[e] += offsets_[e - 1];
  receivers_.resize(offsets_.back());
  std::vector<std::uint64_t> next(offsets_.begin(), offsets_.end() - 1);
  for (std::uint32_t r = 0; r < rows_.size(); ++r) {
    for (const std::uint32_t element : rows_[r]) receivers_[next[element]++] = r;
  }
}

void lay_out_tile_row(const Tiling& tiling, const TargetPoints& points, const TileFrame& frame, std::uint32_t tile,
                      std::span<const std::uint32_t> row, std::span<const std::uint32_t> receivers,
                      RowIntervals& intervals) {
  intervals.clear();
  const bool from_ground = tiling.tiles[tile].kind == SurfaceKind::ground;
  const std::uint32_t arrives = points.tiles_are_targets() ? RowTarget::arrives : 0;
  for (const std::uint32_t member : row) {
    if (!points.is_tile(member)) {
      add_member(intervals, frame.coordinates(points.reference(member)), member | RowTarget::goes_on);
    } else if (tiling.tiles[member].kind != SurfaceKind::ground) {
      add_member(intervals, frame.coordinates(points.arrival(member)), member | arrives | RowTarget::goes_on);
    } else if (!from_ground) {
      // Ground to ground is what the ground-reflected companion at the target stands for.
      if (arrives != 0) add_member(intervals, frame.coordinates(points.arrival(member)), member | arrives);
      add_member(intervals, frame.coordinates(points.reference(member)), member | RowTarget::goes_on);
    }
  }
  for (const std::uint32_t receiver : receivers) {
    const std::uint32_t number = points.element_count() + receiver;
    add_member(intervals, frame.coordinates(points.arrival(number)), number | RowTarget::arrives);
  }
}

void lay_out_edge_row(const Tiling& tiling, const TargetPoints& points, std::uint32_t edge,
                      std::span<const std::uint32_t> row, std::span<const std::uint32_t> receivers,
                      RowIntervals& intervals) {
  intervals.clear();
  const EdgeSegment& segment = tiling.edges[edge];
  const std::uint32_t arrives = points.tiles_are_targets() ? RowTarget::arrives : 0;
  for (const std::uint32_t member : row) {
    // A ground tile's arrival and its way on share one evaluation, at the target point.
    add_member(intervals, segment, points.arrival(member),
               member | RowTarget::goes_on | (points.is_tile(member) ? arrives : 0));
  }
  for (const std::uint32_t receiver : receivers) {
    const std::uint32_t number = points.element_count() + receiver;
    add_member(intervals, segment, points.arrival(number), number | RowTarget::arrives);
  }
}

IntervalBounds tile_bounds(Vec3 s) {
  const double scale = 1.0 / s.z;
  return {static_cast<float>((1.0 - s.x) * scale), static_cast<float>(-(1.0 + s.x) * scale),
          static_cast<float>((1.0 - s.y) * scale), static_cast<float>(-(1.0 + s.y) * scale)};
}

IntervalBounds tile_bounds(Vec3 one_end, Vec3 other_end) {
  if (one_end.z < least_distance_m || other_end.z < least_distance_m) {
    constexpr float infinite = std::numeric_limits<float>::infinity();
    return {infinite, -infinite, infinite, -infinite};
  }
  const IntervalBounds a = tile_bounds(one_end), b = tile_bounds(other_end);
  return {std::max(a.upper_u, b.upper_u), std::min(a.lower_u, b.lower_u), std::max(a.upper_v, b.upper_v),
          std::min(a.lower_v, b.lower_v)};
}

IntervalBounds edge_bounds(const EdgeSegment& edge, Vec3 source) {
  const Vec3 way = source - edge.midpoint;
  const double z = dot(way, edge.direction);
  const double distance = std::max(norm(way - z * edge.direction), least_distance_m);
  const double half = 0.5 * edge.length_m, scale = 1.0 / distance;
  return {static_cast<float>((half - z) * scale), static_cast<float>(-(half + z) * scale), 0, 0};
}

}  // namespace tesseray
