// SPDX-License-Identifier: GPL-3.0-or-later
#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <string>
#include <utility>
#include <vector>

#include "processing_algorithms/run/json_values.h"
#include "processing_algorithms/run/run.h"

namespace tesseray {
namespace {

using Json = nlohmann::ordered_json;

// Longer texts are told below their table: it would be wider than a terminal.
constexpr std::size_t longest_cell = 60;

std::string cell(const Json& value) {
  if (value.is_null()) return "–";
  if (value.is_string()) {
    std::string text = value.get<std::string>();
    std::replace_if(
        text.begin(), text.end(), [](char c) { return c == '\n' || c == '\r' || c == '\t'; }, ' ');
    return text;
  }
  if (!value.is_number_float()) return value.dump();
  std::array<char, 32> text{};
  const double number = value.get<double>();
  std::snprintf(text.data(), text.size(), "%.2f", std::abs(number) < 0.005 ? 0.0 : number);  // no negative zero
  return text.data();
}

// How many columns a text takes on a terminal: bytes that only continue a UTF-8 character take none.
std::size_t width(const std::string& text) {
  return static_cast<std::size_t>(
      std::count_if(text.begin(), text.end(), [](char c) { return (static_cast<unsigned char>(c) & 0xC0u) != 0x80u; }));
}

std::string padded(const std::string& text, std::size_t columns, bool to_the_right) {
  const std::string blank(columns > width(text) ? columns - width(text) : 0, ' ');
  return to_the_right ? blank + text : text + blank;
}

std::string shortened(std::string text) {
  if (width(text) <= longest_cell) return text;
  std::size_t end = 0;
  for (std::size_t columns = 0; end < text.size(); ++end) {
    const bool starts_a_character = (static_cast<unsigned char>(text[end]) & 0xC0u) != 0x80u;
    if (starts_a_character && columns++ == longest_cell - 1) break;
  }
  return text.substr(0, end) + "…";
}

bool has_long_cells(const Json& rows, const std::string& column) {
  return std::any_of(rows.begin(), rows.end(),
                     [&](const Json& row) { return width(cell(row[column])) > longest_cell; });
}

// What a column with long texts says, each text once with the rows that it is of: "  column of A, B: text".
std::string long_column(const Json& rows, const std::string& name_column, const std::string& column) {
  std::vector<std::pair<std::string, std::string>> rows_of_texts;  // text, names of rows
  for (const Json& row : rows) {
    const std::string text = cell(row[column]), name = shortened(cell(row[name_column]));
    const auto told = std::find_if(rows_of_texts.begin(), rows_of_texts.end(),
                                   [&text](const auto& other) { return other.first == text; });
    if (told == rows_of_texts.end())
      rows_of_texts.emplace_back(text, name);
    else
      told->second += ", " + name;
  }
  std::string lines;
  for (const auto& [text, names] : rows_of_texts) {
    lines += "  " + column + (rows_of_texts.size() == 1 ? "" : " of " + names) + ": " + text + "\n";
  }
  return lines;
}

// Objects with the same keys as lines under a heading; the first column is a name. As the plugin's figures.py has them.
std::string table(const Json& rows) {
  std::vector<std::vector<std::string>> lines(1);
  std::vector<std::string> long_columns;
  for (const auto& [key, value] : rows[0].items()) {
    const bool is_name = lines[0].empty();
    if (!is_name && has_long_cells(rows, key))
      long_columns.push_back(key);
    else
      lines[0].push_back(key);
  }
  for (const Json& row : rows) {
    std::vector<std::string> line;
    for (const std::string& column : lines[0]) line.push_back(cell(row[column]));
    line[0] = shortened(line[0]);
    lines.push_back(std::move(line));
  }
  std::string text;
  for (const auto& line : lines) {
    text += "  ";
    for (std::size_t column = 0; column < line.size(); ++column) {
      std::size_t columns = 0;
      for (const auto& other : lines) columns = std::max(columns, width(other[column]));
      text += padded(line[column], columns, column > 0).append("  ");
    }
    text += "\n";
  }
  for (const std::string& column : long_columns) text += long_column(rows, lines[0][0], column);
  return text;
}

bool has_same_keys(const Json& row, const Json& other) {
  if (!row.is_object() || !other.is_object() || row.size() != other.size()) return false;
  for (const auto& [key, value] : row.items()) {
    if (!other.contains(key)) return false;
  }
  return true;
}

bool is_table(const Json& value) {
  return value.is_array() && !value.empty() &&
         std::all_of(value.begin(), value.end(), [&](const Json& row) { return has_same_keys(row, value[0]); });
}

}  // namespace

std::string outcome_as_json(const Run& run, const Outcome& outcome, const RunProgress& progress) {
  Json root{{"tool", run.tool().id}, {"device", run.device()}};
  root["outputs"] = Json::object();
  for (const auto& [name, destination] : outcome.outputs) root["outputs"][name] = destination;
  root["figures"] = outcome.figures;
  root["result_hash"] = or_null(outcome.result_hash);
  root["warnings"] = Json::array();
  for (const Warning& warning : progress.warnings()) {
    root["warnings"].push_back({{"code", warning.code}, {"message", warning.message}});
  }
  root["failed_transmitters"] = Json::array();
  for (const auto& [name, message] : outcome.failed_transmitters) {
    root["failed_transmitters"].push_back({{"name", name}, {"message", message}});
  }
  root["seconds_per_stage"] = Json::object();
  for (const auto& [stage, seconds] : progress.seconds_per_stage()) root["seconds_per_stage"][stage] = seconds;
  root["peak_memory_bytes"] = peak_memory_bytes();
  return root.dump(-1, ' ', false, Json::error_handler_t::replace) + "\n";
}

std::string outcome_as_text(const Outcome& outcome, const RunProgress& progress) {
  std::vector<std::pair<std::string, std::string>> lines;  // name, value
  std::string tables;
  const auto add = [&](const std::string& name, const std::string& value) { lines.emplace_back(name, value); };
  for (const auto& [name, value] : outcome.figures.items()) {
    if (is_table(value))
      tables += "\n" + name + "\n" + table(value);
    else if (!value.is_structured())
      add(name, cell(value));
  }
  double seconds = 0;
  for (const auto& [stage, stage_seconds] : progress.seconds_per_stage()) seconds += stage_seconds;
  add("seconds", cell(seconds));
  add("peak memory (MiB)", cell(static_cast<double>(peak_memory_bytes()) / (1024.0 * 1024.0)));
  for (const auto& [name, message] : outcome.failed_transmitters) add("failed: " + name, message);
  std::size_t columns = 24;
  for (const auto& [name, value] : lines) columns = std::max(columns, std::min(width(name), longest_cell));
  const auto line = [&](const std::string& name, const std::string& value) {
    return padded(name, columns, false) + " " + value + "\n";
  };
  std::string text;
  for (const auto& [name, value] : lines) text += line(name, value);
  text += tables + "\n";
  for (const auto& [name, destination] : outcome.outputs) text += line(name, destination);
  return text;
}

}  // namespace tesseray
