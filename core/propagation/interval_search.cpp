// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/propagation/interval_search.h"

#include <bit>
#include <cstddef>
#include <cstring>

namespace tesseray {
namespace {

using MarkFunction = void (*)(const float* first_u, const float* last_u, const float* first_v, const float* last_v,
                              std::size_t count, IntervalBounds bounds, std::uint8_t* mask);

// The loop that the compiler turns into vectors, once per instruction set below.
[[gnu::always_inline]] inline void mark_pairs(const float* first_u, const float* last_u, const float* first_v,
                                              const float* last_v, std::size_t count, IntervalBounds bounds,
                                              std::uint8_t* mask) {
  if (first_v == nullptr) {
    for (std::size_t i = 0; i < count; ++i) {
      mask[i] = static_cast<std::uint8_t>((first_u[i] <= bounds.upper_u) & (last_u[i] > bounds.lower_u));
    }
    return;
  }
  for (std::size_t i = 0; i < count; ++i) {
    mask[i] = static_cast<std::uint8_t>((first_u[i] <= bounds.upper_u) & (last_u[i] > bounds.lower_u) &
                                        (first_v[i] <= bounds.upper_v) & (last_v[i] > bounds.lower_v));
  }
}

void mark_baseline(const float* first_u, const float* last_u, const float* first_v, const float* last_v,
                   std::size_t count, IntervalBounds bounds, std::uint8_t* mask) {
  mark_pairs(first_u, last_u, first_v, last_v, count, bounds, mask);
}

#if defined(__x86_64__)
[[gnu::target("avx2")]] void mark_avx2(const float* first_u, const float* last_u, const float* first_v,
                                       const float* last_v, std::size_t count, IntervalBounds bounds,
                                       std::uint8_t* mask) {
  mark_pairs(first_u, last_u, first_v, last_v, count, bounds, mask);
}

[[gnu::target("avx512f,avx512bw,avx512vl,avx512dq")]] void mark_avx512(const float* first_u, const float* last_u,
                                                                       const float* first_v, const float* last_v,
                                                                       std::size_t count, IntervalBounds bounds,
                                                                       std::uint8_t* mask) {
  mark_pairs(first_u, last_u, first_v, last_v, count, bounds, mask);
}
#endif

MarkFunction choose_mark_function() {
#if defined(__x86_64__)
  if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512vl") &&
      __builtin_cpu_supports("avx512dq")) {
    return mark_avx512;
  }
  if (__builtin_cpu_supports("avx2")) return mark_avx2;
#endif
  return mark_baseline;
}

}  // namespace

void RowIntervals::clear() {
  first_u.clear();
  last_u.clear();
  first_v.clear();
  last_v.clear();
  target.clear();
}

void find_hits(const RowIntervals& row, const IntervalBounds& bounds, std::vector<std::uint8_t>& mask,
               std::vector<std::uint32_t>& hits) {
  static const MarkFunction mark = choose_mark_function();
  const std::size_t count = row.size();
  const std::size_t padded = (count + 7) / 8 * 8;
  mask.assign(padded, 0);
  mark(row.first_u.data(), row.last_u.data(), row.first_v.empty() ? nullptr : row.first_v.data(),
       row.first_v.empty() ? nullptr : row.last_v.data(), count, bounds, mask.data());
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
