// SPDX-License-Identifier: GPL-3.0-or-later
// MSI/Planet: a heading of keywords, then HORIZONTAL n and VERTICAL n with an angle and an attenuation per line.
#include <algorithm>
#include <array>
#include <cctype>

#include "core/base/blank_text.h"
#include "core/base/error.h"
#include "core/base/units.h"
#include "core/io/antennas/antenna_text.h"

namespace tesseray {
namespace {

bool starts_like_a_number(std::string_view line) {
  return std::isdigit(static_cast<unsigned char>(line.front())) != 0 || line.front() == '-' || line.front() == '+' ||
         line.front() == '.';
}

class MsiReader {
 public:
  MsiReader(const std::vector<TextLine>& lines, const std::string& file) : lines_(lines), file_(file) {}

  RawAntenna read() {
    while (at_ < lines_.size()) {
      const TextLine& line = lines_[at_++];
      if (!is_comment(line.text)) take(line, key_and_value(line.text));
    }
    return std::move(raw_);
  }

 private:
  void take(const TextLine& line, const KeyValue& entry) {
    AntennaFile& antenna = raw_.antenna;
    const std::string value(entry.value);
    if (entry.key == "NAME") {
      antenna.name = value;
    } else if (entry.key == "MAKE") {
      antenna.make = value;
    } else if (entry.key == "COMMENT" || entry.key == "COMMENTS") {
      antenna.comment += (antenna.comment.empty() ? "" : " ") + value;
    } else if (entry.key.starts_with("POLARI")) {
      antenna.polarization = value;
    } else if (entry.key == "FREQUENCY" || entry.key == "FREQ") {
      antenna.frequency_mhz = parse_frequency_mhz(value);
      if (!antenna.frequency_mhz && !value.empty())
        assume("frequency", not_understood(line.number, "frequency", value));
    } else if (entry.key == "GAIN") {
      take_gain(line, value);
    } else if (entry.key == "ELECTRICAL_TILT" || entry.key == "ELECTRICALTILT" || entry.key == "ELEC_TILT" ||
               entry.key == "TILT") {
      take_tilt(line, value, entry.key == "TILT");
    } else if (entry.key == "HORIZONTAL") {
      take_cut(raw_.horizontal, line, value);
    } else if (entry.key == "VERTICAL") {
      take_cut(raw_.vertical, line, value);
    }
  }

  void take_gain(const TextLine& line, const std::string& value) {
    const std::optional<NumberAndUnit> gain = parse_gain(value);
    const std::string unit = gain ? gain->unit : "";
    const bool has_no_reference = unit.empty() || unit == "db";
    if (!gain || !(has_no_reference || unit == "dbd" || unit == "dbi")) {
      if (!is_blank(value)) assume("gain", not_understood(line.number, "gain", value));
      return;
    }
    raw_.antenna.gain_dbi = gain->number + (unit == "dbi" ? 0.0 : half_wave_dipole_gain_dbi);
    if (has_no_reference) assume("gain_unit", "the gain " + value + " has no unit: taken as dBd");
  }

  // TILT holds a word, an angle, or both; ELECTRICAL_TILT an angle. A mechanical tilt is no property of the antenna.
  void take_tilt(const TextLine& line, const std::string& value, bool is_word) {
    const std::string lower = lower_case(value);
    const std::size_t digits = lower.find_first_of("-+.0123456789");
    if (lower.find("mech") != std::string::npos || (is_word && (digits == std::string::npos || raw_.says_tilt))) return;
    const std::optional<NumberAndRest> tilt =
        leading_number(std::string_view(lower).substr(std::min(digits, lower.size())));
    if (!tilt) {
      if (!value.empty()) assume("tilt", not_understood(line.number, "electrical tilt", value));
      return;
    }
    // Files that count angles from 0 to 360 write 354 for −6.
    raw_.antenna.electrical_tilt_deg = tilt->number > 180 ? tilt->number - 360 : tilt->number;
    raw_.says_tilt = true;
  }

  void take_cut(std::optional<RawCut>& cut, const TextLine& heading, const std::string& value) {
    const std::string name = &cut == &raw_.horizontal ? "HORIZONTAL" : "VERTICAL";
    if (cut) {
      throw antenna_error("two_antennas", "a second " + name + " begins here", "keep one antenna per file", file_,
                          heading.number);
    }
    cut.emplace().line = heading.number;
    const std::optional<NumberAndRest> count = leading_number(value);
    if (count && count->number >= 0) {
      cut->said_count = static_cast<std::int64_t>(std::min(count->number, 1e9));
    } else if (!value.empty()) {
      assume("point_count", "line " + std::to_string(heading.number) + ": " + name + " \"" + value +
                                "\" is no number of points: all that follow are taken");
    }
    for (; at_ < lines_.size(); ++at_) {
      const TextLine& line = lines_[at_];
      if (is_comment(line.text)) continue;
      const std::optional<NumberPair> pair = parse_pair(line.text, false);
      if (pair) {
        cut->points.push_back({pair->first, pair->second, line.number});
      } else if (starts_like_a_number(line.text)) {
        throw antenna_error("bad_point", "\"" + line.text + "\" is not an angle and an attenuation",
                            "write two numbers per line: 10 0.28", file_, line.number);
      } else {
        break;
      }
    }
  }

  void assume(const char* code, const std::string& message) { raw_.antenna.assumptions.push_back({code, message}); }

  const std::vector<TextLine>& lines_;
  const std::string& file_;
  std::size_t at_ = 0;
  RawAntenna raw_;
};

}  // namespace

RawAntenna parse_msi(const std::vector<TextLine>& lines, const std::string& file) {
  return MsiReader(lines, file).read();
}

}  // namespace tesseray
