// SPDX-License-Identifier: GPL-3.0-or-later
// Numbers sorted by marking them in a bitmap, and its words in another: many numbers of a short range, that leave as
// runs of consecutive ones.
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace tesseray {

inline constexpr std::uint32_t marks_per_word = 64;

// `count` marks from `first` on. REQUIRES: count > 0, first + count ≤ marks_per_word.
constexpr std::uint64_t run_of_marks(std::uint32_t first, std::uint32_t count) {
  return ~std::uint64_t{0} >> (marks_per_word - count) << first;
}

class NumberMarks {
 public:
  // For numbers below `limit`.
  explicit NumberMarks(std::size_t limit)
      : marks_(limit / marks_per_word + 1), marked_(marks_.size() / marks_per_word + 1) {}

  void add(std::uint32_t number) { add_word(number / marks_per_word, std::uint64_t{1} << number % marks_per_word); }

  void add_run(std::uint32_t first, std::uint32_t count) {
    while (count > 0) {
      const std::uint32_t bit = first % marks_per_word, here = std::min(count, marks_per_word - bit);
      add_word(first / marks_per_word, run_of_marks(bit, here));
      first += here;
      count -= here;
    }
  }

  // The numbers 64 · word + b for each bit b of `marks`, which are not all clear.
  void add_word(std::uint32_t word, std::uint64_t marks) {
    marks_[word] |= marks;
    marked_[word / marks_per_word] |= std::uint64_t{1} << word % marks_per_word;
  }

  // Calls visit(first, count) for the runs of all numbers, in ascending order and none touching the next, and forgets
  // them.
  template <class Visit>
  void take_runs(const Visit& visit) {
    std::uint32_t first = 0, end = 0;  // of the run that may go on in the next word
    for (std::size_t m = 0; m < marked_.size(); ++m) {
      for (std::uint64_t words = std::exchange(marked_[m], 0); words != 0; words &= words - 1) {
        const std::size_t word = marks_per_word * m + static_cast<std::size_t>(std::countr_zero(words));
        const auto number = static_cast<std::uint32_t>(marks_per_word * word);
        // Adding the lowest bit carries through the lowest run, and clears it.
        for (std::uint64_t marks = std::exchange(marks_[word], 0); marks != 0; marks &= marks + (marks & -marks)) {
          const int bit = std::countr_zero(marks);
          const std::uint32_t begin = number + static_cast<std::uint32_t>(bit);
          if (begin != end) {
            if (end != first) visit(first, end - first);
            first = begin;
          }
          end = begin + static_cast<std::uint32_t>(std::countr_one(marks >> bit));
        }
      }
    }
    if (end != first) visit(first, end - first);
  }

 private:
  std::vector<std::uint64_t> marks_, marked_;  // all clear between calls
};

}  // namespace tesseray
