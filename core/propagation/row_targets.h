// SPDX-License-Identifier: GPL-3.0-or-later
// A visibility row as the points that a bounce at its element may reach, laid out for the interval search.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/propagation/interval_search.h"
#include "core/scene/transmitter.h"
#include "core/tiling/tiling.h"
#include "core/visibility/visibility.h"

namespace tesseray {

// The coordinates of points against a tile: u, v in half sides and d in metres along the normal.
struct TileFrame {
  Vec3 centroid, normal, dual_u, dual_v;

  explicit TileFrame(const Tile& tile);
  Vec3 coordinates(Vec3 point) const {
    const Vec3 p = point - centroid;
    return {dot(p, dual_u), dot(p, dual_v), dot(p, normal)};
  }
};

// What a row member is: a place where rays arrive, a place from which they go on, or both. Numbers: tiles, then edge
// segments, then receivers.
struct RowTarget {
  static constexpr std::uint32_t arrives = 0x80000000u;  // summed there
  static constexpr std::uint32_t goes_on = 0x40000000u;  // may bounce there
  static constexpr std::uint32_t number_mask = 0x3fffffffu;
};

// The points of an environment and its receivers, by number; where rays arrive and where they go on.
class TargetPoints {
 public:
  // `tiles_are_targets`: false when rays arrive at receivers alone.
  TargetPoints(const Tiling& tiling, const std::vector<Receiver>& receivers, double receiver_height_m,
               bool tiles_are_targets = true);

  std::uint32_t tile_count() const { return tile_count_; }
  std::uint32_t edge_count() const { return edge_count_; }
  std::uint32_t element_count() const { return tile_count_ + edge_count_; }
  std::uint32_t receiver_count() const { return receiver_count_; }
  bool is_tile(std::uint32_t number) const { return number < tile_count_; }
  bool is_edge(std::uint32_t number) const { return number >= tile_count_ && number < element_count(); }
  bool is_receiver(std::uint32_t number) const { return number >= element_count(); }
  bool tiles_are_targets() const { return tiles_are_targets_; }
  std::uint32_t target_tile_count() const { return tiles_are_targets_ ? tile_count_ : 0; }

  bool is_ground(std::uint32_t tile) const { return is_ground_[tile] != 0; }

  // Three coordinates of each number's arrival(), and after them of each element's reference().
  const double* coordinates() const { return &points_.front().x; }
  std::uint32_t reference_index(std::uint32_t element) const { return element_count() + receiver_count_ + element; }

  // The point at which a tile or receiver is a target.
  Vec3 arrival(std::uint32_t number) const { return points_[number]; }
  // The point from which an element goes on: centroid or midpoint.
  Vec3 reference(std::uint32_t element) const { return points_[reference_index(element)]; }

 private:
  std::uint32_t tile_count_, edge_count_, receiver_count_;
  bool tiles_are_targets_;
  std::vector<Vec3> points_;
  std::vector<std::uint8_t> is_ground_;
};

// Which receivers each element sees.
class ReceiverRows {
 public:
  ReceiverRows(const Occlusion& occlusion, const Tiling& tiling, const std::vector<Receiver>& receivers);

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

// Lay out the row of a tile (an edge segment). `row` is the visibility row of the element, `receivers` the receivers
// that it sees; `layout` is working space. Without `onward` a tile's row has no members from which rays would only go on.
void lay_out_tile_row(const TargetPoints& points, const TileFrame& frame, std::uint32_t tile,
                      std::span<const std::uint32_t> row, std::span<const std::uint32_t> receivers, bool onward,
                      std::vector<std::uint32_t>& layout, RowIntervals& intervals);
void lay_out_edge_row(const Tiling& tiling, const TargetPoints& points, std::uint32_t edge,
                      std::span<const std::uint32_t> row, std::span<const std::uint32_t> receivers,
                      std::vector<std::uint32_t>& layout, RowIntervals& intervals);

// The bounds for rays that leave from `source` (REQUIRES d > 0 in the tile's frame), or from a straight segment
// between two points: those that any of its points could hit.
IntervalBounds tile_bounds(Vec3 source_coordinates);
IntervalBounds tile_bounds(Vec3 one_end, Vec3 other_end);
IntervalBounds edge_bounds(const EdgeSegment& edge, Vec3 source);

}  // namespace tesseray
