// SPDX-License-Identifier: GPL-3.0-or-later
// A visibility row as the points that a bounce at its element may reach, laid out for the interval search.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/base/progress.h"
#include "core/propagation/rows/interval_search.h"
#include "core/propagation/rows/point_intervals.h"
#include "core/propagation/rows/rough_point.h"
#include "core/propagation/rows/target_points_view.h"
#include "core/scene/transmitter.h"
#include "core/tiling/tiling.h"
#include "core/visibility/visibility.h"

namespace tesseray {

// The point of a tile at which it is a target: its centroid, for ground tiles `receiver_height_m` above it.
Vec3 target_point(const Tile& tile, double receiver_height_m);

// Targets are numbered together, within RowTarget::number_mask. Throws Error(resources) where they are too many.
void require_target_numbers(std::uint64_t elements, std::uint64_t receivers);

// The points of an environment and its receivers, by number; where rays arrive and where they go on.
class TargetPoints {
 public:
  // `tiles_are_targets`: false when rays arrive at receivers alone.
  TargetPoints(const Tiling& tiling, const std::vector<Receiver>& receivers, double receiver_height_m,
               bool tiles_are_targets = true);
  TargetPoints(const TargetPoints&) = delete;
  TargetPoints(TargetPoints&&) = default;

  // Valid as long as the points.
  const TargetPointsView& view() const { return view_; }
  std::uint32_t tile_count() const { return view_.tile_count; }
  std::uint32_t edge_count() const { return view_.edge_count; }
  std::uint32_t element_count() const { return view_.element_count(); }
  std::uint32_t receiver_count() const { return view_.receiver_count; }
  bool is_tile(std::uint32_t number) const { return view_.is_tile(number); }
  bool is_edge(std::uint32_t number) const { return view_.is_edge(number); }
  bool is_receiver(std::uint32_t number) const { return view_.is_receiver(number); }
  bool tiles_are_targets() const { return view_.tiles_are_targets; }
  std::uint32_t target_tile_count() const { return view_.target_tile_count(); }

  // Of targets over ground tiles.
  double receiver_height_m() const { return receiver_height_m_; }

  bool is_ground(std::uint32_t tile) const { return view_.is_ground(tile); }

  // Three coordinates of each of the view's points.
  const double* coordinates() const { return &points_.front().x; }
  std::uint32_t reference_index(std::uint32_t element) const { return view_.reference_index(element); }
  // The same points in single precision, from an origin; no coordinate of them is greater than rough_most_m().
  const RoughPoint* rough() const { return rough_.data(); }
  Vec3 rough_origin() const { return rough_origin_; }
  RoughPoint rough_at(Vec3 point) const { return rough_point(point - rough_origin_); }
  double rough_most_m() const { return rough_most_m_; }

  Vec3 arrival(std::uint32_t number) const { return view_.arrival(number); }
  Vec3 reference(std::uint32_t element) const { return view_.reference(element); }
  Vec3 onward(std::uint32_t number) const { return view_.onward(number); }

 private:
  void add_rough_points();

  std::vector<Vec3> points_;
  std::vector<RoughPoint> rough_;
  Vec3 rough_origin_;
  double rough_most_m_ = 0;
  std::vector<std::uint8_t> is_ground_;
  TargetPointsView view_;
  double receiver_height_m_;
};

// Which receivers each element sees.
class ReceiverRows {
 public:
  // Of what is kept for each element and receiver that see each other.
  static constexpr std::size_t bytes_per_entry = 2 * sizeof(std::uint32_t);

  // Throws Error(cancelled) on cancel.
  ReceiverRows(const Occlusion& occlusion, const Tiling& tiling, const std::vector<Receiver>& receivers,
               Progress& progress);

  std::span<const std::uint32_t> seen_from(std::uint32_t element) const {
    return {receivers_.data() + offsets_[element], receivers_.data() + offsets_[element + 1]};
  }
  // The elements that a receiver sees.
  std::span<const std::uint32_t> row(std::uint32_t receiver) const { return rows_[receiver]; }

 private:
  std::vector<std::vector<std::uint32_t>> rows_;
  std::vector<std::uint64_t> offsets_;
  std::vector<std::uint32_t> receivers_;
};

// Working space of the two functions below.
struct RowLayout {
  std::vector<std::uint32_t> points;  // by place
  std::vector<std::uint8_t> marks;    // by member
};

// Where rays from an element arrive that are not in its row.
struct TargetsBesideRow {
  std::span<const std::uint32_t> receivers;     // that it sees
  std::span<const std::uint32_t> ground_tiles;  // over which receivers see it
};

// Lay out the row of a tile (an edge segment). `row` is the visibility row of the element. A tile's row has those alone
// that some source may hit, of which none is beyond `bounds`; and without `onward` no members from which rays would
// only go on.
void lay_out_tile_row(const TargetPoints& points, const TileFrame& frame, std::uint32_t tile,
                      std::span<const std::uint32_t> row, const TargetsBesideRow& beside, bool onward,
                      const IntervalBounds& bounds, RowLayout& layout, RowIntervals& intervals);
void lay_out_edge_row(const Tiling& tiling, const TargetPoints& points, std::uint32_t edge,
                      std::span<const std::uint32_t> row, const TargetsBesideRow& beside, RowLayout& layout,
                      RowIntervals& intervals);

}  // namespace tesseray
