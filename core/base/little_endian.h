// SPDX-License-Identifier: GPL-3.0-or-later
// Numbers in files are little-endian on every machine.
#pragma once

#include <bit>
#include <cstdint>
#include <cstring>
#include <vector>

namespace tesseray {

template <class Number>
Number load_little_endian(const std::uint8_t* bytes) {
  Number number = 0;
  if constexpr (std::endian::native == std::endian::little) {
    std::memcpy(&number, bytes, sizeof number);
  } else {
    for (std::size_t k = 0; k < sizeof number; ++k) number |= static_cast<Number>(Number{bytes[k]} << (8 * k));
  }
  return number;
}

inline std::uint32_t load_u32(const std::uint8_t* bytes) { return load_little_endian<std::uint32_t>(bytes); }
inline std::uint64_t load_u64(const std::uint8_t* bytes) { return load_little_endian<std::uint64_t>(bytes); }
inline double load_f64(const std::uint8_t* bytes) { return std::bit_cast<double>(load_u64(bytes)); }

template <class Number>
void store_little_endian(Number number, std::uint8_t* bytes) {
  for (std::size_t k = 0; k < sizeof number; ++k) bytes[k] = static_cast<std::uint8_t>(number >> (8 * k));
}

inline void store_u32(std::uint32_t number, std::uint8_t* bytes) { store_little_endian(number, bytes); }

template <class Number>
void append_little_endian(Number number, std::vector<std::uint8_t>& bytes) {
  for (std::size_t k = 0; k < sizeof number; ++k) bytes.push_back(static_cast<std::uint8_t>(number >> (8 * k)));
}

inline void append_u32(std::uint32_t number, std::vector<std::uint8_t>& bytes) { append_little_endian(number, bytes); }
inline void append_u64(std::uint64_t number, std::vector<std::uint8_t>& bytes) { append_little_endian(number, bytes); }
inline void append_f64(double number, std::vector<std::uint8_t>& bytes) {
  append_little_endian(std::bit_cast<std::uint64_t>(number), bytes);
}

}  // namespace tesseray
