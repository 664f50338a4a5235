// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/io/sources/text_values.h"

#include <cpl_conv.h>
#include <cpl_string.h>
#include <utf8proc.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstdlib>
#include <memory>
#include <numeric>
#include <utility>

namespace tesseray {
namespace {

constexpr double foot_m = 0.3048;
constexpr double inch_m = 0.0254;

constexpr std::array length_units = {
    Unit{"m", 1.0},         Unit{"metre", 1.0},   Unit{"metres", 1.0}, Unit{"meter", 1.0}, Unit{"meters", 1.0},
    Unit{"dm", 0.1},        Unit{"cm", 0.01},     Unit{"mm", 0.001},   Unit{"km", 1000.0}, Unit{"ft", foot_m},
    Unit{"foot", foot_m},   Unit{"feet", foot_m}, Unit{"'", foot_m},   Unit{"in", inch_m}, Unit{"inch", inch_m},
    Unit{"inches", inch_m}, Unit{"\"", inch_m},
};

bool is_upper(char c) { return c >= 'A' && c <= 'Z'; }
bool is_letter(char c) { return is_upper(c) || (c >= 'a' && c <= 'z') || static_cast<unsigned char>(c) >= 0x80; }
bool is_digit(char c) { return c >= '0' && c <= '9'; }

std::string replaced(std::string_view text, std::string_view from, std::string_view to) {
  std::string result;
  for (std::size_t at = text.find(from); at != std::string_view::npos; at = text.find(from)) {
    result.append(text.substr(0, at)).append(to);
    text.remove_prefix(at + from.size());
  }
  return result.append(text);
}

struct ReturnMemory {
  void operator()(utf8proc_uint8_t* memory) const { std::free(memory); }
};

utf8proc_int32_t as_it_is(utf8proc_int32_t letter, void* /*unused*/) { return letter; }
utf8proc_int32_t small(utf8proc_int32_t letter, void* /*unused*/) { return utf8proc_tolower(letter); }

// Letters changed by `change` and by utf8proc's options. Text that is not UTF-8 stays, but for its ASCII letters, which
// come out in lower case.
std::string mapped(std::string_view text, utf8proc_custom_func change, int options) {
  utf8proc_uint8_t* bytes = nullptr;
  const utf8proc_ssize_t size = utf8proc_map_custom(reinterpret_cast<const utf8proc_uint8_t*>(text.data()),
                                                    static_cast<utf8proc_ssize_t>(text.size()), &bytes,
                                                    static_cast<utf8proc_option_t>(options), change, nullptr);
  const std::unique_ptr<utf8proc_uint8_t, ReturnMemory> owner(bytes);
  if (size < 0) return lower_case(text);
  return {reinterpret_cast<const char*>(bytes), static_cast<std::size_t>(size)};
}

// Small letters as they are written where a keyboard has no marks.
std::string without_marks(std::string_view text) {
  std::string plain(text);
  for (const auto& [german, bare] : {std::pair("ä", "ae"), {"ö", "oe"}, {"ü", "ue"}, {"ß", "ss"}}) {
    plain = replaced(plain, german, bare);
  }
  return mapped(plain, as_it_is, UTF8PROC_DECOMPOSE | UTF8PROC_STRIPMARK);
}

// The Greek letter as the sign of micro.
std::string with_sign_of_micro(std::string_view text) { return replaced(std::string(text), "\u03bc", "µ"); }

// Typographic primes, quotes and no-break spaces as their plain keys.
std::string with_plain_marks(std::string_view text) {
  std::string plain(text);
  for (const std::string_view prime : {"\u2032", "\u2019", "\u00b4"}) plain = replaced(plain, prime, "'");
  for (const std::string_view quotes : {"\u2033", "\u201d", "''"}) plain = replaced(plain, quotes, "\"");
  for (const std::string_view space : {"\u00a0", "\u202f"}) plain = replaced(plain, space, " ");
  return replaced(with_sign_of_micro(plain), "\u2212", "-");
}

// "7'6\"", "7 ft 6 in": whole feet and inches.
std::optional<double> parse_feet_and_inches(std::string_view text) {
  for (const std::string_view mark : {"'", "feet", "foot", "ft"}) {
    const std::size_t at = text.find(mark);
    if (at == std::string_view::npos) continue;
    const std::optional<double> feet = parse_number(text.substr(0, at));
    std::string_view rest = trimmed(text.substr(at + mark.size()));
    for (const std::string_view unit : {"\"", "inches", "inch", "in"}) {
      if (rest.ends_with(unit)) {
        rest.remove_suffix(unit.size());
        break;
      }
    }
    const std::optional<double> inches = parse_number(rest);
    // "1'000" is a thousand as the Swiss write it.
    constexpr std::size_t most_digits = 2;
    if (std::min(rest.find_first_of(".,"), rest.size()) > most_digits) return std::nullopt;
    if (feet && inches && *inches >= 0 && *inches < 12) return *feet * foot_m + std::copysign(*inches * inch_m, *feet);
  }
  return std::nullopt;
}

// Letters to insert, leave out, change, or swap with their neighbour, to get from one word to the other.
std::size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> two_back(b.size() + 1), back(b.size() + 1), row(b.size() + 1);
  std::iota(row.begin(), row.end(), std::size_t{0});
  for (std::size_t i = 1; i <= a.size(); ++i) {
    two_back.swap(back);
    back.swap(row);
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      row[j] = std::min({back[j] + 1, row[j - 1] + 1, back[j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1)});
      const bool swapped = i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1];
      if (swapped) row[j] = std::min(row[j], two_back[j - 2] + 1);
    }
  }
  return row.back();
}

