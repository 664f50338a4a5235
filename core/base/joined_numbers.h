// SPDX-License-Identifier: GPL-3.0-or-later
// Things by their numbers 0, 1, …, of which some are joined to others.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <vector>

namespace tesseray {

// Those that are joined have the least of their numbers in common.
class JoinedNumbers {
 public:
  explicit JoinedNumbers(std::size_t count) : joined_(count) { std::iota(joined_.begin(), joined_.end(), 0u); }

  void join(std::uint32_t a, std::uint32_t b) {
    a = least(a);
    b = least(b);
    joined_[std::max(a, b)] = std::min(a, b);
  }
  std::uint32_t least(std::uint32_t number) {
    while (joined_[number] != number) number = joined_[number] = joined_[joined_[number]];
    return number;
  }

 private:
  std::vector<std::uint32_t> joined_;
};

}  // namespace tesseray
