// SPDX-License-Identifier: GPL-3.0-or-later
// What receivers over ground tiles see and the tiles themselves do not. Internal to core/propagation.
//
// Tiles of one plane never see each other, and over uneven ground a tile's middle, 1 cm above it, sees less of the
// ground, of walls and of edges than a receiver does. What these scatter, reflect and diffract arrives at the receiver
// all the same.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/base/progress.h"
#include "core/propagation/rows/row_targets.h"
#include "core/visibility/visibility.h"

namespace tesseray {

class SightOverGround {
 public:
  // So far a receiver sees ground, and walls, roofs and edges as far as the visibility goes; where that would be too
  // much to keep, first these less far, then both. What level ground farther away scatters to it falls with the third
  // power of the distance: behind houses, from d metres on, it is about a part of d / ground_reach_m of all. What walls
  // send across a valley falls with no more than the square.
  static constexpr double ground_reach_m = 300;
  static constexpr std::uint64_t most_members = (std::uint64_t{1} << 30) / sizeof(std::uint32_t);

  // None: nobody asks.
  SightOverGround() = default;
  // By ground tile, as beside_row().
  SightOverGround(const std::vector<std::vector<std::uint32_t>>& rows, std::uint32_t element_count);

  // Ground tiles come first of all.
  std::uint32_t ground_tiles() const { return static_cast<std::uint32_t>(rows_.count()); }
  // The elements within reach that a receiver over a ground tile sees, without those of its row; ascending, itself
  // among them.
  std::span<const std::uint32_t> beside_row(std::uint32_t ground_tile) const { return rows_.of(ground_tile); }
  // The ground tiles, ascending, beside whose rows a wall, a roof or an edge segment is.
  std::span<const std::uint32_t> seen_from(std::uint32_t element) const {
    return seen_from_.count() == 0 || element < ground_tiles() ? std::span<const std::uint32_t>()
                                                               : seen_from_.of(element - ground_tiles());
  }
  // REQUIRES: two elements.
  bool is_beside_row(std::uint32_t ground_tile, std::uint32_t element) const;
  // Of what is kept.
  std::uint64_t bytes() const { return rows_.bytes() + seen_from_.bytes(); }

 private:
  // Some numbers of each of many, one after the other.
  struct Rows {
    std::vector<std::uint64_t> offsets;
    std::vector<std::uint32_t> members;

    std::size_t count() const { return offsets.empty() ? 0 : offsets.size() - 1; }
    std::span<const std::uint32_t> of(std::size_t i) const {
      return std::span(members).subspan(offsets[i], offsets[i + 1] - offsets[i]);
    }
    std::uint64_t bytes() const {
      return offsets.size() * sizeof(std::uint64_t) + members.size() * sizeof(std::uint32_t);
    }
  };
  void turn_rows(std::uint32_t element_count);

  Rows rows_;       // by ground tile
  Rows seen_from_;  // by element after the ground tiles
};

// How many of the tiles, that come first of all, are on the ground.
std::uint32_t ground_tiles_of(const Tiling& tiling);

// `tiling`: as visibility has it; `most_members`: that are to be kept of all rows, told by a sample of the tiles.
// Throws Error(cancelled) on cancel.
SightOverGround look_over_ground(const Occlusion& occlusion, const Tiling& tiling, const Visibility& visibility,
                                 const TargetPoints& points, Progress& progress,
                                 std::uint64_t most_members = SightOverGround::most_members);

}  // namespace tesseray