// A quoted hstore string that starts at `at`; moves `at` behind it.
std::optional<std::string> quoted(std::string_view text, std::size_t& at) {
  if (at >= text.size() || text[at] != '"') return std::nullopt;
  std::string value;
  for (++at; at < text.size(); ++at) {
    if (text[at] == '"') {
      ++at;
      return value;
    }
    if (text[at] == '\\' && at + 1 < text.size()) ++at;
    value += text[at];
  }
  return std::nullopt;
}

}  // namespace

std::optional<double> parse_number(std::string_view text) {
  std::string number(trimmed(text));
  const auto commas = std::count(number.begin(), number.end(), ',');
  if (commas > 1 || (commas == 1 && number.find('.') != std::string::npos)) return std::nullopt;
  if (commas == 1) number[number.find(',')] = '.';
  const char* begin = number.data();
  const char* end = begin + number.size();
  if (end - begin > 1 && *begin == '+' && begin[1] != '-') ++begin;
  double value = 0;
  const auto [stop, error] = std::from_chars(begin, end, value);
  if (error != std::errc() || stop != end || !std::isfinite(value)) return std::nullopt;
  return value;
}

std::optional<char> possible_thousands_sign(std::string_view text) {
  constexpr std::size_t digits_behind = 3;
  std::string_view number = trimmed(text);
  if (number.starts_with('-') || number.starts_with('+')) number.remove_prefix(1);
  const std::size_t before = std::min(number.find_first_not_of("0123456789"), number.size());
  if (before < 1 || before > 3 || number.front() == '0' || before == number.size()) return std::nullopt;
  const char sign = number[before];
  if (sign != '.' && sign != ',') return std::nullopt;
  const std::string_view behind = number.substr(before + 1);
  const std::size_t digits = std::min(behind.find_first_not_of("0123456789"), behind.size());
  if (digits != digits_behind) return std::nullopt;
  const bool goes_on = digits < behind.size() && (behind[digits] == '.' || behind[digits] == ',');
  return goes_on ? std::nullopt : std::optional(sign);
}

std::optional<char> decimal_sign(std::string_view text) {
  const std::size_t at = text.find_first_of(".,");
  if (at == std::string_view::npos || possible_thousands_sign(text) || !parse_number(text)) return std::nullopt;
  return text[at];
}

std::string shortest(double number) {
  std::array<char, 32> buffer{};
  char* const end = buffer.data() + buffer.size();
  const double size = std::abs(number);
  const bool is_plain = size == 0 || (size >= 1e-6 && size < 1e15);
  const auto result = is_plain ? std::to_chars(buffer.data(), end, number, std::chars_format::fixed)
                               : std::to_chars(buffer.data(), end, number);
  return {buffer.data(), result.ptr};
}

