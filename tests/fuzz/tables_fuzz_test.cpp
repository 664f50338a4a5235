// SPDX-License-Identifier: GPL-3.0-or-later
// Tables of transmitters and of a drive test, and footprints as text: each is read, with values that can be, or refused
// with the file's name.
#include <gtest/gtest.h>

#include <cmath>
#include <exception>
#include <functional>
#include <string>

#include "core/base/error.h"
#include "core/io/readers/readers.h"
#include "core/io/sources/crs.h"
#include "tests/fuzz/mutations.h"
#include "tests/support/spoilt_file.h"

namespace tesseray {
namespace {

LocalFrame frame() { return {.crs_wkt = Crs::from_text("EPSG:32632").wkt(), .crs_name = "EPSG:32632"}; }

class TablesFuzz : public testing::SpoiltFile {
 protected:
  explicit TablesFuzz(const std::string& name = "table.csv") : SpoiltFile(name) {}

  // How many of the mutated texts are read; `read` looks at what they hold.
  int read_of(const std::string& valid, std::uint64_t seed, const std::function<void()>& read) {
    put(valid);
    EXPECT_NO_THROW(read());
    testing::Mutations mutations(seed);
    int count = 0;
    for (int round = 0; round < testing::fuzz_rounds(150) && !HasFailure(); ++round) {
      const std::string text = mutations.of_text(valid);
      put(text);
      try {
        read();
        ++count;
      } catch (const Error& refused) {
        EXPECT_EQ(refused.kind(), ErrorKind::invalid_input) << refused.message();
        EXPECT_EQ(refused.place().file, path_.string()) << refused.message();
      } catch (const std::exception& failed) {
        ADD_FAILURE() << failed.what();
      }
      if (HasFailure()) ADD_FAILURE() << round << ":\n" << text;
    }
    return count;
  }
};

TEST_F(TablesFuzz, OfTransmittersAreReadOrRefused) {
  const std::string valid =
      "name,lat,lon,height_m,height_reference,frequency_mhz,erp_dbm,antenna,azimuth_deg,downtilt_deg,polarization\n"
      "Market,48.3067405,9.5484625,6,ground,3600,40,half_wave_dipole,0,0,vertical\n"
      "Rooftop,48.3045963,9.5499993,3,roof,1900,46,beam_80,0,0,horizontal\n"
      "Hill,48.3098878,9.5540863,25,sea,850,46,sector_3gpp,230,8,slant+45\n";
  EXPECT_GT(read_of(valid, 9,
                    [&] {
                      for (const RawTransmitter& transmitter :
                           read_transmitters({.source = path_.string()}, frame(), no_progress())) {
                        EXPECT_FALSE(transmitter.name.empty());
                        EXPECT_TRUE(std::isfinite(transmitter.position.x) && std::isfinite(transmitter.position.y));
                        EXPECT_TRUE(transmitter.frequency_hz > 0 && std::isfinite(transmitter.frequency_hz));
                        for (const double number : {transmitter.height_m, transmitter.erp_dbm, transmitter.azimuth_deg,
                                                    transmitter.downtilt_deg}) {
                          EXPECT_TRUE(std::isfinite(number));
                        }
                      }
                    }),
            10);
}

TEST_F(TablesFuzz, OfADriveTestAreReadOrRefused) {
  std::string valid = "PCI,latitude,longitude,device,rsrp\n";
  for (int row = 0; row < 12; ++row)
    valid += "C,48.3040" + std::to_string(row) + ",9.5439,Phone,-12" + std::to_string(row % 10) + "\n";
  EXPECT_GT(read_of(valid, 10,
                    [&] {
                      for (const Measurement& measurement :
                           read_drive_test({.source = path_.string()}, frame(), no_progress())) {
                        EXPECT_FALSE(std::isinf(measurement.value));
                        EXPECT_FALSE(std::isinf(measurement.position.x) || std::isinf(measurement.position.y));
                      }
                    }),
            20);
}

class FootprintsFuzz : public TablesFuzz {
 protected:
  FootprintsFuzz() : TablesFuzz("buildings.geojson") {}
};

TEST_F(FootprintsFuzz, AreReadOrRefused) {
  const std::string valid =
      "{\"type\": \"FeatureCollection\", \"features\": [\n"
      "{\"type\": \"Feature\", \"properties\": {\"height\": 9.5, \"building:levels\": \"3\"},\n"
      " \"geometry\": {\"type\": \"Polygon\", \"coordinates\": [[[9.0, 48.0], [9.0002, 48.0], [9.0002, 48.0002], [9.0, "
      "48.0]]]}},\n"
      "{\"type\": \"Feature\", \"properties\": {\"height\": \"12 m\", \"building:levels\": null},\n"
      " \"geometry\": {\"type\": \"MultiPolygon\", \"coordinates\": [[[[9.001, 48.0], [9.0012, 48.0], [9.0012, "
      "48.0002], [9.001, 48.0]]]]}}\n"
      "]}\n";
  EXPECT_GT(read_of(valid, 11,
                    [&] {
                      for (const RawBuilding& building :
                           read_environment_input({.buildings = path_.string()}, no_progress()).buildings) {
                        EXPECT_FALSE(building.height_m && std::isinf(*building.height_m));
                      }
                    }),
            10);
}

}  // namespace
}  // namespace tesseray
