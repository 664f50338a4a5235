// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/visibility/updates/renumbering.h"

#include <tbb/parallel_invoke.h>

#include <algorithm>
#include <utility>

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
  tbb::parallel_invoke(
      [&] {
        match_items(before.tiles, after.tiles,
                    [&](std::size_t a, std::size_t b) { match(lifted_point(after.tiles[b]), a, b); });
      },
      [&] {
        match_items(before.edges, after.edges, [&](std::size_t a, std::size_t b) {
          match(lifted_point(after.edges[b]), numbers.old_tiles + a, numbers.new_tiles + b);
        });
      });
  return numbers;
}

}  // namespace tesseray
