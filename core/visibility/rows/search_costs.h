// SPDX-License-Identifier: GPL-3.0-or-later
// How far the search from all elements is, in time.
#pragma once

#include <cstdint>
#include <vector>

#include "core/base/progress.h"
#include "core/visibility/rows/half_rows.h"

namespace tesseray {

// What searching from each element costs, as a part of all. Between an alley and a hill over the city that differs more
// than tenfold, which no count tells that is known before; so a search from one element of each stretch of them is
// timed. It takes about a hundredth of the time of all, and changes no bit of what they find.
class SearchCosts {
 public:
  // Of the elements from `first` on. Throws Error(cancelled).
  SearchCosts(HalfRowFinder& finder, std::uint32_t first, const Progress& progress);

  // Of the elements from the first to the one before `element`; 1 of all.
  // REQUIRES: element is not below the first.
  double before(std::uint32_t element) const;

 private:
  std::uint32_t first_, elements_, stride_;
  std::vector<double> before_;  // by stretch, and of all
};

// What each element from `begin` to `end` − 1 sees above itself, by tasks of HalfRowFinder::elements_per_task. Advances
// the progress to what the costs say. Throws Error(cancelled).
std::vector<HalfRows> find_halves(HalfRowFinder& finder, std::uint32_t begin, std::uint32_t end,
                                  const SearchCosts& costs, Progress& progress);

}  // namespace tesseray
