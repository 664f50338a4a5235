// SPDX-License-Identifier: GPL-3.0-or-later
// What one thread's rays bring to targets, with memory for those alone to whose neighbours they come: of many threads
// each is at a part of a city, and memory that none of them writes need not be cleared, nor merged. Internal to
// core/propagation.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <type_traits>
#include <utility>
#include <vector>

#include "core/base/large_pages.h"

namespace tesseray {

template <class Sums>
class TargetSums {
 public:
  static constexpr std::size_t targets_per_block = 1024;

  TargetSums() = default;
  // All empty.
  explicit TargetSums(std::size_t targets)
      : is_made_((targets + targets_per_block - 1) / targets_per_block, 0),
        count_(targets),
        sums_(LargePageAllocator<Sums>().allocate(targets)) {}
  ~TargetSums() { LargePageAllocator<Sums>().deallocate(sums_, count_); }
  TargetSums(TargetSums&& other) noexcept { *this = std::move(other); }
  TargetSums& operator=(TargetSums&& other) noexcept {
    std::swap(is_made_, other.is_made_);
    std::swap(count_, other.count_);
    std::swap(sums_, other.sums_);
    return *this;
  }

  bool empty() const { return count_ == 0; }
  Sums& operator[](std::size_t target) {
    if (const std::size_t block = target / targets_per_block; is_made_[block] == 0) make(block);
    return sums_[target];
  }
  // Of the targets from targets_per_block · block on; none where nothing has come to any of them.
  std::span<const Sums> block(std::size_t block) const {
    if (is_made_[block] == 0) return {};
    return {sums_ + block * targets_per_block, size_of(block)};
  }
  // Of all targets.
  operator std::span<Sums>() {
    for (std::size_t block = 0; block < is_made_.size(); ++block) {
      if (is_made_[block] == 0) make(block);
    }
    return {sums_, count_};
  }

 private:
  std::size_t size_of(std::size_t block) const {
    return std::min(targets_per_block, count_ - block * targets_per_block);
  }
  void make(std::size_t block) {
    std::uninitialized_value_construct_n(sums_ + block * targets_per_block, size_of(block));
    is_made_[block] = 1;
  }

  // Nobody ends their lives.
  static_assert(std::is_trivially_destructible_v<Sums>);

  std::vector<std::uint8_t> is_made_;  // by block
  std::size_t count_ = 0;
  Sums* sums_ = nullptr;
};

}  // namespace tesseray
