// SPDX-License-Identifier: GPL-3.0-or-later
// Straight crests that the way crosses at an angle, held against the way back.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "core/base/units.h"
#include "core/scene/scene.h"
#include "tests/support/environment.h"
#include "tests/support/synthetic_city.h"

namespace tesseray {
namespace {

using testing::Environment;

// Path gains between an antenna and places over uneven ground.
struct BothWays {
  std::vector<double> there_db, back_db;

  BothWays(const Environment& ground, Vec3 antenna, const std::vector<Vec3>& places) {
    constexpr double frequency_hz = 900e6;
    RayLaunchingOptions options = testing::without_scattering(2, 1, 2);
    options.over_rooftop = OverRooftop::screens;
    const auto launched_db = [&](Vec3 from, const std::vector<Vec3>& to) {
      Transmitter transmitter = testing::test_transmitter(from);
      transmitter.frequency_hz = frequency_hz;
      std::vector<double> gains_db;
      for (const ArrivalSums& sums : ground.launch(transmitter, testing::receivers_at(to), options).receivers) {
        gains_db.push_back(decibels(testing::total_gain(sums)));
      }
      return gains_db;
    };
    there_db = launched_db(antenna, places);
    for (const Vec3 place : places) back_db.push_back(launched_db(place, {antenna}).front());
  }
};

// The ground's plane behind it mirrors a receiver aside, where a level edge across the way would lie below that plane.
TEST(ObliqueCrest, ReflectsBehindAsItDoesBefore) {
  const auto height_at = [](Vec2 p) { return 120 - 0.125 * std::fabs(p.x - 205); };
  const Environment ground(testing::terrain_of(320, 320, 10, height_at), 10);
  const auto over = [&](Vec2 p, double height_m) { return at_height(p, height_at(p) + height_m); };
  std::vector<Vec3> places;
  for (double y = 185; y >= 135; y -= 10) places.push_back(over({265.5, y}, 1.5));
  const BothWays gain(ground, over({160, 185}, 5), places);
  for (std::size_t i = 0; i < places.size(); ++i) EXPECT_NEAR(gain.there_db[i], gain.back_db[i], 0.5) << places[i].y;
}

// On a bank, tiles reflect what comes over its edge to receivers. Heights are rounded as in every scene, so that the
// ground at a tile's middle may lie above or below it.
TEST(ObliqueCrest, SendsNoMoreOnThanComesOverIt) {
  const auto height_at = [](Vec2 p) { return 100 + 0.2 * std::clamp(190 - p.x - 0.3 * (p.y - 160), 0.0, 60.0); };
  const auto rounded = [&](Vec2 p) { return snapped(height_at(p)); };
  const Environment ground(testing::terrain_of(320, 320, 2, rounded), 10);
  const auto over = [&](Vec2 p, double height_m) { return at_height(p, height_at(p) + height_m); };
  const std::vector<Vec3> places{over({125, 175}, 1.5), over({135, 195}, 1.5), over({145, 215}, 1.5)};
  const BothWays gain(ground, over({100, 190}, 3), places);
  for (std::size_t i = 0; i < places.size(); ++i) {
    EXPECT_NEAR(gain.there_db[i], gain.back_db[i], 2.5) << places[i].x << ", " << places[i].y;
  }
}

}  // namespace
}  // namespace tesseray
