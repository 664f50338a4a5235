// SPDX-License-Identifier: GPL-3.0-or-later
// Words as people type them: splitting, joining, and what was probably meant.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace tesseray {

std::string lower_case(std::string_view ascii);
std::string trimmed(std::string_view text);
// "a,b" → {"a", "b"}; "" → {""}.
std::vector<std::string> split(std::string_view text, char separator);
std::string join(const std::vector<std::string>& words, std::string_view between);
// The shortest text that reads back as the same number: "100", "0.01".
std::string shortest(double number);

// The fewest letters to insert, delete or exchange to turn one word into the other.
std::size_t edit_distance(std::string_view a, std::string_view b);
// The nearest of `words`, or "" when none is near enough to have been meant.
std::string nearest_word(std::string_view word, const std::vector<std::string>& words);
// ". Did you mean X?" or "".
std::string did_you_mean(std::string_view word, const std::vector<std::string>& words);

}  // namespace tesseray
