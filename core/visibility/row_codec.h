// SPDX-License-Identifier: GPL-3.0-or-later
// Ascending numbers as bytes: each is stored as its distance from the one before, less one, seven bits a byte with the
// lowest first and the high bit set on all but the last byte. The first counts from −1, so that 0 is stored as 0.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace tesseray {

inline void append_varint(std::uint32_t value, std::vector<std::uint8_t>& bytes) {
  while (value >= 0x80) {
    bytes.push_back(static_cast<std::uint8_t>(value | 0x80));
    value >>= 7;
  }
  bytes.push_back(static_cast<std::uint8_t>(value));
}

// REQUIRES: strictly ascending numbers.
inline void append_row(std::span<const std::uint32_t> row, std::vector<std::uint8_t>& bytes) {
  std::uint32_t next = 0;
  for (const std::uint32_t number : row) {
    append_varint(number - next, bytes);
    next = number + 1;
  }
}

// Calls visit(number) for the `length` numbers at `bytes`; returns the end of what was read.
// REQUIRES: bytes made by append_row (files are checked when opened).
template <class Visit>
const std::uint8_t* for_each_in_row(const std::uint8_t* bytes, std::uint32_t length, const Visit& visit) {
  std::uint32_t next = 0;
  for (std::uint32_t k = 0; k < length; ++k) {
    std::uint32_t gap = *bytes++;
    if (gap >= 0x80) {
      gap &= 0x7f;
      int shift = 7;
      std::uint32_t byte = 0;
      do {
        byte = *bytes++;
        gap |= (byte & 0x7f) << shift;
        shift += 7;
      } while (byte >= 0x80);
    }
    visit(next + gap);
    next += gap + 1;
  }
  return bytes;
}

// The same for bytes that nobody vouches for: replaces `row` by `length` numbers below `limit`, or returns false.
inline bool decode_row(std::span<const std::uint8_t> bytes, std::uint32_t length, std::uint32_t limit,
                       std::vector<std::uint32_t>& row) {
  row.clear();
  if (length > bytes.size()) return false;  // each number takes a byte at least
  row.reserve(length);
  std::uint64_t next = 0;
  std::size_t at = 0;
  for (std::uint32_t k = 0; k < length; ++k) {
    std::uint64_t gap = 0;
    for (int shift = 0;; shift += 7) {
      if (at == bytes.size() || shift > 28) return false;
      const std::uint8_t byte = bytes[at++];
      gap |= std::uint64_t{byte & 0x7fu} << shift;
      if (byte < 0x80) break;
    }
    if (next + gap >= limit) return false;
    row.push_back(static_cast<std::uint32_t>(next + gap));
    next += gap + 1;
  }
  return at == bytes.size();
}

}  // namespace tesseray
