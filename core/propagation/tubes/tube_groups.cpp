// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/propagation/tubes/tube_groups.h"

#include <tbb/parallel_for.h>
#include <tbb/parallel_sort.h>

#include <algorithm>
#include <numeric>

#include "core/base/parallel.h"
#include "core/propagation/rows/weighted_sample.h"

namespace tesseray {
namespace {

constexpr std::size_t tubes_per_block = 16'384;

// By place: all tubes have one, in the order in which they came.
std::vector<Tube*> places_of(TubeParts& tubes) {
  std::vector<Tube*> by_place;
  by_place.reserve(tubes.size());
  for (std::vector<Tube>& part : tubes.parts()) {
    for (Tube& tube : part) by_place.push_back(&tube);
  }
  return by_place;
}

struct PlacedTube {
  std::uint32_t element = 0, place = 0;
  friend bool operator<(const PlacedTube& a, const PlacedTube& b) {
    return a.element != b.element ? a.element < b.element : a.place < b.place;
  }
};

std::vector<PlacedTube> sorted_by_element(std::span<Tube* const> by_place) {
  std::vector<PlacedTube> placed(by_place.size());
  parallel_blocks(placed.size(), tubes_per_block, no_progress(), [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) placed[i] = {by_place[i]->element, static_cast<std::uint32_t>(i)};
  });
  tbb::parallel_sort(placed.begin(), placed.end());
  return placed;
}

void stand_for(Tube& tube, double times) {
  tube.path_gain *= times;
  tube.stands_for = static_cast<float>(static_cast<double>(tube.stands_for) * times);
}

// Leaves about so many at the front, and returns how many. Those that come from the antenna stay.
std::size_t thin(std::span<PlacedTube> tubes, std::size_t most, std::span<Tube* const> by_place) {
  if (most == 0 || tubes.size() <= most) return tubes.size();
  const auto tube = [&](const PlacedTube& placed) -> Tube& { return *by_place[placed.place]; };
  const auto first_bounced = std::stable_partition(
      tubes.begin(), tubes.end(), [&](const PlacedTube& placed) { return tube(placed).interactions() == 0; });
  const auto from_antenna = static_cast<std::size_t>(first_bounced - tubes.begin());
  return from_antenna + thin_by_weight(
                            tubes.subspan(from_antenna), most, tubes.front().element,
                            [&](const PlacedTube& placed) { return tube(placed).path_gain; },
                            [&](const PlacedTube& placed, double times) { stand_for(tube(placed), times); });
}

TubeParts kept_of(TubeParts tubes, std::span<const std::uint8_t> is_kept) {
  std::vector<std::vector<Tube>>& parts = tubes.parts();
  std::vector<std::size_t> first{0};
  for (const std::vector<Tube>& part : parts) first.push_back(first.back() + part.size());
  tbb::parallel_for(std::size_t{0}, parts.size(), [&](std::size_t p) {
    const std::span<const std::uint8_t> of_part = is_kept.subspan(first[p], parts[p].size());
    std::vector<Tube> kept;
    kept.reserve(static_cast<std::size_t>(std::count(of_part.begin(), of_part.end(), 1)));
    for (std::size_t i = 0; i < of_part.size(); ++i) {
      if (of_part[i] != 0) kept.push_back(parts[p][i]);
    }
    parts[p] = std::move(kept);
  });
  TubeParts kept;
  for (std::vector<Tube>& part : parts) kept.add(std::move(part));
  return kept;
}

}  // namespace

TubeGroups::TubeGroups(TubeParts tubes, std::size_t most) : tubes_(std::move(tubes)) {
  const std::vector<Tube*> by_place = places_of(tubes_);
  std::vector<PlacedTube> placed = sorted_by_element(by_place);
  std::vector<std::size_t> begin;  // of all tubes, by group
  for (std::size_t i = 0; i < placed.size(); ++i) {
    if (i > 0 && placed[i].element == placed[i - 1].element) continue;
    groups_.push_back({placed[i].element, {}});
    begin.push_back(i);
  }
  begin.push_back(placed.size());
  std::vector<std::size_t> first(groups_.size() + 1, 0);  // of those that stay
  tbb::parallel_for(std::size_t{0}, groups_.size(), [&](std::size_t g) {
    first[g + 1] = thin(std::span(placed).subspan(begin[g], begin[g + 1] - begin[g]), most, by_place);
  });
  std::partial_sum(first.begin(), first.end(), first.begin());
  places_.resize(first.back());
  order_.resize(first.back());
  tbb::parallel_for(std::size_t{0}, groups_.size(), [&](std::size_t g) {
    const std::size_t kept = first[g + 1] - first[g];
    for (std::size_t i = 0; i < kept; ++i) {
      const std::uint32_t place = placed[begin[g] + i].place;
      places_[first[g] + i] = place;
      order_[first[g] + i] = by_place[place];
    }
    groups_[g].tubes = std::span(order_).subspan(first[g], kept);
  });
  if (places_.size() < placed.size()) keep_from(0);
}

void TubeGroups::drop_before(std::size_t group) {
  if (group == groups_.size()) {
    keep_from(order_.size());
  } else {
    keep_from(static_cast<std::size_t>(groups_[group].tubes.data() - order_.data()));
  }
  for (TubeGroup& bounced : std::span(groups_).first(group)) bounced.tubes = {};
}

void TubeGroups::keep_from(std::size_t first) {
  std::vector<std::uint8_t> is_kept(tubes_.size(), 0);
  const std::span<std::uint32_t> kept = std::span(places_).subspan(first);
  for (const std::uint32_t place : kept) is_kept[place] = 1;
  tubes_ = kept_of(std::move(tubes_), is_kept);
  std::vector<std::uint32_t> new_place(is_kept.size());
  std::exclusive_scan(is_kept.begin(), is_kept.end(), new_place.begin(), std::uint32_t{0});
  const std::vector<Tube*> by_place = places_of(tubes_);
  parallel_blocks(kept.size(), tubes_per_block, no_progress(), [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) {
      kept[i] = new_place[kept[i]];
      order_[first + i] = by_place[kept[i]];
    }
  });
}

// Hundreds of megabytes in many parts, which take a while to give back one after the other.
TubeGroups::~TubeGroups() {
  std::vector<std::vector<Tube>>& parts = tubes_.parts();
  tbb::parallel_for(std::size_t{0}, parts.size(), [&](std::size_t p) { std::vector<Tube>().swap(parts[p]); });
}

}  // namespace tesseray
