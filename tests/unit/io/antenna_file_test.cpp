// SPDX-License-Identifier: GPL-3.0-or-later
// Antenna files as they are found in the field: what is understood, and what is said to be assumed.
#include "core/io/antennas/antenna_file.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <fstream>
#include <functional>
#include <regex>
#include <string>

#include "tests/unit/io/gis_files.h"

namespace tesseray {
namespace {

using testing::TemporaryFolder;
using testing::write_text;

// dB below the maximum of made-up cuts: 65° wide at half power, and a lobe 10° wide at 6° below the horizon.
double horizontal_db(double angle) { return std::fmin(3 * std::pow(std::remainder(angle, 360.0) / 32.5, 2), 25.0); }
double vertical_db(double angle) { return std::fmin(3 * std::pow(std::remainder(angle - 6, 360.0) / 5, 2), 30.0); }

std::string text_of(double number, char decimal = '.') {
  char text[32];
  std::snprintf(text, sizeof text, "%.2f", number);
  std::string result(text);
  std::replace(result.begin(), result.end(), '.', decimal);
  return result;
}

// Lines "angle SEPARATOR value" from `first` to `last` degrees.
std::string points(int first, int last, const std::function<double(double)>& value, const std::string& separator = " ",
                   const std::string& end = "\n", char decimal = '.') {
  std::string text;
  for (int angle = first; angle <= last; ++angle) {
    text += text_of(angle, decimal) + separator + text_of(value(angle), decimal) + end;
  }
  return text;
}

std::string plain_msi() {
  return "NAME PANEL\nMAKE Maker\nFREQUENCY 1800\nGAIN 15 dBi\nTILT ELECTRICAL\nELECTRICAL_TILT 6\nHORIZONTAL 360\n" +
         points(0, 359, horizontal_db) + "VERTICAL 360\n" + points(0, 359, vertical_db);
}

class AntennaFiles : public ::testing::Test {
 protected:
  AntennaFile read(const std::string& text, std::optional<double> frequency_mhz = std::nullopt) {
    return read_antenna_file(
        write_text(folder_ / std::string("a").append(std::to_string(files_++)).append(".msi"), text), frequency_mhz);
  }
  // plain_msi() with one place in other words.
  AntennaFile read_plain_with(const std::string& place, const std::string& other) {
    std::string text = plain_msi();
    text.replace(text.find(place), place.size(), other);
    return read(text);
  }
  TemporaryFolder folder_;
  int files_ = 0;
};

bool assumes(const AntennaFile& antenna, const std::string& code) {
  return std::any_of(antenna.assumptions.begin(), antenna.assumptions.end(),
                     [&](const Warning& warning) { return warning.code == code; });
}

void expect_same_cuts(const AntennaFile& a, const AntennaFile& b) {
  ASSERT_EQ(a.horizontal.size(), b.horizontal.size());
  ASSERT_EQ(a.vertical.size(), b.vertical.size());
  for (std::size_t i = 0; i < a.horizontal.size(); ++i) {
    EXPECT_NEAR(a.horizontal[i].angle_deg, b.horizontal[i].angle_deg, 1e-9);
    EXPECT_NEAR(a.horizontal[i].attenuation_db, b.horizontal[i].attenuation_db, 1e-9) << i;
  }
  for (std::size_t i = 0; i < a.vertical.size(); ++i) {
    EXPECT_NEAR(a.vertical[i].angle_deg, b.vertical[i].angle_deg, 1e-9);
    EXPECT_NEAR(a.vertical[i].attenuation_db, b.vertical[i].attenuation_db, 1e-9) << i;
  }
}

TEST_F(AntennaFiles, PlainMsi) {
  const AntennaFile antenna = read(plain_msi());
  EXPECT_EQ(antenna.format, AntennaFileFormat::msi);
  EXPECT_EQ(antenna.name, "PANEL");
  EXPECT_EQ(antenna.make, "Maker");
  EXPECT_EQ(antenna.frequency_mhz, 1800);
  EXPECT_EQ(antenna.gain_dbi, 15);
  EXPECT_EQ(antenna.electrical_tilt_deg, 6);
  EXPECT_TRUE(antenna.assumptions.empty()) << antenna.assumptions.front().message;
  ASSERT_EQ(antenna.horizontal.size(), 360u);
  EXPECT_NEAR(antenna.horizontal[30].attenuation_db, 2.56, 1e-12);
  EXPECT_NEAR(half_power_beamwidth_deg(antenna.horizontal), 65, 0.3);
  EXPECT_NEAR(half_power_beamwidth_deg(antenna.vertical), 10, 0.2);
  EXPECT_NEAR(front_to_back_db(antenna.horizontal), 25, 1e-9);
}

TEST_F(AntennaFiles, WhateverTheSpellingTheCutsAreTheSame) {
  const AntennaFile expected = read(plain_msi());
  const std::string heading = "name: Panel\ngain = 12,85\nFrequency 1710-1880 MHz\nTilt Electrical 6\n";
  // Lower case, decimal commas, semicolons, tabs, ends of other systems, 361 lines, comments, a count that is off.
  const std::string dirty[] = {
      heading + "horizontal 360\n" + points(0, 359, horizontal_db, " ", "\n", ',') + "vertical 360\n" +
          points(0, 359, vertical_db, "\t", "\n", ','),
      heading + "Horizontal\t361\r\n" + points(0, 360, horizontal_db, ";", "\r\n") + "Vertical\t361\r\n" +
          points(0, 360, vertical_db, "; ", "\r\n", ','),
      "\xEF\xBB\xBF" + heading + "HORIZONTAL 360\r" + points(0, 359, horizontal_db, ",", "\r") + "VERTICAL 360\r" +
          points(0, 359, vertical_db, ",", "\r", ','),
      "// exported\n# twice\n" + heading + "\n\nHORIZONTAL\n! angles\n" + points(0, 359, horizontal_db, "  ,  ") +
          "\n\nVERTICAL 99\n" + points(0, 359, vertical_db, ", ") + "\nEND\n",
      heading + "VERTICAL 361\n" + points(-180, 180, vertical_db) + "HORIZONTAL 360\n" +
          points(-179, 180, horizontal_db),
      heading + "HORIZONTAL 360\n" + points(0, 359, [](double a) { return -horizontal_db(a); }) + "VERTICAL 360\n" +
          points(0, 359, [](double a) { return -vertical_db(a); }),
  };
  for (const std::string& text : dirty) {
    const AntennaFile antenna = read(text);
    expect_same_cuts(antenna, expected);
    EXPECT_NEAR(*antenna.gain_dbi, 15, 1e-12);
    EXPECT_TRUE(assumes(antenna, "gain_unit"));
    EXPECT_EQ(antenna.name, "Panel");
    EXPECT_NEAR(*antenna.frequency_mhz, 1795, 1e-9);
    EXPECT_EQ(antenna.electrical_tilt_deg, 6);
  }
  EXPECT_TRUE(assumes(read(dirty[3]), "point_count"));
  EXPECT_TRUE(assumes(read(dirty[5]), "sign"));
}

TEST_F(AntennaFiles, UnitsOfTheGain) {
  const auto gain = [&](const std::string& line) {
    std::string text = plain_msi();
    text.replace(text.find("GAIN 15 dBi"), 11, line);
    return read(text);
  };
  EXPECT_NEAR(*gain("GAIN 10 dBd").gain_dbi, 12.15, 1e-12);
  EXPECT_NEAR(*gain("GAIN 10").gain_dbi, 12.15, 1e-12);
  EXPECT_NEAR(*gain("GAIN 10dBi").gain_dbi, 10, 1e-12);
  EXPECT_NEAR(*gain("Gain 10,5 DBI").gain_dbi, 10.5, 1e-12);
  EXPECT_NEAR(*gain("GAIN;10,5;dBi").gain_dbi, 10.5, 1e-12);
  EXPECT_NEAR(*gain("GAIN (dBi) 18.0").gain_dbi, 18, 1e-12);
  EXPECT_NEAR(*gain("GAIN [dBi]: 18.0").gain_dbi, 18, 1e-12);
  EXPECT_NEAR(*gain("Gain(dBd);10").gain_dbi, 12.15, 1e-12);
  EXPECT_NEAR(*gain("GAIN (dBi) 18.0 dBi").gain_dbi, 18, 1e-12);
  EXPECT_NEAR(*gain("GAIN 18.0 [dBi]").gain_dbi, 18, 1e-12);
  EXPECT_TRUE(assumes(gain("GAIN (dB) 10"), "gain_unit"));
  EXPECT_TRUE(assumes(gain("GAIN 10 dB"), "gain_unit"));
  EXPECT_FALSE(assumes(gain("GAIN 10 dBd"), "gain_unit"));
  EXPECT_FALSE(gain("COMMENT none").gain_dbi);
  EXPECT_TRUE(assumes(gain("COMMENT none"), "no_gain"));
}

// What a gain is written with is no reason to refuse a file, and predictions do not need it.
TEST_F(AntennaFiles, GainsThatAreNotPlain) {
  for (const char* plain :
       {"17.1 dBi.", "~17.1 dBi", "≈ 17,1 dBi", "17.1 +/- 0.5 dBi", "17.1+/-0.5 dBi", "17.1 ±0.5dBi",
        "17.1 dBi ± 0,5 dB", "(dBi) 17.1 +/- 0.5", "14.95 dBd/17.1 dBi", "17.1 dBi / 14.95 dBd"}) {
    const AntennaFile antenna = read_plain_with("GAIN 15 dBi", std::string("GAIN ") + plain);
    EXPECT_NEAR(antenna.gain_dbi.value_or(0), 17.1, 1e-9) << plain;
    EXPECT_TRUE(antenna.assumptions.empty()) << plain << ": " << antenna.assumptions.front().message;
  }
  for (const char* none : {"", " N/A", " -"}) {
    const AntennaFile antenna = read_plain_with("GAIN 15 dBi", std::string("GAIN") + none);
    EXPECT_FALSE(antenna.gain_dbi) << none;
    EXPECT_TRUE(assumes(antenna, "no_gain")) << none;
    EXPECT_FALSE(assumes(antenna, "gain")) << none;
  }
  for (const char* unclear : {"fifteen", "15 dBx", "15-17 dBi", "+/- 3 dBi", "1e9 dBi"}) {
    const AntennaFile antenna = read_plain_with("GAIN 15 dBi", std::string("GAIN ") + unclear);
    EXPECT_FALSE(antenna.gain_dbi) << unclear;
    ASSERT_TRUE(assumes(antenna, "gain")) << unclear;
    EXPECT_EQ(antenna.assumptions.front().message,
              "line 4: the gain \"" + std::string(unclear) + "\" is not understood");
    expect_same_cuts(antenna, read(plain_msi()));
  }
}

TEST_F(AntennaFiles, UnitsOfTheFrequency) {
  for (const char* frequency : {"1800", "1800 MHz", "1.8 GHz", "1710-1890MHz", "1800000 kHz", "1800000000 Hz"}) {
    std::string text = plain_msi();
    text.replace(text.find("1800"), 4, frequency);
    EXPECT_NEAR(read(text).frequency_mhz.value_or(0), 1800, 1e-9) << frequency;
  }
}

TEST_F(AntennaFiles, UnitsMayStandBehindTheirKeys) {
  std::string text = plain_msi();
  text.replace(text.find("FREQUENCY 1800"), 14, "FREQUENCY (GHz) 1.8");
  text.replace(text.find("ELECTRICAL_TILT 6"), 17, "ELECTRICAL_TILT [deg] 6");
  const AntennaFile antenna = read(text);
  EXPECT_NEAR(antenna.frequency_mhz.value_or(0), 1800, 1e-9);
  EXPECT_EQ(antenna.electrical_tilt_deg, 6);
  EXPECT_TRUE(antenna.assumptions.empty()) << antenna.assumptions.front().message;
}

// Radio frequencies are 30 MHz to 300 GHz.
TEST_F(AntennaFiles, FrequenciesThatCanBeNoMegahertzAreInKilohertzOrHertz) {
  const auto mhz_of = [&](const std::string& frequency) {
    std::string text = plain_msi();
    text.replace(text.find("1800"), 4, frequency);
    return read(text).frequency_mhz.value_or(0);
  };
  EXPECT_NEAR(mhz_of("1800000000"), 1800, 1e-9);
  EXPECT_NEAR(mhz_of("1710000000-1890000000"), 1800, 1e-9);
  EXPECT_NEAR(mhz_of("1.8E+09"), 1800, 1e-9);
  EXPECT_NEAR(mhz_of("1.8e9 Hz"), 1800, 1e-9);
  EXPECT_NEAR(mhz_of("1800000"), 1800, 1e-9);
  EXPECT_NEAR(mhz_of("28000000000"), 28000, 1e-9);
  EXPECT_NEAR(mhz_of("300000"), 300000, 1e-9);
  EXPECT_EQ(mhz_of("1800000000 MHz"), 0);
  EXPECT_EQ(mhz_of("900000000000"), 0);
  EXPECT_EQ(mhz_of("80000000"), 0);  // 80 MHz or 80 GHz
}

TEST_F(AntennaFiles, TiltsAreCheckedAgainstTheVerticalCut) {
  const AntennaFile none = read_plain_with("TILT ELECTRICAL\nELECTRICAL_TILT 6\n", "");
  EXPECT_TRUE(assumes(none, "electrical_tilt"));
  EXPECT_NEAR(none.electrical_tilt_deg, 6, 1e-9);
  // Angles that count upwards are turned over.
  const std::string heading = "NAME a\nFREQUENCY 900\nGAIN 15 dBi\nELECTRICAL_TILT 6\nHORIZONTAL 360\n" +
                              points(0, 359, horizontal_db) + "VERTICAL 360\n";
  const AntennaFile upside_down = read(heading + points(0, 359, [](double a) { return vertical_db(-a); }));
  EXPECT_TRUE(assumes(upside_down, "vertical_upside_down"));
  expect_same_cuts(upside_down, read(plain_msi()));
  // A tilt that counts upwards; the cut below the horizon stays where it is.
  const AntennaFile looks_down = read_plain_with("_TILT 6", "_TILT -6");
  EXPECT_TRUE(assumes(looks_down, "tilt_sign"));
  EXPECT_EQ(looks_down.electrical_tilt_deg, 6);
  expect_same_cuts(looks_down, read(plain_msi()));
  const AntennaFile elsewhere = read(heading + points(0, 359, [](double a) { return vertical_db(a - 9); }));
  EXPECT_TRUE(assumes(elsewhere, "tilt_contradiction"));
  EXPECT_NEAR(peak_angle_deg(elsewhere.vertical, -90, 90), 15, 1e-9);
}

// People think of up and down, not of signs.
TEST_F(AntennaFiles, MaximaAreSaidToBeAboveOrBelowTheHorizon) {
  const auto said = [&](double peak_deg, const std::string& tilt) {
    const AntennaFile antenna =
        read("NAME a\nFREQUENCY 900 MHz\nGAIN 15 dBi\n" + tilt + "HORIZONTAL 360\n" + points(0, 359, horizontal_db) +
             "VERTICAL 360\n" + points(0, 359, [&](double a) { return vertical_db(a + 6 - peak_deg); }));
    return antenna.assumptions.at(0).message;
  };
  EXPECT_NE(said(-10, "").find("no electrical tilt is given: 10.0° above the horizon"), std::string::npos)
      << said(-10, "");
  EXPECT_NE(said(8, "").find("no electrical tilt is given: 8.0° below the horizon"), std::string::npos) << said(8, "");
  EXPECT_NE(said(-60, "").find("its maximum 60.0° above the horizon"), std::string::npos) << said(-60, "");
  const std::string other = said(-10, "ELECTRICAL_TILT 4\n");
  EXPECT_NE(other.find("its maximum 10.0° above the horizon"), std::string::npos) << other;
}

// A site's tilt is reached from the cut's own.
TEST_F(AntennaFiles, TheCutsTiltCountsWhereTheSaidOneIsAnother) {
  const AntennaFile antenna = read_plain_with("ELECTRICAL_TILT 6", "ELECTRICAL_TILT 0");
  EXPECT_TRUE(assumes(antenna, "tilt_contradiction"));
  EXPECT_NEAR(antenna.electrical_tilt_deg, 6, 1e-9);
  // The same where the said one counts the other way round as well.
  const AntennaFile opposite = read_plain_with("ELECTRICAL_TILT 6", "ELECTRICAL_TILT -8.6");
  EXPECT_TRUE(assumes(opposite, "tilt_sign"));
  EXPECT_TRUE(assumes(opposite, "tilt_contradiction"));
  EXPECT_NEAR(opposite.electrical_tilt_deg, 6, 1e-9);
}

// Maxima are where files round them to and antennas have them: a quarter of the lobe's width is let pass, with narrow
// lobes a degree, with wide ones three, and half of the way between two points.
TEST_F(AntennaFiles, MaximaMayBeBesideTheSaidTiltByAPartOfTheLobe) {
  struct Lobe {
    double width_deg;
    int step_deg;
    double let_pass_deg;
  };
  for (const Lobe& lobe : {Lobe{2, 1, 1}, {6, 1, 1.5}, {10, 1, 2.5}, {40, 1, 3}, {2, 3, 1.5}}) {
    std::string vertical = "VERTICAL\n";
    for (int angle = 0; angle < 360; angle += lobe.step_deg) {
      const double aside = std::remainder(angle - 6, 360.0) / lobe.width_deg;
      vertical += std::to_string(angle) + " " + text_of(std::fmin(12 * aside * aside, 30.0)) + "\n";
    }
    for (const double beside : {-0.06, 0.06}) {
      for (const double sign : {-1.0, 1.0}) {
        const double said = 6 + sign * (lobe.let_pass_deg + beside);
        const AntennaFile antenna = read("NAME a\nFREQUENCY 900\nGAIN 15 dBi\nELECTRICAL_TILT " + text_of(said) +
                                         "\nHORIZONTAL 360\n" + points(0, 359, horizontal_db) + vertical);
        EXPECT_EQ(assumes(antenna, "tilt_contradiction"), beside > 0) << lobe.width_deg << " " << said;
        EXPECT_NEAR(antenna.electrical_tilt_deg, beside > 0 ? 6 : said, 0.006) << lobe.width_deg;
      }
    }
  }
}

TEST_F(AntennaFiles, TiltsMayCountInAFullCircle) {
  EXPECT_EQ(read_plain_with("ELECTRICAL_TILT 6", "ELECTRICAL_TILT 366").electrical_tilt_deg, 6);
}

// A sign of thousands makes 1.8 MHz of it, which no antenna here is for.
TEST_F(AntennaFiles, FrequenciesThatNothingIsPredictedAtAreNone) {
  EXPECT_FALSE(read_plain_with("1800", "1,800 MHz").frequency_mhz.has_value());
}

TEST_F(AntennaFiles, NumbersThatCannotBeReadAreToldOf) {
  for (const char* tilt : {"six", "2-10", "."}) {
    const AntennaFile antenna = read_plain_with("ELECTRICAL_TILT 6", std::string("ELECTRICAL_TILT ") + tilt);
    EXPECT_TRUE(assumes(antenna, "tilt")) << tilt;
    EXPECT_NEAR(antenna.electrical_tilt_deg, 6, 1e-9) << tilt;
  }
  EXPECT_FALSE(assumes(read_plain_with("ELECTRICAL_TILT 6", "ELECTRICAL_TILT"), "tilt"));
  for (const char* count : {"-1", "all"}) {
    EXPECT_TRUE(assumes(read_plain_with("HORIZONTAL 360", std::string("HORIZONTAL ") + count), "point_count")) << count;
    EXPECT_TRUE(assumes(read_plain_with("VERTICAL 360", std::string("VERTICAL ") + count), "point_count")) << count;
  }
}

TEST_F(AntennaFiles, CutsThatCountFromElsewhereAreToldOf) {
  const auto with = [&](const std::string& tilt, double horizontal_from, double vertical_from) {
    return read("NAME a\nFREQUENCY 900\nGAIN 15 dBi\n" + tilt + "HORIZONTAL 360\n" +
                points(0, 359, [&](double a) { return horizontal_db(a - horizontal_from); }) + "VERTICAL 360\n" +
                points(0, 359, [&](double a) { return vertical_db(a - vertical_from); }));
  };
  const AntennaFile plain = with("", 0, 0);
  EXPECT_FALSE(assumes(plain, "maximum_off_horizon"));
  EXPECT_FALSE(assumes(plain, "looks_aside"));
  EXPECT_EQ(plain.electrical_tilt_deg, 6);
  // From the zenith: the horizon at 90°, the maximum 6° below it at 96°.
  const AntennaFile from_zenith = with("", 0, 80);
  EXPECT_TRUE(assumes(from_zenith, "maximum_off_horizon"));
  EXPECT_FALSE(assumes(from_zenith, "electrical_tilt"));
  EXPECT_EQ(from_zenith.electrical_tilt_deg, 0);
  EXPECT_TRUE(assumes(with("ELECTRICAL_TILT 6\n", 0, 80), "tilt_contradiction"));
  // Half power is 32.5° aside.
  EXPECT_FALSE(assumes(with("", 30, 0), "looks_aside"));
  EXPECT_TRUE(assumes(with("", 35, 0), "looks_aside"));
  EXPECT_TRUE(assumes(with("", -90, 0), "looks_aside"));
  // Both say that they are 0 dB at 0° and 25 dB at 180°, but one of them in another place.
  EXPECT_FALSE(assumes(plain, "cuts_contradict"));
  EXPECT_FALSE(assumes(with("", 10, 0), "cuts_contradict"));
  EXPECT_TRUE(assumes(with("", 35, 0), "cuts_contradict"));
  EXPECT_TRUE(assumes(with("", 180, 0), "cuts_contradict"));
}

TEST_F(AntennaFiles, HalfCutsAreCompleted) {
  const std::string heading = "NAME a\nFREQUENCY 900\nGAIN 15 dBi\nELECTRICAL_TILT 6\n";
  const AntennaFile half = read(heading + "HORIZONTAL 181\n" + points(0, 180, horizontal_db) + "VERTICAL 181\n" +
                                points(-90, 90, vertical_db));
  EXPECT_TRUE(assumes(half, "half_horizontal"));
  EXPECT_TRUE(assumes(half, "half_vertical"));
  const AntennaFile full = read(plain_msi());
  ASSERT_EQ(half.horizontal, full.horizontal);
  ASSERT_EQ(half.vertical.size(), 360u);
  EXPECT_NEAR(attenuation_db(half.vertical, 174), 25, 1e-9);  // the mirrored maximum, as far down as behind
  EXPECT_NEAR(attenuation_db(half.vertical, 8), attenuation_db(full.vertical, 8), 1e-12);
}

// Where a half goes a little beyond the middle, its own points count there.
TEST_F(AntennaFiles, HalfCutsThatGoFartherHaveNoAngleTwice) {
  const std::string heading = "NAME a\nFREQUENCY 900\nGAIN 15 dBi\nELECTRICAL_TILT 6\n";
  const auto lopsided_db = [](double angle_deg) { return angle_deg > 180 ? 21.0 : horizontal_db(angle_deg); };
  const AntennaFile half =
      read(heading + "HORIZONTAL 184\n" + points(0, 183, lopsided_db) + "VERTICAL 360\n" + points(0, 359, vertical_db));
  EXPECT_TRUE(assumes(half, "half_horizontal"));
  ASSERT_EQ(half.horizontal.size(), 360u);
  for (std::size_t i = 0; i < half.horizontal.size(); ++i) {
    const double angle_deg = static_cast<double>(i);
    EXPECT_EQ(half.horizontal[i].angle_deg, angle_deg);
    const double expected_db = angle_deg > 183 ? horizontal_db(360 - angle_deg) : lopsided_db(angle_deg);
    constexpr double written_db = 0.005;  // to two decimals
    EXPECT_NEAR(half.horizontal[i].attenuation_db, expected_db, written_db) << angle_deg;
  }
}

TEST_F(AntennaFiles, LatinNamesAndMissingOnes) {
  std::string text = plain_msi();
  text.replace(text.find("PANEL"), 5, "F\xFCrth 2\xB0");
  EXPECT_EQ(read(text).name, "Fürth 2°");
  text = plain_msi();
  text.erase(0, text.find("MAKE"));
  EXPECT_EQ(read(text).name.substr(0, 1), "a");  // the file's
}

TEST_F(AntennaFiles, WhatIsAboveOrBelowTheMaximumIsSaid) {
  const std::string heading = "NAME a\nFREQUENCY 900\nGAIN 15 dBi\nELECTRICAL_TILT 6\nHORIZONTAL 360\n";
  const AntennaFile above = read(heading + points(0, 359, [](double a) { return horizontal_db(a) - 0.3; }) +
                                 "VERTICAL 360\n" + points(0, 359, vertical_db));
  EXPECT_TRUE(assumes(above, "above_maximum"));
  EXPECT_EQ(above.horizontal[0].attenuation_db, 0);
  const AntennaFile below = read(heading + points(0, 359, [](double a) { return horizontal_db(a) + 3; }) +
                                 "VERTICAL 360\n" + points(0, 359, [](double a) { return vertical_db(a) + 2; }));
  EXPECT_TRUE(assumes(below, "not_normalised"));
  EXPECT_NEAR(below.horizontal[0].attenuation_db, 3, 1e-12);
  const AntennaFile raised = normalised(below);
  EXPECT_NEAR(raised.horizontal[0].attenuation_db, 1, 1e-12);
  EXPECT_NEAR(*raised.gain_dbi, 13, 1e-12);
  EXPECT_FALSE(assumes(raised, "not_normalised"));
}

std::string nsma(const std::string& units, const std::string& vertical, const std::string& horizontal) {
  return "REVNUM:,NSMA WG16.99.050\r\nREVDAT:,19990520\r\nANTMAN:,Maker\r\nMODNUM:,PANEL\r\nLOWFRQ:,1710\r\n"
         "HGHFRQ:,1890\r\nGUNITS:," +
         units +
         "\r\nMDGAIN:,12.85\r\nAZWIDT:,65\r\nELTILT:,6\r\nPATTYP:,TYPICAL\r\n"
         "NOFREQ:,1\r\nPATFRE:,1800\r\nNUMCUT:,2\r\nPATCUT:,AZ ! azimuth\r\nPOLARI:,V/V\r\nNUPOIN:,360\r\n"
         "FSTLST:,-179,180\r\n" +
         horizontal + "PATCUT:,EL\r\nPOLARI:,V/V\r\nNUPOIN:,360\r\nFSTLST:,-179,180\r\n" + vertical + "ENDFIL:,EOF\r\n";
}

TEST_F(AntennaFiles, NsmaCountsElevationsUpwardsAndGainsDown) {
  const auto azimuth = [](double a) { return -horizontal_db(a); };
  const auto elevation = [](double a) { return -vertical_db(-a); };
  const AntennaFile antenna =
      read(nsma("DBD/DBR", points(-179, 180, elevation, ",", ",0\r\n"), points(-179, 180, azimuth, ",", ",0\r\n")));
  EXPECT_EQ(antenna.format, AntennaFileFormat::nsma);
  EXPECT_EQ(antenna.polarization, "V/V");
  EXPECT_EQ(antenna.frequency_mhz, 1800);
  EXPECT_NEAR(*antenna.gain_dbi, 15, 1e-12);
  EXPECT_TRUE(antenna.assumptions.empty()) << antenna.assumptions.front().message;
  expect_same_cuts(antenna, read(plain_msi()));
  // Absolute gains, and attenuations where gains belong.
  const AntennaFile absolute = read(nsma("dBi/dBi", points(-179, 180, [&](double a) { return 12.85 + elevation(a); }),
                                         points(-179, 180, [&](double a) { return 12.85 + azimuth(a); })));
  EXPECT_NEAR(*absolute.gain_dbi, 12.85, 1e-12);
  expect_same_cuts(absolute, antenna);
  // What 15.5 dBd come to by way of dBi is less than 15.5, by rounding: nothing to tell of.
  std::string over_dipole = nsma("DBD/DBD",
                                 points(
                                     -179, 180, [&](double a) { return 15.5 + elevation(a); }, ","),
                                 points(
                                     -179, 180, [&](double a) { return 15.5 + azimuth(a); }, ","));
  over_dipole.replace(over_dipole.find("12.85"), 5, "15.5");
  const AntennaFile in_dbd = read(over_dipole);
  EXPECT_TRUE(in_dbd.assumptions.empty()) << in_dbd.assumptions.front().message;
  expect_same_cuts(in_dbd, antenna);
  const AntennaFile signs = read(nsma("DBD/DBR",
                                      points(
                                          -179, 180, [&](double a) { return -elevation(a); }, ", "),
                                      points(-179, 180, horizontal_db, ", ")));
  EXPECT_TRUE(assumes(signs, "sign"));
  expect_same_cuts(signs, antenna);
}

TEST_F(AntennaFiles, OfSeveralFrequenciesAndPolarisations) {
  const auto cuts = [](int mhz, double factor) {
    const auto azimuth = [factor](double a) { return -factor * horizontal_db(a); };
    return "PATFRE:," + std::to_string(mhz) + "\nPATCUT:,H\nPOLARI:,V/H\nNUPOIN:,360\n" +
           points(
               0, 359, [](double) { return -20.0; }, ",") +
           "PATCUT:,H\nPOLARI:,V/V\nNUPOIN:,360\n" + points(0, 359, azimuth, ",") +
           "PATCUT:,V\nPOLARI:,V/V\nNUPOIN:,360\n" + points(0, 359, azimuth, ",");
  };
  const std::string text = "REVNUM:,NSMA WG16.99.050\nGUNITS:,DBI\nMDGAIN:,15\nELTILT:,0\n" + cuts(900, 1) +
                           cuts(1800, 0.5) + cuts(2100, 0.25);
  EXPECT_NEAR(read(text).horizontal[30].attenuation_db, 2.56, 1e-12);
  EXPECT_NEAR(read(text, 1750).horizontal[30].attenuation_db, 1.28, 1e-12);
  EXPECT_NEAR(read(text, 5000).horizontal[30].attenuation_db, 0.64, 1e-12);
  EXPECT_EQ(read(text, 1750).frequency_mhz, 1800);
  EXPECT_TRUE(assumes(read(text), "one_of_several"));
  // As a spreadsheet writes it: each line ends with the commas of columns that it has not.
  const AntennaFile spreadsheet = read(std::regex_replace(text, std::regex("\n"), ",,\n"));
  EXPECT_EQ(spreadsheet.polarization, "V/V");
  expect_same_cuts(spreadsheet, read(text));
}

TEST_F(AntennaFiles, WholeAnglesMayStandBeforeDecimalCommas) {
  const auto cut = [](double (*value)(double)) {
    std::string text;
    for (int angle = 0; angle < 360; ++angle) text += std::to_string(angle) + "," + text_of(value(angle), ',') + "\n";
    return text;
  };
  const std::string commas = "NAME PANEL\nFREQUENCY 1800\nGAIN 15 dBi\nELECTRICAL_TILT 6\nHORIZONTAL 360\n" +
                             cut(horizontal_db) + "VERTICAL 360\n" + cut(vertical_db);
  ASSERT_NE(commas.find("\n30,2,56"), std::string::npos);
  expect_same_cuts(read(commas), read(plain_msi()));
}

TEST_F(AntennaFiles, WrittenAsMsiTheyAreRead) {
  const AntennaFile antenna = read("NAME x y\nMAKE Maker\nFREQUENCY 900\nGAIN 15.5\nPOLARIZATION +45\nHORIZONTAL 72\n" +
                                   points(0, 359, horizontal_db) + "VERTICAL 720\n" + points(-180, 179, vertical_db));
  const AntennaFile again = read(to_msi(antenna));
  EXPECT_EQ(again.horizontal, antenna.horizontal);
  EXPECT_EQ(again.vertical, antenna.vertical);
  EXPECT_NEAR(*again.gain_dbi, *antenna.gain_dbi, 1e-9);
  EXPECT_EQ(again.name, "x y");
  EXPECT_EQ(again.polarization, "+45");
  EXPECT_NEAR(again.electrical_tilt_deg, antenna.electrical_tilt_deg, 1e-9);
  EXPECT_TRUE(again.assumptions.empty());
}

}  // namespace
}  // namespace tesseray
