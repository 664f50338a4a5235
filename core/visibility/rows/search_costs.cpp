// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/visibility/rows/search_costs.h"

#include <tbb/parallel_for.h>
#include <time.h>

#include <algorithm>
#include <atomic>

namespace tesseray {

namespace {

// Lyon's time was told 19 % wrong by 350 of them, after its first tenth, and 83 % by 180.
constexpr std::uint32_t most_samples = 2000;
constexpr std::uint32_t least_stride = 256;

// Of this thread alone, whatever else runs.
double processor_seconds() {
  timespec time{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
}

// The second time, as among its neighbours: the first waits for memory that no search has read of late.
double seconds_of_search(HalfRowFinder& finder, std::uint32_t element) {
  finder.find(element, element + 1);
  const double begin = processor_seconds();
  finder.find(element, element + 1);
  return processor_seconds() - begin;
}

// One of the stretch that begins there, by Knuth's multiplicative hash: not always the first, since tiles of one wall
// follow each other.
std::uint32_t sampled_element(std::uint32_t stretch, std::uint32_t begin, std::uint32_t length) {
  return begin + (stretch * 2654435761u >> 8) % length;
}

}  // namespace

SearchCosts::SearchCosts(HalfRowFinder& finder, std::uint32_t first, const Progress& progress)
    : first_(first),
      elements_(finder.element_count() - first),
      stride_(std::max(least_stride, elements_ / most_samples)) {
  const std::uint32_t stretches = (elements_ + stride_ - 1) / stride_;
  before_.resize(std::size_t{stretches} + 1);
  tbb::parallel_for(std::uint32_t{0}, stretches, [&](std::uint32_t k) {
    progress.throw_if_cancelled();
    const std::uint32_t begin = k * stride_, length = std::min(stride_, elements_ - begin);
    // A clock may stand still for a short search.
    const double seconds = std::max(seconds_of_search(finder, first + sampled_element(k, begin, length)), 1e-9);
    before_[k + 1] = seconds * length;
  });
  for (std::uint32_t k = 0; k < stretches; ++k) before_[k + 1] += before_[k];
  const double all = before_.back();
  if (all > 0) {
    for (double& before : before_) before /= all;
  }
}

double SearchCosts::before(std::uint32_t element) const {
  const std::uint32_t past = element - first_;
  if (past == elements_) return before_.back();
  const std::uint32_t stretch = past / stride_, begin = stretch * stride_;
  const double of_stretch = before_[stretch + 1] - before_[stretch];
  return before_[stretch] + of_stretch * (past - begin) / std::min(stride_, elements_ - begin);
}

std::vector<HalfRows> find_halves(HalfRowFinder& finder, std::uint32_t begin, std::uint32_t end,
                                  const SearchCosts& costs, Progress& progress) {
  constexpr std::uint32_t task = HalfRowFinder::elements_per_task;
  std::vector<HalfRows> halves((end - begin + task - 1) / task);
  std::atomic<double> done{costs.before(begin)};
  tbb::parallel_for(std::uint32_t{0}, static_cast<std::uint32_t>(halves.size()), [&](std::uint32_t k) {
    progress.throw_if_cancelled();
    const std::uint32_t task_begin = begin + k * task, task_end = std::min(end, task_begin + task);
    halves[k] = finder.find(task_begin, task_end);
    const double cost = costs.before(task_end) - costs.before(task_begin);
    progress.advance(std::min(1.0, done.fetch_add(cost) + cost));
  });
  return halves;
}

}  // namespace tesseray
