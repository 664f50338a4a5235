// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/propagation/interval_search.h"

#include <bit>
#include <cstddef>
#include <cstring>

namespace tesseray {
namespace {

struct MarkPairs {
  [[gnu::always_inline]] static void run(const float* first_u, const float* last_u, const float* first_v,
                                         const float* last_v, std::size_t count, const IntervalBounds* bounds,
                                         std::uint8_t* mask) {
    const IntervalBounds b = *bounds;
    if (first_v == nullptr) {
      for (std::size_t i = 0; i < count; ++i) {
        mask[i] = static_cast<std::uint8_t>((first_u[i] <= b.upper_u) & (last_u[i] > b.lower_u));
      }
      return;
    }
    for (std::size_t i = 0; i < count; ++i) {
      mask[i] = static_cast<std::uint8_t>((first_u[i] <= b.upper_u) & (last_u[i] > b.lower_u) &
                                          (first_v[i] <= b.upper_v) & (last_v[i] > b.lower_v));
    }
  }
};

}  // namespace

void RowIntervals::clear() {
  first_u.clear();
  last_u.clear();
  first_v.clear();
  last_v.clear();
  target.clear();
}

void find_hits(const RowIntervals& row, const IntervalBounds& bounds, std::vector<std::uint8_t>& mask,
               std::vector<std::uint32_t>& hits, InstructionSet instruction_set) {
  const std::size_t count = row.size();
  const std::size_t padded = (count + 7) / 8 * 8;
  mask.assign(padded, 0);
  const bool two_dimensional = !row.first_v.empty();
  run_vectorized<MarkPairs>(instruction_set, row.first_u.data(), row.last_u.data(),
                            two_dimensional ? row.first_v.data() : nullptr,
                            two_dimensional ? row.last_v.data() : nullptr, count, &bounds, mask.data());
  for (std::size_t block = 0; block < padded; block += 8) {
    std::uint64_t bytes = 0;
    std::memcpy(&bytes, mask.data() + block, 8);
    if constexpr (std::endian::native == std::endian::big) bytes = __builtin_bswap64(bytes);
    while (bytes != 0) {
      hits.push_back(static_cast<std::uint32_t>(block + static_cast<std::size_t>(std::countr_zero(bytes)) / 8));
      bytes &= bytes - 1;
    }
  }
}

}  // namespace tesseray
