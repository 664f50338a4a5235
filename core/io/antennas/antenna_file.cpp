// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/io/antennas/antenna_file.h"

#include <algorithm>
#include <cmath>
#include <cstdio>

#include "core/base/error.h"
#include "core/base/units.h"
#include "core/io/antennas/antenna_cuts.h"
#include "core/io/antennas/antenna_text.h"
#include "core/io/sources/text_values.h"

namespace tesseray {
namespace {

// Without the noise of the last digits.
std::string written(double value) { return shortest(std::round(value * 1e9) / 1e9 + 0.0); }

std::string with_decimals(double value, int decimals) {
  char text[32];
  std::snprintf(text, sizeof text, "%.*f", decimals, value);
  return text;
}

AntennaFileFormat format_of(const std::vector<TextLine>& lines, const std::string& file) {
  if (lines.empty()) {
    throw antenna_error("not_an_antenna", "the file is empty", "name an MSI/Planet, NSMA or ADF file", file);
  }
  for (const TextLine& line : lines) {
    const std::string key = key_and_value(line.text).key;
    if (key == "REVNUM" || key == "PATCUT") return AntennaFileFormat::nsma;
    if (key == "HORIZONTAL" || key == "VERTICAL") return AntennaFileFormat::msi;
  }
  throw antenna_error("not_an_antenna", "there is neither HORIZONTAL and VERTICAL (MSI) nor PATCUT (NSMA, ADF) in it",
                      "name an MSI/Planet, NSMA or ADF file", file);
}

// Of an angle of a vertical cut.
std::string from_horizon_in_words(double angle_deg) {
  const char* const side = angle_deg < 0 ? "above" : "below";
  return with_decimals(std::fabs(angle_deg), 1) + "° " + side + " the horizon";
}

void turn_over(std::vector<CutPoint>& cut) {
  for (CutPoint& point : cut) point.angle_deg = in_turn(-point.angle_deg);
  std::sort(cut.begin(), cut.end(), [](const CutPoint& a, const CutPoint& b) { return a.angle_deg < b.angle_deg; });
}

constexpr double greatest_tilt_tolerance_deg = 3;

// How far a vertical maximum may be from the electrical tilt as it is said: what files round, points with wide steps
// miss and antennas scatter, which with a wide lobe is more. A quarter of its width is 0.75 dB.
double tilt_tolerance_deg(const std::vector<CutPoint>& vertical) {
  const double half_step_deg = 180.0 / static_cast<double>(vertical.size());
  const double tolerance_deg = std::fmax(0.25 * half_power_beamwidth_deg(vertical), half_step_deg);
  return std::fmin(std::fmax(tolerance_deg, 1.0), greatest_tilt_tolerance_deg);
}

// The vertical maximum must be where the electrical tilt says; files with angles the other way round are turned over.
// Of an antenna that looks below the horizon, a negative tilt is another way to count, not a look upwards.
void settle_tilt(AntennaFile& antenna, bool says_tilt) {
  double peak = peak_angle_deg(antenna.vertical, -90, 90);
  constexpr double steepest_tilt_deg = 45;
  const std::string from_horizon = "; its angles must count from the horizon downwards, not from the zenith";
  if (!says_tilt && std::fabs(peak) > steepest_tilt_deg) {
    antenna.electrical_tilt_deg = 0;
    antenna.assumptions.push_back(
        {"maximum_off_horizon",
         "the vertical cut has its maximum " + from_horizon_in_words(peak) + ": taken as it is" + from_horizon});
    return;
  }
  if (!says_tilt) {
    antenna.electrical_tilt_deg = peak;
    antenna.assumptions.push_back({"electrical_tilt", "no electrical tilt is given: " + from_horizon_in_words(peak) +
                                                          ", from the maximum of the vertical cut"});
    return;
  }
  double& tilt = antenna.electrical_tilt_deg;
  const bool is_opposite = std::fabs(tilt) > 0.25 && std::fabs(peak + tilt) <= greatest_tilt_tolerance_deg &&
                           std::fabs(peak + tilt) < std::fabs(peak - tilt);
  if (is_opposite && tilt < 0) {
    antenna.assumptions.push_back({"tilt_sign", "the electrical tilt of " + with_decimals(tilt, 1) +
                                                    "° is taken as below the horizon, where the vertical cut has its "
                                                    "maximum"});
    tilt = -tilt;
  } else if (is_opposite) {
    turn_over(antenna.vertical);
    peak = -peak;
    antenna.assumptions.push_back({"vertical_upside_down", "the vertical cut has its maximum " +
                                                               with_decimals(peak, 1) +
                                                               "° above the horizon, against the electrical tilt of " +
                                                               with_decimals(tilt, 1) + "°: it is turned over"});
  }
  if (std::fabs(peak - tilt) <= tilt_tolerance_deg(antenna.vertical)) return;
  const bool is_tilt = std::fabs(peak) <= steepest_tilt_deg;
  antenna.assumptions.push_back({"tilt_contradiction", "the electrical tilt is said to be " + with_decimals(tilt, 1) +
                                                           "°, but the vertical cut has its maximum " +
                                                           from_horizon_in_words(peak) + ": the cut is taken as it is" +
                                                           (is_tilt ? ", with that tilt" : from_horizon)});
  // What a site wants is then reached from there.
  if (is_tilt) tilt = peak;
}

// Sites give the azimuth of the horizontal cut's 0°.
void say_whether_it_looks_aside(AntennaFile& antenna) {
  constexpr double half_power_db = 3;
  const double peak = peak_angle_deg(antenna.horizontal, -180, 180);
  const double below_db = attenuation_db(antenna.horizontal, 0) - attenuation_db(antenna.horizontal, peak);
  if (below_db <= half_power_db) return;
  antenna.assumptions.push_back({"looks_aside", "the horizontal cut has its maximum at " + with_decimals(peak, 1) +
                                                    "° and is " + with_decimals(below_db, 1) +
                                                    " dB lower at 0°, which looks along a site's azimuth"});
}

// ANTENNA_SYNTHESIS hpi takes them as meeting in front and behind (CutJoint).
void say_whether_cuts_contradict(AntennaFile& antenna) {
  if (contradiction_of(antenna.horizontal, antenna.vertical) <= least_contradiction) return;
  const double azimuth = joint_of(antenna.horizontal, antenna.vertical).azimuth_deg;
  antenna.assumptions.push_back(
      {"cuts_contradict", "the vertical cut is not that of 0° and 180°, where the horizontal one says otherwise: " +
                              (azimuth == 0 ? "on the horizon the horizontal one counts"
                                            : "it is taken as that through the maximum of the horizontal one, at " +
                                                  with_decimals(azimuth, 1) + "°")});
}

double least_attenuation_db(const AntennaFile& antenna) {
  double least = antenna.horizontal.front().attenuation_db;
  for (const auto* cut : {&antenna.horizontal, &antenna.vertical}) {
    for (const CutPoint& point : *cut) least = std::min(least, point.attenuation_db);
  }
  return least;
}

constexpr char not_normalised[] = "not_normalised";

void say_what_is_missing(AntennaFile& antenna) {
  if (!antenna.gain_dbi) antenna.assumptions.push_back({"no_gain", "no gain is given"});
  if (!antenna.frequency_mhz) antenna.assumptions.push_back({"no_frequency", "no frequency is given"});
  const double least = least_attenuation_db(antenna);
  constexpr double rounding_db = 0.05;
  if (least > rounding_db) {
    antenna.assumptions.push_back({not_normalised, "no direction of the cuts is stronger than " +
                                                       with_decimals(least, 1) +
                                                       " dB below the maximum: taken as it is"});
  }
}

void write_cut(std::string& text, const char* name, const std::vector<CutPoint>& cut) {
  text += std::string(name) + " " + std::to_string(cut.size()) + "\n";
  for (const CutPoint& point : cut) text += written(point.angle_deg) + " " + written(point.attenuation_db) + "\n";
}

void write_number(std::string& text, const char* key, double value, int decimals) {
  if (!std::isnan(value)) text += std::string(key) + " " + with_decimals(value, decimals) + "\n";
}

}  // namespace

std::string to_string(AntennaFileFormat format) { return format == AntennaFileFormat::msi ? "MSI" : "NSMA"; }

AntennaFile read_antenna_file(const std::filesystem::path& file, std::optional<double> frequency_mhz) {
  const std::string name = file.string();
  const std::vector<TextLine> lines = read_text_lines(file);
  RawAntenna raw = format_of(lines, name) == AntennaFileFormat::msi ? parse_msi(lines, name)
                                                                    : parse_nsma(lines, name, frequency_mhz);
  fill_cuts(raw, name);
  AntennaFile antenna = std::move(raw.antenna);
  if (antenna.name.empty()) antenna.name = file.stem().string();
  settle_tilt(antenna, raw.says_tilt);
  say_whether_it_looks_aside(antenna);
  say_whether_cuts_contradict(antenna);
  say_what_is_missing(antenna);
  return antenna;
}

AntennaFile normalised(AntennaFile antenna) {
  const double least = least_attenuation_db(antenna);
  for (auto* cut : {&antenna.horizontal, &antenna.vertical}) {
    for (CutPoint& point : *cut) point.attenuation_db -= least;
  }
  if (antenna.gain_dbi) *antenna.gain_dbi -= least;
  std::erase_if(antenna.assumptions, [](const Warning& assumption) { return assumption.code == not_normalised; });
  return antenna;
}

std::string to_msi(const AntennaFile& antenna) {
  std::string text;
  const auto write_text = [&](const char* key, const std::string& value) {
    if (!value.empty()) text += std::string(key) + " " + value + "\n";
  };
  write_text("NAME", antenna.name);
  write_text("MAKE", antenna.make);
  if (antenna.frequency_mhz) text += "FREQUENCY " + written(*antenna.frequency_mhz) + "\n";
  write_number(text, "H_WIDTH", half_power_beamwidth_deg(antenna.horizontal), 1);
  write_number(text, "V_WIDTH", half_power_beamwidth_deg(antenna.vertical), 1);
  write_number(text, "FRONT_TO_BACK", front_to_back_db(antenna.horizontal), 1);
  if (antenna.gain_dbi) text += "GAIN " + written(*antenna.gain_dbi - half_wave_dipole_gain_dbi) + " dBd\n";
  text += "TILT ELECTRICAL\n";
  text += "ELECTRICAL_TILT " + written(antenna.electrical_tilt_deg) + "\n";
  write_text("POLARIZATION", antenna.polarization);
  write_text("COMMENT", antenna.comment);
  write_cut(text, "HORIZONTAL", antenna.horizontal);
  write_cut(text, "VERTICAL", antenna.vertical);
  return text;
}

// Nobody else writes an antenna just as we do.
bool is_from_to_msi(const std::filesystem::path& file) {
  return antenna_file_content(file) == to_msi(read_antenna_file(file));
}

}  // namespace tesseray
