// SPDX-License-Identifier: GPL-3.0-or-later
// Which members of a visibility row a tube hits: a search over intervals, in vectors.
//
// In the frame of a tile a point has coordinates (u, v, d): u and v along the sides in half sides, d along the normal.
// The ray from (u_s, v_s, d_s) to (u_t, v_t, d_t) by way of the tile's plane meets it within −1 < u ≤ 1 when
//   (u_t − 1)/d_t ≤ (1 − u_s)/d_s   and   (u_t + 1)/d_t > −(1 + u_s)/d_s,
// and likewise in v. At an edge segment the Keller point lies on the segment under the same two conditions with
// the axial coordinate for u and the distance from the edge for d. So each row member is two (four) numbers.
#pragma once

#include <cstdint>
#include <vector>

#include "core/base/vector_dispatch.h"

namespace tesseray {

// The side of the source: what the row's numbers are compared with.
struct IntervalBounds {
  float upper_u = 0, lower_u = 0, upper_v = 0, lower_v = 0;
};

struct RowIntervals {
  std::vector<float> first_u, last_u;  // (u − 1)/d and (u + 1)/d
  std::vector<float> first_v, last_v;  // empty for edges
  std::vector<std::uint32_t> target;   // see RowTargets

  std::size_t size() const { return target.size(); }
  void clear();
};

// Appends the positions in `row` that fulfil first ≤ upper and last > lower in u (and in v, when the row has it).
// `mask` is working space. The same on every instruction set: comparisons only.
void find_hits(const RowIntervals& row, const IntervalBounds& bounds, std::vector<std::uint8_t>& mask,
               std::vector<std::uint32_t>& hits, InstructionSet instruction_set = best_instruction_set());

}  // namespace tesseray
