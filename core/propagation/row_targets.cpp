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

constexpr float infinity = std::numeric_limits<float>::infinity();

struct LayOutTileRow {
  [[gnu::always_inline]] static void run(const TileFrame* frame, const double* __restrict coordinates,
                                         const std::uint32_t* __restrict points, std::size_t count, float* first_u,
                                         float* last_u, float* first_v, float* last_v) {
    const Vec3 centroid = frame->centroid, normal = frame->normal, along_u = frame->dual_u, along_v = frame->dual_v;
    TESSERAY_INDEPENDENT_TURNS
    for (std::size_t i = 0; i < count; ++i) {
      const std::size_t at = std::size_t{points[i]} * 3;
      const double x = coordinates[at] - centroid.x, y = coordinates[at + 1] - centroid.y,
                   z = coordinates[at + 2] - centroid.z;
      const double u = x * along_u.x + y * along_u.y + z * along_u.z;
      const double v = x * along_v.x + y * along_v.y + z * along_v.z;
      const double height = x * normal.x + y * normal.y + z * normal.z;
      const bool above = height >= least_distance_m;
      const double scale = 1.0 / (above ? height : 1.0);
      const auto low_u = static_cast<float>((u - 1.0) * scale), high_u = static_cast<float>((u + 1.0) * scale);
      const auto low_v = static_cast<float>((v - 1.0) * scale), high_v = static_cast<float>((v + 1.0) * scale);
      first_u[i] = above ? low_u : infinity;
      last_u[i] = above ? high_u : -infinity;
      first_v[i] = above ? low_v : infinity;
      last_v[i] = above ? high_v : -infinity;
    }
  }
};

struct LayOutEdgeRow {
  [[gnu::always_inline]] static void run(const EdgeSegment* edge, const double* __restrict coordinates,
                                         const std::uint32_t* __restrict points, std::size_t count, float* first_u,
                                         float* last_u) {
    const Vec3 midpoint = edge->midpoint, direction = edge->direction;
    const double half = 0.5 * edge->length_m;
    TESSERAY_INDEPENDENT_TURNS
    for (std::size_t i = 0; i < count; ++i) {
      const std::size_t at = std::size_t{points[i]} * 3;
      const double x = coordinates[at] - midpoint.x, y = coordinates[at + 1] - midpoint.y,
                   h = coordinates[at + 2] - midpoint.z;
      const double z = x * direction.x + y * direction.y + h * direction.z;
      const double across_x = x - z * direction.x, across_y = y - z * direction.y, across_h = h - z * direction.z;
      const double distance = std::sqrt(across_x * across_x + across_y * across_y + across_h * across_h);
      const bool apart = distance >= least_distance_m;
      const double scale = 1.0 / (apart ? distance : 1.0);
      const auto low = static_cast<float>((z - half) * scale), high = static_cast<float>((z + half) * scale);
      first_u[i] = apart ? low : infinity;
      last_u[i] = apart ? high : -infinity;
    }
  }
};

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
  points_.reserve(2 * std::size_t{element_count()} + receiver_count_);
  for (const Tile& tile : tiling.tiles) {
    points_.push_back(target_point(tile, receiver_height_m));
    is_ground_.push_back(tile.kind == SurfaceKind::ground ? 1 : 0);
  }
  for (const EdgeSegment& edge : tiling.edges) points_.push_back(edge.midpoint);
  for (const Receiver& receiver : receivers) points_.push_back(receiver.position);
  for (const Tile& tile : tiling.tiles) points_.push_back(tile.centroid);
  for (const EdgeSegment& edge : tiling.edges) points_.push_back(edge.midpoint);
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

void lay_out_tile_row(const TargetPoints& points, const TileFrame& frame, std::uint32_t tile,
                      std::span<const std::uint32_t> row, std::span<const std::uint32_t> receivers, bool onward,
                      std::vector<std::uint32_t>& layout, RowIntervals& intervals) {
  const bool from_ground = points.is_ground(tile);
  const std::uint32_t arrives = points.tiles_are_targets() ? RowTarget::arrives : 0;
  intervals.target.clear();
  layout.clear();
  const auto add = [&](std::uint32_t point, std::uint32_t target) {
    layout.push_back(point);
    intervals.target.push_back(target);
  };
  for (const std::uint32_t member : row) {
    if (!points.is_tile(member)) {
      if (onward) add(points.reference_index(member), member | RowTarget::goes_on);
    } else if (!points.is_ground(member)) {
      add(member, member | arrives | RowTarget::goes_on);
    } else if (!from_ground) {
      // Ground to ground is what the ground-reflected companion at the target stands for.
      if (arrives != 0) add(member, member | arrives);
      if (onward) add(points.reference_index(member), member | RowTarget::goes_on);
    }
  }
  for (const std::uint32_t receiver : receivers) {
    const std::uint32_t number = points.element_count() + receiver;
    add(number, number | RowTarget::arrives);
  }
  intervals.resize(true);
  run_vectorized<LayOutTileRow>(best_instruction_set(), &frame, points.coordinates(), layout.data(), layout.size(),
                                intervals.first_u.data(), intervals.last_u.data(), intervals.first_v.data(),
                                intervals.last_v.data());
  intervals.finish();
}

void lay_out_edge_row(const Tiling& tiling, const TargetPoints& points, std::uint32_t edge,
                      std::span<const std::uint32_t> row, std::span<const std::uint32_t> receivers,
                      std::vector<std::uint32_t>& layout, RowIntervals& intervals) {
  const EdgeSegment& segment = tiling.edges[edge];
  const std::uint32_t arrives = points.tiles_are_targets() ? RowTarget::arrives : 0;
  intervals.target.clear();
  layout.clear();
  for (const std::uint32_t member : row) {
    // A ground tile's arrival and its way on share one evaluation, at the target point.
    intervals.target.push_back(member | RowTarget::goes_on | (points.is_tile(member) ? arrives : 0));
    layout.push_back(member);
  }
  for (const std::uint32_t receiver : receivers) {
    const std::uint32_t number = points.element_count() + receiver;
    intervals.target.push_back(number | RowTarget::arrives);
    layout.push_back(number);
  }
  intervals.resize(false);
  run_vectorized<LayOutEdgeRow>(best_instruction_set(), &segment, points.coordinates(), layout.data(), layout.size(),
                                intervals.first_u.data(), intervals.last_u.data());
  intervals.finish();
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
