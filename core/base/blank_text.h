// SPDX-License-Identifier: GPL-3.0-or-later
// What texts say, apart from white space, the case of letters and words for nothing.
#pragma once

#include <string>
#include <string_view>

namespace tesseray {

// Without white space (no-break spaces too) at both ends.
std::string_view trimmed(std::string_view text);
bool is_space(char c);
// ASCII letters in lower case; others stay, as keywords and endings of files want it.
std::string lower_case(std::string_view text);

// True for what tables write where a value is unknown: "", "null", "nan", "n/a", "none", "-", "?", "unknown".
bool is_blank(std::string_view text);

}  // namespace tesseray
