// SPDX-License-Identifier: GPL-3.0-or-later
// The lines of a table as text, which GDAL does not tell: where its rows begin, which have too many cells, and what
// makes it no table.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "core/base/error.h"

namespace tesseray {

// The bytes of a first line that tells Excel the separator, "sep=;", which is no row; 0: there is none.
std::size_t separator_hint_bytes(const std::string& file);

// Quotes hold separators and line ends; empty lines are no rows, as for GDAL.
struct TableLines {
  std::vector<std::int64_t> of_rows;  // the line where each begins, the header's (1, or later) first
  // Rows with more cells than the header, of which GDAL leaves out what is behind its last column. Empty cells at a
  // row's end do not count.
  std::size_t too_long = 0;
  std::int64_t first_too_long = 0;  // its line
  std::size_t cells_there = 0;
  std::size_t cells_below_title = 0;  // of the header, where a title of one cell is the first row; 0: there is none
  std::int64_t unclosed = 0;          // where the row begins in which a quote opens that is never closed; 0: none
  std::int64_t with_nul = 0;          // the first line with a NUL character, at which GDAL ends it; 0: none
};

// By its byte order mark, or by a zero beside each of the first letters.
bool is_utf16(const std::string& file);
// What to say of such a file, under the name that messages have for it.
Error utf16_text(const std::string& file);

// `columns`: of the header. Nothing but the lines where no usual separator gives it so many.
TableLines read_table_lines(const std::string& file, std::size_t columns);
// Throws Error for a table of which GDAL would miss rows in silence or call them empty. `where`: the file.
void refuse_broken_table(const TableLines& lines, ErrorPlace where);

}  // namespace tesseray
