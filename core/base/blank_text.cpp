// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/base/blank_text.h"

#include <algorithm>
#include <array>
#include <cctype>

namespace tesseray {
namespace {

// Of a code point that UTF-8 writes in two bytes, U+0080 to U+07FF.
unsigned small_letter(unsigned letter) {
  const auto is_in = [letter](unsigned first, unsigned last) { return first <= letter && letter <= last; };
  const bool is_even = letter % 2 == 0;
  if ((is_in(0xC0, 0xDE) && letter != 0xD7) || is_in(0x391, 0x3A9) || is_in(0x410, 0x42F)) return letter + 0x20;
  if (is_in(0x400, 0x40F)) return letter + 0x50;
  if (letter == 0x178) return 0xFF;
  // Pairs of a capital and a small letter; the Turkish İ and ı are none.
  if ((is_in(0x100, 0x137) && letter != 0x130) || is_in(0x14A, 0x177)) return is_even ? letter + 1 : letter;
  if (is_in(0x139, 0x148) || is_in(0x179, 0x17E)) return is_even ? letter : letter + 1;
  return letter;
}

}  // namespace

bool is_space(char c) { return std::isspace(static_cast<unsigned char>(c)) != 0; }

std::string_view trimmed(std::string_view text) {
  constexpr std::string_view no_break_space = "\u00a0";
  for (;;) {
    if (!text.empty() && is_space(text.front())) {
      text.remove_prefix(1);
    } else if (!text.empty() && is_space(text.back())) {
      text.remove_suffix(1);
    } else if (text.starts_with(no_break_space)) {
      text.remove_prefix(no_break_space.size());
    } else if (text.ends_with(no_break_space)) {
      text.remove_suffix(no_break_space.size());
    } else {
      return text;
    }
  }
}

std::string lower_case(std::string_view text) {
  std::string lower(text);
  for (char& c : lower) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  }
  return lower;
}

std::string in_small_letters(std::string_view text) {
  constexpr unsigned low_bits = 0x3F, first_of_two = 0xC0, following = 0x80;
  std::string small = lower_case(text);
  for (std::size_t i = 0; i + 1 < small.size(); ++i) {
    const auto first = static_cast<unsigned char>(small[i]), second = static_cast<unsigned char>(small[i + 1]);
    if ((first & 0xE0u) != first_of_two || (second & 0xC0u) != following) continue;
    const unsigned letter = small_letter((first & 0x1Fu) << 6 | (second & low_bits));
    small[i] = static_cast<char>(first_of_two | letter >> 6);
    small[i + 1] = static_cast<char>(following | (letter & low_bits));
  }
  return small;
}

bool is_blank(std::string_view text) {
  const std::string word = lower_case(trimmed(text));
  constexpr std::array<std::string_view, 8> blanks = {"", "null", "nan", "n/a", "none", "-", "?", "unknown"};
  return std::find(blanks.begin(), blanks.end(), word) != blanks.end();
}

}  // namespace tesseray
