// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/io/antennas/antenna_text.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <cerrno>
#include <cmath>
#include <cstring>
#include <fstream>

#include "core/base/error.h"
#include "core/base/is_there.h"
#include "core/io/sources/text_values.h"
#include "core/scene/frequency_range.h"

namespace tesseray {
namespace {

constexpr std::uintmax_t most_bytes = 20'000'000;  // patterns of hundreds of frequencies have a few

std::string whole_text_of(const std::filesystem::path& file) {
  std::string content = antenna_file_content(file);
  if (content.find('\0') != std::string::npos) {
    throw antenna_error("not_a_text", "the file is no plain text", "save it as text in UTF-8 or Latin-1",
                        file.string());
  }
  constexpr std::string_view byte_order_mark = "\xEF\xBB\xBF";
  if (content.starts_with(byte_order_mark)) content.erase(0, byte_order_mark.size());
  return as_utf8(content);
}

// Without commas at both ends, which are then separators.
std::string_view without_commas(std::string_view text) {
  while (text.starts_with(',')) text.remove_prefix(1);
  while (text.ends_with(',')) text.remove_suffix(1);
  return text;
}

std::vector<std::string_view> split(std::string_view text, const std::string_view separators) {
  std::vector<std::string_view> parts;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find_first_of(separators, at), text.size());
    if (end > at) parts.push_back(text.substr(at, end - at));
    at = end + 1;
  }
  return parts;
}

// Of "1.8E+09" with its digits read up to `begin`; the same where no exponent follows.
std::size_t end_of_exponent(std::string_view text, std::size_t begin) {
  if (begin == text.size() || (text[begin] != 'e' && text[begin] != 'E')) return begin;
  const std::size_t digits = begin + 1 < text.size() && text[begin + 1] == '+' ? begin + 2 : begin + 1;
  std::size_t end = digits;
  while (end < text.size() && text[end] >= '0' && text[end] <= '9') ++end;
  return end > digits ? end : begin;
}

// The lowest that antenna files are met for: with 10 MHz more bare numbers might be kHz and Hz alike.
constexpr double least_radio_mhz = 30;

// What a frequency without a unit is in: kHz or Hz where it is too great for MHz. Empty where both may be, or neither.
std::optional<double> mhz_per_unit_of(double frequency) {
  if (frequency <= highest_frequency_mhz) return 1;
  std::optional<double> found;
  for (const double mhz_per_unit : {1e-3, 1e-6}) {
    const double mhz = frequency * mhz_per_unit;
    if (mhz < least_radio_mhz || mhz > highest_frequency_mhz) continue;
    if (found) return std::nullopt;
    found = mhz_per_unit;
  }
  return found;
}

std::optional<NumberPair> pair_of(std::string_view first, std::string_view second) {
  const std::optional<double> a = parse_number(without_commas(first)), b = parse_number(without_commas(second));
  if (!a || !b) return std::nullopt;
  return NumberPair{*a, *b};
}

// "17.1 dBi" of "17.1 +/- 0.5 dBi".
std::string without_tolerance(std::string_view text) {
  for (const std::string_view mark : {"+/-", "+-", "±"}) {
    const std::size_t at = text.find(mark);
    if (at == std::string_view::npos) continue;
    const std::optional<NumberAndRest> tolerance = leading_number(text.substr(at + mark.size()));
    if (tolerance) return std::string(text.substr(0, at)) + " " + std::string(tolerance->rest);
  }
  return std::string(text);
}

std::string unit_behind(std::string_view text) {
  const std::string_view in_brackets = leading_unit(text).unit;
  return lower_case(in_brackets.empty() ? text.substr(0, text.find_first_of(" ./,;")) : in_brackets);
}

}  // namespace

std::string not_understood(std::int64_t line, const std::string& what, const std::string& value) {
  return "line " + std::to_string(line) + ": the " + what + " \"" + value + "\" is not understood";
}

