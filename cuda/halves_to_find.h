// SPDX-License-Identifier: GPL-3.0-or-later
// Halves of rows that two ways of searching share: one takes them from the front, many at a time, the other one by one
// from behind, and who is faster takes more.
#pragma once

#include <cstddef>
#include <mutex>

#include "core/base/progress.h"

namespace tesseray {

// Thread-safe.
class HalvesToFind {
 public:
  struct Range {
    std::size_t begin = 0, end = 0;
    bool is_empty() const { return begin == end; }
    std::size_t size() const { return end - begin; }
  };

  // `is_shared`: somebody takes from behind. Keeps a reference to the progress.
  HalvesToFind(std::size_t count, bool is_shared, Progress& progress);

  // At most so many; of what others may take, half at most, so that all come to an end together. Empty when none are
  // left.
  Range take_first(std::size_t most);
  Range take_last();
  // Tells the progress that so many more are found.
  void have_found(std::size_t count);
  // Nobody gets any more.
  void give_up();

 private:
  const std::size_t count_;
  const bool is_shared_;
  Progress& progress_;
  std::mutex mutex_;
  std::size_t first_ = 0, end_;
  std::size_t found_ = 0;
};

}  // namespace tesseray
