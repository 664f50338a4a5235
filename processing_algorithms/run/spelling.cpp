// SPDX-License-Identifier: GPL-3.0-or-later
#include "processing_algorithms/run/spelling.h"

#include <cstddef>

#include "core/io/sources/text_values.h"

namespace tesseray {

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

std::string capitalized(std::string text) {
  if (!text.empty() && text[0] >= 'a' && text[0] <= 'z') text[0] = static_cast<char>(text[0] - 'a' + 'A');
  return text;
}

std::string did_you_mean(std::string_view word, const std::vector<std::string>& words) {
  const std::string nearest = nearest_name(word, words);
  return nearest.empty() ? "" : ". Did you mean " + nearest + "?";
}

}  // namespace tesseray
