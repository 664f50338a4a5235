// SPDX-License-Identifier: GPL-3.0-or-later
#include "processing_algorithms/spelling.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstddef>
#include <numeric>

namespace tesseray {

std::string lower_case(std::string_view ascii) {
  std::string lower(ascii);
  for (char& c : lower) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  }
  return lower;
}

std::string trimmed(std::string_view text) {
  constexpr std::string_view blank = " \t\r\n";
  const std::size_t first = text.find_first_not_of(blank);
  if (first == std::string_view::npos) return {};
  return std::string(text.substr(first, text.find_last_not_of(blank) - first + 1));
}

std::vector<std::string> split(std::string_view text, char separator) {
  std::vector<std::string> parts;
  std::size_t begin = 0;
  for (std::size_t end = text.find(separator); end != std::string_view::npos; end = text.find(separator, begin)) {
    parts.emplace_back(text.substr(begin, end - begin));
    begin = end + 1;
  }
  parts.emplace_back(text.substr(begin));
  return parts;
}

std::string join(const std::vector<std::string>& words, std::string_view between) {
  std::string joined;
  for (const std::string& word : words) {
    if (!joined.empty()) joined += between;
    joined += word;
  }
  return joined;
}

std::string shortest(double number) {
  std::array<char, 32> buffer{};
  const auto result = std::to_chars(buffer.data(), buffer.data() + buffer.size(), number);
  return {buffer.data(), result.ptr};
}

std::size_t edit_distance(std::string_view a, std::string_view b) {
  // One row of the table of prefix distances at a time.
  std::vector<std::size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), std::size_t{0});
  for (std::size_t i = 1; i <= a.size(); ++i) {
    std::size_t diagonal = row[0];
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t exchanged = diagonal + (a[i - 1] == b[j - 1] ? 0 : 1);
      diagonal = row[j];
      row[j] = std::min({row[j] + 1, row[j - 1] + 1, exchanged});
    }
  }
  return row[b.size()];
}

std::string nearest_word(std::string_view word, const std::vector<std::string>& words) {
  const std::string wanted = lower_case(word);
  std::string nearest;
  // A third of the letters may be wrong; more is no typing error.
  std::size_t best = std::max<std::size_t>(2, wanted.size() / 3) + 1;
  for (const std::string& candidate : words) {
    const std::size_t distance = edit_distance(wanted, lower_case(candidate));
    if (distance < best) {
      best = distance;
      nearest = candidate;
    }
  }
  return nearest;
}

std::string did_you_mean(std::string_view word, const std::vector<std::string>& words) {
  const std::string nearest = nearest_word(word, words);
  return nearest.empty() ? "" : ". Did you mean " + nearest + "?";
}

}  // namespace tesseray
