// SPDX-License-Identifier: GPL-3.0-or-later
// How rows go over from one tiling to another, as they are coded.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/visibility/updates/renumbering.h"

namespace tesseray {

// Whether an element sees another after an edit that it did not see before, or the other way round. Numbers are those
// after the edit.
struct SightChange {
  std::uint32_t element = 0, other = 0;
  bool is_seen = false;  // after the edit

  // NOLINTNEXTLINE(modernize-use-nullptr): clang-tidy 14 takes the comparison's zero for a pointer.
  friend auto operator<=>(const SightChange&, const SightChange&) = default;
};

// Rows of old numbers as rows of new ones, without those that are gone, and as an edit changed them. Holds scratch
// memory: one for each thread.
class RowRenumberer {
 public:
  explicit RowRenumberer(const Renumbering& numbers);

  // Appends the coded row (rows/row_codec.h) to `out`. False when `bytes` are no row of numbers of the old tiling.
  // REQUIRES: `changes` of this row, ascending: what is seen now is not in the row, what is not seen any more is.
  bool append(std::span<const std::uint8_t> bytes, std::span<const SightChange> changes,
              std::vector<std::uint8_t>& out);
  // How many more the row that was appended last has than before.
  std::int64_t more_tiles() const { return more_tiles_; }
  std::int64_t more_edges() const { return more_edges_; }

 private:
  class OldRuns;
  // What did not fit into a token: where its code is, and the sum of those before it.
  struct Rest {
    const std::uint8_t* at = nullptr;
    std::uint64_t sum = 0;
  };
  // Old numbers first … end − 1 that are all gone, or all get numbers that are `shift` higher (modulo 2³²).
  struct Stretch {
    std::uint32_t first = 0, end = 0, shift = 0;
    bool is_gone = false;
  };

  // All runs of a row as it was. False when they are not right.
  bool put_runs(OldRuns& old, std::vector<std::uint8_t>& out);
  // Runs that follow in the same stretch keep their code: all but the last, which may grow.
  bool keep_runs(OldRuns& old, const Stretch& stretch, std::vector<std::uint8_t>& out);
  void put(std::uint32_t first, std::uint32_t count, std::vector<std::uint8_t>& out);
  void put_seen_below(std::uint32_t number, std::vector<std::uint8_t>& out);
  void put_unless_lost(std::uint32_t first, std::uint32_t end, std::vector<std::uint8_t>& out);
  std::uint32_t unchanged_end(const Stretch& stretch) const;
  void flush(std::vector<std::uint8_t>& out);
  void count_gone(std::uint32_t first, std::uint32_t end);

  std::uint32_t old_tiles_, new_tiles_;
  std::vector<Stretch> stretches_;
  std::span<const SightChange> changes_;  // of the row in the making, those that are still to come
  std::int64_t more_tiles_ = 0, more_edges_ = 0;
  std::vector<Rest> old_rests_;              // of the row as it was
  std::vector<std::uint8_t> rests_, count_;  // of the row in the making: what did not fit, the number of its runs
  std::uint32_t runs_ = 0, next_ = 0;        // written so far, and the least number that a further one may begin with
  std::uint32_t pending_first_ = 0, pending_count_ = 0;  // a run that may still grow
};

}  // namespace tesseray
