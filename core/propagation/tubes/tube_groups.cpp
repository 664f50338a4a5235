// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/propagation/tubes/tube_groups.h"

#include <tbb/blocked_range.h>
#include <tbb/parallel_for.h>
#include <tbb/parallel_sort.h>

#include <algorithm>

#include "core/propagation/rows/weighted_sample.h"

namespace tesseray {
namespace {

constexpr std::size_t tubes_per_task = 16'384;

struct PlacedTube {
  std::uint32_t element = 0, place = 0;  // in the order in which they came
  Tube* tube = nullptr;
  friend bool operator<(const PlacedTube& a, const PlacedTube& b) {
    return a.element != b.element ? a.element < b.element : a.place < b.place;
  }
};

std::vector<PlacedTube> sorted_by_element(TubeParts& tubes) {
  std::vector<std::vector<Tube>>& parts = tubes.parts();
  std::vector<std::uint32_t> first{0};
  for (const std::vector<Tube>& part : parts) first.push_back(first.back() + static_cast<std::uint32_t>(part.size()));
  std::vector<PlacedTube> placed(tubes.size());
  tbb::parallel_for(std::size_t{0}, parts.size(), [&](std::size_t p) {
    std::uint32_t place = first[p];
    for (Tube& tube : parts[p]) {
      placed[place] = {tube.element, place, &tube};
      ++place;
    }
  });
  tbb::parallel_sort(placed.begin(), placed.end());
  return placed;
}

void stand_for(Tube& tube, double times) {
  tube.path_gain *= times;
  tube.stands_for = static_cast<float>(static_cast<double>(tube.stands_for) * times);
}

// Leaves about so many at the front, and returns how many. Those that come from the antenna stay.
std::size_t thin(std::span<Tube*> tubes, std::size_t most) {
  if (most == 0 || tubes.size() <= most) return tubes.size();
  const auto first_bounced =
      std::stable_partition(tubes.begin(), tubes.end(), [](const Tube* tube) { return tube->interactions() == 0; });
  const auto from_antenna = static_cast<std::size_t>(first_bounced - tubes.begin());
  return from_antenna + thin_by_weight(
                            tubes.subspan(from_antenna), most, tubes.front()->element,
                            [](const Tube* tube) { return tube->path_gain; },
                            [](Tube* tube, double times) { stand_for(*tube, times); });
}

}  // namespace

TubeGroups::TubeGroups(TubeParts tubes, std::size_t most) : tubes_(std::move(tubes)) {
  const std::vector<PlacedTube> placed = sorted_by_element(tubes_);
  order_.resize(placed.size());
  tbb::parallel_for(tbb::blocked_range<std::size_t>(0, placed.size(), tubes_per_task),
                    [&](const tbb::blocked_range<std::size_t>& range) {
                      for (std::size_t i = range.begin(); i != range.end(); ++i) order_[i] = placed[i].tube;
                    });
  std::vector<std::size_t> begin;
  for (std::size_t i = 0; i < placed.size(); ++i) {
    if (i > 0 && placed[i].element == placed[i - 1].element) continue;
    groups_.push_back({placed[i].element, {}});
    begin.push_back(i);
  }
  begin.push_back(placed.size());
  tbb::parallel_for(std::size_t{0}, groups_.size(), [&](std::size_t g) {
    const std::span<Tube*> of_element(order_.data() + begin[g], begin[g + 1] - begin[g]);
    groups_[g].tubes = {of_element.data(), thin(of_element, most)};
  });
}

// Hundreds of megabytes in many parts, which take a while to give back one after the other.
TubeGroups::~TubeGroups() {
  std::vector<std::vector<Tube>>& parts = tubes_.parts();
  tbb::parallel_for(std::size_t{0}, parts.size(), [&](std::size_t p) { std::vector<Tube>().swap(parts[p]); });
}

}  // namespace tesseray
