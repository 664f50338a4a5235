// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/visibility/renumbering.h"

#include <algorithm>
#include <utility>

#include "core/visibility/row_codec.h"
#include "core/visibility/visibility.h"

namespace tesseray {

namespace {

bool is_same(const Tile& a, const Tile& b) { return a.id == b.id && a.centroid == b.centroid && a.normal == b.normal; }

bool is_same(const EdgeSegment& a, const EdgeSegment& b) {
  return a.id == b.id && a.midpoint == b.midpoint && a.direction == b.direction && a.tangent_0 == b.tangent_0 &&
         a.normal_0 == b.normal_0 && a.wedge_angle == b.wedge_angle;
}

using Pair = std::pair<std::uint32_t, std::uint32_t>;  // places of one item in both lists

// Of pairs with ascending second places, as many as possible with ascending first places, too.
std::vector<Pair> ascending(const std::vector<Pair>& pairs) {
  constexpr std::uint32_t none = no_index;
  std::vector<std::uint32_t> ends, before(pairs.size(), none);  // ends[n]: the last of the best chain of n + 1 pairs
  for (std::uint32_t k = 0; k < pairs.size(); ++k) {
    const auto at = std::partition_point(ends.begin(), ends.end(),
                                         [&](std::uint32_t end) { return pairs[end].first < pairs[k].first; });
    if (at != ends.begin()) before[k] = *(at - 1);
    if (at == ends.end()) {
      ends.push_back(k);
    } else {
      *at = k;
    }
  }
  std::vector<Pair> chain;
  for (std::uint32_t k = ends.empty() ? none : ends.back(); k != none; k = before[k]) chain.push_back(pairs[k]);
  std::reverse(chain.begin(), chain.end());
  return chain;
}

// Calls match(a, b) for places of equal items. Edits are few: what is alike from the ends on needs no sorting.
template <class Item, class Match>
void match_items(const std::vector<Item>& before, const std::vector<Item>& after, const Match& match) {
  std::size_t head = 0, tail = 0;
  const std::size_t least = std::min(before.size(), after.size());
  while (head < least && is_same(before[head], after[head])) ++head;
  while (tail < least - head && is_same(before[before.size() - 1 - tail], after[after.size() - 1 - tail])) ++tail;
  std::vector<std::pair<std::int64_t, std::uint32_t>> ids;
  for (std::size_t a = head; a < before.size() - tail; ++a) {
    ids.emplace_back(before[a].id, static_cast<std::uint32_t>(a));
  }
  std::sort(ids.begin(), ids.end());
  std::vector<Pair> pairs;
  for (std::size_t b = head; b < after.size() - tail; ++b) {
    const auto found = std::lower_bound(ids.begin(), ids.end(), std::pair(after[b].id, std::uint32_t{0}));
    if (found == ids.end() || !is_same(before[found->second], after[b])) continue;
    pairs.emplace_back(found->second, static_cast<std::uint32_t>(b));
  }
  for (std::size_t k = 0; k < head; ++k) match(k, k);
  for (const auto& [a, b] : ascending(pairs)) match(a, b);
  for (std::size_t k = tail; k > 0; --k) match(before.size() - k, after.size() - k);
}

}  // namespace

Renumbering match_elements(const Tiling& before, const Tiling& after, const SceneChange& change) {
  Renumbering numbers;
  numbers.old_tiles = static_cast<std::uint32_t>(before.tiles.size());
  numbers.new_tiles = static_cast<std::uint32_t>(after.tiles.size());
  numbers.new_of_old.assign(before.tiles.size() + before.edges.size(), no_index);
  numbers.old_of_new.assign(after.tiles.size() + after.edges.size(), no_index);
  const auto match = [&](Vec3 point, std::size_t a, std::size_t b) {
    if (change.may_move_into_or_out_of_parts(point)) return;
    numbers.new_of_old[a] = static_cast<std::uint32_t>(b);
    numbers.old_of_new[b] = static_cast<std::uint32_t>(a);
  };
  match_items(before.tiles, after.tiles,
              [&](std::size_t a, std::size_t b) { match(lifted_point(after.tiles[b]), a, b); });
  match_items(before.edges, after.edges, [&](std::size_t a, std::size_t b) {
    match(lifted_point(after.edges[b]), numbers.old_tiles + a, numbers.new_tiles + b);
  });
  return numbers;
}

RowRenumberer::RowRenumberer(const Renumbering& numbers) : old_tiles_(numbers.old_tiles) {
  for (std::uint32_t old = 0; old < numbers.new_of_old.size(); ++old) {
    const bool is_gone = numbers.new_of_old[old] == no_index;
    const std::uint32_t shift = is_gone ? 0 : numbers.new_of_old[old] - old;
    if (!stretches_.empty() && stretches_.back().is_gone == is_gone && stretches_.back().shift == shift) {
      stretches_.back().end = old + 1;
    } else {
      stretches_.push_back({old, old + 1, shift, is_gone});
    }
  }
}

void RowRenumberer::flush() {
  if (pending_count_ == 0) return;
  const std::uint32_t gap = pending_first_ - next_, more = pending_count_ - 1;
  const std::uint32_t token = std::min(gap, widest_gap) << run_length_bits | std::min(more, longest_run);
  tokens_.push_back(static_cast<std::uint8_t>(token));
  tokens_.push_back(static_cast<std::uint8_t>(token >> 8));
  if (gap >= widest_gap) append_varint(gap - widest_gap, rests_);
  if (more >= longest_run) append_varint(more - longest_run, rests_);
  next_ = pending_first_ + pending_count_ + 1;
  pending_count_ = 0;
  ++runs_;
}

void RowRenumberer::put(std::uint32_t first, std::uint32_t count) {
  // What stood between two runs may be gone, so that they become one.
  if (pending_count_ > 0 && pending_first_ + pending_count_ == first) {
    pending_count_ += count;
    return;
  }
  flush();
  pending_first_ = first;
  pending_count_ = count;
}

void RowRenumberer::count_gone(std::uint32_t first, std::uint32_t end) {
  const std::uint32_t tiles = std::min(end, old_tiles_) - std::min(first, old_tiles_);
  gone_tiles_ += tiles;
  gone_edges_ += end - first - tiles;
}

bool RowRenumberer::append(std::span<const std::uint8_t> bytes, std::vector<std::uint8_t>& out) {
  gone_tiles_ = gone_edges_ = 0;
  tokens_.clear();
  rests_.clear();
  runs_ = next_ = pending_count_ = 0;

  const std::uint8_t* at = bytes.data();
  const std::uint8_t* const end = at + bytes.size();
  std::uint64_t runs = 0;
  if (!read_varint(at, end, runs) || 2 * runs > static_cast<std::uint64_t>(end - at)) return false;
  const std::uint8_t* rest = at + 2 * runs;
  const std::uint8_t* const tokens_end = rest;
  const std::uint64_t limit = stretches_.empty() ? 0 : stretches_.back().end;
  std::uint64_t next = 0, first = 0, run_end = 0;
  // Reads the run at `at`; false when there is none that lies below the limit.
  const auto read_run = [&] {
    const std::uint32_t token = load_little_endian<std::uint16_t>(at);
    std::uint64_t gap = token >> run_length_bits, more = token & longest_run, extra = 0;
    if (gap == widest_gap) [[unlikely]] {
      if (!read_varint(rest, end, extra)) return false;
      gap += extra;
    }
    if (more == longest_run) [[unlikely]] {
      if (!read_varint(rest, end, extra)) return false;
      more += extra;
    }
    at += 2;
    first = next + gap;
    run_end = first + more + 1;
    next = run_end + 1;
    return run_end <= limit;
  };

  auto stretch = stretches_.begin();
  while (at != tokens_end) {
    if (!read_run()) return false;
    while (stretch->end <= first) ++stretch;
    for (auto piece = stretch;; ++piece) {
      const auto from = std::max(static_cast<std::uint32_t>(first), piece->first);
      const auto to = std::min(static_cast<std::uint32_t>(run_end), piece->end);
      if (piece->is_gone) {
        count_gone(from, to);
      } else {
        put(from + piece->shift, to - from);
      }
      stretch = piece;
      if (piece->end >= run_end) break;
    }
    if (stretch->is_gone || at == tokens_end) continue;

    // Runs that follow in the same stretch keep their code: all but the last, which may grow.
    const std::uint8_t* const copied_tokens = at;
    const std::uint8_t* const copied_rests = rest;
    const std::uint8_t* last_token = at;
    const std::uint8_t* last_rest = rest;
    std::uint64_t last_first = first, last_end = run_end, last_next = next;
    bool any = false;
    while (at != tokens_end) {
      const std::uint8_t* const token = at;
      const std::uint8_t* const rest_of_token = rest;
      const std::uint64_t next_before = next;
      if (!read_run()) return false;
      if (run_end > stretch->end) {
        at = token;
        rest = rest_of_token;
        next = next_before;
        break;
      }
      any = true;
      last_token = token;
      last_rest = rest_of_token;
      last_first = first;
      last_end = run_end;
      last_next = next_before;
    }
    if (!any) continue;
    flush();
    tokens_.insert(tokens_.end(), copied_tokens, last_token);
    rests_.insert(rests_.end(), copied_rests, last_rest);
    runs_ += static_cast<std::uint32_t>((last_token - copied_tokens) / 2);
    if (last_token != copied_tokens) next_ = static_cast<std::uint32_t>(last_next) + stretch->shift;
    put(static_cast<std::uint32_t>(last_first) + stretch->shift, static_cast<std::uint32_t>(last_end - last_first));
  }
  if (rest != end) return false;
  flush();
  append_varint(runs_, out);
  out.insert(out.end(), tokens_.begin(), tokens_.end());
  out.insert(out.end(), rests_.begin(), rests_.end());
  return true;
}

}  // namespace tesseray
