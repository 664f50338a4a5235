// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/unit/cuda/launch_cases.h"

#include <gtest/gtest.h>

#include <cmath>
#include <memory>

#include "core/base/parallel.h"
#include "core/base/units.h"
#include "core/physics/antenna_pattern.h"
#include "tests/support/environment.h"
#include "tests/support/same_sums.h"
#include "tests/support/synthetic_city.h"

namespace tesseray::test {

Scene city(double hill_m) {
  testing::SyntheticCityOptions options;
  options.width_m = options.depth_m = 260;
  options.hill_m = hill_m;
  options.seed = 9;
  return testing::synthetic_city(options);
}

Scene city_with_trees() {
  Scene scene = city();
  for (int row = 0; row < 4; ++row) {
    const double y = 30 + 60.0 * row;
    const Ring outline{{20, y}, {240, y}, {240, y + 12}, {20, y + 12}};
    scene.vegetation.push_back({.source_feature = row, .rings = {outline}, .bottom_z = -100, .top_z = 100});
  }
  return scene;
}

RayLaunchingOptions all_effects() {
  RayLaunchingOptions options;
  options.max_bounces = 3;
  options.max_reflections = 3;
  options.max_diffractions = 2;
  options.over_rooftop = OverRooftop::screens;
  options.transmission.nearest_building = true;
  return options;
}

Transmitter antenna_at(Vec3 position) {
  Transmitter transmitter = testing::test_transmitter(position);
  transmitter.erp_dbm = 40;
  return transmitter;
}

std::vector<Case> cases() {
  const Vec3 street{131, 128, 12}, above{130.7, 128.3, 70};
  std::vector<Case> list{{"all effects, street", all_effects(), antenna_at(street)},
                         {"all effects, above the roofs", all_effects(), antenna_at(above)},
                         {"trees", all_effects(), antenna_at(above), true}};
  list.push_back({"drawn by chance", all_effects(), antenna_at({130.7, 128.3, 60})});
  list.back().options.pruning = true;
  list.back().options.pruning_from_tiles = 1;
  list.back().options.tubes_of_level = 2'000;  // levels in parts, each drawn by what is there by then
  list.push_back({"targets high over the ground", all_effects(), antenna_at(street)});
  list.back().options.receiver_height_m = 6;
  list.push_back({"in amplitude", all_effects(), antenna_at(street)});
  list.back().options.summation = Summation::coherent;
  list.push_back({"sector antenna and dipole", all_effects(), antenna_at(above)});
  list.back().transmitter.antenna = AntennaKind::sector_3gpp;
  list.back().transmitter.downtilt_deg = 8;
  list.back().transmitter.polarization = Polarization::slant_plus_45;
  list.back().options.receiver_antenna = AntennaKind::half_wave_dipole;
  list.push_back({"measured pattern", all_effects(), antenna_at(street)});
  AntennaPattern pattern;
  for (int k = 0; k < 36; ++k) {
    const double attenuation_db = 12 * (1 - std::cos(radians(10.0 * k)));
    pattern.horizontal.push_back({10.0 * k, attenuation_db});
    pattern.vertical.push_back({10.0 * k, 0.7 * attenuation_db});
  }
  list.back().transmitter.antenna = AntennaKind::pattern_file;
  list.back().transmitter.antenna_details.pattern = std::make_shared<const AntennaPattern>(pattern);
  return list;
}

void expect_same_targets(const std::vector<ArrivalSums>& found, const std::vector<ArrivalSums>& expected,
                         double tolerance) {
  ASSERT_EQ(found.size(), expected.size());
  std::size_t reached = 0;
  for (std::size_t t = 0; t < expected.size() && !::testing::Test::HasFailure(); ++t) {
    const double there = testing::total_gain(expected[t]);
    reached += there > 0;
    if (tolerance == 0) {
      testing::expect_same(found[t], expected[t]);
    } else {
      EXPECT_LE(std::fabs(testing::total_gain(found[t]) - there), tolerance * there) << t;
    }
  }
  EXPECT_GE(reached, (expected.size() + 3) / 4);
}

void expect_same_launch(const RayLaunchingResult& found, const RayLaunchingResult& expected, double tolerance) {
  if (tolerance == 0) {
    EXPECT_EQ(found.tubes_by_interactions, expected.tubes_by_interactions);
  }
  expect_same_targets(found.tiles, expected.tiles, tolerance);
  expect_same_targets(found.receivers, expected.receivers, tolerance);
}

void expect_same_at_once(const RayLauncher& launcher) {
  constexpr std::size_t antennas = 5;
  const auto launch = [&](std::size_t a) {
    return launcher.launch(antenna_at({30 + 40.0 * static_cast<double>(a), 128, 30}), no_progress()).tiles;
  };
  std::vector<std::vector<ArrivalSums>> alone, together(antennas);
  for (std::size_t a = 0; a < antennas; ++a) alone.push_back(launch(a));
  parallel_blocks(antennas, 1, no_progress(), [&](std::size_t a, std::size_t) { together[a] = launch(a); });
  for (std::size_t a = 0; a < antennas; ++a) expect_same_targets(together[a], alone[a], 0);
  EXPECT_NE(alone[0][50].gain, alone[1][50].gain) << "these are not different antennas";
}

}  // namespace tesseray::test