Error antenna_error(const std::string& code, const std::string& message, const std::string& hint,
                    const std::string& file, std::optional<std::int64_t> line) {
  return {ErrorKind::invalid_input, code, message, hint, {.file = file, .line = line}};
}

std::string antenna_file_content(const std::filesystem::path& file) {
  std::error_code failed;
  if (!std::filesystem::exists(file, failed)) {
    throw antenna_error("file_not_found", "there is no such file", "check the name of the antenna file", file.string());
  }
  if (std::filesystem::is_directory(file, failed)) {
    throw antenna_error("not_a_file", "this is a folder", "name one antenna file", file.string());
  }
  if (is_pipe_or_device(file)) {
    throw antenna_error("not_a_file", "this is a pipe or a device",
                        "write what comes through it to a file, and name that", file.string());
  }
  if (std::filesystem::file_size(file, failed) > most_bytes) {
    throw antenna_error("not_an_antenna", "the file is too large for an antenna pattern",
                        "name an MSI/Planet, NSMA or ADF file", file.string());
  }
  std::ifstream in(file, std::ios::binary);
  std::string content;
  std::array<char, 65536> part{};
  do {
    in.read(part.data(), part.size());
    content.append(part.data(), static_cast<std::size_t>(in.gcount()));
  } while (in);
  if (!in.is_open() || in.bad()) {
    throw antenna_error("cannot_read", std::string("the file cannot be read: ") + std::strerror(errno),
                        "check its permissions", file.string());
  }
  return content;
}

std::vector<TextLine> read_text_lines(const std::filesystem::path& file) {
  const std::string content = whole_text_of(file);
  std::vector<TextLine> lines;
  std::int64_t number = 0;
  for (std::size_t at = 0; at < content.size();) {
    const std::size_t end = std::min(content.find_first_of("\r\n", at), content.size());
    ++number;
    const std::string_view text = trimmed(std::string_view(content).substr(at, end - at));
    if (!text.empty()) lines.push_back({number, std::string(text)});
    at = end + (content.compare(end, 2, "\r\n") == 0 ? 2 : 1);
  }
  return lines;
}

bool is_comment(std::string_view line) {
  return line.starts_with('#') || line.starts_with('!') || line.starts_with("//") || line.starts_with(';');
}

UnitAndRest leading_unit(std::string_view text) {
  const std::size_t end = text.find_first_of(")]");
  if (text.empty() || std::strchr("([", text.front()) == nullptr || end == std::string_view::npos) return {{}, text};
  const std::size_t rest = std::min(text.find_first_not_of(" \t:=,;", end + 1), text.size());
  return {trimmed(text.substr(1, end - 1)), text.substr(rest)};
}

KeyValue key_and_value(std::string_view line) {
  const std::size_t end = std::min(line.find_first_of(" \t:=,;(["), line.size());
  KeyValue result{std::string(line.substr(0, end)), line.substr(end)};
  std::transform(result.key.begin(), result.key.end(), result.key.begin(),
                 [](unsigned char c) { return static_cast<char>(std::toupper(c)); });
  while (!result.value.empty() && (is_space(result.value.front()) || std::strchr(":=,;", result.value.front()))) {
    result.value.remove_prefix(1);
  }
  // Spreadsheets end each line with the separators of columns that it has not.
  while (!result.value.empty() && (is_space(result.value.back()) || std::strchr(",;", result.value.back()))) {
    result.value.remove_suffix(1);
  }
  return result;
}

std::optional<NumberPair> parse_pair(std::string_view line, bool may_have_phase) {
  const std::vector<std::string_view> words = split(line, " \t;");
  if (words.size() >= 2 && without_commas(words[1]).empty()) {
    return words.size() >= 3 ? pair_of(words[0], words[2]) : std::nullopt;
  }
  if (words.size() >= 2) return pair_of(words[0], words[1]);
  const std::vector<std::string_view> parts = split(line, ",");
  // Four parts without a point are two numbers with decimal commas.
  if (parts.size() == 4 && line.find('.') == std::string_view::npos) {
    const std::size_t middle = static_cast<std::size_t>(parts[1].data() + parts[1].size() - line.data());
    return pair_of(line.substr(0, middle), line.substr(middle));
  }
  // Three are a whole number and one with a decimal comma, unless the third is a phase.
  if (parts.size() == 3 && !may_have_phase && line.find('.') == std::string_view::npos) {
    return pair_of(parts[0], line.substr(static_cast<std::size_t>(parts[1].data() - line.data())));
  }
  return parts.size() == 2 || parts.size() == 3 ? pair_of(parts[0], parts[1]) : std::nullopt;
}

