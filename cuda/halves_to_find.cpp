// SPDX-License-Identifier: GPL-3.0-or-later
#include "cuda/halves_to_find.h"

#include <algorithm>

namespace tesseray {

HalvesToFind::HalvesToFind(std::size_t count, bool is_shared, Progress& progress)
    : count_(count), is_shared_(is_shared), progress_(progress), end_(count) {}

HalvesToFind::Range HalvesToFind::take_first(std::size_t most) {
  const std::lock_guard lock(mutex_);
  const std::size_t left = end_ - first_;
  const std::size_t taken = std::min(most, is_shared_ ? (left + 1) / 2 : left);
  first_ += taken;
  return {first_ - taken, first_};
}

HalvesToFind::Range HalvesToFind::take_last() {
  const std::lock_guard lock(mutex_);
  if (first_ == end_) return {};
  --end_;
  return {end_, end_ + 1};
}

void HalvesToFind::have_found(std::size_t count) {
  const std::lock_guard lock(mutex_);
  found_ += count;
  progress_.advance(static_cast<double>(found_) / static_cast<double>(count_));
}

void HalvesToFind::give_up() {
  const std::lock_guard lock(mutex_);
  first_ = end_;
}

}  // namespace tesseray
