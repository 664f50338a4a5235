// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/base/blank_text.h"

#include <algorithm>
#include <array>
#include <cctype>

namespace tesseray {

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

bool is_blank(std::string_view text) {
  const std::string word = lower_case(trimmed(text));
  constexpr std::array<std::string_view, 8> blanks = {"", "null", "nan", "n/a", "none", "-", "?", "unknown"};
  return std::find(blanks.begin(), blanks.end(), word) != blanks.end();
}

}  // namespace tesseray
