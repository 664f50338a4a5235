// SPDX-License-Identifier: GPL-3.0-or-later
// What loops in vectors have marked, found again one by one.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>

namespace tesseray {

// Calls found(i) for each byte of `mask` that is not 0, ascending. REQUIRES: bytes of 0 and 1, a multiple of eight.
template <class Found>
void for_marked(const std::uint8_t* mask, std::size_t count, const Found& found) {
  for (std::size_t i = 0; i < count; i += 8) {
    std::uint64_t bytes = 0;
    std::memcpy(&bytes, mask + i, 8);
    if constexpr (std::endian::native == std::endian::big) bytes = __builtin_bswap64(bytes);
    while (bytes != 0) {
      found(i + static_cast<std::size_t>(std::countr_zero(bytes)) / 8);
      bytes &= bytes - 1;
    }
  }
}

}  // namespace tesseray
