// SPDX-License-Identifier: GPL-3.0-or-later
// What instructions of PTX do, for code that ptx_to_cpp.py writes. Registers are as wide as their names say: b16 to
// b64, f32, f64 and bool. Addresses are the host's, of whatever memory.
#pragma once

#include <bit>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <type_traits>

namespace tesseray::ptx {

using b8 = std::uint8_t;
using b16 = std::uint16_t;
using b32 = std::uint32_t;
using b64 = std::uint64_t;
using s8 = std::int8_t;
using s16 = std::int16_t;
using s32 = std::int32_t;
using s64 = std::int64_t;
using f32 = float;
using f64 = double;

struct Thread {
  b32 ctaid_x = 0, tid_x = 0;
};

template <class Item>
Item load(b64 address) {
  Item item;
  std::memcpy(&item, reinterpret_cast<const void*>(address), sizeof item);
  return item;
}
template <class Item>
void store(b64 address, Item item) {
  std::memcpy(reinterpret_cast<void*>(address), &item, sizeof item);
}

template <class To, class From>
To bits(From from) {
  if constexpr (sizeof(To) == sizeof(From)) {
    return std::bit_cast<To>(from);
  } else {
    return static_cast<To>(from);
  }
}
inline f64 number(b64 bits) { return std::bit_cast<f64>(bits); }
inline f32 number(b32 bits) { return std::bit_cast<f32>(bits); }

// A whole number as near as there is one; 0 for what is no number.
template <class Whole>
Whole saturated(f64 x) {
  using Limits = std::numeric_limits<Whole>;
  if (std::isnan(x)) return 0;
  if (x <= static_cast<f64>(Limits::min())) return Limits::min();
  if (x >= static_cast<f64>(Limits::max())) return Limits::max();
  return static_cast<Whole>(x);
}

// Shifts by the whole width and more leave nothing, or copies of the sign.
template <class Whole>
Whole shifted_left(Whole x, b32 by) {
  return by >= 8 * sizeof x ? 0 : static_cast<Whole>(x << by);
}
template <class Whole>
Whole shifted_right(Whole x, b32 by) {
  constexpr b32 width = 8 * sizeof x;
  if (by < width) return static_cast<Whole>(x >> by);
  return std::is_signed_v<Whole> ? static_cast<Whole>(x >> (width - 1)) : Whole{0};
}

// Bytes of the eight of b and a, of which four digits of the selector name one each; 8 and above: its sign.
inline b32 permuted(b32 a, b32 b, b32 selector) {
  const b64 all = b64{b} << 32 | a;
  b32 chosen = 0;
  for (int k = 0; k < 4; ++k) {
    const b32 digit = selector >> 4 * k & 15, byte = static_cast<b32>(all >> 8 * (digit & 7)) & 255;
    const b32 sign = (byte & 128) != 0 ? 255 : 0;
    chosen |= (digit >= 8 ? sign : byte) << 8 * k;
  }
  return chosen;
}

// Sums of 32 bits with a carry between them.
inline b32 add_with_carry(b32 a, b32 b, b32 carry_in, b32& carry) {
  const b64 sum = b64{a} + b + carry_in;
  carry = static_cast<b32>(sum >> 32);
  return static_cast<b32>(sum);
}
inline b32 subtract_with_borrow(b32 a, b32 b, b32 borrow_in, b32& borrow) {
  const b64 taken = b64{b} + borrow_in;
  borrow = a < taken ? 1 : 0;
  return static_cast<b32>(a - taken);
}
inline b32 high_half(b32 a, b32 b) { return static_cast<b32>(b64{a} * b >> 32); }

}  // namespace tesseray::ptx
