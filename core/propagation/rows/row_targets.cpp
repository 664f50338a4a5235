// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/propagation/rows/row_targets.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <string>

#include "core/base/error.h"
#include "core/base/parallel.h"
#include "core/propagation/rays/ray_launching_options.h"
#include "core/propagation/rows/for_places.h"
#include "core/propagation/rows/marked_bytes.h"

namespace tesseray {
namespace {

constexpr double onward_height_m = RayLaunchingOptions{}.receiver_height_m;

// Calls lay_out(i, x, y, z) for the points of some numbers. They are copied together before they are worked on: with
// nothing to compute in between, the processor fetches more of them from memory at once.
template <class LayOut>
[[gnu::always_inline]] inline void for_points(const double* coordinates, const std::uint32_t* points, std::size_t count,
                                              const LayOut& lay_out) {
  constexpr std::size_t together = 128;
  double near[3 * together];
  for (std::size_t begin = 0; begin < count; begin += together) {
    const std::size_t end = std::min(begin + together, count);
    for (std::size_t i = begin; i < end; ++i) {
      std::memcpy(near + 3 * (i - begin), coordinates + 3 * std::size_t{points[i]}, 3 * sizeof(double));
    }
    TESSERAY_INDEPENDENT_TURNS
    for (std::size_t i = begin; i < end; ++i) {
      const double* const at = near + 3 * (i - begin);
      lay_out(i, at[0], at[1], at[2]);
    }
  }
}

struct LayOutTileRow {
  [[gnu::always_inline]] static void run(const TileFrame* frame, const double* __restrict coordinates,
                                         const std::uint32_t* __restrict points, std::size_t count, float* first_u,
                                         float* last_u, float* first_v, float* last_v) {
    const TileFrame of_tile = *frame;
    for_points(coordinates, points, count, [=](std::size_t i, double x, double y, double z) {
      const PointIntervals p = intervals_at_tile(of_tile, x, y, z);
      first_u[i] = p.first_u;
      last_u[i] = p.last_u;
      first_v[i] = p.first_v;
      last_v[i] = p.last_v;
    });
  }
};

// Which points some source may hit, as bytes 0 and 1.
struct MarkAdmitted {
  [[gnu::always_inline]] static void run(const RoughTileBounds* bounds_pointer, const RoughPoint* places,
                                         const std::uint32_t* __restrict points, std::size_t count,
                                         std::uint8_t* __restrict marks) {
    const RoughTileBounds bounds = *bounds_pointer;
    for_places(places, nullptr, points, count, [=](std::size_t i, RoughPoint point, float) {
      marks[i] = static_cast<std::uint8_t>(bounds.may_admit(point));
    });
  }
};

struct LayOutEdgeRow {
  [[gnu::always_inline]] static void run(const EdgeSegment* edge, const double* __restrict coordinates,
                                         const std::uint32_t* __restrict points, std::size_t count, float* first_u,
                                         float* last_u) {
    const Vec3 midpoint = edge->midpoint, direction = edge->direction;
    const double half = 0.5 * edge->length_m;
    for_points(coordinates, points, count, [=](std::size_t i, double x, double y, double z) {
      const PointIntervals p = intervals_at_edge(midpoint, direction, half, x, y, z);
      first_u[i] = p.first_u;
      last_u[i] = p.last_u;
    });
  }
};

// Marks the members of a tile's row that some source may hit, and returns how many bytes of marks there are, in whole
// groups of eight.
std::size_t mark_admitted(const TargetPoints& points, const TileFrame& frame, std::uint32_t tile,
                          std::span<const std::uint32_t> row, bool onward, const IntervalBounds& bounds,
                          std::vector<std::uint8_t>& marks) {
  // Members go on from below where rays arrive at them.
  const double below_m = onward ? points.receiver_height_m() : 0;
  const RoughTileBounds rough(frame, points.rough()[points.reference_index(tile)], bounds, points.rough_most_m(),
                              below_m);
  const std::size_t padded = (row.size() + 7) / 8 * 8;
  if (marks.size() < padded) marks.resize(padded);
  std::fill(marks.data() + row.size(), marks.data() + padded, std::uint8_t{0});
  run_vectorized<MarkAdmitted>(best_instruction_set(), &rough, points.rough(), row.data(), row.size(), marks.data());
  return padded;
}

// Calls add(point, target), as for_targets_of_tile.
template <class Add>
void for_targets_beside_row(const TargetPoints& points, const TargetsBesideRow& beside, const Add& add) {
  const auto arrive_at = [&](std::uint32_t number) { add(number, number | RowTarget::arrives); };
  for (const std::uint32_t receiver : beside.receivers) arrive_at(points.element_count() + receiver);
  for (const std::uint32_t tile : beside.ground_tiles) arrive_at(tile);
}

}  // namespace

Vec3 target_point(const Tile& tile, double receiver_height_m) {
  if (tile.kind != SurfaceKind::ground) return tile.centroid;
  return tile.centroid + Vec3{0, 0, receiver_height_m};
}

void require_target_numbers(std::uint64_t elements, std::uint64_t receivers) {
  if (elements + receivers <= std::uint64_t{RowTarget::number_mask} + 1) return;
  throw Error(ErrorKind::resources, "too_many_targets",
              std::to_string(elements) + " tiles and edge segments and " + std::to_string(receivers) +
                  " receivers are more than rays can be told of",
              "give a smaller EXTENT, a larger TILE_AREA or fewer receivers");
}

TargetPoints::TargetPoints(const Tiling& tiling, const std::vector<Receiver>& receivers, double receiver_height_m,
                           bool tiles_are_targets)
    : view_{.tile_count = static_cast<std::uint32_t>(tiling.tiles.size()),
            .edge_count = static_cast<std::uint32_t>(tiling.edges.size()),
            .receiver_count = static_cast<std::uint32_t>(receivers.size()),
            .tiles_are_targets = tiles_are_targets,
            .ways_on_apart = receiver_height_m != onward_height_m},
      receiver_height_m_(receiver_height_m) {
  require_target_numbers(tiling.tiles.size() + tiling.edges.size(), receivers.size());
  points_.reserve(view_.point_count());
  for (const Tile& tile : tiling.tiles) {
    points_.push_back(target_point(tile, receiver_height_m));
    is_ground_.push_back(tile.kind == SurfaceKind::ground ? 1 : 0);
  }
  for (const EdgeSegment& edge : tiling.edges) points_.push_back(edge.midpoint);
  for (const Receiver& receiver : receivers) points_.push_back(receiver.position);
  for (const Tile& tile : tiling.tiles) points_.push_back(tile.centroid);
  for (const EdgeSegment& edge : tiling.edges) points_.push_back(edge.midpoint);
  if (view_.ways_on_apart) {
    for (const Tile& tile : tiling.tiles) points_.push_back(target_point(tile, onward_height_m));
  }
  add_rough_points();
  view_.points = points_.data();
  view_.tiles_on_ground = is_ground_.data();
}

void TargetPoints::add_rough_points() {
  rough_origin_ = points_.empty() ? Vec3{} : points_.front();
  rough_.reserve(points_.size());
  for (const Vec3 point : points_) {
    rough_.push_back(rough_at(point));
    const Vec3 from_origin = point - rough_origin_;
    for (const double coordinate : {from_origin.x, from_origin.y, from_origin.z}) {
      rough_most_m_ = std::max(rough_most_m_, std::fabs(coordinate));
    }
  }
}

ReceiverRows::ReceiverRows(const Occlusion& occlusion, const Tiling& tiling, const std::vector<Receiver>& receivers,
                           Progress& progress)
    : rows_(receivers.size()), offsets_(tiling.tiles.size() + tiling.edges.size() + 1, 0) {
  const SightFromPoints sight(occlusion, tiling, receivers.size());
  parallel_blocks(receivers.size(), 1, progress, [&](std::size_t r, std::size_t) {
    // A copy has no room for more.
    const std::vector<std::uint32_t> row = sight.visible_from(receivers[r].position);
    rows_[r] = row;
  });
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
                      std::span<const std::uint32_t> row, const TargetsBesideRow& beside, bool onward,
                      const IntervalBounds& bounds, RowLayout& layout, RowIntervals& intervals) {
  const TargetPointsView view = points.view();
  const bool from_ground = points.is_ground(tile);
  layout.points.clear();
  intervals.target.clear();
  const auto add = [&](std::uint32_t point, std::uint32_t target) {
    layout.points.push_back(point);
    intervals.target.push_back(target);
  };
  const std::size_t marks = mark_admitted(points, frame, tile, row, onward, bounds, layout.marks);
  for_marked(layout.marks.data(), marks,
             [&](std::size_t i) { for_targets_of_tile(view, from_ground, row[i], onward, add); });
  for_targets_beside_row(points, beside, add);
  intervals.resize(true);
  run_vectorized<LayOutTileRow>(best_instruction_set(), &frame, points.coordinates(), layout.points.data(),
                                intervals.size(), intervals.first_u.data(), intervals.last_u.data(),
                                intervals.first_v.data(), intervals.last_v.data());
  intervals.finish();
}

void lay_out_edge_row(const Tiling& tiling, const TargetPoints& points, std::uint32_t edge,
                      std::span<const std::uint32_t> row, const TargetsBesideRow& beside, RowLayout& layout,
                      RowIntervals& intervals) {
  const TargetPointsView view = points.view();
  const EdgeSegment& segment = tiling.edges[edge];
  layout.points.clear();
  intervals.target.clear();
  const auto add = [&](std::uint32_t point, std::uint32_t target) {
    layout.points.push_back(point);
    intervals.target.push_back(target);
  };
  for (const std::uint32_t member : row) for_targets_of_edge(view, member, add);
  for_targets_beside_row(points, beside, add);
  intervals.resize(false);
  run_vectorized<LayOutEdgeRow>(best_instruction_set(), &segment, points.coordinates(), layout.points.data(),
                                intervals.size(), intervals.first_u.data(), intervals.last_u.data());
  intervals.finish();
}

}  // namespace tesseray
