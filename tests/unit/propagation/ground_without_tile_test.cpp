// SPDX-License-Identifier: GPL-3.0-or-later
// Beside the rectangle that is the tile of a cell with a house in it the ground has none: in alleys, and in a strip
// before walls. To receivers it reflects as other ground does, wherever the grid of tiles lies.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include "core/base/units.h"
#include "core/propagation/images/image_tracer.h"
#include "tests/support/environment.h"
#include "tests/support/synthetic_city.h"

namespace tesseray {
namespace {

using testing::Environment;

constexpr double length_m = 900, side_m = 10;

double gain_db(const ArrivalSums& sums) { return decibels(testing::total_gain(sums)); }

// The same sum of exact rays, which know no tiles.
std::vector<ArrivalSums> exact_sums(const Environment& town, const Transmitter& transmitter,
                                    const std::vector<Receiver>& receivers, int reflections, Summation summation) {
  ImageTracingOptions options;
  options.max_reflections = reflections;
  options.max_diffractions = 0;
  options.link.summation = summation;
  return ImageTracer(town.scene, town.occlusion, receivers, options).trace(transmitter, no_progress()).receivers;
}

// Over level ground the launcher has exact rays, one by one, in any sum. Over other ground what reflects the direct ray
// is asked with the screens, which are there where waves are diffracted; of that the default sum is held.
void expect_exact(Scene scene, Vec3 antenna, const std::vector<Vec3>& places, int reflections, bool is_level = true) {
  const Environment town(std::move(scene), side_m);
  const std::vector<Receiver> receivers = testing::receivers_at(places);
  const int diffractions = is_level ? 0 : 1;
  RayLaunchingOptions options = testing::without_scattering(reflections, diffractions, reflections);
  options.over_rooftop = OverRooftop::screens;
  const Transmitter transmitter = testing::test_transmitter(antenna);
  for (const Summation summation : {Summation::local_mean, Summation::coherent, Summation::power}) {
    if (!is_level && summation != Summation::local_mean) continue;
    options.summation = summation;
    const std::vector<ArrivalSums> launched = town.launch_to_receivers(transmitter, receivers, options).receivers;
    const std::vector<ArrivalSums> exact = exact_sums(town, transmitter, receivers, reflections, summation);
    for (std::size_t k = 0; k < places.size(); ++k) {
      const std::string place = std::to_string(places[k].x) + " " + std::to_string(places[k].y);
      EXPECT_NEAR(gain_db(launched[k]), gain_db(exact[k]), 0.1) << place << ", sum " << static_cast<int>(summation);
      if (is_level) {
        EXPECT_EQ(launched[k].rays, exact[k].rays) << place;
      }
    }
  }
}

// Between houses 9.8 m apart, along the street; walls that reflect nothing leave the direct ray and the ground's
// reflection.
void expect_exact_in_alley(double north_m, double slope) {
  const auto ground_z = [&](Vec2 place) { return slope * (place.x + place.y); };
  Scene scene = testing::terrain_of(length_m, 100, side_m, ground_z);
  scene.prisms = {testing::box_prism(1, {0, 20}, {length_m, 45.1 + north_m}, -1, 60),
                  testing::box_prism(2, {0, 54.9 + north_m}, {length_m, 80}, -1, 60)};
  scene = testing::with_material(std::move(scene), 5, 0.01);
  scene.materials.push_back({"air", 1, 0, 0, 0});
  for (Prism& prism : scene.prisms) prism.material = 1;
  const auto above_ground = [&](double x, double y, double height_m) {
    return Vec3{x, y, ground_z({x, y}) + height_m};
  };
  const double middle = 50 + north_m;
  expect_exact(std::move(scene), above_ground(20, middle - 0.3, 6),
               {above_ground(170, middle + 0.3, 1.5), above_ground(420, middle + 0.3, 1.5),
                above_ground(820, middle + 0.3, 1.5)},
               1, slope == 0);
}

TEST(GroundWithoutTile, ReflectsTheDirectRayInAnAlley) {
  for (const double slope : {0.0, 0.02}) {
    for (const double north_m : {0.0, 2.5, 5.0, 7.5}) {
      SCOPED_TRACE("moved by " + std::to_string(north_m) + " m, slope " + std::to_string(slope));
      expect_exact_in_alley(north_m, slope);
    }
  }
}

TEST(GroundWithoutTile, ReflectsBeforeAWallWhatThatReflects) {
  for (const double north_m : {0.0, 2.5, 5.0, 7.5}) {
    SCOPED_TRACE(north_m);
    Scene scene = testing::flat_ground(length_m, 100);
    scene.prisms = {testing::box_prism(1, {0, 20}, {length_m, 45.1 + north_m}, 0, 15)};
    std::vector<Vec3> places;
    for (const double before_m : {3.0, 5.0, 7.0, 9.0, 9.7, 12.0})
      places.push_back({723, 45.1 + north_m + before_m, 1.5});
    expect_exact(testing::with_material(std::move(scene), 5, 0.01), {20, 60 + north_m, 6}, places, 2);
  }
}

// One by one, and near: the way by the ground meets the wall at another angle than the ray without it, which turns
// another part of its polarisation.
TEST(GroundWithoutTile, ReflectsWhatAWallReflectsOnTheWayThere) {
  Scene scene = testing::flat_ground(length_m, 100);
  scene.prisms = {testing::box_prism(1, {0, 20}, {length_m, 45.1}, 0, 40)};
  const Environment town(testing::with_material(std::move(scene), 5, 0.01), side_m);
  const auto receivers = testing::receivers_at({{41, 48, 1.5}, {45, 49, 3}, {35, 50, 4}});
  Transmitter transmitter = testing::test_transmitter({20, 60, 25});
  ImageTracingOptions exact;
  exact.max_reflections = 2;
  exact.max_diffractions = 0;
  RayLaunchingOptions options = testing::without_scattering(2, 0, 2);
  options.ray_losses = true;
  std::size_t compared = 0;
  for (const Polarization polarization : {Polarization::vertical, Polarization::horizontal}) {
    transmitter.polarization = polarization;
    for (const Polarization received : {Polarization::vertical, Polarization::horizontal}) {
      options.receiver_polarization = exact.link.receiver_polarization = received;
      const std::vector<Ray> launched = town.launch_to_receivers(transmitter, receivers, options).rays;
      for (const Ray& ray :
           ImageTracer(town.scene, town.occlusion, receivers, exact).trace(transmitter, no_progress()).rays) {
        if (ray.interactions != "T-R-G") continue;
        const auto same = std::find_if(launched.begin(), launched.end(), [&](const Ray& other) {
          return other.target_id == ray.target_id && other.interactions == ray.interactions &&
                 std::fabs(other.delay_ns - ray.delay_ns) < 1e-3;
        });
        ASSERT_NE(same, launched.end()) << ray.target_id;
        EXPECT_NEAR(same->power_dbm, ray.power_dbm, 0.01) << ray.target_id;
        double lost_db = 0;
        for (const RayLoss& loss : same->losses) {
          EXPECT_NE(loss.step, "ground");
          lost_db += loss.loss_db;
        }
        EXPECT_NEAR(lost_db, transmitter.erp_dbm - same->power_dbm, 1e-6);
        ++compared;
      }
    }
  }
  EXPECT_GE(compared, 8u);
}

}  // namespace
}  // namespace tesseray
