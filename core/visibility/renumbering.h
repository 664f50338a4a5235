// SPDX-License-Identifier: GPL-3.0-or-later
// Which elements two tilings have in common, and how their numbers, and rows of them, go over from one to the other.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/tiling/tiling.h"
#include "core/visibility/scene_change.h"

namespace tesseray {

// Elements with the same id that are at the same place, face the same way and did not move into or out of a part. Their
// numbers ascend in both tilings.
struct Renumbering {
  std::uint32_t old_tiles = 0, new_tiles = 0;
  std::vector<std::uint32_t> new_of_old, old_of_new;  // by element number; no_index for those that the other has not
};

Renumbering match_elements(const Tiling& before, const Tiling& after, const SceneChange& change);

// Rows of old numbers as rows of new ones, without those that are gone. Holds scratch memory: one for each thread.
class RowRenumberer {
 public:
  explicit RowRenumberer(const Renumbering& numbers);

  // Appends the coded row (row_codec.h) to `out`. False when `bytes` are no row of numbers of the old tiling.
  bool append(std::span<const std::uint8_t> bytes, std::vector<std::uint8_t>& out);
  // Of the row that was appended last.
  std::uint32_t gone_tiles() const { return gone_tiles_; }
  std::uint32_t gone_edges() const { return gone_edges_; }

 private:
  // Old numbers first … end − 1 that are all gone, or all get numbers that are `shift` higher (modulo 2³²).
  struct Stretch {
    std::uint32_t first = 0, end = 0, shift = 0;
    bool is_gone = false;
  };

  void put(std::uint32_t first, std::uint32_t count, std::vector<std::uint8_t>& out);
  void flush(std::vector<std::uint8_t>& out);
  void count_gone(std::uint32_t first, std::uint32_t end);

  std::uint32_t old_tiles_;
  std::vector<Stretch> stretches_;
  std::uint32_t gone_tiles_ = 0, gone_edges_ = 0;
  std::vector<std::uint8_t> rests_;    // of the row in the making
  std::uint32_t runs_ = 0, next_ = 0;  // written so far, and the least number that a further one may begin with
  std::uint32_t pending_first_ = 0, pending_count_ = 0;  // a run that may still grow
};

}  // namespace tesseray
