// SPDX-License-Identifier: GPL-3.0-or-later
// Numbers, quantities and names as people write them in tables and tags.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/blank_text.h"

namespace tesseray {

// A finite decimal number with point or comma, whatever the locale: "12.5", "12,5", "-3e2". Empty for anything else,
// also for two separators ("1,234.5"), which could be read either way.
std::optional<double> parse_number(std::string_view text);

// The point or comma of a number that may have thousands or decimals behind it: of "28,000 MHz", "-1.250". Empty for
// "0,250", "12,5", "3400,125", which have decimals, and for all else.
std::optional<char> possible_thousands_sign(std::string_view text);
// The point or comma before the decimals of a number; empty where it may be a sign of thousands.
std::optional<char> decimal_sign(std::string_view text);

// The shortest text that reads back as the same number: "100", "0.01", "1000000"; with an exponent only below 1e-6 and
// from 1e15 on.
std::string shortest(double number);

enum class LengthUnit { metre, foot, decimetre, centimetre, millimetre };
double metres_per(LengthUnit unit);
// The numbers in texts of heights as people write them: "12 m", "40'", "12,5", "40 ft", "7'6\"". `unit` is what a
// bare number means. Empty when there is none.
std::optional<double> parse_length_m(std::string_view text, LengthUnit unit);

struct Unit {
  std::string_view name;  // lower case
  double factor = 1;
};

// Null when there is none of that name.
const Unit* find_unit(std::span<const Unit> units, std::string_view name);

// Angles in degrees.
inline constexpr std::array angle_units = {Unit{"deg", 1.0}, Unit{"degree", 1.0}, Unit{"degrees", 1.0}, Unit{"°", 1.0},
                                           Unit{"º", 1.0}};

// A number with or without one of `units` behind it, times the unit's factor (`bare_factor` without a unit).
std::optional<double> parse_quantity(std::string_view text, std::span<const Unit> units, double bare_factor);

// Files without a declared encoding are usually Latin-1 when they are not UTF-8.
std::string as_utf8(const std::string& text);
// In lower case, whatever the alphabet; letters and marks apart, as macOS writes names, come together: "Ä" → "ä".
std::string in_small_letters(std::string_view text);
// By which texts are compared whatever the case of their letters, composed in the same way: "Straße" and "STRASSE"
// alike.
std::string case_folded(std::string_view text);

// A name with letters and digits only, in lower case and without marks: "Antenna-Height (m)" → "antennaheightm",
// "Höhe" → "hoehe", "výška" → "vyska".
std::string plain_name(std::string_view name);
// The one of `units` that ends a name as a word of its own, "" for none: of "freq_MHz" "mhz", of "shaft" none. A
// capital letter behind a small one begins a word ("powerDbm"), but not within a unit ("TX_mW").
std::string_view unit_at_end(std::string_view name, std::span<const std::string_view> units);

// The name nearest in spelling, for "did you mean": empty when nothing is near.
std::string nearest_name(std::string_view wanted, const std::vector<std::string>& names);

// The value of a key in an hstore text, which is how GDAL hands over OSM's tags: "\"height\"=>\"12\"".
std::optional<std::string> hstore_value(std::string_view hstore, std::string_view key);

}  // namespace tesseray
