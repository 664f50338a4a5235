// SPDX-License-Identifier: GPL-3.0-or-later
// The same crossings as side_crossings.h finds, by the CPU's vectors: the sides of many cells are asked together, and
// then visited in the same order.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>

#include "core/base/vector_dispatch.h"
#include "core/propagation/rooftops/side_crossings.h"

namespace tesseray {

namespace side_crossings_detail {

// Distances one after the other, of the sides of all cells.
struct CrossSides {
  [[gnu::always_inline]] static void run(const SidesOnLine* cells, std::size_t cell_count, const RoofSidesView* columns,
                                         double from_x, double from_y, double direction_x, double direction_y,
                                         double* __restrict distances) {
    const double* __restrict const begin_x = columns->begin_x;
    const double* __restrict const begin_y = columns->begin_y;
    const double* __restrict const along_x = columns->along_x;
    const double* __restrict const along_y = columns->along_y;
    for (std::size_t c = 0; c < cell_count; ++c) {
      const SidesOnLine cell = cells[c];
      const std::uint32_t count = cell.end_side - cell.first_side;
      TESSERAY_INDEPENDENT_TURNS
      for (std::uint32_t i = 0; i < count; ++i) {
        const std::size_t k = std::size_t{cell.first_side} + i;
        distances[i] = crossing_distance({from_x, from_y}, {direction_x, direction_y}, {begin_x[k], begin_y[k]},
                                         {along_x[k], along_y[k]}, cell.begin_m, cell.end_m);
      }
      distances += count;
    }
  }
};

}  // namespace side_crossings_detail

class SideCrossingsInVectors {
 public:
  // Keeps references to both.
  SideCrossingsInVectors(const RoofSidesView& sides, const RooftopLine& line) : sides_(sides), line_(line) {}

  // As SideCrossingsInTurn; what is visited may be of calls before.
  template <class Visit>
  void visit(SidesOnLine cell, const Visit& visit) {
    while (cell.first_side < cell.end_side) {
      SidesOnLine part = cell;
      part.end_side = std::min(cell.end_side, cell.first_side + (most_sides - side_count_));
      cells_[cell_count_++] = part;
      side_count_ += part.end_side - part.first_side;
      cell.first_side = part.end_side;
      if (side_count_ == most_sides || cell_count_ == most_cells) visit_cells(visit);
    }
  }
  template <class Visit>
  void visit_rest(const Visit& visit) {
    visit_cells(visit);
  }

 private:
  static constexpr std::uint32_t most_sides = 1024, most_cells = 128;

  template <class Visit>
  void visit_cells(const Visit& visit) {
    run_vectorized<side_crossings_detail::CrossSides>(instruction_set_, cells_.data(), cell_count_, &sides_,
                                                      line_.from.x, line_.from.y, line_.direction.x, line_.direction.y,
                                                      distances_.data());
    const double* distance = distances_.data();
    for (std::size_t c = 0; c < cell_count_; ++c) {
      for (std::uint32_t k = cells_[c].first_side; k < cells_[c].end_side; ++k, ++distance) {
        if (*distance != no_crossing) visit(k, *distance);
      }
    }
    cell_count_ = 0;
    side_count_ = 0;
  }

  const RoofSidesView& sides_;
  const RooftopLine& line_;
  InstructionSet instruction_set_ = best_instruction_set();
  std::size_t cell_count_ = 0;
  std::uint32_t side_count_ = 0;
  // Without initial values, which would take longer than a short line.
  std::array<SidesOnLine, most_cells> cells_;
  std::array<double, most_sides> distances_;
};

}  // namespace tesseray
