// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/io/results/column.h"

#include <algorithm>
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

bool is_number(const std::string& word) {
  return !word.empty() && std::all_of(word.begin(), word.end(), [](unsigned char c) { return std::isdigit(c) != 0; });
}

// " at −92.5 dBm" of {"covered", "minus", "92", "5"}, which loses these words; "" of other names.
std::string threshold_of(std::vector<std::string>& words) {
  const auto minus = std::find(words.begin(), words.end(), "minus");
  if (minus == words.begin() || minus == words.end() || !std::all_of(minus + 1, words.end(), is_number)) return {};
  std::string threshold;
  for (auto word = minus + 1; word != words.end(); ++word) threshold += (threshold.empty() ? "" : ".") + *word;
  words.erase(minus, words.end());
  return threshold.empty() ? std::string() : " at \u2212" + threshold + " dBm";
}

}  // namespace

std::string column_title(std::string_view name) {
  std::vector<std::string> words = words_of(name);
  const std::string unit = unit_of(words);
  if (!unit.empty() && !is_coordinate(words.back())) words.pop_back();
  if (words.size() == 1 && words.front() == "field") words.emplace_back("strength");
  const std::string threshold = threshold_of(words);
  std::string title;
  for (const std::string& word : words) {
    const auto spelling = spellings().find(word);
    title += (title.empty() ? "" : " ") + (spelling == spellings().end() ? word : spelling->second);
  }
  title += threshold;
  title[0] = static_cast<char>(std::toupper(static_cast<unsigned char>(title[0])));
  return unit.empty() ? title : title + " [" + unit + "]";
}

}  // namespace tesseray
