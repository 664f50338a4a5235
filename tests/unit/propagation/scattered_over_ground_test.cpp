// SPDX-License-Identifier: GPL-3.0-or-later
// What the ground reflects of scattered power: at ground tiles in their plane, at receivers as rays of their own within
// the limits, and beyond them below the receiver.
#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <utility>
#include <vector>

#include "core/base/units.h"
#include "tests/support/environment.h"
#include "tests/support/synthetic_city.h"
#include "tests/unit/propagation/two_houses.h"

namespace tesseray {
namespace {

using testing::Environment;

// Four blocks about a crossing of two streets of 20 m.
Scene crossing() {
  Scene scene = testing::flat_ground(220, 220);
  for (const double x : {20.0, 120.0}) {
    for (const double y : {20.0, 120.0}) {
      const auto id = static_cast<std::uint32_t>(scene.prisms.size()) + 1;
      scene.prisms.push_back(testing::box_prism(id, {x, y}, {x + 80, y + 80}, 0, 18));
    }
  }
  return scene;
}

constexpr Vec3 antenna_in_street{109, 46, 6};

// The ground tiles of the street across, which the antenna does not see, and receivers over their middles.
struct AroundTheCorner {
  std::vector<std::uint32_t> tiles;
  std::vector<Vec3> receivers;

  explicit AroundTheCorner(const Environment& town) {
    for (std::uint32_t t = 0; t < town.tiling.tiles.size(); ++t) {
      const Vec3 middle = town.tiling.tiles[t].centroid;
      const double along_m = std::fabs(middle.x - 110);
      const bool is_in_street = std::fabs(middle.y - 110) < 9 && along_m > 20 && along_m < 90;
      if (town.tiling.tiles[t].kind != SurfaceKind::ground || !is_in_street) continue;
      tiles.push_back(t);
      receivers.push_back(middle + Vec3{0, 0, 1.5});
    }
  }
};

// Whatever the limits allow after the scattering. At tiles the reflection is as strong as if it came as far as the ray
// itself, of walls across the street a tenth of a decibel too much; without what comes beyond the limits receivers had
// 0.3 to 0.8 dB less in the mean.
TEST(ScatteredOverGround, ReceiversHaveWhatTilesHave) {
  const Environment town(crossing(), 6);
  const AroundTheCorner street(town);
  ASSERT_GE(street.tiles.size(), 50u);
  for (const auto& [bounces, after] : {std::pair(2, 0), std::pair(3, 1), std::pair(3, 2)}) {
    RayLaunchingOptions options;
    options.max_bounces = bounces;
    options.max_after_scattering = after;
    options.over_rooftop = OverRooftop::screens;
    const RayLaunchingResult result =
        town.launch(testing::test_transmitter(antenna_in_street), testing::receivers_at(street.receivers), options);
    double sum_db = 0, most_db = 0;
    for (std::size_t i = 0; i < street.tiles.size(); ++i) {
      const double off_db =
          decibels(testing::total_gain(result.tiles[street.tiles[i]]) / testing::total_gain(result.receivers[i]));
      sum_db += off_db;
      most_db = std::fmax(most_db, std::fabs(off_db));
    }
    EXPECT_NEAR(sum_db / static_cast<double>(street.tiles.size()), 0, 0.15) << bounces << " bounces, " << after;
    EXPECT_LT(most_db, 0.5) << bounces << " bounces, " << after;
  }
}

// Each with what the ground reflects of it beyond the limits.
TEST(ScatteredOverGround, SingleRaysTogetherAreTheSummedPower) {
  for (const auto& [bounces, after] : {std::pair(2, 0), std::pair(2, 1), std::pair(3, 1), std::pair(3, 2)}) {
    RayLaunchingOptions options;
    options.max_bounces = bounces;
    options.max_after_scattering = after;
    options.max_diffractions = 2;
    options.rays_per_receiver = 10'000'000;
    options.scattered_rays = true;
    const RayLaunchingResult result =
        testing::two_houses().launch(testing::test_transmitter(testing::antenna_between_houses),
                                     testing::receivers_at(testing::around_houses), options);
    for (std::size_t r = 0; r < testing::around_houses.size(); ++r) {
      double scattered = 0;
      for (const Ray& ray : result.rays) {
        if (ray.target_id != static_cast<std::int64_t>(r) + 1) continue;
        scattered += ray.mechanism == Mechanism::scattering ? ray.path_gain : 0;
      }
      const double gain = result.receivers[r].gain.value();
      EXPECT_NEAR(scattered, gain - result.ray_gains[r].sum(), 1e-6 * gain)
          << bounces << " bounces, " << after << ", receiver " << r;
    }
  }
}

}  // namespace
}  // namespace tesseray
