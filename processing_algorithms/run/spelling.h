// SPDX-License-Identifier: GPL-3.0-or-later
// Words as people type them: splitting, joining, and what was probably meant.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace tesseray {

// "a,b" → {"a", "b"}; "" → {""}.
std::vector<std::string> split(std::string_view text, char separator);
std::string join(const std::vector<std::string>& words, std::string_view between);

// With a capital letter at the beginning (ASCII).
std::string capitalized(std::string text);

// ". Did you mean X?" or "".
std::string did_you_mean(std::string_view word, const std::vector<std::string>& words);

}  // namespace tesseray
