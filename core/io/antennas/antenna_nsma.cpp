// SPDX-License-Identifier: GPL-3.0-or-later
// NSMA WG16.99.050, whose files are also called ADF: lines of "KEYWORD:,value", and after NUPOIN or FSTLST of each cut
// one line per angle with its magnitude and, if wished, a phase. Elevations are positive above the horizon.
#include <algorithm>
#include <cctype>
#include <cmath>

#include "core/base/error.h"
#include "core/base/units.h"
#include "core/io/antennas/antenna_text.h"
#include "core/io/sources/text_values.h"

namespace tesseray {
namespace {

// A cut with what identifies it.
struct NsmaCut {
  RawCut cut;
  bool is_vertical = false;
  std::string polarization;  // as written: "V/V"
  std::optional<double> frequency_mhz;
};

// 0 for the best: sent and received alike, vertical first.
int rank_of_polarization(const std::string& polarization) {
  const std::size_t slash = polarization.find('/');
  const std::string sent = lower_case(trimmed(std::string_view(polarization).substr(0, slash)));
  if (slash == std::string::npos) return sent.empty() ? 2 : 1;
  const std::string taken = lower_case(trimmed(std::string_view(polarization).substr(slash + 1)));
  if (sent != taken) return 3;
  return sent == "v" ? 0 : 1;
}

// "!" begins a remark, wherever it stands; of a comment nothing is left.
std::string_view without_remark(const TextLine& line) {
  if (is_comment(line.text)) return {};
  return trimmed(std::string_view(line.text).substr(0, line.text.find('!')));
}

bool is_point(std::string_view text) { return std::isalpha(static_cast<unsigned char>(text.front())) == 0; }

// What a comma between whole numbers is for in this file. Its points tell, which are many and all alike; where they do
// not, the other values do. The standard's commas separate.
CommaUse comma_use_of_file(const std::vector<TextLine>& lines) {
  using enum CommaUse;
  const auto has = [&lines](bool in_points, CommaUse use) {
    return std::any_of(lines.begin(), lines.end(), [&](const TextLine& line) {
      const std::string_view text = without_remark(line);
      return !text.empty() && is_point(text) == in_points &&
             comma_use(in_points ? text : key_and_value(text).value) == use;
    });
  };
  if (has(true, separates)) return separates;
  if (has(true, is_decimal)) return is_decimal;
  if (has(true, separates_or_is_decimal) || has(false, separates)) return separates;
  return has(false, is_decimal) ? is_decimal : unknown;
}

bool is_digits(std::string_view text) {
  return !text.empty() && text.find_first_not_of("0123456789") == std::string_view::npos;
}

class NsmaReader {
 public:
  NsmaReader(const std::vector<TextLine>& lines, const std::string& file, std::optional<double> frequency_mhz)
      : lines_(lines), file_(file), comma_use_(comma_use_of_file(lines)), wanted_mhz_(frequency_mhz) {}

  RawAntenna read() {
    for (const TextLine& line : lines_) take(line);
    choose_cuts();
    leave_out_others();
    name_gain();
    return std::move(raw_);
  }

 private:
  void take(const TextLine& line) {
    const std::string_view text = without_remark(line);
    if (text.empty()) return;
    if (is_point(text)) {
      take_point(line, text);
      return;
    }
    const KeyValue entry = key_and_value(text);
    const std::string value(entry.value);
    AntennaFile& antenna = raw_.antenna;
    if (entry.key == "ANTMAN") {
      antenna.make = value;
    } else if (entry.key == "MODNUM") {
      antenna.name = value;
    } else if (entry.key == "DESCR1") {
      antenna.comment = value;
    } else if (entry.key == "LOWFRQ") {
      low_mhz_ = parse_frequency_mhz(value);
    } else if (entry.key == "HGHFRQ") {
      high_mhz_ = parse_frequency_mhz(value);
    } else if (entry.key == "GUNITS") {
      units_ = lower_case(value);
      units_line_ = line.number;
    } else if (entry.key == "MDGAIN") {
      take_gain(line, entry);
    } else if (entry.key == "ELTILT") {
      if (const std::optional<NumberAndRest> tilt = leading_number(nominal(entry))) {
        antenna.electrical_tilt_deg = tilt->number;
        raw_.says_tilt = true;
      } else if (!value.empty()) {
        assume("tilt", not_understood(line.number, "electrical tilt", value));
      }
    } else if (entry.key == "PATFRE") {
      frequency_mhz_ = parse_frequency_mhz(value);
    } else if (entry.key == "PATCUT") {
      begin_cut(line, value);
    } else if (entry.key == "POLARI") {
      if (in_points_) cuts_.back().polarization = value;
    } else if (entry.key == "NUPOIN") {
      if (in_points_) cuts_.back().cut.said_count = count_of(line, value);
    } else if (entry.key == "ENDFIL") {
      in_points_ = false;
    }
  }

