// SPDX-License-Identifier: GPL-3.0-or-later
// What the horizon calls hidden is hidden, ray by ray, from straight ways and from ways that dip to a level floor.
#include "core/propagation/images/plan_horizon.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

#include "core/base/units.h"
#include "tests/support/synthetic_city.h"

namespace tesseray {
namespace {

using testing::Random;

constexpr double height_m = 10;

PlanHorizon::Wall random_wall(Random& random, double nearest_m, double farthest_m) {
  const double angle = random.uniform(-pi, pi), distance = random.uniform(nearest_m, farthest_m);
  const Vec2 middle = distance * Vec2{std::cos(angle), std::sin(angle)};
  const double turn = random.uniform(-pi, pi), half = random.uniform(0.5, 15);
  const Vec2 side = half * Vec2{std::cos(turn), std::sin(turn)};
  return {middle - side, middle + side, random.uniform(2, 25)};
}

// Where along the way from the origin to `to` a wall is met, 0 … 1; negative for nowhere.
double meeting(Vec2 to, const PlanHorizon::Wall& wall) {
  const Vec2 side = wall.end - wall.begin;
  const double across = cross(to, side);
  if (across == 0) return -1;
  const double at = cross(wall.begin, side) / across, on_wall = cross(wall.begin, to) / across;
  return at > 0 && at < 1 && on_wall >= 0 && on_wall <= 1 ? at : -1;
}

// `floor_z`: how deep the way dips; the straight one when it is above both ends.
bool is_blocked(Vec2 to, double to_z, double floor_z, const std::vector<PlanHorizon::Wall>& walls) {
  return std::any_of(walls.begin(), walls.end(), [&](const PlanHorizon::Wall& wall) {
    const double at = meeting(to, wall);
    if (at < 0) return false;
    double z = height_m + at * (to_z - height_m);
    if (floor_z < std::fmin(height_m, to_z)) {
      const double turning = (height_m - floor_z) / (height_m - floor_z + to_z - floor_z);
      z = at < turning ? height_m + at / turning * (floor_z - height_m)
                       : floor_z + (at - turning) / (1 - turning) * (to_z - floor_z);
    }
    return z <= wall.top_z;
  });
}

TEST(PlanHorizon, HidesNothingThatIsSeen) {
  Random random(3);
  int hidden = 0, hidden_areas = 0;
  for (int round = 0; round < 300; ++round) {
    std::vector<PlanHorizon::Wall> walls;
    for (int i = 0; i < 40; ++i) walls.push_back(random_wall(random, 5, 80));
    const bool all_around = round % 2 == 0;
    const PlanSector sector = all_around ? PlanSector{{}} : PlanSector{{}, random.uniform(-pi, pi), 0.6};
    const PlanHorizon horizon(sector, height_m, walls, all_around ? 256 : 64);
    for (int i = 0; i < 40; ++i) {
      const PlanHorizon::Wall target = random_wall(random, 10, 120);
      if (!all_around &&
          (std::fabs(sector.angle_to(target.begin)) > 0.6 || std::fabs(sector.angle_to(target.end)) > 0.6)) {
        continue;
      }
      if (norm(target.begin) < 1 || norm(target.end) < 1) continue;
      const Vec2 out = (3.0 / norm(target.begin)) * target.begin;
      const std::array<Vec3, 4> area{Vec3{target.begin.x, target.begin.y, 0}, Vec3{target.end.x, target.end.y, 0},
                                     Vec3{target.end.x + out.x, target.end.y + out.y, 0},
                                     Vec3{target.begin.x + out.x, target.begin.y + out.y, 0}};
      const bool hides_wall = horizon.hides(target.begin, target.end, target.top_z);
      const bool hides_area =
          (all_around ||
           std::all_of(area.begin(), area.end(), [&](Vec3 p) { return std::fabs(sector.angle_to(p.xy())) < 0.6; })) &&
          horizon.hides(area, target.top_z);
      hidden += hides_wall ? 1 : 0;
      hidden_areas += hides_area ? 1 : 0;
      for (int sample = 0; sample < 30; ++sample) {
        const Vec2 on_wall = target.begin + random.uniform(0, 1) * (target.end - target.begin);
        const double z = random.uniform(0, target.top_z), floor_z = random.uniform(-5, 12);
        if (hides_wall) {
          EXPECT_TRUE(is_blocked(on_wall, z, 1e9, walls)) << round;
          EXPECT_TRUE(is_blocked(on_wall, z, floor_z, walls)) << round;
        }
        if (hides_area) {
          EXPECT_TRUE(is_blocked(on_wall + random.uniform(0, 1) * out, z, floor_z, walls)) << round;
        }
      }
    }
  }
  EXPECT_GT(hidden, 3500);
  EXPECT_GT(hidden_areas, 3500);
}

// Seen end-on, an edge below the eye is under its begin's height over the end's distance: what hides its begin need not
// hide its end.
TEST(PlanHorizon, EdgesThatPointAtTheEye) {
  Random random(5);
  int hidden = 0;
  for (int round = 0; round < 2000; ++round) {
    std::vector<PlanHorizon::Wall> walls;
    for (int i = 0; i < 12; ++i) walls.push_back(random_wall(random, 5, 60));
    const PlanHorizon horizon({{}}, height_m, walls, 256);
    const double angle = random.uniform(-pi, pi), nearest_m = random.uniform(10, 60);
    const Vec2 begin = nearest_m * Vec2{std::cos(angle), std::sin(angle)};
    const double beside_m = round % 4 == 0 ? 0 : std::pow(10.0, -2.0 * (round % 4));
    const Vec2 end = random.uniform(1.1, 4) * begin + beside_m * Vec2{-std::sin(angle), std::cos(angle)};
    const double top_z = random.uniform(0, 12);
    if (!horizon.hides(begin, end, top_z)) continue;
    ++hidden;
    for (int sample = 0; sample <= 20; ++sample)
      EXPECT_TRUE(is_blocked(begin + (sample / 20.0) * (end - begin), top_z, 1e9, walls)) << round << " " << sample;
  }
  EXPECT_GT(hidden, 600);
}

TEST(PlanHorizon, SectorHoldsItsCorners) {
  const std::array<Vec3, 3> ahead{Vec3{10, -1, 0}, Vec3{12, 3, 0}, Vec3{9, 2, 5}};
  const PlanSector sector = PlanSector::of({0, 0}, ahead);
  EXPECT_LT(sector.half_width, 0.3);
  for (const Vec3 corner : ahead) EXPECT_LE(std::fabs(sector.angle_to(corner.xy())), sector.half_width);
  const std::array<Vec3, 4> around{Vec3{-1, -1, 0}, Vec3{1, -1, 0}, Vec3{1, 1, 0}, Vec3{-1, 1, 0}};
  EXPECT_GE(PlanSector::of({0, 0}, around).half_width, pi);
  EXPECT_LT(PlanSector::of({5, 0}, around).half_width, 0.3);
}

}  // namespace
}  // namespace tesseray
