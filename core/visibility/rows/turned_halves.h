// SPDX-License-Identifier: GPL-3.0-or-later
// Halves of rows, which name what sources found, turned: for each element, the sources that found it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "core/base/progress.h"
#include "core/visibility/rows/row_codec.h"
#include "core/visibility/rows/row_maker.h"

namespace tesseray {

// For consecutive elements: the pairs that each of them found, every pair of the relation once in all.
class HalfRows {
 public:
  // The next element's.
  void add(std::span<const std::uint32_t> row);
  void add(RowMaker& row);
  void clear();

  std::uint32_t rows() const { return static_cast<std::uint32_t>(ends_.size()); }
  // A row (row_codec.h).
  const std::uint8_t* row(std::uint32_t k) const { return bytes_.data() + (k == 0 ? 0 : ends_[k - 1]); }
  // All of them, one after the other.
  const std::vector<std::uint8_t>& bytes() const { return bytes_; }
  std::uint64_t pairs() const { return pairs_; }

 private:
  std::vector<std::uint8_t> bytes_;
  std::vector<std::uint32_t> ends_;  // of rows: halves are of some dozens, far below 4 GiB
  std::uint64_t pairs_ = 0;
};

// The sources 64 · word + b for each bit b of `marks`.
struct SourceWord {
  std::uint32_t word = 0;
  std::uint64_t marks = 0;
};

// By whom some consecutive elements were found.
class TurnedPart {
 public:
  std::uint32_t begin() const { return begin_; }
  std::uint32_t end() const { return begin_ + static_cast<std::uint32_t>(offsets_.size()) - 1; }
  // REQUIRES: begin() ≤ element < end().
  std::span<const SourceWord> sources_of(std::uint32_t element) const {
    const std::size_t place = element - begin_;
    return {words_.data() + offsets_[place], words_.data() + offsets_[place + 1]};
  }

 private:
  friend class TurnedHalves;
  std::uint32_t begin_ = 0;
  std::vector<std::size_t> offsets_, next_;
  std::vector<SourceWord> words_;
};

// Where each row of some halves is read next.
std::vector<RowCursor> cursors_of(const std::vector<HalfRows>& halves);

// Neighbours see much the same: sources are turned 64 at a time, as the bits of a word, so that what is written far
// apart in memory is a word for many pairs. Takes 16 bytes for each of these words: for two bytes a pair, in cities.
class TurnedHalves {
 public:
  // Of the elements begin … end − 1, in parts of `part_elements`. The halves are of the sources from `first_source` on.
  // Reads them in all threads, as far as the elements; `progress` may cancel it.
  TurnedHalves(const std::vector<HalfRows>& halves, std::uint32_t first_source, std::uint32_t begin, std::uint32_t end,
               std::uint32_t part_elements, const Progress& progress);
  // The same from where `cursors`, of all their rows, are, which go on: for elements that follow on each other.
  TurnedHalves(const std::vector<HalfRows>& halves, std::span<RowCursor> cursors, std::uint32_t first_source,
               std::uint32_t begin, std::uint32_t end, std::uint32_t part_elements, const Progress& progress);

  std::uint32_t parts() const { return (end_ - begin_ + part_elements_ - 1) / part_elements_; }
  // Replaces `turned`, whose memory is used again.
  void read_part(std::uint32_t part, TurnedPart& turned) const;

 private:
  // What the sources of one word found of an element.
  struct FoundWord {
    std::uint32_t element = 0, word = 0;
    std::uint64_t marks = 0;
  };
  // Those of some words, part by part, and in order of the words within each.
  struct FoundWords {
    std::vector<FoundWord> items;
    std::vector<std::size_t> part_begins;
  };
  class Turner;

  void turn(const std::vector<HalfRows>& halves, std::span<RowCursor> cursors, std::uint32_t first_source,
            const Progress& progress);

  std::uint32_t begin_, end_, part_elements_;
  std::vector<FoundWords> found_;
};

}  // namespace tesseray
