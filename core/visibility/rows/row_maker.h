// SPDX-License-Identifier: GPL-3.0-or-later
// Rows put together from numbers, runs of them and words of marks, in any order.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "core/visibility/rows/row_codec.h"
#include "core/visibility/search/number_marks.h"

namespace tesseray {

struct RowCounts {
  std::uint32_t length = 0, visible_tiles = 0;
};

class RowMaker {
 public:
  // For rows of numbers below `limit`.
  explicit RowMaker(std::size_t limit) : marks_(limit) {}

  void add(std::uint32_t number) { marks_.add(number); }
  void add_run(std::uint32_t first, std::uint32_t count) { marks_.add_run(first, count); }
  void add_word(std::uint32_t word, std::uint64_t marks) { marks_.add_word(word, marks); }

  // Appends what was added as a row (append_row) and begins the next. Numbers below tile_count are counted as tiles.
  RowCounts append_to(std::vector<std::uint8_t>& bytes, std::uint32_t tile_count = 0) {
    RowCounts counts;
    marks_.take_runs([&](std::uint32_t first, std::uint32_t count) {
      coder_.add_run(first, count);
      counts.length += count;
      counts.visible_tiles += std::min(first + count, tile_count) - std::min(first, tile_count);
    });
    coder_.append_to(bytes);
    return counts;
  }

 private:
  NumberMarks marks_;
  RowCoder coder_;
};

}  // namespace tesseray
