// SPDX-License-Identifier: GPL-3.0-or-later
// In sight near uneven ground, along which the wave runs: from either end, in rays, and what goes on from there.
// terrain_test.cpp compares its loss with a parabolic equation's.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "core/base/units.h"
#include "core/prediction/explanation.h"
#include "tests/support/environment.h"
#include "tests/support/synthetic_city.h"

namespace tesseray {
namespace {

using testing::Environment;

// A low hill, and far behind it, in sight just above it, a house.
constexpr double top_x = 500, house_x = 1550;

double hill_z(Vec2 p) {
  const double from_top = (p.x - top_x) / 400;
  return 10 * std::exp(-from_top * from_top);
}

Scene with_house(Scene scene) {
  scene.prisms = {testing::box_prism(1, {house_x, 20}, {house_x + 20, 40}, 0, 8)};
  return scene;
}

const Environment& bare_hill() {
  static const Environment made(testing::terrain_of(1700, 60, 10, hill_z), 10);
  return made;
}

const Environment& hill() {
  static const Environment made(with_house(testing::terrain_of(1700, 60, 10, hill_z)), 10);
  return made;
}

const Environment& plain() {
  static const Environment made(with_house(testing::flat_ground(1700, 60)), 10);
  return made;
}

constexpr Vec3 antenna{100, 33, 14};  // 10 m above the hill's foot

RayLaunchingOptions options_for_rays() {
  RayLaunchingOptions options = testing::without_scattering(1, 1, 2);
  options.over_rooftop = OverRooftop::screens;
  options.rays_per_receiver = 50;
  return options;
}

std::vector<Ray> rays_between(const Environment& environment, Vec3 from, Vec3 receiver) {
  return environment
      .launch_to_receivers(testing::test_transmitter(from), testing::receivers_at({receiver}), options_for_rays())
      .rays;
}

std::vector<Ray> rays_to(const Environment& environment, Vec3 receiver) {
  return rays_between(environment, antenna, receiver);
}

// The strongest ray with such interactions.
Ray ray_with(const std::string& interactions, const std::vector<Ray>& rays) {
  for (const Ray& ray : rays) {
    if (ray.interactions == interactions) return ray;
  }
  ADD_FAILURE() << interactions;
  return {};
}

Vec3 above_hill(double x, double height_m) { return {x, 33, hill_z({x, 33}) + height_m}; }

TEST(SightAlongGround, IsTheSameFromEitherEnd) {
  for (const double x : {520.0, 600.0, 700.0, 1500.0}) {
    const auto loss_db = [](Vec3 from, Vec3 to) {
      const RayLaunchingResult result = bare_hill().launch_to_receivers(
          testing::test_transmitter(from), testing::receivers_at({to}), options_for_rays());
      EXPECT_TRUE(result.receivers[0].direct);
      return -decibels(testing::total_gain(result.receivers[0]));
    };
    const Vec3 low = above_hill(x, 2);
    EXPECT_NEAR(loss_db(antenna, low), loss_db(low, antenna), 1) << x;
  }
}

TEST(SightAlongGround, HasTheStraightRayAndOneReflection) {
  const std::vector<Ray> rays = rays_to(bare_hill(), above_hill(700, 1.5));
  ASSERT_EQ(rays.size(), 2u);
  const Ray direct = ray_with("T", rays), reflected = ray_with("T-G", rays);
  EXPECT_EQ(direct.mechanism, Mechanism::direct);
  EXPECT_EQ(direct.points.size(), 2u);
  EXPECT_NEAR(direct.delay_ns, norm(direct.points[1] - direct.points[0]) / speed_of_light * 1e9, 1e-3);
  EXPECT_EQ(reflected.mechanism, Mechanism::reflection);
  ASSERT_EQ(reflected.points.size(), 3u);
  const Vec3 place = reflected.points[1];
  EXPECT_NEAR(place.z, hill_z(place.xy()), 0.2);
  EXPECT_GT(place.x, top_x);
  EXPECT_LT(reflected.power_dbm, direct.power_dbm);
  EXPECT_GT(reflected.delay_ns, direct.delay_ns);
}

// A tile behind a crest scatters what comes to it over the crest to a receiver over it, which is in sight.
TEST(SightAlongGround, IsNotTakenForWhatTheTileBelowScatters) {
  testing::Random random(11);
  std::vector<double> heights;
  for (int node = 0; node < 60; ++node) heights.push_back(random.uniform(-1, 1));
  const Environment ground(
      testing::terrain_of(580, 60, 10, [&](Vec2 p) { return heights[static_cast<std::size_t>(p.x / 10)]; }), 10);
  RayLaunchingOptions options = options_for_rays();
  options.max_scatterings = 1;
  options.scattering_coefficient = 0.4;
  options.rays_per_receiver = 1000;
  options.scattered_rays = true;
  std::vector<Vec3> places;
  for (const Tile& tile : ground.tiling.tiles) places.push_back(target_point(tile, 1.5));
  const Transmitter transmitter = testing::test_transmitter({50, 33, ground.scene.terrain.height_at({50, 33}) + 6});
  int over_a_crest = 0;
  for (const Ray& ray : ground.launch(transmitter, testing::receivers_at(places), options).rays) {
    ASSERT_GE(ray.points.size(), 2u) << ray.interactions;
    if (ray.interactions == "T-O-S") ++over_a_crest;
  }
  EXPECT_GT(over_a_crest, 0);
}

// A tile that a crest hides and that leans to the side reflects what comes over the crest to a receiver over it, which
// is in sight.
TEST(SightAlongGround, IsNotTakenForWhatTheTileBelowReflects) {
  constexpr int nodes = 30;
  testing::Random random(1);
  std::vector<double> heights;
  for (int node = 0; node < nodes * nodes; ++node) heights.push_back(random.uniform(-2, 2));
  const auto z = [&](Vec2 p) {
    return heights[static_cast<std::size_t>(p.x / 10) * nodes + static_cast<std::size_t>(p.y / 10)];
  };
  const Environment ground(testing::terrain_of(280, 280, 10, z), 10);
  std::vector<Vec3> places;
  for (const Tile& tile : ground.tiling.tiles) places.push_back(target_point(tile, 1.5) + Vec3{3, 2, 0});
  const RayLaunchingResult result =
      ground.launch(testing::test_transmitter({50, 33, ground.scene.terrain.height_at({50, 33}) + 6}),
                    testing::receivers_at(places), options_for_rays());
  int over_a_crest = 0;
  for (const Ray& ray : result.rays) {
    if (ray.interactions != "T-O-G") continue;
    // Over the crest and by the tile.
    EXPECT_GE(ray.points.size(), 4u);
    if (result.left_in_sight[static_cast<std::size_t>(ray.target_id) - 1].ground == LeftInSight::Ground::along)
      ++over_a_crest;
  }
  EXPECT_GT(over_a_crest, 0);
}

// Whatever the ground is to the wave: a plane, one that reflects as a whole or one along which it runs.
TEST(SightOverGentleGround, HasNoStepsFromPlaceToPlace) {
  const auto gentle_z = [](Vec2 p) { return 3 * std::sin(2 * pi * (p.x - 10) / 500); };
  const Environment ground(testing::terrain_of(2140, 60, 10, gentle_z), 10);
  const auto above = [&](double x, double height_m) {
    return Vec3{x, 33, ground.scene.terrain.height_at({x, 33}) + height_m};
  };
  struct Places {
    double frequency_mhz, antenna_m, first_x, last_x;
  };
  for (const Places& of : {Places{450, 20, 585, 615}, Places{2100, 30, 2055, 2075}, Places{900, 10, 170, 200}}) {
    Transmitter transmitter = testing::test_transmitter(above(10, of.antenna_m));
    transmitter.frequency_hz = 1e6 * of.frequency_mhz;
    std::vector<Vec3> places;
    for (double x = of.first_x; x <= of.last_x; ++x) places.push_back(above(x, 1.5));
    const RayLaunchingResult result =
        ground.launch_to_receivers(transmitter, testing::receivers_at(places), options_for_rays());
    for (std::size_t i = 1; i < places.size(); ++i) {
      const double step_db =
          decibels(testing::total_gain(result.receivers[i]) / testing::total_gain(result.receivers[i - 1]));
      EXPECT_NEAR(step_db, 0, 1) << of.frequency_mhz << " MHz, " << places[i].x;
    }
  }
}

// The ground in sight, where an upright wave meets it at several degrees, and the crest, which it grazes.
TEST(SightAlongGround, JoinsTheShadowAtTheHorizon) {
  struct Hill {
    double height_m, width_m, from_antenna_m, step_db;
  };
  for (const Hill& hill :
       {Hill{20, 150, 300, 1.5}, Hill{10, 100, 250, 1.5}, Hill{40, 400, 700, 1}, Hill{20, 60, 200, 3}}) {
    constexpr double antenna_x = 10, step_m = 0.5;
    const double top = antenna_x + hill.from_antenna_m, end = top + 1.5 * hill.width_m;
    const Environment ground(testing::terrain_of(10 * std::ceil(end / 10), 60, 10,
                                                 [&](Vec2 p) {
                                                   const double from_top = (p.x - top) / hill.width_m;
                                                   return hill.height_m * std::exp(-from_top * from_top);
                                                 }),
                             10);
    const auto above = [&](double x, double height_m) {
      return Vec3{x, 33, ground.scene.terrain.height_at({x, 33}) + height_m};
    };
    std::vector<Vec3> places;
    for (double x = top - 0.1 * hill.width_m; x < end - 10; x += step_m) places.push_back(above(x, 1.5));
    RayLaunchingOptions options = options_for_rays();
    options.tiles_are_targets = false;
    for (const double antenna_m : {10.0, 25.0}) {
      for (const double frequency_mhz : {300.0, 900.0}) {
        Transmitter transmitter = testing::test_transmitter(above(antenna_x, antenna_m));
        transmitter.frequency_hz = 1e6 * frequency_mhz;
        const std::vector<ArrivalSums> receivers =
            ground.launch(transmitter, testing::receivers_at(places), options).receivers;
        const auto hidden = std::find_if(receivers.begin(), receivers.end(), [](const auto& r) { return !r.direct; });
        ASSERT_NE(hidden, receivers.begin());
        ASSERT_NE(hidden, receivers.end());
        EXPECT_NEAR(decibels(testing::total_gain(*hidden) / testing::total_gain(*(hidden - 1))), 0, hill.step_db)
            << hill.height_m << " m, " << hill.width_m << " m wide, from " << antenna_m << " m, " << frequency_mhz;
      }
    }
  }
}

// What the house's wall reflects and its corner diffracts is lowered as what comes to the place.
TEST(SightAlongGround, GoesOnAsItArrives) {
  constexpr double wall_middle_z = 4;
  const auto lower_db = [](const std::string& interactions, Vec3 receiver) {
    const Ray before = ray_with(interactions, rays_to(plain(), receiver)),
              behind = ray_with(interactions, rays_to(hill(), receiver));
    return decibels(before.path_gain / behind.path_gain);
  };
  const double at_wall_db = lower_db("T", {house_x - 0.5, 33, wall_middle_z});
  EXPECT_GT(at_wall_db, 8);
  EXPECT_NEAR(lower_db("T-R", {house_x - 30, 37, wall_middle_z}), at_wall_db, 1);
  EXPECT_NEAR(lower_db("T-D", {house_x + 40, 50, wall_middle_z}), at_wall_db, 2);
}

// From a mast, too high for the wave to run along it.
TEST(SightOverUnevenGround, HasOneReflectionOnItWhicheverEndSends) {
  const auto uneven_z = [](Vec2 p) { return std::sin(2 * pi * p.x / 90) + 0.5 * std::sin(2 * pi * p.x / 41 + 1); };
  const Environment ground(testing::terrain_of(700, 60, 10, uneven_z), 10);
  const auto above = [&](double x, double height_m) {
    return Vec3{x, 33, ground.scene.terrain.height_at({x, 33}) + height_m};
  };
  const Vec3 mast = above(100, 40);
  for (const double x : {250.0, 333.0, 420.0, 500.0}) {
    const Vec3 low = above(x, 1.5);
    const std::vector<Ray> rays = rays_between(ground, mast, low);
    ASSERT_EQ(rays.size(), 2u) << x;
    const Ray direct = ray_with("T", rays), reflected = ray_with("T-G", rays),
              back = ray_with("T-G", rays_between(ground, low, mast));
    const Vec3 place = reflected.points[1];
    EXPECT_NEAR(place.z, ground.scene.terrain.height_at(place.xy()), 0.01) << x;
    const double way_m = norm(place - mast) + norm(low - place);
    EXPECT_NEAR(reflected.delay_ns, way_m / speed_of_light * 1e9, 0.5 / 0.85) << x;  // half a period
    EXPECT_GT(reflected.delay_ns, direct.delay_ns) << x;
    // But for the angle of the plane from foot to foot, which goes through the middle of a tile.
    EXPECT_NEAR(decibels(reflected.path_gain / back.path_gain), 0, 0.1) << x;
    EXPECT_NEAR(reflected.delay_ns, back.delay_ns, 1e-3) << x;
  }
}

// Antennas and receivers anywhere over random ground: two rays in step and a slope that focuses bring 9 dB over free
// space at most, both ways nearly the same.
TEST(SightAlongGround, KeepsItsDigitsOverRandomGround) {
  for (const double up_and_down_m : {0.2, 1.0, 4.0}) {
    testing::Random random(11);
    std::vector<double> heights;
    for (int node = 0; node < 60; ++node) heights.push_back(random.uniform(-up_and_down_m, up_and_down_m));
    const Environment ground(
        testing::terrain_of(580, 60, 10, [&](Vec2 p) { return heights[static_cast<std::size_t>(p.x / 10)]; }), 10);
    std::vector<Vec3> places;
    for (int place = 0; place < 24; ++place) {
      const Vec2 plan{random.uniform(10, 570), 33};
      places.push_back({plan.x, plan.y, ground.scene.terrain.height_at(plan) + random.uniform(1, 12)});
    }
    std::vector<double> differences_db;
    std::vector<std::vector<double>> gains_db;
    for (const Vec3 from : places) {
      const RayLaunchingResult result = ground.launch_to_receivers(testing::test_transmitter(from),
                                                                   testing::receivers_at(places), options_for_rays());
      gains_db.emplace_back();
      for (std::size_t r = 0; r < places.size(); ++r) {
        gains_db.back().push_back(decibels(testing::total_gain(result.receivers[r])));
        const double distance = norm(places[r] - from);
        if (distance < 30) continue;
        EXPECT_LT(gains_db.back().back() + free_space_loss_db(distance, 850e6), 9) << from.x << ' ' << places[r].x;
      }
    }
    for (std::size_t a = 0; a < places.size(); ++a) {
      for (std::size_t b = 0; b < a; ++b) {
        if (norm(places[a] - places[b]) > 30) differences_db.push_back(std::fabs(gains_db[a][b] - gains_db[b][a]));
      }
    }
    std::sort(differences_db.begin(), differences_db.end());
    EXPECT_LT(differences_db[differences_db.size() / 2], 0.5) << up_and_down_m;
    EXPECT_LT(differences_db[differences_db.size() * 9 / 10], 3) << up_and_down_m;
  }
}

// What goes through a house in the way, whose walls take nothing, is what comes without it.
TEST(SightAlongGround, RunsBehindABuildingThatLetsItThrough) {
  const auto straight_ray = [](bool with_building, Mechanism mechanism) {
    Scene scene = testing::terrain_of(900, 60, 10, hill_z);
    if (with_building) scene.prisms = {testing::box_prism(1, {560, 20}, {570, 46}, 0, 30)};
    const Environment environment(std::move(scene), 10);
    RayLaunchingOptions options = options_for_rays();
    options.transmission.nearest_building = true;
    options.transmission.wall_loss_db = 0;
    options.transmission.indoor_db_per_m = 0;
    const RayLaunchingResult result = environment.launch(testing::test_transmitter(above_hill(500, 2)),
                                                         testing::receivers_at({above_hill(700, 1.5)}), options);
    EXPECT_EQ(result.receivers[0].direct, !with_building);
    for (const Ray& ray : result.rays) {
      if (ray.mechanism == mechanism && ray.points.size() == 2) return ray;
    }
    ADD_FAILURE();
    return Ray{};
  };
  const Ray through = straight_ray(true, Mechanism::through_building), alone = straight_ray(false, Mechanism::direct);
  EXPECT_NEAR(decibels(through.path_gain / alone.path_gain), 0, 0.01);
  EXPECT_NEAR(through.delay_ns, alone.delay_ns, 1e-6);
}

TEST(SightAlongGround, IsToldOf) {
  const Vec3 at = above_hill(700, 1.5);
  RayLaunchingOptions options = options_for_rays();
  options.tiles_are_targets = false;
  const Transmitter transmitter = testing::test_transmitter(antenna);
  const Receiver receiver{1, at};
  const PointExplanation e = explain(bare_hill().launch(transmitter, {receiver}, options), transmitter, receiver,
                                     bare_hill().scene, bare_hill().tiling);
  EXPECT_TRUE(e.prediction.line_of_sight);
  EXPECT_GT(e.ground_in_sight_db, 8);
  EXPECT_EQ(e.roofs_in_sight_db, 0);
  EXPECT_NEAR(e.rays.front().ray.power_dbm,
              transmitter.erp_dbm + half_wave_dipole_gain_dbi - e.free_space_loss_db - e.ground_in_sight_db, 0.01);
  const std::string text = in_words(e);
  EXPECT_NE(text.find(" Uneven ground near the line of sight takes "), std::string::npos) << text;
}

// Past a house's corner what hides the antenna from a receiver hides its image in the ground, wherever the middles of
// tiles lie.
TEST(SightAlongGround, GroundReflectsPastACornerWhereTheAntennaIsSeen) {
  Scene scene = testing::flat_ground(150, 120);
  scene.prisms = {testing::box_prism(1, {60, 30}, {80, 70}, 0, 30)};
  const Environment corner(std::move(scene), 5);
  std::vector<Vec3> places;
  for (double y = 68; y < 78; y += 0.4) places.push_back({95.3, y, 1.5});
  RayLaunchingOptions options = testing::without_scattering(1, 0, 1);
  options.max_diffractions = 1;
  options.over_rooftop = OverRooftop::screens;
  const auto result = corner.launch(testing::test_transmitter({20.3, 65.2, 8}), testing::receivers_at(places), options);
  std::vector<int> straight(places.size()), by_ground(places.size());
  for (const Ray& ray : result.rays) {
    const std::size_t r = static_cast<std::size_t>(ray.target_id) - 1;
    straight[r] += ray.interactions == "T" ? 1 : 0;
    by_ground[r] += ray.interactions == "T-G" ? 1 : 0;
  }
  EXPECT_EQ(straight, by_ground);
  const auto in_sight = std::count(straight.begin(), straight.end(), 1);
  EXPECT_GT(in_sight, 5);
  EXPECT_LT(in_sight, static_cast<std::ptrdiff_t>(places.size()) - 5);
}

}  // namespace
}  // namespace tesseray
