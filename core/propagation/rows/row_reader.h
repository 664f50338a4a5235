// SPDX-License-Identifier: GPL-3.0-or-later
// Reading rows of the visibility, and searching in them, with what that costs. Internal to core/propagation.
#pragma once

#include <cstdint>
#include <vector>

#include "core/propagation/rays/launch_cost.h"
#include "core/propagation/rows/interval_search.h"
#include "core/propagation/rows/row_targets.h"
#include "core/visibility/visibility.h"

namespace tesseray {

// What an element's rays are followed to: all that they may reach from it, or the receivers among these.
enum class FollowedTo { all, receivers };

// What a thread reads rows with.
struct RowReader {
  std::vector<std::uint32_t> row;
  LaunchCost cost;

  void read_row(const Visibility& visibility, std::uint32_t element, LaunchPhase phase) {
    visibility.read_row(element, row);
    count_row(phase);
  }
  // Its tiles alone: what is diffuse arrives nowhere else.
  void read_tiles_of_row(const Visibility& visibility, std::uint32_t element, LaunchPhase phase) {
    visibility.read_tiles_of_row(element, row);
    count_row(phase);
  }

 private:
  void count_row(LaunchPhase phase) {
    ++cost[phase].rows;
    cost[phase].row_entries += row.size();
  }
};

// And finds what a tube hits in the row.
struct RowSearcher : RowReader {
  RowIntervals intervals;
  BlockSearch search;
  RowLayout layout;
  std::vector<std::uint32_t> hits;

  void find(const IntervalBounds& bounds, LaunchPhase phase) {
    hits.clear();
    find_hits(intervals, bounds, search, hits);
    cost[phase].tests += intervals.size();
    cost[phase].contributions += hits.size();
  }
};

}  // namespace tesseray
