// SPDX-License-Identifier: GPL-3.0-or-later
// A block of a computation under way: the halves of rows of consecutive elements, forth and back, so that whole rows
// can later be put together from all blocks in one pass.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/base/progress.h"
#include "core/visibility/rows/turned_halves.h"

namespace tesseray {

// Rows are found in a block by stretches of so many.
inline constexpr std::uint32_t rows_per_stretch = 256;

// Where the rows of a block are within its bytes. Stretch s of `forward` holds the half rows of the elements
// first + 256·s …, stretch s of `backward` those of the elements 256·s … of the whole relation: which elements of the
// block found them. Stretch s begins at [s] and ends at [s + 1].
struct WorkBlockIndex {
  std::uint32_t first = 0, end = 0;
  std::vector<std::uint64_t> forward, backward;
};

struct WorkBlock {
  WorkBlockIndex index;
  std::vector<std::uint8_t> bytes;
  std::uint64_t pairs = 0;
};

// `halves` hold the rows of the elements first … end − 1, each rows_per_stretch or fewer of them and a divisor of it;
// `first` is a multiple of rows_per_stretch. Uses all threads.
WorkBlock make_work_block(std::uint32_t first, std::uint32_t end, std::uint32_t element_count,
                          const std::vector<HalfRows>& halves, const Progress& progress);

}  // namespace tesseray