CommaUse comma_use(std::string_view line) {
  const std::vector<std::string_view> words = split(line, " \t;"), parts = split(line, ", \t;");
  for (const std::string_view part : parts) {
    if (!parse_number(part)) return CommaUse::unknown;
  }
  const auto has_point = [](std::string_view part) { return part.find('.') != std::string_view::npos; };
  if (std::any_of(parts.begin(), parts.end(), has_point)) return CommaUse::separates;
  const auto has_comma_within = [](std::string_view word) {
    return without_commas(word).find(',') != std::string_view::npos;
  };
  const bool has_any_within = std::any_of(words.begin(), words.end(), has_comma_within);
  if (words.size() > 1) {
    if (has_any_within) return CommaUse::is_decimal;
    return line.find(',') != std::string_view::npos ? CommaUse::separates : CommaUse::unknown;
  }
  if (parts.size() == 4) return CommaUse::is_decimal;
  return has_any_within ? CommaUse::separates_or_is_decimal : CommaUse::unknown;
}

std::optional<NumberAndRest> leading_number(std::string_view text) {
  text = trimmed(text);
  std::size_t end = 0;
  while (end < text.size() && std::strchr("+-.,0123456789", text[end]) != nullptr) ++end;
  end = end_of_exponent(text, end);
  const std::optional<double> number = parse_number(without_commas(text.substr(0, end)));
  if (!number) return std::nullopt;
  text.remove_prefix(std::min(text.find_first_not_of(" \t;", end), text.size()));
  return NumberAndRest{*number, trimmed(text)};
}

std::optional<NumberAndUnit> parse_gain(std::string_view text) {
  constexpr double greatest_db = 1e6;
  const UnitAndRest ahead = leading_unit(trimmed(text));
  std::string_view about = ahead.rest;
  for (const std::string_view mark : {"~", "≈"}) {
    if (about.starts_with(mark)) about.remove_prefix(mark.size());
  }
  const std::string nominal = without_tolerance(about);
  const std::optional<NumberAndRest> gain = leading_number(nominal);
  if (!gain || std::fabs(gain->number) > greatest_db) return std::nullopt;
  const std::string unit = unit_behind(gain->rest);
  return NumberAndUnit{gain->number, unit.empty() ? lower_case(ahead.unit) : unit};
}

std::optional<double> parse_frequency_mhz(std::string_view text) {
  const std::string lower = lower_case(text);
  const auto has = [&lower](const char* unit) { return lower.find(unit) != std::string::npos; };
  std::vector<double> numbers;
  for (const std::string_view part : split(lower, " \t-/_;~")) {
    if (const std::optional<NumberAndRest> found = leading_number(part)) numbers.push_back(found->number);
  }
  if (numbers.empty() || numbers.size() > 2) return std::nullopt;
  const double frequency = 0.5 * (numbers.front() + numbers.back());
  const std::optional<double> mhz_per_unit = has("ghz")   ? 1e3
                                             : has("mhz") ? 1
                                             : has("khz") ? 1e-3
                                             : has("hz")  ? 1e-6
                                                          : mhz_per_unit_of(frequency);
  if (!mhz_per_unit) return std::nullopt;
  const double mhz = frequency * *mhz_per_unit;
  return mhz >= lowest_frequency_mhz && mhz <= highest_frequency_mhz ? std::optional(mhz) : std::nullopt;
}

}  // namespace tesseray
