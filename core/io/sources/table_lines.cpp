// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/io/sources/table_lines.h"

#include <algorithm>
#include <array>
#include <fstream>
#include <optional>
#include <string_view>

#include "core/base/blank_text.h"

namespace tesseray {
namespace {

// A row, or what a quote that is not closed makes of the rest of the file.
struct Row {
  std::string text;
  std::int64_t line = 1;
  bool is_open = false;
};

// The rows of a text, line by line.
class RowReader {
 public:
  explicit RowReader(const std::string& file) : stream_(file, std::ios::binary) {
    const std::size_t hint = separator_hint_bytes(file);
    if (hint == 0) return;
    stream_.seekg(static_cast<std::streamoff>(hint));
    line_ = 2;
  }

  bool next(Row& row) {
    row.text.clear();
    row.line = line_;
    row.is_open = false;
    bool is_quoted = false;
    char c = 0;
    while (stream_.get(c)) {
      if (c == '\0' && line_with_nul_ == 0) line_with_nul_ = line_;
      const bool ends_line = c == '\n' || c == '\r';
      if (c == '\r' && stream_.peek() == '\n') stream_.get(c);
      if (ends_line) ++line_;
      if (c == '"') is_quoted = !is_quoted;
      if (!ends_line || is_quoted) {
        row.text += c;
      } else if (!row.text.empty()) {
        return true;
      } else {
        row.line = line_;
      }
    }
    row.is_open = is_quoted;
    return !row.text.empty();
  }

  std::int64_t line_with_nul() const { return line_with_nul_; }

 private:
  std::ifstream stream_;
  std::int64_t line_ = 1;
  std::int64_t line_with_nul_ = 0;
};

struct Cells {
  std::size_t count = 1;
  std::size_t filled = 0;  // up to the last one that is not empty
};

Cells cells_of(std::string_view row, char separator) {
  Cells cells;
  bool is_quoted = false;
  for (const char c : row) {
    if (c == '"') is_quoted = !is_quoted;
    if (c == separator && !is_quoted) {
      ++cells.count;
    } else if (c != ' ') {
      cells.filled = cells.count;
    }
  }
  return cells;
}

std::optional<char> separator_of(std::string_view header, std::size_t columns) {
  constexpr std::array separators = {',', ';', '\t', '|', ' '};
  const auto* const found = std::find_if(separators.begin(), separators.end(),
                                         [&](char separator) { return cells_of(header, separator).count == columns; });
  return found == separators.end() ? std::nullopt : std::optional(*found);
}

// A header names all of its columns with words, unlike the row below the header of a table of one column.
bool may_be_header(std::string_view row, char separator) {
  bool begins_cell = true;
  for (const char c : row) {
    if (begins_cell && std::string_view("+-.0123456789").find(c) != std::string_view::npos) return false;
    begins_cell = c == separator || (begins_cell && (c == ' ' || c == '"'));
  }
  return true;
}

// The cells of `row` where `first` has one, whatever separates them; 0 where `first` is a header, too.
std::size_t cells_below_title(std::string_view first, std::string_view row) {
  constexpr std::array separators = {',', ';', '\t', '|'};
  const auto is_in_one_cell = [&](char separator) { return cells_of(first, separator).filled <= 1; };
  if (!std::all_of(separators.begin(), separators.end(), is_in_one_cell)) return 0;
  const std::size_t words = cells_of(first, ' ').count;
  if (words > 1 && words == cells_of(row, ' ').count) return 0;
  std::size_t most = 1;
  for (const char separator : separators) {
    if (may_be_header(row, separator)) most = std::max(most, cells_of(row, separator).filled);
  }
  return most > 1 ? most : 0;
}

}  // namespace

std::size_t separator_hint_bytes(const std::string& file) {
  std::ifstream stream(file, std::ios::binary);
  std::array<char, 16> begin{};
  stream.read(begin.data(), begin.size());
  const std::string_view text(begin.data(), static_cast<std::size_t>(stream.gcount()));
  constexpr std::string_view byte_order_mark = "\xEF\xBB\xBF", word = "sep=";
  const std::size_t at = text.starts_with(byte_order_mark) ? byte_order_mark.size() : 0;
  const std::size_t end = text.find_first_of("\r\n");
  if (end != at + word.size() + 1 || lower_case(text.substr(at, word.size())) != word) return 0;
  return end + (text.substr(end, 2) == "\r\n" ? 2 : 1);
}

TableLines read_table_lines(const std::string& file, std::size_t columns) {
  TableLines lines;
  RowReader rows(file);
  Row row;
  if (!rows.next(row)) return lines;
  const auto note = [&] {
    lines.of_rows.push_back(row.line);
    if (row.is_open) lines.unclosed = row.line;
    lines.with_nul = rows.line_with_nul();
  };
  note();
  // Of one column there is nothing to tell: any sign may stand in its texts.
  const std::optional<char> separator = columns > 1 ? separator_of(row.text, columns) : std::nullopt;
  const std::string first = row.text;
  while (rows.next(row)) {
    note();
    if (lines.of_rows.size() == 2) lines.cells_below_title = cells_below_title(first, row.text);
    if (!separator) continue;
    const std::size_t cells = cells_of(row.text, *separator).filled;
    if (cells <= columns) continue;
    if (lines.too_long++ > 0) continue;
    lines.first_too_long = row.line;
    lines.cells_there = cells;
  }
  return lines;
}

bool is_utf16(const std::string& file) {
  std::ifstream stream(file, std::ios::binary);
  std::array<char, 8> begin{};
  if (!stream.read(begin.data(), begin.size())) return false;
  if (const std::string_view mark(begin.data(), 2); mark == "\xFF\xFE" || mark == "\xFE\xFF") return true;
  const auto has_zeros_at = [&](std::size_t first) {
    for (std::size_t i = 0; i < begin.size(); ++i) {
      if ((i % 2 == first) != (begin[i] == 0)) return false;
    }
    return true;
  };
  return has_zeros_at(0) || has_zeros_at(1);
}

Error utf16_text(const std::string& file) {
  return {ErrorKind::invalid_input,
          "unreadable_file",
          "this is text in UTF-16, as Windows calls “Unicode”",
          "save it as UTF-8 (in an editor, or with iconv -f UTF-16 -t UTF-8)",
          {.file = file}};
}

void refuse_broken_table(const TableLines& lines, ErrorPlace where) {
  if (lines.with_nul > 0) {
    where.line = lines.with_nul;
    throw Error(ErrorKind::invalid_input, "nul_character", "there is a NUL character (a byte of 0) in the table",
                "remove it, or save the table as text in UTF-8 anew", where);
  }
  if (lines.unclosed > 0) {
    where.line = lines.unclosed;
    throw Error(ErrorKind::invalid_input, "unclosed_quote",
                "a quotation mark in this row is not closed: all rows behind it would belong to one cell",
                "close it, or remove it; within quotes write it twice (\"12\"\" mast\")", where);
  }
  if (lines.cells_below_title > 0) {
    where.line = lines.of_rows.front();
    throw Error(ErrorKind::invalid_input, "title_above_header",
                "this line has one cell and the next " + std::to_string(lines.cells_below_title) +
                    ": it is a title, not the header",
                "remove it, so that the names of the columns are the first line", where);
  }
}

}  // namespace tesseray