  void take_gain(const TextLine& line, const KeyValue& entry) {
    gain_text_ = is_blank(entry.value) ? "" : entry.value;
    gain_line_ = line.number;
    if (const std::optional<NumberAndUnit> gain = parse_gain(nominal(entry))) gain_ = gain->number;
  }

  // Of a nominal value and its tolerance, "14.9,0.5" or "14,9,0,5", the former.
  std::string nominal(const KeyValue& entry) {
    const std::string value(entry.value);
    const std::size_t comma = value.find(',');
    if (comma == std::string::npos || value.find('.') != std::string::npos) return value.substr(0, comma);
    std::string first = value.substr(0, comma);
    const std::string second = value.substr(comma + 1);
    const std::size_t sign = first.starts_with('-') || first.starts_with('+') ? 1 : 0;
    const bool may_be_tolerance = is_digits(std::string_view(first).substr(sign)) && is_digits(second);
    if (!may_be_tolerance || comma_use_ == CommaUse::is_decimal) return value.substr(0, value.find(',', comma + 1));
    // Antennas are within 3 dB and 3° of what is said of them, so that what is taken wrongly is off by 0.3.
    const bool is_likely = second <= "3" && second.size() == 1;
    if (second == "0" || (is_likely && comma_use_ == CommaUse::separates)) return first;
    const std::string quoted = entry.key + " \"" + value + "\" is read as ", as_decimal = first + "." + second;
    assume("comma",
           is_likely ? quoted + first + " with a tolerance of " + second + "; write " + as_decimal + " if that is meant"
                     : quoted + as_decimal + ", since " + second + " is no likely tolerance of " + first + "; write " +
                           value + ".0 if that is meant");
    return is_likely ? first : value;
  }

  std::int64_t count_of(const TextLine& line, const std::string& value) const {
    const std::optional<NumberAndRest> number = leading_number(value);
    if (!number || std::fabs(number->number) > 1e6) {
      throw antenna_error("bad_count", "\"" + value + "\" is not a number of points", "write NUPOIN:,360", file_,
                          line.number);
    }
    return std::lround(number->number);
  }

  void begin_cut(const TextLine& line, const std::string& value) {
    const std::string kind = lower_case(value.substr(0, value.find_first_of(" ,;")));
    const bool is_horizontal = kind == "h" || kind == "az" || kind == "azimuth" || kind == "horizontal";
    NsmaCut cut;
    cut.is_vertical = kind == "v" || kind == "el" || kind == "elevation" || kind == "vertical";
    in_points_ = is_horizontal || cut.is_vertical;
    if (!in_points_) {
      others_.push_back({line.number, value});
      return;
    }
    cut.cut.line = line.number;
    cut.frequency_mhz = frequency_mhz_;
    cuts_.push_back(std::move(cut));
  }

  void take_point(const TextLine& line, std::string_view text) {
    if (!in_points_) return;
    const std::optional<NumberPair> pair = parse_pair(text, true);
    if (!pair) {
      throw antenna_error("bad_point", "\"" + std::string(text) + "\" is not an angle and a magnitude",
                          "write two or three numbers per line: -10,-0.28,0", file_, line.number);
    }
    cuts_.back().cut.points.push_back({pair->first, pair->second, line.number});
  }

  // How far from what is wanted a cut is: frequency first, then polarisation; the first of equals is taken.
  std::pair<double, int> distance(const NsmaCut& cut) const {
    const double wanted = wanted_mhz_ ? *wanted_mhz_ : cuts_.front().frequency_mhz.value_or(0);
    const double frequency = cut.frequency_mhz.value_or(wanted);
    return {std::fabs(frequency - wanted), rank_of_polarization(cut.polarization)};
  }

  const NsmaCut* nearest(bool vertical) const {
    const NsmaCut* best = nullptr;
    for (const NsmaCut& cut : cuts_) {
      if (cut.is_vertical == vertical && (best == nullptr || distance(cut) < distance(*best))) best = &cut;
    }
    return best;
  }

