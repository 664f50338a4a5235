// SPDX-License-Identifier: GPL-3.0-or-later
// Gains from an MSI file in any direction, golden 09 (docs/physics.md §9).
#include <gtest/gtest.h>

#include <cmath>

#include "core/io/antennas/antenna_file.h"
#include "tests/golden/golden_table.h"

namespace tesseray {
namespace {

TEST(AntennaGolden, GainsOfTheTestPanel) {
  TESSERAY_NEEDS_GOLDEN_TABLES();
  const AntennaFile panel = read_antenna_file(GoldenTable::folder() / "09_test_antenna.msi");
  ASSERT_TRUE(panel.gain_dbi);
  EXPECT_NEAR(*panel.gain_dbi, 17.65, 1e-12);
  EXPECT_EQ(panel.electrical_tilt_deg, 4);
  EXPECT_TRUE(panel.assumptions.empty());
  const struct {
    const char* column;
    CutSynthesis synthesis;
  } methods[] = {{"G_sum", CutSynthesis::sum},
                 {"G_sumn", CutSynthesis::normalised_sum},
                 {"G_hpi", CutSynthesis::hpi},
                 {"G_cross", CutSynthesis::cross_weighted}};
  const GoldenTable table("09_antenna_interp.csv");
  int rows = 0;
  for (const GoldenRow& row : table.rows()) {
    const AntennaFrame frame = antenna_frame({radians(row.number("az_deg")), radians(row.number("mtilt_deg"))});
    const Vec3 direction = row.vector("d");
    const PatternAngles angles = pattern_angles(frame, direction);
    EXPECT_NEAR(std::remainder(angles.azimuth_deg - row.number("phi_deg"), 360.0), 0.0, 1e-8);
    EXPECT_NEAR(angles.depression_deg, row.number("theta_deg"), 1e-6);
    EXPECT_NEAR(attenuation_db(panel.horizontal, angles.azimuth_deg), row.number("A_H"), 1e-6);
    EXPECT_NEAR(attenuation_db(panel.vertical, angles.depression_deg), row.number("A_V"), 1e-6);
    for (const auto& [column, synthesis] : methods) {
      const AntennaPattern pattern{panel.horizontal, panel.vertical, synthesis};
      EXPECT_NEAR(*panel.gain_dbi - attenuation_db(pattern.view(), angles), row.number(column), 1e-6) << column;
    }
    ++rows;
  }
  EXPECT_GT(rows, 100);
}

}  // namespace
}  // namespace tesseray
