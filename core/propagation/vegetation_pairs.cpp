// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/propagation/vegetation_pairs.h"

#include <tbb/enumerable_thread_specific.h>

#include <algorithm>
#include <atomic>
#include <cmath>

#include "core/base/parallel.h"

namespace tesseray {
namespace {

constexpr std::uint64_t most_members = (std::uint64_t{1} << 30) / sizeof(VegetationPairs::Member);
constexpr std::size_t rows_per_block = 64;

}  // namespace

VegetationPairs::VegetationPairs(const VegetationPrisms& prisms, const Visibility& visibility,
                                 const TargetPoints& points, Progress& progress) {
  if (prisms.empty()) return;
  const std::uint32_t elements = visibility.element_count();
  std::vector<float> clearance_m(elements);
  for (std::uint32_t e = 0; e < elements; ++e) {
    clearance_m[e] = static_cast<float>(std::max(prisms.clearance_m(points.reference(e).xy()), 0.0));
  }
  // Each pair once, at its lower element …
  std::vector<std::vector<Member>> higher(elements);
  std::atomic<std::uint64_t> pairs{0};
  tbb::enumerable_thread_specific<std::vector<std::uint32_t>> rows;
  parallel_blocks(elements, rows_per_block, progress, [&](std::size_t begin, std::size_t end) {
    std::vector<std::uint32_t>& row = rows.local();
    for (auto e = static_cast<std::uint32_t>(begin); e < end && 2 * pairs <= most_members; ++e) {
      visibility.read_row(e, row);
      const Vec3 here = points.reference(e);
      const double top_near = prisms.top_near(here.xy());
      for (auto member = std::upper_bound(row.begin(), row.end(), e); member != row.end(); ++member) {
        const Vec3 there = points.reference(*member);
        // What is near neither end, nor the middle where these leave a gap, is near nothing.
        const double apart_m = std::max(std::fabs(there.x - here.x), std::fabs(there.y - here.y));
        if (apart_m < VegetationPrisms::near_m && std::min(here.z, there.z) > top_near) continue;
        const double gap_m = apart_m - static_cast<double>(clearance_m[e] + clearance_m[*member]);
        if (gap_m < 0) continue;
        const double reached = (static_cast<double>(clearance_m[e]) + 0.5 * gap_m) / std::max(apart_m, cell_padding_m);
        if (0.5 * gap_m < prisms.clearance_m(here.xy() + reached * (there.xy() - here.xy()))) continue;
        const auto length = static_cast<float>(prisms.length_inside(here, there));
        if (length > 0) higher[e].push_back({*member, length});
      }
      pairs += higher[e].size();
    }
  });
  if (2 * pairs > most_members) return;
  // … and at both of them. Rows are filled in the order of the lower ends, so that they ascend.
  offsets_.assign(std::size_t{elements} + 1, 0);
  for (std::uint32_t e = 0; e < elements; ++e) {
    offsets_[e + 1] += higher[e].size();
    for (const Member& member : higher[e]) ++offsets_[member.number + 1];
  }
  for (std::uint32_t e = 0; e < elements; ++e) offsets_[e + 1] += offsets_[e];
  members_.resize(offsets_.back());
  std::vector<std::uint64_t> next(offsets_.begin(), offsets_.end() - 1);
  for (std::uint32_t e = 0; e < elements; ++e) {
    for (const Member& member : higher[e]) {
      members_[next[member.number]++] = {e, member.length_m};
      members_[next[e]++] = member;
    }
  }
}

float VegetationPairs::length_m(std::uint32_t element, std::uint32_t member) const {
  const std::span<const Member> members = row(element);
  const auto found = std::lower_bound(members.begin(), members.end(), member,
                                      [](const Member& m, std::uint32_t number) { return m.number < number; });
  return found != members.end() && found->number == member ? found->length_m : 0.0f;
}

}  // namespace tesseray
