// SPDX-License-Identifier: GPL-3.0-or-later
// Antenna files as they come by mail: each is read, and then is an antenna, or refused with the file's name.
#include <gtest/gtest.h>

#include <cmath>
#include <cstdio>
#include <string>
#include <vector>

#include "core/base/error.h"
#include "core/io/antennas/antenna_file.h"
#include "tests/fuzz/mutations.h"
#include "tests/support/spoilt_file.h"

namespace tesseray {
namespace {

std::string attenuation_at(int angle) {
  char text[32];
  std::snprintf(text, sizeof text, "%d %.1f\n", angle, 12.5 * (1 - std::cos(angle * 0.0174533)));
  return text;
}

std::string cut(const std::string& heading, int step) {
  std::string text = heading + "\n";
  for (int angle = 0; angle < 360; angle += step) text += attenuation_at(angle);
  return text;
}

std::string msi() {
  return "NAME Panel\nMAKE Somebody\nFREQUENCY 900\nGAIN 15.5 dBi\nTILT ELECTRICAL\nPOLARIZATION +45\n" +
         cut("HORIZONTAL 12", 30) + cut("VERTICAL 12", 30);
}

std::string nsma() {
  std::string text =
      "REVNUM:,NSMA WG16.99.050\nANTMAN:,Somebody\nMODNUM:,Panel\nLOWFRQ:,880\nHGHFRQ:,960\nGUNITS:,DBI/DBR\n"
      "MDGAIN:,15.5\nELTILT:,4\n";
  for (const char* cut_name : {"AZ", "EL"}) {
    text += std::string("PATCUT:,") + cut_name + "\nPOLARI:,V/V\nNUPOIN:,12\nFSTLST:,-180,150\n";
    for (int angle = -180; angle < 180; angle += 30) {
      std::string point = attenuation_at(angle);
      point.replace(point.find(' '), 1, ",-");
      text += point;
    }
  }
  return text + "ENDFIL:,EOF\n";
}

class AntennaFilesFuzz : public testing::SpoiltFile {
 protected:
  AntennaFilesFuzz() : SpoiltFile("panel.msi") {}

  // How many of the mutated texts are antennas.
  int read_of(const std::string& valid, std::uint64_t seed) {
    put(valid);
    EXPECT_NO_THROW(read_antenna_file(path_));
    testing::Mutations mutations(seed);
    int read = 0;
    for (int round = 0; round < testing::fuzz_rounds(500); ++round) {
      const std::string text = mutations.of_text(valid);
      put(text);
      try {
        expect_antenna(normalised(read_antenna_file(path_)));
        ++read;
      } catch (const Error& refused) {
        EXPECT_EQ(refused.kind(), ErrorKind::invalid_input);
        EXPECT_EQ(refused.place().file, path_.string());
      }
      if (HasFailure()) {
        ADD_FAILURE() << round << ":\n" << text;
        return read;
      }
    }
    return read;
  }

 private:
  void expect_antenna(const AntennaFile& antenna) {
    for (const std::vector<CutPoint>* points : {&antenna.horizontal, &antenna.vertical}) {
      EXPECT_FALSE(points->empty());
      for (const CutPoint& point : *points) {
        EXPECT_TRUE(std::isfinite(point.angle_deg) && std::isfinite(point.attenuation_db));
      }
    }
    EXPECT_TRUE(std::isfinite(antenna.electrical_tilt_deg) && std::isfinite(antenna.gain_dbi.value_or(0)));
    // Any reader understands what is made of it: this one does.
    put(to_msi(antenna));
    EXPECT_NO_THROW(read_antenna_file(path_));
  }
};

TEST_F(AntennaFilesFuzz, OfPlanetAreReadOrRefused) { EXPECT_GT(read_of(msi(), 7), 50); }

TEST_F(AntennaFilesFuzz, OfNsmaAreReadOrRefused) { EXPECT_GT(read_of(nsma(), 8), 50); }

}  // namespace
}  // namespace tesseray
