// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/propagation/vegetation/vegetation_pairs.h"

#include <tbb/enumerable_thread_specific.h>

#include <algorithm>
#include <atomic>

#include "core/base/parallel.h"
#include "core/propagation/vegetation/vegetation_skyline.h"

namespace tesseray {
namespace {

constexpr std::uint64_t most_members = (std::uint64_t{1} << 30) / sizeof(VegetationPairs::Member);
constexpr std::size_t rows_per_block = 64, elements_per_block = 1024;

}  // namespace

VegetationPairs::VegetationPairs(const VegetationPrisms& prisms, const Visibility& visibility,
                                 const SightOverGround& sight_over_ground, const TargetPoints& points,
                                 Progress& progress) {
  if (prisms.empty()) return;
  const std::uint32_t elements = visibility.element_count();
  // Each pair once, at its lower element …
  std::vector<std::vector<Member>> higher(elements);
  std::atomic<std::uint64_t> pairs{0};
  const VegetationBoxes boxes(prisms);
  struct Workspace {
    VegetationSkyline skyline;
    std::vector<std::uint32_t> row;
  };
  tbb::enumerable_thread_specific<Workspace> workspaces([&] { return Workspace{VegetationSkyline(boxes), {}}; });
  const double* const references = points.coordinates() + 3 * std::size_t{points.reference_index(0)};
  parallel_blocks(elements, rows_per_block, progress, [&](std::size_t begin, std::size_t end) {
    auto& [skyline, row] = workspaces.local();
    for (auto e = static_cast<std::uint32_t>(begin); e < end && 2 * pairs <= most_members; ++e) {
      const auto add_behind = [&, &skyline = skyline](Vec3 here, std::span<const std::uint32_t> members) {
        for (const std::uint32_t member : skyline.find_behind(here, references, members)) {
          const auto length = static_cast<float>(prisms.length_inside(here, points.reference(member)));
          if (length > 0) higher[e].push_back({member, length});
        }
      };
      visibility.read_row(e, row);
      add_behind(points.reference(e), {std::upper_bound(row.begin(), row.end(), e), row.end()});
      if (e < sight_over_ground.ground_tiles()) {
        const std::span<const std::uint32_t> beside = sight_over_ground.beside_row(e);
        const auto ground_end = std::lower_bound(beside.begin(), beside.end(), sight_over_ground.ground_tiles());
        add_behind(points.arrival(e), {ground_end, beside.end()});
        std::sort(higher[e].begin(), higher[e].end(),
                  [](const Member& a, const Member& b) { return a.number < b.number; });
      }
      pairs += higher[e].size();
    }
  });
  // … and at both of them.
  if (2 * pairs <= most_members) *this = VegetationPairs(higher);
}

VegetationPairs::VegetationPairs(const std::vector<std::vector<Member>>& higher) {
  const auto elements = static_cast<std::uint32_t>(higher.size());
  const auto for_each_element = [&](const auto& visit) {
    parallel_blocks(elements, elements_per_block, no_progress(), [&](std::size_t begin, std::size_t end) {
      for (auto e = static_cast<std::uint32_t>(begin); e < end; ++e) visit(e);
    });
  };
  // Of each row the lower ends of its pairs come first, then what is higher.
  std::vector<std::uint32_t> lower_ends(elements, 0);
  for_each_element([&](std::uint32_t e) {
    for (const Member& member : higher[e]) ++std::atomic_ref(lower_ends[member.number]);
  });
  offsets_.assign(std::size_t{elements} + 1, 0);
  for (std::uint32_t e = 0; e < elements; ++e) offsets_[e + 1] = offsets_[e] + lower_ends[e] + higher[e].size();
  members_.resize(offsets_.back());
  std::vector<std::uint32_t> found(elements, 0);
  for_each_element([&](std::uint32_t e) {
    for (const Member& member : higher[e]) {
      members_[offsets_[member.number] + std::atomic_ref(found[member.number])++] = {e, member.length_m};
    }
    std::copy(higher[e].begin(), higher[e].end(),
              members_.begin() + static_cast<std::ptrdiff_t>(offsets_[e] + lower_ends[e]));
  });
  // They came in no order.
  for_each_element([&](std::uint32_t e) {
    const auto begin = members_.begin() + static_cast<std::ptrdiff_t>(offsets_[e]);
    std::sort(begin, begin + lower_ends[e], [](const Member& a, const Member& b) { return a.number < b.number; });
  });
}

}  // namespace tesseray
