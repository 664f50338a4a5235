// SPDX-License-Identifier: GPL-3.0-or-later
// Halves of rows: what each element sees above itself, every pair of the relation once.
#pragma once

#include <tbb/enumerable_thread_specific.h>

#include <cstddef>
#include <cstdint>
#include <vector>

#include "core/visibility/occlusion/elements.h"
#include "core/visibility/rows/row_maker.h"
#include "core/visibility/rows/turned_halves.h"
#include "core/visibility/search/sight_grid.h"
#include "core/visibility/search/sight_search.h"
#include "core/visibility/visibility.h"

namespace tesseray {

// Finds halves of rows, in any thread.
class HalfRowFinder {
 public:
  // So many elements are worth a task of their own.
  static constexpr std::uint32_t elements_per_task = 64;

  HalfRowFinder(const Occlusion& occlusion, const Tiling& tiling, const VisibilityOptions& options);
  HalfRowFinder(const HalfRowFinder&) = delete;
  HalfRowFinder& operator=(const HalfRowFinder&) = delete;

  std::uint32_t element_count() const { return static_cast<std::uint32_t>(elements_.size()); }
  // Of the elements begin … end − 1.
  HalfRows find(std::uint32_t begin, std::uint32_t end);

 private:
  struct Worker {
    SightSearch search;
    RowMaker row;
    std::vector<std::uint32_t> seen;
    HalfRows half;
  };

  std::vector<Element> elements_;
  SightGrid grid_;
  SightScene scene_;
  tbb::enumerable_thread_specific<Worker> workers_;
};

}  // namespace tesseray
