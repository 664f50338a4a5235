// SPDX-License-Identifier: GPL-3.0-or-later
// What uneven ground reflects where waves graze it. launcher_terrain_test.cpp compares losses over it with a parabolic
// equation's.
#include "core/propagation/rooftops/grazed_ground.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "core/base/units.h"
#include "core/propagation/rooftops/terrain_reflection.h"
#include "tests/support/synthetic_city.h"
#include "tests/unit/propagation/ground_profile.h"

namespace tesseray {
namespace {

constexpr double wavelength_m = 0.35, wave_number = 2 * pi / wavelength_m;

using testing::ground_with;

// Γ = −1.
constexpr ReflectingGround conductor{perfect_conductor_permittivity, true};
constexpr ReflectingGround earth{{5, -0.2}, false};

Complex reflected(const std::vector<Vec2>& ground, const std::vector<Vec2>& screens, Vec2 from, Vec2 to,
                  const ReflectingGround& as = conductor) {
  return GrazedGround().reflected(ground, screens, from, to, wavelength_m, as);
}

Complex by_image(double length_m, double from_m, double to_m, const ReflectingGround& as = conductor) {
  const double straight = norm(Vec2{length_m, from_m - to_m}), by_ground = norm(Vec2{length_m, from_m + to_m});
  const Complex gamma = as.coefficient((from_m + to_m) / by_ground);
  return (straight / by_ground) * exp_j(-wave_number * (by_ground - straight)) * gamma;
}

double level(double) { return 0; }

TEST(GrazedGround, OfAPlaneIsTheImages) {
  for (const double length_m : {150.0, 700.0, 3000.0, 20000.0}) {
    for (const ReflectingGround& as : {conductor, earth}) {
      const Complex factor = reflected(ground_with(length_m, 30, level), {}, {0, 15}, {length_m, 1.5}, as);
      EXPECT_LT(norm(factor - by_image(length_m, 15, 1.5, as)), 1e-9) << length_m;
    }
  }
}

// It changes little with little heights.
TEST(GrazedGround, OfNoiseIsThePlanes) {
  testing::Random random(3);
  const auto noise = [&](double) { return random.uniform(-0.02, 0.02); };
  std::vector<Vec2> ground = ground_with(1500, 150, noise);
  ground.front().y = ground.back().y = 0;
  EXPECT_LT(norm(reflected(ground, {}, {0, 15}, {1500, 1.5}) - by_image(1500, 15, 1.5)), 0.02);
}

// A gentle slope that reflects once is physical optics'.
TEST(GrazedGround, OfGroundFarBelowIsPhysicalOptics) {
  const auto ground = ground_with(500, 100, [](double x) { return 0.5 * std::sin(2 * pi * x / 500); });
  const Vec2 from{0, 25}, to{500, 4};
  TerrainReflection optics;
  for (const ReflectingGround& as : {conductor, earth}) {
    optics.find(ground, {}, from, to, wavelength_m, as);
    EXPECT_LT(norm(reflected(ground, {}, from, to, as) - optics.factor), 0.15);
  }
}

TEST(GrazedGround, IsTheSameFromEitherEnd) {
  const auto waves = [](double x) { return 3 * std::sin(2 * pi * x / 500 + 1); };
  std::vector<Vec2> ground = ground_with(1300, 130, waves), turned;
  for (const Vec2 point : ground) turned.insert(turned.begin(), {1300 - point.x, point.y});
  const Vec2 from{0, ground.front().y + 20}, to{1300, ground.back().y + 2};
  for (const ReflectingGround& as : {conductor, earth}) {
    const Complex forth = reflected(ground, {}, from, to, as),
                  back = reflected(turned, {}, {0, to.y}, {1300, from.y}, as);
    EXPECT_GT(norm(forth), 0.5);
    EXPECT_LT(norm(forth - back), 1e-6);
  }
}

TEST(GrazedGround, BehindScreensIsNothing) {
  const auto ground = ground_with(1000, 10, level);
  EXPECT_EQ(norm(reflected(ground, {{0.01, 15.1}}, {0, 15}, {1000, 1.5})), 0);
  EXPECT_EQ(norm(reflected(ground, {{999.99, 1.6}}, {0, 15}, {1000, 1.5})), 0);
}

// A shed whose shadow on the ground is long, and far narrower than a Fresnel zone.
TEST(GrazedGround, LowScreensCastNoShadow) {
  const double length_m = 10'000;
  const auto ground = ground_with(length_m, 100, [](double x) { return std::sin(2 * pi * x / 5000); });
  const Vec2 from{0, ground.front().y + 30}, to{length_m, ground.back().y + 1.5}, shed{9000, 0.95 + 0.6};
  const Complex without = reflected(ground, {}, from, to), with = reflected(ground, {shed}, from, to);
  EXPECT_LT(norm(with - without), 0.06);
}

}  // namespace
}  // namespace tesseray
