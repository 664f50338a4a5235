// SPDX-License-Identifier: GPL-3.0-or-later
// Ground that scatters nearly all, or all, of what comes in upright is still a mirror where it is grazed.
#include <gtest/gtest.h>

#include <cmath>
#include <utility>
#include <vector>

#include "core/base/units.h"
#include "core/physics/fresnel.h"
#include "core/physics/material.h"
#include "tests/support/environment.h"
#include "tests/support/ray_losses.h"
#include "tests/support/synthetic_city.h"

namespace tesseray {
namespace {

using testing::Environment;

RayLaunchingOptions with_coefficient(RayLaunchingOptions options, double coefficient) {
  options.max_scatterings = 1;
  options.scattering_coefficient = coefficient;
  return options;
}

// √(1 − S² cos²θ) of the reflection on flat ground.
TEST(RoughGround, ReflectsTheDirectRayByItsAngle) {
  const Environment plain(testing::flat_ground(1700, 200), 50);
  const Vec3 antenna{100, 100, 10};
  const Transmitter transmitter = testing::test_transmitter(antenna);
  const auto receivers = testing::receivers_at({{120, 100, 1.5}, {200, 100, 1.5}, {500, 100, 1.5}, {1600, 100, 1.5}});
  const Complex permittivity = relative_permittivity({5, 0.01}, transmitter.frequency_hz);
  for (const double coefficient : {0.4, 0.999, 1.0}) {
    RayLaunchingOptions options = with_coefficient(testing::without_scattering(1, 0, 1), coefficient);
    options.rays_per_receiver = 100;
    options.ray_losses = true;
    std::size_t compared = 0;
    for (const Ray& ray : plain.launch(transmitter, receivers, options).rays) {
      if (ray.interactions != "T-G") continue;
      const Vec3 to = receivers[static_cast<std::size_t>(ray.target_id) - 1].position;
      const Vec3 way = to - Vec3{antenna.x, antenna.y, -antenna.z};
      const double cosine = normalized(way).z, wavelength = wavelength_m(transmitter.frequency_hz);
      const double expected = std::pow(wavelength / (4 * pi), 2) / squared_norm(way) *
                              squared_norm(fresnel(permittivity, cosine).tm) *
                              (1 - coefficient * coefficient * cosine * cosine);
      EXPECT_NEAR(decibels(ray.path_gain / expected), 0, 1e-6) << coefficient << ", " << to.x;
      EXPECT_NEAR(testing::sum_of_losses(ray), transmitter.erp_dbm - ray.power_dbm, 1e-6) << coefficient;
      ++compared;
    }
    EXPECT_EQ(compared, receivers.size()) << coefficient;
  }
}

// Nothing happens between nearly all and all: over flat and uneven ground, in sight and over the roofs.
TEST(RoughGround, ThatScattersAllIsTheLimitOfNearlyAll) {
  const auto height_at = [](Vec2 p) { return 4 * std::sin(p.x / 31) * std::cos(p.y / 44); };
  for (const bool uneven : {false, true}) {
    Scene scene = uneven ? testing::terrain_of(360, 200, 10, height_at) : testing::flat_ground(360, 200);
    scene.prisms = {testing::box_prism(1, {160, 60}, {175, 140}, -5, 12),
                    testing::box_prism(2, {205, 50}, {220, 150}, -5, 9)};
    const auto at = [&](double x, double y, double above_m) {
      return Vec3{x, y, (uneven ? height_at({x, y}) : 0.0) + above_m};
    };
    const Environment town(std::move(scene), 10);
    const Transmitter transmitter = testing::test_transmitter(at(30.3, 97.1, 10));
    const auto receivers = testing::receivers_at(
        {at(60, 99, 1.5), at(150, 101, 1.5), at(190, 98, 1.5), at(250, 95, 1.5), at(330, 103, 1.5), at(330, 190, 3)});
    RayLaunchingOptions options;
    options.over_rooftop = OverRooftop::screens;
    const auto nearly = town.launch(transmitter, receivers, with_coefficient(options, 1 - 1e-9));
    const auto all = town.launch(transmitter, receivers, with_coefficient(options, 1));
    const auto expect_same = [&](const std::vector<ArrivalSums>& a, const std::vector<ArrivalSums>& b, double& most) {
      ASSERT_EQ(a.size(), b.size());
      for (std::size_t t = 0; t < a.size(); ++t) {
        const double of_a = testing::total_gain(a[t]), of_b = testing::total_gain(b[t]);
        ASSERT_EQ(of_a > 0, of_b > 0);
        if (of_a > 0) most = std::fmax(most, std::fabs(decibels(of_a / of_b)));
      }
    };
    double most_db = 0;
    expect_same(nearly.tiles, all.tiles, most_db);
    expect_same(nearly.receivers, all.receivers, most_db);
    EXPECT_LT(most_db, 0.01) << uneven;
  }
}

}  // namespace
}  // namespace tesseray
