// SPDX-License-Identifier: GPL-3.0-or-later
// The CPU's way to run a batch: blocks of an index range on oneTBB, with progress and cancel.
#pragma once

#include <tbb/blocked_range.h>
#include <tbb/parallel_for.h>

#include <algorithm>
#include <atomic>
#include <cstddef>

#include "core/base/progress.h"

namespace tesseray {

// Calls body(begin, end) for consecutive blocks of `block` indices of [0, count), in parallel and in no order.
// The blocks are the same for any number of threads, so what a block computes cannot depend on them.
// Throws Error(cancelled) when `progress` is cancelled, and whatever body throws.
template <class Body>
void parallel_blocks(std::size_t count, std::size_t block, Progress& progress, const Body& body) {
  const std::size_t blocks = (count + block - 1) / block;
  std::atomic<std::size_t> done{0};
  tbb::parallel_for(tbb::blocked_range<std::size_t>(0, blocks, 1), [&](const tbb::blocked_range<std::size_t>& range) {
    for (std::size_t b = range.begin(); b != range.end(); ++b) {
      progress.throw_if_cancelled();
      body(b * block, std::min(count, (b + 1) * block));
      progress.advance(static_cast<double>(done.fetch_add(1) + 1) / static_cast<double>(blocks));
    }
  });
}

}  // namespace tesseray
