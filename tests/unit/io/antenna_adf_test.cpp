// SPDX-License-Identifier: GPL-3.0-or-later
// ADF files (TIA/EIA-804-B, NSMA WG16.99.050) with all that is usual in them.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <string>

#include "core/io/antennas/antenna_file.h"
#include "tests/unit/io/gis_files.h"

namespace tesseray {
namespace {

using testing::TemporaryFolder;
using testing::write_text;

// Gains below the maximum of a made-up panel, dB: 65° wide at half power, and a lobe 10° wide at 4° below the horizon.
double azimuth_dbr(double angle) { return std::fmax(-3 * std::pow(std::remainder(angle, 360.0) / 32.5, 2), -26.0); }
double elevation_dbr(double angle) { return std::fmax(-3 * std::pow(std::remainder(angle + 4, 360.0) / 5, 2), -31.0); }

// Lines "angle,gain" and what ends them, with three decimals as measuring programs write them.
std::string points(int first, int last, const std::function<double(double)>& gain, const std::string& end) {
  std::string text;
  for (int angle = first; angle <= last; ++angle) {
    char line[48];
    std::snprintf(line, sizeof line, "%d.000,%.3f", angle, gain(angle));
    text += line + end;
  }
  return text;
}

// As measuring programs write them: the fields of the standard in its order, many of them empty, the nominal value and
// its tolerance where the standard wants both, lines that end with a comma and as in DOS, both seams of the cuts.
std::string measured_adf() {
  const std::string end = ",\r\n";
  return "REVNUM:,TIA/EIA-804-B\r\nREVDAT:,20010801\r\nCOMNT1:,Standard TIA/EIA Antenna Pattern Data\r\n"
         "COMNT2:,\r\nANTMAN:,ACME Antennas, Inc.\r\nMODNUM:,PX-65-17-4\r\nFILNUM:,\r\nDESCR1:,65 deg panel, 4 deg "
         "EDT\r\n"
         "DESCR2:,\r\nDTDATA:,20040311\r\nLOWFRQ:,806\r\nHGHFRQ:,896\r\nGUNITS:,DBD/DBR\r\nLWGAIN:,14.6\r\n"
         "MDGAIN:,14.9,0.5\r\nHGGAIN:,15.1\r\nAZWIDT:,65.0,5.0\r\nELWIDT:,10.0,1.0\r\nCONTYP:,7/16 DIN Female\r\n"
         "ATVSWR:,1.4\r\nFRTOBA:,26\r\nELTILT:,4.0,0.5\r\nRADCTR:,\r\nPOTOPO:,\r\nMAXPOW:,500\r\nANTLEN:,1.98\r\n"
         "ANTWID:,0.26\r\nANTDEP:,\r\nANTWGT:,11.3\r\nFIELD1:,\r\nPATTYP:,TYPICAL\r\nNOFREQ:,1\r\nPATFRE:,851\r\n"
         "NUMCUT:,2\r\nPATCUT:,AZ\r\nPOLARI:,V/V\r\nNUPOIN:,361\r\nFSTLST:,-180.000,180.000\r\nXORIEN:,up\r\n" +
         points(-180, 180, azimuth_dbr, end) +
         "PATCUT:,EL\r\nPOLARI:,V/V\r\nNUPOIN:,361\r\nFSTLST:,-180.000,180.000\r\n" +
         points(-180, 180, elevation_dbr, end) + "ENDFIL:,EOF\r\n";
}

// As converters on the web write them: a space after a comma, another hyphen, H and V, no tolerances, 360 points.
std::string converted_adf() {
  return "REVNUM:, TIA/EIA\u2010804\u2010B\nCOMNT1:,Standard TIA/EIA Antenna Pattern Data\nANTMAN:,ACME Antennas, "
         "Inc.\n"
         "MODNUM:,PX-65-17-4\nDESCR1:,65 deg panel, 4 deg EDT\nDTDATA:,20210316\nLOWFRQ:,0\nHGHFRQ:,851\nGUNITS:,dBi\n"
         "MDGAIN:,17.05\nAZWIDT:,65\nELWIDT:,10\nCONTYP:,N/"
         "A\nATVSWR:,1.5\nFRTOBA:,0\nELTILT:,4\nMAXPOW:,\nPATTYP:,Typical\n"
         "NOFREQ:,1\nPATFRE:,851\nNUMCUT:,2\nPATCUT:,H\nPOLARI:,V/V\nNUPOIN:,360\nFSTLST:,\u2010179,180\n" +
         points(-179, 180, azimuth_dbr, "\n") + "PATCUT:,V\nPOLARI:,V/V\nNUPOIN:,360\nFSTLST:,\u2010179,180\n" +
         points(-179, 180, elevation_dbr, "\n") + "ENDFIL:,EOF\n";
}

// A coarse panel without any decimal, its columns by `separator`.
std::string whole_numbers(const std::string& gain, const std::string& tilt, const std::string& separator) {
  std::string text = "GUNITS:,DBD/DBR\nMDGAIN:," + gain + "\nELTILT:," + tilt + "\nPATFRE:,851\n";
  for (const char* cut : {"AZ", "EL"}) {
    text += std::string("PATCUT:,") + cut + "\n";
    for (int angle = -180; angle < 180; angle += 45) {
      text += std::to_string(angle) + separator + std::to_string(-std::abs(angle) / 6) + "\n";
    }
  }
  return text;
}

std::string with(std::string text, const std::string& old, const std::string& by) {
  return text.replace(text.find(old), old.size(), by);
}

class AdfFiles : public ::testing::Test {
 protected:
  AntennaFile read(const std::string& text) {
    return read_antenna_file(write_text(folder_ / (std::to_string(files_++) + ".adf"), text));
  }
  TemporaryFolder folder_;
  int files_ = 0;
};

std::string assumed(const AntennaFile& antenna) {
  std::string codes;
  for (const Warning& warning : antenna.assumptions) codes += warning.code + " ";
  return codes;
}

// Clockwise, downwards, attenuations: the made-up panel to the three decimals of the files.
void expect_the_panel(const AntennaFile& antenna) {
  ASSERT_EQ(antenna.horizontal.size(), 360u);
  ASSERT_EQ(antenna.vertical.size(), 360u);
  for (std::size_t i = 0; i < 360; ++i) {
    const CutPoint &horizontal = antenna.horizontal[i], &vertical = antenna.vertical[i];
    ASSERT_NEAR(horizontal.attenuation_db, -azimuth_dbr(horizontal.angle_deg), 0.0006) << horizontal.angle_deg;
    ASSERT_NEAR(vertical.attenuation_db, -elevation_dbr(-vertical.angle_deg), 0.0006) << vertical.angle_deg;
  }
}

TEST_F(AdfFiles, AsTheyAreMeasuredAndAsTheyAreConverted) {
  for (const std::string& text : {measured_adf(), converted_adf()}) {
    const AntennaFile antenna = read(text);
    EXPECT_EQ(antenna.format, AntennaFileFormat::nsma);
    EXPECT_EQ(antenna.make, "ACME Antennas, Inc.");
    EXPECT_EQ(antenna.name, "PX-65-17-4");
    EXPECT_EQ(antenna.comment, "65 deg panel, 4 deg EDT");
    EXPECT_EQ(antenna.polarization, "V/V");
    EXPECT_EQ(antenna.frequency_mhz, 851);
    EXPECT_NEAR(antenna.gain_dbi.value_or(0), 17.05, 1e-9);
    EXPECT_EQ(antenna.electrical_tilt_deg, 4);
    EXPECT_EQ(assumed(antenna), "");
    expect_the_panel(antenna);
    EXPECT_NEAR(half_power_beamwidth_deg(antenna.horizontal), 65, 0.2);
    EXPECT_NEAR(half_power_beamwidth_deg(antenna.vertical), 10, 0.2);
    EXPECT_EQ(peak_angle_deg(antenna.vertical, -90, 90), 4);
  }
}

TEST_F(AdfFiles, TolerancesAreNoPartOfTheNominalValue) {
  const auto gain_and_tilt = [&](const std::string& gain, const std::string& tilt) {
    const AntennaFile antenna =
        read(with(with(measured_adf(), "MDGAIN:,14.9,0.5", "MDGAIN:," + gain), "ELTILT:,4.0,0.5", "ELTILT:," + tilt));
    return std::pair{antenna.gain_dbi.value_or(0) - 2.15, antenna.electrical_tilt_deg};
  };
  for (const auto& [gain, tilt] : {std::pair{"14.9,0.5", "4,0.5"},
                                   {"14.9 , 0.5", "4.0,.5"},
                                   {"14.9,1", "4.0,1"},
                                   {"14,9,0,5", "4,0,0,5"},
                                   {"14,9", "4,0"},
                                   {"14.9 dBd", "4.0 deg"}}) {
    const auto found = gain_and_tilt(gain, tilt);
    EXPECT_NEAR(found.first, 14.9, 1e-9) << gain;
    EXPECT_NEAR(found.second, 4, 1e-9) << tilt;
  }
}

TEST_F(AdfFiles, ATiltThatCannotBeReadIsToldOf) {
  const AntennaFile antenna = read(with(measured_adf(), "ELTILT:,4.0,0.5", "ELTILT:,variable"));
  EXPECT_EQ(assumed(antenna), "tilt electrical_tilt ");
  EXPECT_NEAR(antenna.electrical_tilt_deg, 4, 0.1);
}

TEST_F(AdfFiles, CommentsMayStandAnywhere) {
  for (const std::string mark : {"#", "!", ";", "//"}) {
    std::string text = measured_adf();
    for (const char* place : {"ANTMAN", "NUPOIN", "-170.000", "PATCUT:,EL"}) {
      text.insert(text.find(place), mark + " 10,5 of a chamber\r\n" + mark + "\r\n");
    }
    const AntennaFile antenna = read(text);
    EXPECT_EQ(assumed(antenna), "") << mark;
    expect_the_panel(antenna);
  }
}

// Through a plane between the two that are needed.
TEST_F(AdfFiles, OtherCutsAreLeftOut) {
  const std::string other = "PATCUT:,45\r\nPOLARI:,H/H\r\nNUPOIN:,2\r\nFSTLST:,0,90\r\n0,0\r\n90,-3\r\n";
  for (const char* place : {"PATCUT:,AZ", "PATCUT:,EL", "ENDFIL"}) {
    const AntennaFile antenna = read(with(measured_adf(), place, other + place));
    EXPECT_EQ(assumed(antenna), "other_cuts ") << place;
    EXPECT_EQ(antenna.polarization, "V/V");
    expect_the_panel(antenna);
  }
  const AntennaFile antenna = read(with(measured_adf(), "ENDFIL", other + with(other, "45", "135") + "ENDFIL"));
  EXPECT_EQ(antenna.assumptions.front().message,
            "line 766: \"45\" is not a cut that Tesseray reads: all 2 such cuts are left out");
}

// Points below the maximum do not need it.
TEST_F(AdfFiles, AGainThatCannotBeReadIsToldOf) {
  const auto with_gain = [&](const std::string& gain) {
    return read(with(measured_adf(), "MDGAIN:,14.9,0.5", "MDGAIN:," + gain));
  };
  for (const char* plain : {"~14.9", "14.9 +/- 0.5", "14.9 dBd."}) {
    EXPECT_NEAR(with_gain(plain).gain_dbi.value_or(0), 17.05, 1e-9) << plain;
  }
  const AntennaFile unclear = with_gain("see below");
  EXPECT_EQ(assumed(unclear), "gain no_gain ");
  EXPECT_EQ(unclear.assumptions.front().message, "line 15: the gain \"see below\" is not understood");
  expect_the_panel(unclear);
  EXPECT_EQ(assumed(with_gain("N/A")), "no_gain ");
}

// Whole numbers in all columns of a file whose commas separate: of "17,1" the 1 is a tolerance.
TEST_F(AdfFiles, TolerancesMayBeWholeNumbers) {
  const std::string points = with(with(measured_adf(), "14.9,0.5", "17,1"), "4.0,0.5", "4,2,,");
  for (const auto& [text, tilt] : {std::pair{points, 4.0}, std::pair{whole_numbers("17,1", "0,2,,", ","), 0.0}}) {
    const AntennaFile antenna = read(text);
    EXPECT_NEAR(antenna.gain_dbi.value_or(0) - 2.15, 17, 1e-9);
    EXPECT_EQ(antenna.electrical_tilt_deg, tilt);
    EXPECT_EQ(assumed(antenna), "");
  }
}

TEST_F(AdfFiles, CommasAreDecimalOnesWhereThePointsOfTheCutsHaveThem) {
  const auto with_commas = [](std::string text, char separator) {
    std::replace(text.begin(), text.end(), ',', separator);
    std::replace(text.begin(), text.end(), '.', ',');
    return text;
  };
  for (const char separator : {',', ';', '\t'}) {
    const AntennaFile antenna = read("GUNITS:,DBD/DBR\nMDGAIN:,14,2\nELTILT:,4,1\nPATFRE:,851\nPATCUT:,AZ\n" +
                                     with_commas(points(-180, 180, azimuth_dbr, "\n"), separator) + "PATCUT:,EL\n" +
                                     with_commas(points(-180, 180, elevation_dbr, "\n"), separator) + "ENDFIL:,EOF\n");
    EXPECT_NEAR(antenna.gain_dbi.value_or(0) - 2.15, 14.2, 1e-9);
    EXPECT_NEAR(antenna.electrical_tilt_deg, 4.1, 1e-9);
    EXPECT_EQ(assumed(antenna), "");
    expect_the_panel(antenna);
  }
}

TEST_F(AdfFiles, WhatACommaMeansIsSaidWhereItIsNotSure) {
  const auto warning_of = [](const AntennaFile& antenna, const std::string& code) {
    for (const Warning& warning : antenna.assumptions) {
      if (warning.code == code) return warning.message;
    }
    return std::string();
  };
  // No commas anywhere else.
  const AntennaFile bare = read(whole_numbers("17,1", "0", " "));
  EXPECT_NEAR(bare.gain_dbi.value_or(0) - 2.15, 17, 1e-9);
  EXPECT_EQ(warning_of(bare, "comma"),
            "MDGAIN \"17,1\" is read as 17 with a tolerance of 1; write 17.1 if that is meant");
  // Commas separate, but nobody makes antennas with such tolerances.
  const AntennaFile large = read(with(with(measured_adf(), "14.9,0.5", "14,9"), "4.0,0.5", "4,05"));
  EXPECT_NEAR(large.gain_dbi.value_or(0) - 2.15, 14.9, 1e-9);
  EXPECT_NEAR(large.electrical_tilt_deg, 4.05, 1e-9);
  EXPECT_EQ(assumed(large), "comma comma ");
  EXPECT_EQ(warning_of(large, "comma"),
            "MDGAIN \"14,9\" is read as 14.9, since 9 is no likely tolerance of 14; write 14,9.0 if that is meant");
}

// The maximum of the vertical cut stands for a tilt that is missing, and the middle of the band for a frequency.
TEST_F(AdfFiles, EmptyFieldsSayNothing) {
  const AntennaFile antenna =
      read(with(with(with(measured_adf(), "ELTILT:,4.0,0.5", "ELTILT:,"), "PATFRE:,851", "PATFRE:,"),
                "MDGAIN:,14.9,0.5", "MDGAIN:,"));
  EXPECT_EQ(assumed(antenna), "electrical_tilt no_gain ");
  EXPECT_EQ(antenna.electrical_tilt_deg, 4);
  EXPECT_EQ(antenna.frequency_mhz, 851);
  EXPECT_FALSE(antenna.gain_dbi);
  expect_the_panel(antenna);
}

}  // namespace
}  // namespace tesseray
