// SPDX-License-Identifier: GPL-3.0-or-later
// The words for polarizations and antennas in tables and on the command line.
#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <string>
#include <string_view>

#include "core/scene/transmitter.h"

namespace tesseray {
namespace {

template <class Value>
struct Word {
  std::string_view text;
  Value value;
};

// The first word of each value is the one that is written.
constexpr std::array polarization_words = {
    Word<Polarization>{"vertical", Polarization::vertical},
    Word<Polarization>{"v", Polarization::vertical},
    Word<Polarization>{"vert", Polarization::vertical},
    Word<Polarization>{"vpol", Polarization::vertical},
    Word<Polarization>{"horizontal", Polarization::horizontal},
    Word<Polarization>{"h", Polarization::horizontal},
    Word<Polarization>{"horiz", Polarization::horizontal},
    Word<Polarization>{"hpol", Polarization::horizontal},
    Word<Polarization>{"slant+45", Polarization::slant_plus_45},
    Word<Polarization>{"+45", Polarization::slant_plus_45},
    Word<Polarization>{"45", Polarization::slant_plus_45},
    Word<Polarization>{"slant45", Polarization::slant_plus_45},
    Word<Polarization>{"slantplus45", Polarization::slant_plus_45},
    Word<Polarization>{"slant", Polarization::slant_plus_45},
    Word<Polarization>{"x", Polarization::slant_plus_45},
    Word<Polarization>{"xpol", Polarization::slant_plus_45},
    Word<Polarization>{"cross", Polarization::slant_plus_45},
    Word<Polarization>{"+-45", Polarization::slant_plus_45},
    Word<Polarization>{"slant-45", Polarization::slant_minus_45},
    Word<Polarization>{"-45", Polarization::slant_minus_45},
    Word<Polarization>{"slantminus45", Polarization::slant_minus_45},
};

constexpr std::array antenna_words = {
    Word<AntennaKind>{"isotropic", AntennaKind::isotropic},
    Word<AntennaKind>{"iso", AntennaKind::isotropic},
    Word<AntennaKind>{"omni", AntennaKind::isotropic},
    Word<AntennaKind>{"omnidirectional", AntennaKind::isotropic},
    Word<AntennaKind>{"half_wave_dipole", AntennaKind::half_wave_dipole},
    Word<AntennaKind>{"halfwavedipole", AntennaKind::half_wave_dipole},
    Word<AntennaKind>{"dipole", AntennaKind::half_wave_dipole},
    Word<AntennaKind>{"sector_3gpp", AntennaKind::sector_3gpp},
    Word<AntennaKind>{"sector3gpp", AntennaKind::sector_3gpp},
    Word<AntennaKind>{"3gpp", AntennaKind::sector_3gpp},
    Word<AntennaKind>{"3gppsector", AntennaKind::sector_3gpp},
    Word<AntennaKind>{"sector", AntennaKind::sector_3gpp},
    Word<AntennaKind>{"38.901", AntennaKind::sector_3gpp},
    Word<AntennaKind>{"tr38.901", AntennaKind::sector_3gpp},
    Word<AntennaKind>{"short_dipole", AntennaKind::short_dipole},
    Word<AntennaKind>{"shortdipole", AntennaKind::short_dipole},
    Word<AntennaKind>{"hertziandipole", AntennaKind::short_dipole},
};

// Lower case, without spaces, degree signs, underscores, and hyphens between letters.
std::string simplified(std::string_view text) {
  std::string simple;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const auto c = static_cast<unsigned char>(text[i]);
    const bool is_sign = c == '-' && i + 1 < text.size() && std::isdigit(static_cast<unsigned char>(text[i + 1])) != 0;
    const bool is_letter = c < 0x80 && (std::isalnum(c) != 0 || c == '+' || c == '.');
    if (is_letter || is_sign) simple += static_cast<char>(std::tolower(c));
  }
  for (const std::string_view ending : {"degrees", "deg"}) {
    if (simple.size() > ending.size() && simple.ends_with(ending)) simple.resize(simple.size() - ending.size());
  }
  return simple;
}

template <class Value, std::size_t count>
std::optional<Value> parse(const std::array<Word<Value>, count>& words, std::string_view text) {
  const std::string simple = simplified(text);
  const auto found =
      std::find_if(words.begin(), words.end(), [&](const Word<Value>& word) { return word.text == simple; });
  return found == words.end() ? std::nullopt : std::optional(found->value);
}

template <class Value, std::size_t count>
std::string written(const std::array<Word<Value>, count>& words, Value value) {
  const auto found =
      std::find_if(words.begin(), words.end(), [value](const Word<Value>& word) { return word.value == value; });
  return found == words.end() ? std::string() : std::string(found->text);
}

}  // namespace

std::string to_string(Polarization polarization) { return written(polarization_words, polarization); }
std::string to_string(AntennaKind antenna) { return written(antenna_words, antenna); }
std::optional<Polarization> parse_polarization(std::string_view text) { return parse(polarization_words, text); }
std::optional<AntennaKind> parse_antenna(std::string_view text) { return parse(antenna_words, text); }

std::optional<double> parse_beamwidth_deg(std::string_view text) {
  const std::string simple = simplified(text);
  constexpr std::string_view word = "beam";
  if (!simple.starts_with(word)) return std::nullopt;
  double width = 0;
  const char* end = simple.data() + simple.size();
  const auto [stop, error] = std::from_chars(simple.data() + word.size(), end, width);
  if (error != std::errc() || stop != end) return std::nullopt;
  return width >= least_beamwidth_deg && width <= greatest_beamwidth_deg ? std::optional(width) : std::nullopt;
}

}  // namespace tesseray
