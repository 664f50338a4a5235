// SPDX-License-Identifier: GPL-3.0-or-later
// What uneven ground reflects, beside a mirror's, and beside the integral over all of it that both ends see.
#include "core/propagation/rooftops/terrain_reflection.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "core/base/units.h"
#include "tests/support/synthetic_city.h"
#include "tests/unit/propagation/ground_profile.h"

namespace tesseray {
namespace {

constexpr double wavelength_m = 0.33, wave_number = 2 * pi / wavelength_m;

// Γ = −1.
constexpr ReflectingGround conductor{perfect_conductor_permittivity, true};

using testing::ground_with;

Complex factor_of(const std::vector<Vec2>& ground, const std::vector<Vec2>& screens, Vec2 from, Vec2 to) {
  TerrainReflection reflection;
  reflection.find(ground, screens, from, to, wavelength_m, conductor);
  return reflection.factor;
}

TEST(TerrainReflection, OfPlaneGroundIsTheImages) {
  const auto slope = [](double x) { return 0.05 * x; };
  const Vec2 from{0, 15}, to{400, slope(400) + 4};
  TerrainReflection reflection;
  reflection.find(ground_with(400, 40, slope), {}, from, to, wavelength_m, conductor);
  const double from_above = 15 / std::hypot(1, 0.05), to_above = 4 / std::hypot(1, 0.05);
  const double straight = norm(to - from), by_ground = std::sqrt(straight * straight + 4 * from_above * to_above);
  const Complex expected = (-straight / by_ground) * exp_j(-wave_number * (by_ground - straight));
  // Uneven ground ends below the two, where a few per cent come from farther away; a plane goes on.
  EXPECT_LT(norm(reflection.factor - expected), 0.04);
  EXPECT_LT(norm(factor_of(ground_with(400, 1, slope), {}, from, to) - expected), 1e-9);
  const double specular = 400 * from_above / (from_above + to_above);
  EXPECT_NEAR(reflection.place.x, specular, 1);  // the ends stand upright, not across the slope
  EXPECT_NEAR(reflection.place.y, slope(reflection.place.x), 1e-9);
  EXPECT_NEAR(reflection.way_m, by_ground, 1e-6);
  EXPECT_LT(norm(factor_of(ground_with(400, 2, slope), {}, from, to) - reflection.factor), 1e-9);
}

// Whether a straight way stays above the ground and the screens.
bool is_free(const std::vector<Vec2>& ground, const std::vector<Vec2>& screens, Vec2 from, Vec2 to) {
  const auto is_below = [&](Vec2 point) {
    const double share = (point.x - from.x) / (to.x - from.x);
    return share <= 0 || share >= 1 || point.y <= from.y + share * (to.y - from.y) + 1e-9;
  };
  for (const Vec2 point : ground) {
    if (!is_below(point)) return false;
  }
  for (const Vec2 point : screens) {
    if (!is_below(point)) return false;
  }
  return true;
}

// Kirchhoff's integral in small steps, of what both ends see, with the mean of the two grazing angles.
Complex integral_over(const std::vector<Vec2>& ground, const std::vector<Vec2>& screens, Vec2 from, Vec2 to) {
  constexpr double step_m = 0.02;
  const double straight = norm(to - from);
  Complex sum;
  for (std::size_t i = 0; i + 1 < ground.size(); ++i) {
    const Vec2 way = ground[i + 1] - ground[i];
    const double length = norm(way);
    const auto steps = static_cast<int>(length / step_m);
    for (int s = 0; s < steps; ++s) {
      const Vec2 place = ground[i] + ((s + 0.5) / steps) * way, to_from = from - place, to_to = to - place;
      const double before = norm(to_from), after = norm(to_to);
      const double of_from = cross(way, to_from) / (length * before), of_to = cross(way, to_to) / (length * after);
      if (of_from <= 0 || of_to <= 0 || !is_free(ground, screens, from, place) || !is_free(ground, screens, to, place))
        continue;
      const double size = 0.5 * (of_from + of_to) * std::sqrt(straight / (wavelength_m * before * after));
      sum = sum - (size * length / steps) * exp_j(0.25 * pi - wave_number * (before + after - straight));
    }
  }
  return sum;
}

TEST(TerrainReflection, IsTheIntegralOverWhatBothEndsSee) {
  testing::Random random(3);
  double strongest = 0;
  for (int scene = 0; scene < 20; ++scene) {
    const std::vector<Vec2> ground = ground_with(300, 30, [&](double) { return random.uniform(-0.4, 0.4); });
    std::vector<Vec2> screens;
    for (int s = 0; s < scene % 4; ++s) screens.push_back({random.uniform(30 + 60.0 * s, 80 + 60.0 * s), 3});
    const Vec2 from{0, 25}, to{300, 2.5};
    const Complex factor = factor_of(ground, screens, from, to);
    strongest = std::max(strongest, norm(factor));
    EXPECT_LT(norm(factor - integral_over(ground, screens, from, to)), 0.03) << scene;
  }
  EXPECT_GT(strongest, 0.5);
}

TEST(TerrainReflection, IsTheSameFromEitherEnd) {
  testing::Random random(4);
  const std::vector<Vec2> ground = ground_with(500, 50, [&](double) { return random.uniform(-0.3, 0.3); });
  const std::vector<Vec2> screens{{120, 6}, {140, 6}, {430, 4}};
  const Vec2 from{0, 20}, to{500, 6};
  const auto turned = [](std::vector<Vec2> points) {
    for (Vec2& point : points) point.x = 500 - point.x;
    return std::vector<Vec2>(points.rbegin(), points.rend());
  };
  const Complex forth = factor_of(ground, screens, from, to),
                back = factor_of(turned(ground), turned(screens), {0, to.y}, {500, from.y});
  EXPECT_GT(norm(forth), 0.1);
  EXPECT_LT(norm(forth - back), 1e-9);
}

// An end of rough tiles may lie below the terrain.
TEST(TerrainReflection, OfGroundSeenFromBelowIsNothing) {
  const std::vector<Vec2> ground{{0, 0}, {50, 5}, {100, 0}};
  for (const double below_m : {0.0, 0.5}) {
    EXPECT_EQ(norm(factor_of(ground, {}, {0, -below_m}, {100, 8})), 0) << below_m;
  }
}

// A screen at a vertex of the ground hides what lies behind it as one between two does; one inside the ground nothing.
TEST(TerrainReflection, ScreensHideWhatLiesBehind) {
  const std::vector<Vec2> ground = ground_with(200, 20, [](double) { return 0.0; });
  const Vec2 from{0, 10}, to{200, 2};
  const Complex open = factor_of(ground, {}, from, to);
  EXPECT_LT(norm(factor_of(ground, {{60, -1}}, from, to) - open), 1e-12);
  // From 100 m on all is hidden from the one end, before it from the other.
  for (const double x : {100.0, 105.0}) {
    EXPECT_EQ(norm(factor_of(ground, {{x, 9}}, from, to)), 0) << x;
  }
  EXPECT_LT(norm(factor_of(ground, {{100, 1}}, from, to) - factor_of(ground, {{100.001, 1}}, from, to)), 1e-3);
}

}  // namespace
}  // namespace tesseray
