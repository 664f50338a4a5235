// SPDX-License-Identifier: GPL-3.0-or-later
// A 64-bit hash that is the same on every machine (FNV-1a over little-endian bytes). Not for security.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "core/base/host_device.h"

namespace tesseray {

class StableHash {
 public:
  void add_byte(std::uint8_t byte) { value_ = (value_ ^ byte) * 0x100000001b3ull; }
  void add(std::uint64_t word) {
    for (int shift = 0; shift < 64; shift += 8) add_byte(static_cast<std::uint8_t>(word >> shift));
  }
  void add(std::int64_t word) { add(static_cast<std::uint64_t>(word)); }
  void add(std::uint32_t word) { add(static_cast<std::uint64_t>(word)); }
  void add(bool flag) { add_byte(flag ? 1 : 0); }
  // Equal numbers hash alike: −0 as 0.
  void add(double number) { add(std::bit_cast<std::uint64_t>(number == 0 ? 0.0 : number)); }
  // The length goes in too, so that "ab","c" and "a","bc" differ.
  void add(std::string_view text) {
    add(static_cast<std::uint64_t>(text.size()));
    for (const char c : text) add_byte(static_cast<std::uint8_t>(c));
  }
  std::uint64_t value() const { return value_; }

 private:
  std::uint64_t value_ = 0xcbf29ce484222325ull;
};

// A whole number by another, as if by chance (SplitMix64's last steps).
TESSERAY_HD inline std::uint64_t scrambled(std::uint64_t seed) {
  std::uint64_t x = seed + 0x9e3779b97f4a7c15u;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
  return x ^ (x >> 31);
}

// A number of [0, 1) by a whole one, as if by chance.
TESSERAY_HD inline double hashed_fraction(std::uint64_t seed) {
  return static_cast<double>(scrambled(seed) >> 11) * 0x1p-53;
}

}  // namespace tesseray
