// SPDX-License-Identifier: GPL-3.0-or-later
// Along a row of houses, beside a parabolic equation's (row_of_houses.py).
#include <gtest/gtest.h>

#include <cmath>
#include <cstddef>
#include <utility>
#include <vector>

#include "core/base/units.h"
#include "tests/golden/golden_table.h"
#include "tests/support/environment.h"
#include "tests/support/ray_losses.h"
#include "tests/support/synthetic_city.h"
#include "tests/support/test_folders.h"

namespace tesseray {
namespace {

using testing::Environment;

// Of row_of_houses.py, in places of a scene: their fronts stand in one line.
constexpr double line_y = 50, antenna_x = 20, first_house_x = 30, pitch_m = 15, house_m = 10, depth_m = 12;
constexpr double tile_m = 5, antenna_m = 8, receiver_m = 1.5, higher_than_all_m = 40;

Scene row_of(int houses) {
  Scene scene = testing::flat_ground(280, 100);
  for (int h = 0; h < houses; ++h) {
    const double x = first_house_x + pitch_m * h;
    scene.prisms.push_back(
        testing::box_prism(h + 1, {x, line_y}, {x + house_m, line_y + depth_m}, 0, higher_than_all_m));
  }
  return scene;
}

struct Along {
  double frequency_mhz, before_m, receiver_x;

  // Over the EIRP. `back`: antenna and receiver exchanged.
  double gain_db(const Environment& row, const RayLaunchingOptions& options, bool back) const {
    Vec3 antenna{antenna_x, line_y - before_m, antenna_m}, receiver{receiver_x, line_y - before_m, receiver_m};
    if (back) std::swap(antenna, receiver);
    Transmitter transmitter = testing::test_transmitter(antenna);
    transmitter.frequency_hz = 1e6 * frequency_mhz;
    return decibels(testing::total_gain(
        row.launch_to_receivers(transmitter, testing::receivers_at({receiver}), options).receivers[0]));
  }
};

// Screens at the houses' corners know nothing of walls between them, which take more.
TEST(LauncherAlongHouses, LosesWhatARowTakes) {
  const Environment row(row_of(10), tile_m), open(row_of(0), tile_m);
  RayLaunchingOptions options = testing::without_scattering(1, 1, 1);
  options.over_rooftop = OverRooftop::screens;
  const GoldenTable table(testing::source_folder() / "tests/golden/row_of_houses.csv");
  int compared = 0;
  for (const GoldenRow& reference : table.rows()) {
    const Along along{reference.number("frequency_mhz"), reference.number("before_m"),
                      reference.number("receiver_x_m")};
    SCOPED_TRACE(::testing::Message() << along.frequency_mhz << ' ' << along.before_m << ' ' << along.receiver_x);
    const auto over_open_db = [&](bool back) {
      return along.gain_db(row, options, back) - along.gain_db(open, options, back);
    };
    const double there_db = over_open_db(false), error_db = there_db - reference.number("gain_db");
    EXPECT_GT(error_db, -1);
    EXPECT_LT(error_db, along.before_m < 1 ? 11 : 5);
    EXPECT_NEAR(over_open_db(true), there_db, 1.5);
    ++compared;
  }
  EXPECT_EQ(compared, 20);
}

// A wall at the end of the row gets the ground's reflection by itself: it passes the same corners.
TEST(LauncherAlongHouses, TheyTakeFromWhatTheGroundReflectsToAWall) {
  constexpr double wall_x = 262, half_m = 2.5;
  const auto with_wall = [&](int houses) {
    Scene scene = row_of(houses);
    scene.prisms.push_back(testing::box_prism(11, {wall_x, line_y - 0.5 - half_m}, {wall_x + 5, line_y - 0.5 + half_m},
                                              0, higher_than_all_m));
    return scene;
  };
  const Environment row(with_wall(10), tile_m), open(with_wall(0), tile_m);
  RayLaunchingOptions options = testing::without_scattering(1, 1, 1);
  options.over_rooftop = OverRooftop::screens;
  const Transmitter transmitter = testing::test_transmitter({antenna_x, line_y - 0.5, antenna_m});
  const auto at_wall_db = [&](const Environment& environment) {
    const RayLaunchingResult launched = environment.launch(transmitter, {}, options);
    double gain = 0;
    for (std::size_t t = 0; t < environment.tiling.tiles.size(); ++t) {
      const Tile& tile = environment.tiling.tiles[t];
      const bool is_there = tile.kind == SurfaceKind::wall && std::fabs(tile.centroid.x - wall_x) < 0.01;
      if (is_there && tile.centroid.z < 20) gain += testing::total_gain(launched.tiles[t]);
    }
    return decibels(gain);
  };
  EXPECT_LT(at_wall_db(row) - at_wall_db(open), -9);
}

// What its steps take is told of each ray, of the direct one past the corners, too.
TEST(LauncherAlongHouses, RaysTellWhatCornersTake) {
  const Environment row(row_of(10), tile_m);
  RayLaunchingOptions options = testing::without_scattering(1, 1, 1);
  options.over_rooftop = OverRooftop::screens;
  options.ray_losses = true;
  const auto receivers = testing::receivers_at({{120.3, line_y - 0.5, receiver_m}});
  const RayLaunchingResult launched =
      row.launch(testing::test_transmitter({antenna_x, line_y - 0.5, antenna_m}), receivers, options);
  EXPECT_LT(launched.left_in_sight[0].by_roofs, 0.5);
  ASSERT_GT(launched.rays.size(), 2u);
  for (const Ray& ray : launched.rays) {
    EXPECT_NEAR(testing::sum_of_losses(ray), -decibels(ray.path_gain) - half_wave_dipole_gain_dbi, 1e-6)
        << ray.interactions;
  }
}

}  // namespace
}  // namespace tesseray
