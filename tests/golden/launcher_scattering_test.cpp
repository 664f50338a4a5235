// SPDX-License-Identifier: GPL-3.0-or-later
// Scattering as the last interaction of the launcher against the wall of golden 06b: the midpoint sums of the table
// tile by tile, the exact integral as tiles shrink, and the energy balance.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "core/base/units.h"
#include "tests/golden/golden_table.h"
#include "tests/support/environment.h"
#include "tests/support/synthetic_city.h"
#include "tests/support/validation_page.h"

namespace tesseray {
namespace {

using testing::Environment;

// The table's wall, x in [−50, 50], z in [0, 30], y = 0, moved to where there is terrain.
constexpr Vec3 origin{200, 20, 0};
constexpr double coefficient = 0.4;

Scene wall(double half_width_m, double height_m) {
  Scene scene = testing::flat_ground(400, 400);
  scene.extent = {};
  // Far below, so that the whole half-space before the wall is air.
  scene.terrain.height_m.assign(4, -500.0F);
  scene.prisms = {
      testing::box_prism(1, {origin.x - half_width_m, origin.y - 5}, {origin.x + half_width_m, origin.y}, 0, height_m)};
  scene.prisms.front().on_ground = false;
  return scene;
}

// The scattered part of the path gain from one point to others.
std::vector<double> scattered(const Environment& environment, Vec3 from, const std::vector<Vec3>& to,
                              ScatteringModel model) {
  const Transmitter transmitter = testing::test_transmitter(from);
  const auto receivers = testing::receivers_at(to);
  const auto all = environment.launch(transmitter, receivers, testing::scattering_last(model, coefficient));
  const auto direct = environment.launch(transmitter, receivers, testing::direct_only());
  std::vector<double> gains;
  for (std::size_t r = 0; r < to.size(); ++r) {
    gains.push_back(all.receivers[r].gain.value() - direct.receivers[r].gain.value());
  }
  return gains;
}

struct WallCase {
  Vec3 transmitter, receiver;
  double exact = 0;
  std::vector<double> midpoint_sums;  // at 10, 5, 2.5 m
  double least_distance_m = 0;        // of either end from the wall
};

std::vector<WallCase> wall_cases() {
  const GoldenTable table("06b_er_wall.csv");
  std::vector<WallCase> cases;
  for (const GoldenRow& row : table.rows()) {
    WallCase one;
    one.transmitter = origin + row.vector("T");
    one.receiver = origin + row.vector("R");
    one.exact = row.number("P_exact_W");
    for (const char* name : {"P_10", "P_5", "P_2p5"}) one.midpoint_sums.push_back(row.number(name));
    for (const Vec3& end : {row.vector("T"), row.vector("R")}) {
      const Vec3 nearest{std::clamp(end.x, -50.0, 50.0), 0, std::clamp(end.z, 0.0, 30.0)};
      const double distance = norm(end - nearest);
      one.least_distance_m = one.least_distance_m > 0 ? std::fmin(one.least_distance_m, distance) : distance;
    }
    cases.push_back(one);
  }
  return cases;
}

TEST(LauncherScattering, WallConvergesToTheExactIntegral) {
  TESSERAY_NEEDS_GOLDEN_TABLES();
  const std::vector<WallCase> cases = wall_cases();
  ASSERT_EQ(cases.size(), 6u);
  const std::vector<double> sides{10, 5, 2.5};
  std::vector<double> worst;
  for (std::size_t s = 0; s < sides.size(); ++s) {
    const Environment environment(wall(50, 30), sides[s]);
    worst.push_back(0);
    for (const WallCase& one : cases) {
      const double gain = scattered(environment, one.transmitter, {one.receiver}, ScatteringModel::incident).front();
      // Without subdivision, the launcher is the table's sum over midpoints.
      if (one.least_distance_m > 1.5 * sides[s] + 0.01) {
        EXPECT_NEAR(gain / one.midpoint_sums[s], 1, 1e-6) << sides[s] << " m tiles";
      }
      worst.back() = std::fmax(worst.back(), std::fabs(decibels(gain / one.exact)));
    }
    testing::expect_in_validation_page({testing::fixed(sides[s], 1), testing::fixed(worst.back(), 3)});
  }
  // The worst is with both ends at one place: tiles of 10 m, just too far to be subdivided, count by their middles.
  EXPECT_LT(worst[0], 0.5);
  EXPECT_LT(worst[1], 0.06);
  EXPECT_LT(worst[2], 0.01);
}

TEST(LauncherScattering, IsReciprocalAtTheWall) {
  TESSERAY_NEEDS_GOLDEN_TABLES();
  const Environment environment(wall(50, 30), 2.5);
  for (const ScatteringModel model : {ScatteringModel::incident, ScatteringModel::reciprocal}) {
    for (const WallCase& one : wall_cases()) {
      const double there = scattered(environment, one.transmitter, {one.receiver}, model).front();
      const double back = scattered(environment, one.receiver, {one.transmitter}, model).front();
      EXPECT_GT(there, 0);
      EXPECT_NEAR(there / back, 1, 1e-9);
    }
  }
}

// What a wall scatters from a point near it to one far away, over rings about the foot of the point on the wall: there
// cos θ/r² dA is the solid angle.
double exact_gain_near_wall(Vec3 near, Vec3 far, double half_width_m, double height_m) {
  constexpr int rings = 2000, around = 360;
  const double before_m = near.y - origin.y;
  double sum = 0;
  for (int i = 0; i < rings; ++i) {
    const double cosine = (i + 0.5) / rings, radius = before_m * std::sqrt(1 / (cosine * cosine) - 1);
    for (int j = 0; j < around; ++j) {
      const double turn = 2 * pi * (j + 0.5) / around;
      const Vec3 place{near.x + radius * std::cos(turn), origin.y, near.z + radius * std::sin(turn)};
      if (std::fabs(place.x - origin.x) > half_width_m || place.z < 0 || place.z > height_m) continue;
      const Vec3 way = far - place;
      sum += way.y / std::pow(norm(way), 3) / pi;
    }
  }
  const double lambda = wavelength_m(850e6);
  return lambda * lambda / (16 * pi * pi) * coefficient * coefficient * sum * 2 * pi / (rings * around);
}

TEST(LauncherScattering, AnEndJustBeforeTheWallMakesNoPower) {
  constexpr double half_width_m = 50, height_m = 30;
  const Environment environment(wall(half_width_m, height_m), 10);
  const Vec3 far = origin + Vec3{20, 150, 20};
  // Before the middle of a tile, where eight parts meet, before the middle of a part, and between.
  for (const Vec3 foot : {Vec3{5, 0, 15}, Vec3{5.625, 0, 15.625}, Vec3{7.1, 0, 12.2}}) {
    for (const double before_m : {0.02, 0.05, 0.2, 0.6, 1.2}) {
      const Vec3 near = origin + foot + Vec3{0, before_m, 0};
      const double exact = exact_gain_near_wall(near, far, half_width_m, height_m);
      const double there = scattered(environment, near, {far}, ScatteringModel::incident).front();
      const double back = scattered(environment, far, {near}, ScatteringModel::incident).front();
      EXPECT_NEAR(decibels(there / exact), 0, 0.15) << before_m << " m before " << foot.x;
      EXPECT_NEAR(there / back, 1, 1e-9) << before_m << " m before " << foot.x;
    }
  }
}

// The scattered power through a half-sphere of receivers, over what the tile takes in.
double scattered_share(Vec3 from, ScatteringModel model) {
  // One tile, lit from before it alone: not from beside or above.
  const Environment environment(wall(10, 20), 20);
  const Vec3 centre = origin + Vec3{0, 0, 10};
  constexpr double radius = 90;
  constexpr int rings = 30, around = 36;
  std::vector<Vec3> receivers;
  for (int i = 0; i < rings; ++i) {
    const double cosine = (i + 0.5) / rings, sine = std::sqrt(1 - cosine * cosine);
    for (int j = 0; j < around; ++j) {
      const double turn = 2 * pi * (j + 0.5) / around;
      const Vec3 way{sine * std::cos(turn), cosine, sine * std::sin(turn)};
      receivers.push_back(centre + radius * way);
    }
  }
  double sum = 0;
  for (const double gain : scattered(environment, from, receivers, model)) sum += gain;
  const double lambda = wavelength_m(850e6);
  const double unit = (lambda / (4 * pi)) * (lambda / (4 * pi));
  const double leaves = sum / unit * radius * radius * 2 * pi / (rings * around);
  const Vec3 way = from - centre;
  const double taken = 400.0 * normalized(way).y / squared_norm(way);
  return leaves / taken;
}

TEST(LauncherScattering, NoEnergyIsCreated) {
  for (const Vec3 from : {origin + Vec3{0, 60, 10}, origin + Vec3{9, 31, 19}}) {
    EXPECT_NEAR(scattered_share(from, ScatteringModel::incident), coefficient * coefficient, 2e-3);
    for (const ScatteringModel model : {ScatteringModel::reflected, ScatteringModel::reciprocal}) {
      const double share = scattered_share(from, model);
      EXPECT_GT(share, 0);
      EXPECT_LT(share, coefficient * coefficient);
    }
  }
}

}  // namespace
}  // namespace tesseray
