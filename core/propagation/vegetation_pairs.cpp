// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/propagation/vegetation_pairs.h"

#include <tbb/enumerable_thread_specific.h>

#include "core/base/parallel.h"

namespace tesseray {
namespace {

constexpr std::uint64_t most_entries = std::uint64_t{1} << 28;

}  // namespace

VegetationPairs::VegetationPairs(const VegetationPrisms& prisms, const Visibility& visibility,
                                 const TargetPoints& points, Progress& progress) {
  if (prisms.empty()) return;
  const std::uint32_t elements = visibility.element_count();
  offsets_.assign(std::size_t{elements} + 1, 0);
  for (std::uint32_t e = 0; e < elements; ++e) offsets_[e + 1] = offsets_[e] + visibility.row_length(e);
  if (offsets_.back() > most_entries) return;
  lengths_.resize(offsets_.back());
  const auto length = [&](std::uint32_t a, std::uint32_t b) {
    return static_cast<float>(prisms.length_inside(points.reference(a), points.reference(b)));
  };

  // Each pair once, at its lower element …
  tbb::enumerable_thread_specific<std::vector<std::uint32_t>> rows;
  parallel_blocks(elements, 64, progress, [&](std::size_t begin, std::size_t end) {
    std::vector<std::uint32_t>& row = rows.local();
    for (auto e = static_cast<std::uint32_t>(begin); e < end; ++e) {
      visibility.read_row(e, row);
      for (std::size_t k = row.size(); k-- > 0 && row[k] > e;) lengths_[offsets_[e] + k] = length(e, row[k]);
    }
  });
  // … and from there to the other one, whose row is met in the order of its members, as the relation is symmetric.
  std::vector<std::uint32_t> filled(elements, 0), row;
  for (std::uint32_t e = 0; e < elements; ++e) {
    visibility.read_row(e, row);
    for (std::size_t k = filled[e]; k < row.size(); ++k) {
      lengths_[offsets_[row[k]] + filled[row[k]]++] = lengths_[offsets_[e] + k];
    }
  }
}

}  // namespace tesseray
