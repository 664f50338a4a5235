// SPDX-License-Identifier: GPL-3.0-or-later
// Uneven ground that falls across the way reflects as one plane near Brewster's angle, where that reflects next to
// nothing of an upright wave: but by its slope a part that is not upright.
#include <gtest/gtest.h>

#include <cmath>
#include <utility>
#include <vector>

#include "core/base/units.h"
#include "core/scene/scene.h"
#include "tests/support/environment.h"
#include "tests/support/synthetic_city.h"

namespace tesseray {
namespace {

using testing::Environment;

constexpr double step_m = 5, frequency_hz = 3.5e9, line_y = 60;

struct Ground {
  double across, ripple_m;
  double operator()(Vec2 p) const { return snapped(ripple_m * std::sin(p.x / 7) + across * (p.y - line_y)); }
  Vec3 over(double x, double y, double height_m) const { return {x, y, (*this)({x, y}) + height_m}; }
};

std::vector<double> gains_db(const Environment& environment, Vec3 antenna, const std::vector<Vec3>& places,
                             int reflections) {
  Transmitter transmitter = testing::test_transmitter(antenna);
  transmitter.frequency_hz = frequency_hz;
  RayLaunchingOptions options = testing::without_scattering(reflections, 1, 1);
  options.over_rooftop = OverRooftop::screens;
  std::vector<double> gains;
  for (const ArrivalSums& sums : environment.launch(transmitter, testing::receivers_at(places), options).receivers) {
    gains.push_back(decibels(testing::total_gain(sums)));
  }
  return gains;
}

TEST(SlantedGround, InSightReflectsNoMoreThanComesToIt) {
  for (const Ground ground : {Ground{0.4, 0.2}, Ground{0.6, 0.5}}) {
    const Environment environment(testing::terrain_of(150, 120, step_m, ground), step_m);
    std::vector<Vec3> places;
    for (double x = 22; x < 120; ++x) places.push_back(ground.over(x, line_y + 1, 1.5));
    const Vec3 antenna = ground.over(20, line_y, 20);
    const std::vector<double> gains = gains_db(environment, antenna, places, 1);
    for (std::size_t i = 0; i < places.size(); ++i) {
      const double free_space = wavelength_m(frequency_hz) / (4 * pi * norm(places[i] - antenna));
      EXPECT_LT(gains[i] - 2 * decibels(free_space), 1.5) << ground.across << ", " << places[i].x;
    }
  }
}

TEST(SlantedGround, BehindARoofReflectsNoMoreThanComesToIt) {
  for (const Ground ground : {Ground{0.4, 1}, Ground{0.6, 0.5}}) {
    Scene scene = testing::terrain_of(200, 120, step_m, ground);
    const double eaves = ground({75, line_y}) + 18;
    scene.prisms = {testing::box_prism(1, {70, 5}, {80, 115}, eaves - 80, eaves)};
    const Environment environment(std::move(scene), step_m);
    std::vector<Vec3> places;
    for (double x = 85; x < 180; ++x) places.push_back(ground.over(x, line_y + 1, 3));
    const Vec3 antenna = ground.over(20, line_y, 15);
    const std::vector<double> gains = gains_db(environment, antenna, places, 1),
                              without_ground = gains_db(environment, antenna, places, 0);
    for (std::size_t i = 0; i < places.size(); ++i) {
      EXPECT_LT(gains[i] - without_ground[i], 1) << ground.across << ", " << places[i].x;
    }
  }
}

}  // namespace
}  // namespace tesseray