std::optional<double> parse_quantity(std::string_view text, std::span<const Unit> units, double bare_factor) {
  const std::string plain = lower_case(with_plain_marks(text));
  const std::string_view quantity = trimmed(plain);
  if (const std::optional<double> bare = parse_number(quantity)) return *bare * bare_factor;
  // The longest unit that ends the text, so that "mm" is not taken for "m".
  const Unit* unit = nullptr;
  for (const Unit& candidate : units) {
    if (quantity.ends_with(candidate.name) && (unit == nullptr || candidate.name.size() > unit->name.size())) {
      unit = &candidate;
    }
  }
  if (unit == nullptr) return std::nullopt;
  const std::optional<double> number = parse_number(quantity.substr(0, quantity.size() - unit->name.size()));
  if (!number) return std::nullopt;
  return *number * unit->factor;
}

double metres_per(LengthUnit unit) {
  switch (unit) {
    case LengthUnit::foot:
      return foot_m;
    case LengthUnit::decimetre:
      return 0.1;
    case LengthUnit::centimetre:
      return 0.01;
    case LengthUnit::millimetre:
      return 0.001;
    case LengthUnit::metre:
      break;
  }
  return 1.0;
}

std::optional<double> parse_length_m(std::string_view text, LengthUnit unit) {
  if (const std::optional<double> length = parse_quantity(text, length_units, metres_per(unit))) return length;
  return parse_feet_and_inches(lower_case(with_plain_marks(text)));
}

std::string as_utf8(const std::string& text) {
  if (CPLIsUTF8(text.data(), static_cast<int>(text.size()))) return text;
  const std::unique_ptr<char, decltype(&CPLFree)> recoded(CPLRecode(text.c_str(), CPL_ENC_ISO8859_1, CPL_ENC_UTF8),
                                                          CPLFree);
  return recoded.get();
}

std::string in_small_letters(std::string_view text) { return mapped(text, small, UTF8PROC_COMPOSE); }

std::string case_folded(std::string_view text) { return mapped(text, as_it_is, UTF8PROC_COMPOSE | UTF8PROC_CASEFOLD); }

std::string plain_name(std::string_view name) {
  std::string plain;
  for (const char c : without_marks(in_small_letters(with_sign_of_micro(name)))) {
    if (is_letter(c) || is_digit(c)) plain += c;
  }
  return plain;
}

const Unit* find_unit(std::span<const Unit> units, std::string_view name) {
  const auto found = std::find_if(units.begin(), units.end(), [&](const Unit& unit) { return unit.name == name; });
  return found == units.end() ? nullptr : &*found;
}

std::string_view unit_at_end(std::string_view spelled, std::span<const std::string_view> units) {
  const std::string with_micro = with_sign_of_micro(spelled);
  std::string_view name = with_micro;
  while (!name.empty() && !is_letter(name.back()) && !is_digit(name.back())) name.remove_suffix(1);
  // Of the name's last part between signs, where its last word begins.
  std::size_t part = name.size(), word = name.size();
  for (bool is_in_word = true; part > 0 && (is_letter(name[part - 1]) || is_digit(name[part - 1])); --part) {
    is_in_word = is_in_word && (part == name.size() || is_upper(name[part - 1]) || !is_upper(name[part]));
    if (is_in_word) word = part - 1;
  }
  const std::string small = lower_case(name.substr(part)), last_word = small.substr(word - part);
  std::string_view longest;
  for (const std::string_view unit : units) {
    if (unit == small) return unit;
    const bool ends_so = !last_word.empty() && small.ends_with(unit) && unit.ends_with(last_word);
    if (ends_so && unit.size() > longest.size()) longest = unit;
  }
  return longest;
}

std::string nearest_name(std::string_view wanted, const std::vector<std::string>& names) {
  const std::string plain = plain_name(wanted);
  std::string nearest;
  std::size_t least = std::max<std::size_t>(1, plain.size() / 3) + 1;
  for (const std::string& name : names) {
    const std::size_t distance = edit_distance(plain, plain_name(name));
    if (distance < least) {
      least = distance;
      nearest = name;
    }
  }
  return nearest;
}

std::optional<std::string> hstore_value(std::string_view hstore, std::string_view key) {
  std::size_t at = 0;
  while (at < hstore.size()) {
    const std::optional<std::string> found = quoted(hstore, at);
    if (!found || !hstore.substr(at).starts_with("=>")) return std::nullopt;
    at += 2;
    std::optional<std::string> value = quoted(hstore, at);
    if (!value) return std::nullopt;
    if (*found == key) return value;
    at = hstore.find('"', at);
  }
  return std::nullopt;
}

}  // namespace tesseray
