// SPDX-License-Identifier: GPL-3.0-or-later
// What the readers of antenna files share: lines in one encoding, points, quantities, and cuts before they are checked.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/io/antennas/antenna_file.h"

namespace tesseray {

struct TextLine {
  std::int64_t number = 0;  // from 1
  std::string text;         // UTF-8, without white space at both ends
};

// All bytes of a file. Throws Error for one that cannot be read or is too large for an antenna pattern.
std::string antenna_file_content(const std::filesystem::path& file);

// The lines of a file that are not blank, whatever their ends; Latin-1 becomes UTF-8. Throws Error for a file that
// cannot be read or is no text.
std::vector<TextLine> read_text_lines(const std::filesystem::path& file);

// A line that says nothing of the antenna.
bool is_comment(std::string_view line);

// A word and what follows it, without the separators around: "GAIN 15,5 dBd", "GAIN: 15.5", "MDGAIN:,15.5,,". The word
// is in capital letters.
struct KeyValue {
  std::string key;
  std::string_view value;
};
KeyValue key_and_value(std::string_view line);

// Two (or more, the rest is left out) numbers of a line, separated by white space, semicolons or commas, with decimal
// points or commas. Empty when the line is none of these. may_have_phase: of "10,0,28" the last is a phase (NSMA), not
// what follows a decimal comma.
struct NumberPair {
  double first = 0, second = 0;
};
std::optional<NumberPair> parse_pair(std::string_view line, bool may_have_phase);

// What the commas in a line of numbers are for, as far as the line tells. Points and decimal commas in its numbers do;
// of whole numbers, "10,28", they separate or are decimal ones.
enum class CommaUse {
  unknown,                 // none, or between one text and another
  separates,               // "10.0,28", "10, 28"
  is_decimal,              // "10;0,28", "10,0,0,28"
  separates_or_is_decimal  // "10,28"
};
CommaUse comma_use(std::string_view line);

// A unit in brackets at the beginning of a text, and the rest: "(dBi) 18" → "dBi", "18". An empty one where there is
// none.
struct UnitAndRest {
  std::string_view unit, rest;
};
UnitAndRest leading_unit(std::string_view text);

// A number at the beginning of a text, and the rest: "15,5 dBd" → 15.5, "dBd".
struct NumberAndRest {
  double number = 0;
  std::string_view rest;
};
std::optional<NumberAndRest> leading_number(std::string_view text);

// A gain with its unit, which is in small letters, and empty where there is none: "15,5 dBd", "(dBi) 18", "~17.1 dBi",
// "17.1 +/- 0.5 dBi", "15.5 dBd/17.65 dBi" (the former of both).
struct NumberAndUnit {
  double number = 0;
  std::string unit;
};
std::optional<NumberAndUnit> parse_gain(std::string_view text);

// "850", "850 MHz", "824-894", "1.8 GHz", "1.8E+09": the middle of a range, MHz. Without a unit in MHz, or where that
// is beyond 300 GHz, in the one of kHz and Hz that gives a radio frequency.
std::optional<double> parse_frequency_mhz(std::string_view text);

// The numbers of a cut as the file has them, with their lines.
struct RawCut {
  struct Point {
    double angle_deg = 0, value_db = 0;
    std::int64_t line = 0;
  };
  std::vector<Point> points;
  std::int64_t line = 0;                   // of its heading
  std::optional<std::int64_t> said_count;  // how many points the heading promises
};

// A file as its format's reader leaves it.
struct RawAntenna {
  AntennaFile antenna;  // without cuts
  std::optional<RawCut> horizontal, vertical;
  bool vertical_is_upwards = false;         // angles above the horizon are positive
  bool says_tilt = false;                   // electrical_tilt_deg is from the file
  std::optional<double> reference_gain_db;  // values are gains in the unit of this: take them off
};
RawAntenna parse_msi(const std::vector<TextLine>& lines, const std::string& file);
RawAntenna parse_nsma(const std::vector<TextLine>& lines, const std::string& file, std::optional<double> frequency_mhz);

// The message of an assumption: line 4: the gain "high" is not understood.
std::string not_understood(std::int64_t line, const std::string& what, const std::string& value);

// An Error(invalid_input) in an antenna file.
Error antenna_error(const std::string& code, const std::string& message, const std::string& hint,
                    const std::string& file, std::optional<std::int64_t> line = std::nullopt);

}  // namespace tesseray
