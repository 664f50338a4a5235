// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/io/sources/sql_text.h"

namespace tesseray {
namespace {

std::string quoted(std::string_view text, char mark) {
  std::string result(1, mark);
  for (const char c : text) result.append(c == mark ? 2 : 1, c);
  return result + mark;
}

}  // namespace

std::string quoted_name(std::string_view name) { return quoted(name, '"'); }
std::string quoted_text(std::string_view text) { return quoted(text, '\''); }

}  // namespace tesseray
