// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/visibility/rows/turned_halves.h"

#include <tbb/enumerable_thread_specific.h>
#include <tbb/parallel_for.h>

#include <algorithm>
#include <numeric>
#include <utility>

#include "core/base/large_pages.h"
#include "core/visibility/rows/row_codec.h"
#include "core/visibility/search/number_marks.h"

namespace tesseray {

namespace {

constexpr std::size_t halves_per_task = 16;

}  // namespace

void HalfRows::add(std::span<const std::uint32_t> row) {
  append_row(row, bytes_);
  ends_.push_back(static_cast<std::uint32_t>(bytes_.size()));
  pairs_ += row.size();
}

void HalfRows::add(RowMaker& row) {
  pairs_ += row.append_to(bytes_).length;
  ends_.push_back(static_cast<std::uint32_t>(bytes_.size()));
}

void HalfRows::clear() {
  bytes_.clear();
  ends_.clear();
  pairs_ = 0;
}

// Collects what the sources of a word found, word by word.
class TurnedHalves::Turner {
 public:
  Turner(std::uint32_t begin, std::uint32_t end, std::uint32_t part_elements)
      : begin_(begin), end_(end), part_elements_(part_elements), marks_(end - begin, 0), places_(end - begin) {}

  void add(std::span<RowCursor> half, std::uint32_t first_source) {
    for (std::uint32_t row = 0; row < half.size(); ++row) {
      const std::uint32_t source = first_source + row;
      add_row(half[row], source);
      // A word whose other sources are in the next half comes again.
      if ((source + 1) % marks_per_word == 0 || row + 1 == half.size()) end_word(source / marks_per_word);
    }
  }

  // All words since the last call.
  FoundWords take(std::uint32_t parts) {
    FoundWords sorted;
    sorted.part_begins.resize(parts + std::size_t{1});
    for (const FoundWord& found : found_) ++sorted.part_begins[part_of(found) + 1];
    std::partial_sum(sorted.part_begins.begin(), sorted.part_begins.end(), sorted.part_begins.begin());
    sorted.items.resize(found_.size());
    std::vector<std::size_t> next = sorted.part_begins;
    for (const FoundWord& found : found_) sorted.items[next[part_of(found)]++] = found;
    found_.clear();
    return sorted;
  }

 private:
  void add_row(RowCursor& row, std::uint32_t source) {
    const std::uint64_t mark = std::uint64_t{1} << source % marks_per_word;
    row.visit_until(end_, [&](std::uint32_t first, std::uint32_t count) {
      if (first + count <= begin_) return;
      const std::uint32_t low = std::max(first, begin_) - begin_, high = std::min(first + count, end_) - begin_;
      places_.add_run(low, high - low);
      for (std::uint32_t place = low; place < high; ++place) marks_[place] |= mark;
    });
  }

  void end_word(std::uint32_t word) {
    places_.take_runs([&](std::uint32_t first, std::uint32_t count) {
      for (std::uint32_t place = first; place < first + count; ++place) {
        found_.push_back({begin_ + place, word, std::exchange(marks_[place], 0)});
      }
    });
  }

  std::size_t part_of(const FoundWord& found) const { return (found.element - begin_) / part_elements_; }

  std::uint32_t begin_, end_, part_elements_;
  LargePageVector<std::uint64_t> marks_;  // by place; all clear between words
  NumberMarks places_;
  std::vector<FoundWord> found_;
};

std::vector<RowCursor> cursors_of(const std::vector<HalfRows>& halves) {
  std::vector<RowCursor> cursors;
  std::size_t rows = 0;
  for (const HalfRows& half : halves) rows += half.rows();
  cursors.reserve(rows);
  for (const HalfRows& half : halves) {
    for (std::uint32_t row = 0; row < half.rows(); ++row) cursors.emplace_back(half.row(row));
  }
  return cursors;
}

TurnedHalves::TurnedHalves(const std::vector<HalfRows>& halves, std::uint32_t first_source, std::uint32_t begin,
                           std::uint32_t end, std::uint32_t part_elements, const Progress& progress)
    : begin_(begin), end_(end), part_elements_(part_elements) {
  std::vector<RowCursor> cursors = cursors_of(halves);
  turn(halves, cursors, first_source, progress);
}

TurnedHalves::TurnedHalves(const std::vector<HalfRows>& halves, std::span<RowCursor> cursors,
                           std::uint32_t first_source, std::uint32_t begin, std::uint32_t end,
                           std::uint32_t part_elements, const Progress& progress)
    : begin_(begin), end_(end), part_elements_(part_elements) {
  turn(halves, cursors, first_source, progress);
}

void TurnedHalves::turn(const std::vector<HalfRows>& halves, std::span<RowCursor> cursors, std::uint32_t first_source,
                        const Progress& progress) {
  found_.resize((halves.size() + halves_per_task - 1) / halves_per_task);
  std::vector<std::uint32_t> sources = {first_source};
  for (const HalfRows& half : halves) sources.push_back(sources.back() + half.rows());
  tbb::enumerable_thread_specific<Turner> turners(begin_, end_, part_elements_);
  tbb::parallel_for(std::size_t{0}, found_.size(), [&](std::size_t task) {
    progress.throw_if_cancelled();
    Turner& turner = turners.local();
    const std::size_t first_half = task * halves_per_task;
    for (std::size_t h = first_half; h < std::min(halves.size(), first_half + halves_per_task); ++h) {
      turner.add(cursors.subspan(sources[h] - first_source, halves[h].rows()), sources[h]);
    }
    found_[task] = turner.take(parts());
  });
}

void TurnedHalves::read_part(std::uint32_t part, TurnedPart& turned) const {
  const auto for_each_found = [&](const auto& visit) {
    for (const FoundWords& found : found_) {
      for (std::size_t k = found.part_begins[part]; k < found.part_begins[part + 1]; ++k) visit(found.items[k]);
    }
  };
  turned.begin_ = begin_ + part * part_elements_;
  turned.offsets_.assign(std::min(end_ - turned.begin_, part_elements_) + std::size_t{1}, 0);
  for_each_found([&](const FoundWord& found) { ++turned.offsets_[found.element - turned.begin_ + 1]; });
  std::partial_sum(turned.offsets_.begin(), turned.offsets_.end(), turned.offsets_.begin());
  turned.next_ = turned.offsets_;
  turned.words_.resize(turned.offsets_.back());
  for_each_found([&](const FoundWord& found) {
    turned.words_[turned.next_[found.element - turned.begin_]++] = {found.word, found.marks};
  });
}

}  // namespace tesseray
