// SPDX-License-Identifier: GPL-3.0-or-later
// A 128-bit hash over the rows of a result, to tell whether two results are the same to the last bit.
// Not cryptographic: it protects from accidents, not from forgery.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string>
#include <string_view>

namespace tesseray {

class ResultHash {
 public:
  // Two lanes with different odd multipliers (fractions of the golden ratio and of √3); each step is a bijection of
  // both lanes for a given word, so that two streams that differ in one word never fall together at it.
  void add(std::uint64_t word) {
    a_ = std::rotl(a_ ^ word, 27) * 0x9e3779b97f4a7c15u + 0x52dce729u;
    b_ = std::rotl(b_ + word, 31) * 0xbb67ae8584caa73bu ^ a_;
  }
  void add(std::span<const unsigned char> bytes) {
    add(static_cast<std::uint64_t>(bytes.size()));
    std::size_t i = 0;
    for (; i + 8 <= bytes.size(); i += 8) add(word_of(bytes.subspan(i, 8)));
    if (i < bytes.size()) add(word_of(bytes.subspan(i)));
  }
  void add(std::string_view text) { add(std::span(reinterpret_cast<const unsigned char*>(text.data()), text.size())); }
  void add(const ResultHash& other) {
    add(other.a_);
    add(other.b_);
  }

  // 32 hexadecimal digits.
  std::string hexadecimal() const {
    static constexpr char digits[] = "0123456789abcdef";
    std::string text;
    for (const std::uint64_t lane : {mixed(a_ ^ std::rotl(b_, 23)), mixed(b_ + a_)}) {
      for (int shift = 60; shift >= 0; shift -= 4) text += digits[(lane >> shift) & 15u];
    }
    return text;
  }
  friend bool operator==(const ResultHash&, const ResultHash&) = default;

 private:
  static std::uint64_t word_of(std::span<const unsigned char> bytes) {
    static_assert(std::endian::native == std::endian::little, "words are taken as little-endian memory");
    std::uint64_t word = 0;
    std::memcpy(&word, bytes.data(), bytes.size());
    return word;
  }
  // Spreads every bit of a lane over all of it.
  static std::uint64_t mixed(std::uint64_t x) {
    x = (x ^ (x >> 31)) * 0x9e3779b97f4a7c15u;
    x = (x ^ (x >> 29)) * 0xbb67ae8584caa73bu;
    return x ^ (x >> 32);
  }

  std::uint64_t a_ = 0x243f6a8885a308d3u, b_ = 0x13198a2e03707344u;  // digits of π
};

}  // namespace tesseray
