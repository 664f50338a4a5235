// SPDX-License-Identifier: GPL-3.0-or-later
// Which members of a visibility row a tube hits: a search over intervals, in vectors.
//
// In the frame of a tile a point has coordinates (u, v, d): u and v along the sides in half sides, d along the normal.
// The ray from (u_s, v_s, d_s) to (u_t, v_t, d_t) by way of the tile's plane meets it within −1 < u ≤ 1 when
//   (u_t − 1)/d_t ≤ (1 − u_s)/d_s   and   (u_t + 1)/d_t > −(1 + u_s)/d_s,
// and likewise in v. At an edge segment the Keller point lies on the segment under the same two conditions with
// the axial coordinate for u and the distance from the edge for d. So each row member is two (four) numbers.
//
// A tube hits few of them. Members that follow each other in a row lie near each other, so blocks of 16 are asked first
// by the least and the greatest of their numbers.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "core/base/infinity.h"
#include "core/base/vector_dispatch.h"

namespace tesseray {

inline constexpr std::size_t interval_block = 16;

// The side of the source: what the row's numbers are compared with.
struct IntervalBounds {
  float upper_u = 0, lower_u = 0, upper_v = 0, lower_v = 0;

  // Of no source at all.
  static IntervalBounds none() { return {-infinity_f, infinity_f, -infinity_f, infinity_f}; }
  // What these bounds or others admit, and what lies between.
  void extend(const IntervalBounds& other) {
    upper_u = other.upper_u > upper_u ? other.upper_u : upper_u;
    lower_u = other.lower_u < lower_u ? other.lower_u : lower_u;
    upper_v = other.upper_v > upper_v ? other.upper_v : upper_v;
    lower_v = other.lower_v < lower_v ? other.lower_v : lower_v;
  }
};

// Filled by `resize`, by writing each member's four (two) numbers, and by `finish`. Members of which first_u is
// infinite are never hit.
struct RowIntervals {
  std::vector<float> first_u, last_u;  // (u − 1)/d and (u + 1)/d
  std::vector<float> first_v, last_v;  // empty for edges
  std::vector<std::uint32_t> target;   // see RowTargets

  std::size_t size() const { return target.size(); }
  // Room for the members of `target`, rounded up to whole blocks.
  void resize(bool two_dimensional);
  // The blocks' numbers, when all members are there.
  void finish(InstructionSet instruction_set = best_instruction_set());

  struct Blocks {
    std::vector<float> first_u, last_u, first_v, last_v;
    std::size_t count = 0;
  };
  const Blocks& blocks() const { return blocks_; }

 private:
  Blocks blocks_;
};

// Working space of a search, and the blocks that it found.
struct BlockSearch {
  std::vector<std::uint8_t> mask;
  std::vector<std::uint32_t> blocks;
};

// The blocks of a row that may hold a hit, ascending, into `search.blocks`.
void find_blocks(const RowIntervals& row, const IntervalBounds& bounds, BlockSearch& search,
                 InstructionSet instruction_set = best_instruction_set());

// Appends the positions in `row` that fulfil first ≤ upper and last > lower in u (and in v, when the row has it),
// ascending. The same on every instruction set: comparisons only.
void find_hits(const RowIntervals& row, const IntervalBounds& bounds, BlockSearch& search,
               std::vector<std::uint32_t>& hits, InstructionSet instruction_set = best_instruction_set());

}  // namespace tesseray
