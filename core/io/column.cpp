// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/io/column.h"

#include <cctype>
#include <map>
#include <vector>

namespace tesseray {

namespace {

std::vector<std::string> words_of(std::string_view name) {
  std::vector<std::string> words(1);
  for (const char c : name) {
    if (c == '_') {
      words.emplace_back();
    } else {
      words.back() += c;
    }
  }
  return words;
}

const std::map<std::string, std::string>& units() {
  static const std::map<std::string, std::string> known = {
      {"db", "dB"}, {"dbi", "dBi"}, {"dbm", "dBm"}, {"ghz", "GHz"}, {"dbuvm", "dB(µV/m)"}, {"deg", "°"},
      {"m", "m"},   {"m2", "m²"},   {"mhz", "MHz"}, {"ns", "ns"},   {"bytes", "bytes"},    {"percent", "%"}};
  return known;
}

const std::map<std::string, std::string>& spellings() {
  static const std::map<std::string, std::string> known = {
      {"crs", "CRS"}, {"erp", "ERP"}, {"id", "ID"}, {"mae", "MAE"}, {"rmse", "RMSE"}, {"sinr", "SINR"}, {"wkt", "WKT"}};
  return known;
}

bool is_coordinate(const std::string& word) { return word == "x" || word == "y" || word == "z"; }

std::string unit_of(const std::vector<std::string>& words) {
  if (is_coordinate(words.back())) return units().at("m");
  const auto found = units().find(words.back());
  return words.size() < 2 || found == units().end() ? std::string() : found->second;
}

}  // namespace

std::string column_title(std::string_view name) {
  std::vector<std::string> words = words_of(name);
  const std::string unit = unit_of(words);
  if (!unit.empty() && !is_coordinate(words.back())) words.pop_back();
  std::string title;
  for (const std::string& word : words) {
    const auto spelling = spellings().find(word);
    title += (title.empty() ? "" : " ") + (spelling == spellings().end() ? word : spelling->second);
  }
  title[0] = static_cast<char>(std::toupper(static_cast<unsigned char>(title[0])));
  return unit.empty() ? title : title + " [" + unit + "]";
}

}  // namespace tesseray
