// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/propagation/rows/interval_search.h"

#include "core/base/infinity.h"
#include "core/propagation/rows/marked_bytes.h"

namespace tesseray {
namespace {

// Which intervals a source meets, as bytes 0 and 1.
struct MarkPairs {
  [[gnu::always_inline]] static void run(const float* first_u, const float* last_u, const float* first_v,
                                         const float* last_v, std::size_t count, const IntervalBounds* bounds,
                                         std::uint8_t* __restrict mask) {
    const IntervalBounds b = *bounds;
    if (first_v == nullptr) {
      for (std::size_t i = 0; i < count; ++i) {
        mask[i] = static_cast<std::uint8_t>((first_u[i] <= b.upper_u) & (last_u[i] > b.lower_u));
      }
      return;
    }
    for (std::size_t i = 0; i < count; ++i) {
      mask[i] = static_cast<std::uint8_t>((first_u[i] <= b.upper_u) & (last_u[i] > b.lower_u) &
                                          (first_v[i] <= b.upper_v) & (last_v[i] > b.lower_v));
    }
  }
};

// The same for the members of some blocks: `mask` gets interval_block bytes of each.
struct MarkBlocks {
  [[gnu::always_inline]] static void run(const float* first_u, const float* last_u, const float* first_v,
                                         const float* last_v, const std::uint32_t* blocks, std::size_t count,
                                         const IntervalBounds* bounds, std::uint8_t* __restrict mask) {
    for (std::size_t k = 0; k < count; ++k) {
      const std::size_t at = std::size_t{blocks[k]} * interval_block;
      const bool flat = first_v == nullptr;
      MarkPairs::run(first_u + at, last_u + at, flat ? nullptr : first_v + at, flat ? nullptr : last_v + at,
                     interval_block, bounds, mask + k * interval_block);
    }
  }
};

struct BoundBlocks {
  [[gnu::always_inline]] static void run(const float* first, const float* last, std::size_t blocks,
                                         float* __restrict least_first, float* __restrict greatest_last) {
    for (std::size_t b = 0; b < blocks; ++b) {
      float least = infinity_f, greatest = -infinity_f;
      for (std::size_t i = 0; i < interval_block; ++i) {
        const float f = first[b * interval_block + i], l = last[b * interval_block + i];
        least = f < least ? f : least;
        greatest = l > greatest ? l : greatest;
      }
      least_first[b] = least;
      greatest_last[b] = greatest;
    }
  }
};

const float* data_or_null(const std::vector<float>& values) { return values.empty() ? nullptr : values.data(); }

}  // namespace

void RowIntervals::resize(bool two_dimensional) {
  const std::size_t padded = (size() + interval_block - 1) / interval_block * interval_block;
  for (std::vector<float>* bounds : {&first_u, &last_u, &first_v, &last_v}) {
    bounds->resize(two_dimensional || bounds == &first_u || bounds == &last_u ? padded : 0);
  }
  for (std::size_t i = size(); i < padded; ++i) {
    first_u[i] = infinity_f;
    last_u[i] = -infinity_f;
    if (two_dimensional) {
      first_v[i] = infinity_f;
      last_v[i] = -infinity_f;
    }
  }
}

void RowIntervals::finish(InstructionSet instruction_set) {
  const bool two_dimensional = !first_v.empty();
  blocks_.count = first_u.size() / interval_block;
  // The vectors over blocks end with whole ones, too.
  const std::size_t padded = (blocks_.count + interval_block - 1) / interval_block * interval_block;
  blocks_.first_u.assign(padded, infinity_f);
  blocks_.last_u.assign(padded, -infinity_f);
  run_vectorized<BoundBlocks>(instruction_set, first_u.data(), last_u.data(), blocks_.count, blocks_.first_u.data(),
                              blocks_.last_u.data());
  blocks_.first_v.assign(two_dimensional ? padded : 0, infinity_f);
  blocks_.last_v.assign(two_dimensional ? padded : 0, -infinity_f);
  if (!two_dimensional) return;
  run_vectorized<BoundBlocks>(instruction_set, first_v.data(), last_v.data(), blocks_.count, blocks_.first_v.data(),
                              blocks_.last_v.data());
}

void find_blocks(const RowIntervals& row, const IntervalBounds& bounds, BlockSearch& search,
                 InstructionSet instruction_set) {
  const RowIntervals::Blocks& blocks = row.blocks();
  const std::size_t padded = blocks.first_u.size();
  if (search.mask.size() < padded) search.mask.resize(padded);
  run_vectorized<MarkPairs>(instruction_set, blocks.first_u.data(), blocks.last_u.data(), data_or_null(blocks.first_v),
                            data_or_null(blocks.last_v), padded, &bounds, search.mask.data());
  search.blocks.clear();
  for_marked(search.mask.data(), padded, [&](std::size_t block) {
    if (block < blocks.count) search.blocks.push_back(static_cast<std::uint32_t>(block));
  });
}

void find_hits(const RowIntervals& row, const IntervalBounds& bounds, BlockSearch& search,
               std::vector<std::uint32_t>& hits, InstructionSet instruction_set) {
  find_blocks(row, bounds, search, instruction_set);
  if (search.blocks.empty()) return;
  const std::size_t bytes = search.blocks.size() * interval_block;
  if (search.mask.size() < bytes) search.mask.resize(bytes);
  run_vectorized<MarkBlocks>(instruction_set, row.first_u.data(), row.last_u.data(), data_or_null(row.first_v),
                             data_or_null(row.last_v), search.blocks.data(), search.blocks.size(), &bounds,
                             search.mask.data());
  for_marked(search.mask.data(), bytes, [&](std::size_t i) {
    const std::size_t hit = search.blocks[i / interval_block] * interval_block + i % interval_block;
    if (hit < row.size()) hits.push_back(static_cast<std::uint32_t>(hit));
  });
}

}  // namespace tesseray