  void choose_cuts() {
    raw_.vertical_is_upwards = true;
    const NsmaCut* horizontal = nearest(false);
    const NsmaCut* vertical = nearest(true);
    if (horizontal != nullptr) raw_.horizontal = horizontal->cut;
    if (vertical != nullptr) raw_.vertical = vertical->cut;
    const NsmaCut* chosen = horizontal != nullptr ? horizontal : vertical;
    if (chosen == nullptr) return;
    raw_.antenna.polarization = chosen->polarization;
    raw_.antenna.frequency_mhz = chosen->frequency_mhz;
    if (!raw_.antenna.frequency_mhz && low_mhz_ && high_mhz_) {
      raw_.antenna.frequency_mhz = 0.5 * (*low_mhz_ + *high_mhz_);
    }
    if (cuts_.size() > 2) {
      std::string taken = chosen->polarization;
      if (chosen->frequency_mhz) {
        taken +=
            std::string(taken.empty() ? "" : " at ") + std::to_string(std::lround(*chosen->frequency_mhz)) + " MHz";
      }
      assume("one_of_several",
             "the file has " + std::to_string(cuts_.size()) + " cuts; those of " + taken + " are taken");
    }
  }

  // Files may have cuts through other planes beside the two that are needed; spherical patterns have such alone.
  void leave_out_others() {
    if (others_.empty()) return;
    const TextLine& first = others_.front();
    if (!raw_.horizontal || !raw_.vertical) {
      throw antenna_error("bad_cut", "\"" + first.text + "\" is not a cut that Tesseray reads",
                          "cuts are AZ or H, and EL or V; spherical patterns are not read", file_, first.number);
    }
    const std::string left_out =
        others_.size() == 1 ? "it is left out" : "all " + std::to_string(others_.size()) + " such cuts are left out";
    assume("other_cuts", "line " + std::to_string(first.number) + ": \"" + first.text +
                             "\" is not a cut that Tesseray reads: " + left_out);
  }

  void name_gain() {
    const std::size_t slash = units_.find('/');
    const std::string of_gain(trimmed(std::string_view(units_).substr(0, slash)));
    const std::string of_points =
        slash == std::string::npos ? "dbr" : std::string(trimmed(std::string_view(units_).substr(slash + 1)));
    const auto is_known = [](const std::string& unit) { return unit == "dbi" || unit == "dbd" || unit == "dbr"; };
    if (!units_.empty() && (!is_known(of_gain) || !is_known(of_points))) {
      throw antenna_error("bad_unit", "the units \"" + units_ + "\" are not read",
                          "GUNITS are DBI/DBR or DBD/DBR: decibels, not linear", file_, units_line_);
    }
    if (gain_) raw_.antenna.gain_dbi = *gain_ + (of_gain == "dbi" ? 0.0 : half_wave_dipole_gain_dbi);
    if (gain_ && of_gain != "dbi" && of_gain != "dbd") {
      assume("gain_unit", "the gain " + shortest(*gain_) + " has no unit: taken as dBd");
    }
    const bool is_unclear = !gain_ && !gain_text_.empty();
    if (of_points == "dbr") {
      if (is_unclear) assume("gain", not_understood(gain_line_, "gain", gain_text_));
      return;
    }
    if (is_unclear) {
      throw antenna_error("bad_gain",
                          "\"" + gain_text_ + "\" is not a gain, from which the points count in " + of_points,
                          "write MDGAIN:,15.5, or give the points relative to the maximum (DBR)", file_, gain_line_);
    }
    if (!raw_.antenna.gain_dbi) {
      throw antenna_error("no_gain",
                          "the points are in " + of_points + ", but MDGAIN, which they count from, is missing",
                          "add MDGAIN, or give the points relative to the maximum (DBR)", file_, units_line_);
    }
    raw_.reference_gain_db = *raw_.antenna.gain_dbi - (of_points == "dbi" ? 0.0 : half_wave_dipole_gain_dbi);
  }

  void assume(const char* code, const std::string& message) { raw_.antenna.assumptions.push_back({code, message}); }

  const std::vector<TextLine>& lines_;
  const std::string& file_;
  CommaUse comma_use_;
  std::optional<double> wanted_mhz_, frequency_mhz_, low_mhz_, high_mhz_, gain_;
  std::string units_, gain_text_;  // empty: not given
  std::int64_t units_line_ = 0, gain_line_ = 0;
  bool in_points_ = false;
  std::vector<NsmaCut> cuts_;
  std::vector<TextLine> others_;  // headings of cuts that are neither AZ nor EL
  RawAntenna raw_;
};

}  // namespace

RawAntenna parse_nsma(const std::vector<TextLine>& lines, const std::string& file,
                      std::optional<double> frequency_mhz) {
  RawAntenna raw = NsmaReader(lines, file, frequency_mhz).read();
  raw.antenna.format = AntennaFileFormat::nsma;
  return raw;
}

}  // namespace tesseray
