// SPDX-License-Identifier: GPL-3.0-or-later
// Rays through the nearest building: walls and metres by hand, and what they bring to the street behind.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "core/base/units.h"
#include "core/physics/penetration.h"
#include "core/propagation/rays/building_transmission.h"
#include "tests/support/environment.h"
#include "tests/support/same_sums.h"
#include "tests/support/synthetic_city.h"
#include "tests/support/validation_page.h"

namespace tesseray {
namespace {

using testing::Environment;

TransmissionOptions ten_db_walls() { return {.nearest_building = true, .wall_loss_db = 10, .indoor_db_per_m = 0.5}; }

// A house of 20 m × 10 m with a tower on its east part, an arcade (a raised part) at its west end, and a far house.
Scene house() {
  Scene scene = testing::flat_ground(400, 400);
  scene.prisms = {
      testing::box_prism(1, {100, 100}, {120, 110}, 0, 12), testing::box_prism(1, {112, 100}, {120, 110}, 0, 30),
      testing::box_prism(1, {94, 100}, {100, 110}, 4, 12), testing::box_prism(2, {200, 100}, {230, 130}, 0, 25)};
  scene.prisms[1].part = 1;
  scene.prisms[2].part = 2;
  scene.prisms[2].on_ground = false;
  return scene;
}

TEST(BuildingTransmission, CountsOuterWallsAndMetres) {
  const Scene scene = house();
  const BuildingTransmission through(scene, {110, 90, 6}, 850e6, ten_db_walls());
  ASSERT_TRUE(through.any());
  // Straight through the house: two walls and 10 m.
  EXPECT_NEAR(through.loss_db({105, 90, 6}, {105, 130, 6}), 25, 1e-9);
  // Along it, through house and tower as one solid, from the end of the arcade on.
  EXPECT_NEAR(through.loss_db({80, 105, 6}, {180, 105, 6}), 20 + 13, 1e-9);
  // Under the arcade there is air: only the house.
  EXPECT_NEAR(through.loss_db({80, 105, 2}, {180, 105, 2}), 20 + 10, 1e-9);
  // Above the house, through the tower alone.
  EXPECT_NEAR(through.loss_db({80, 105, 20}, {180, 105, 20}), 20 + 4, 1e-9);
  // Over everything, and through another building: nothing to pay here.
  EXPECT_EQ(through.loss_db({80, 105, 40}, {180, 105, 40}), 0);
  EXPECT_EQ(through.loss_db({190, 115, 6}, {240, 115, 6}), 0);
  // From a mast on the roof, down through roof and wall: 12 m of height over 12 m of way.
  EXPECT_NEAR(through.loss_db({105, 105, 15}, {105, 120, 0}), 20 + 0.5 * 2 * std::sqrt(2.0), 1e-9);
  EXPECT_NEAR(through.amplitude({105, 90, 6}, {105, 130, 6}), std::pow(10, -25.0 / 20), 1e-12);
}

// Houses wall to wall, each a feature of its own, between an antenna at x = −20 m and a street at x = 60 m.
double loss_across(std::vector<Prism> prisms, Vec3 from = {-20, 10, 5}, Vec3 to = {60, 10, 5}) {
  Scene scene = testing::flat_ground(400, 400);
  scene.prisms = std::move(prisms);
  return BuildingTransmission(scene, from, 850e6, ten_db_walls()).loss_db(from, to);
}

Prism house_between(std::int64_t id, double low_x, double high_x, double top_z = 10) {
  return testing::box_prism(id, {low_x, 0}, {high_x, 20}, 0, top_z);
}

TEST(BuildingTransmission, HousesThatTouchAreOneSolid) {
  // Two walls and 20 m, however the data cut it: in one, two or three, overlapping, or with a gap that is none to
  // tiles.
  const double whole = 20 + 0.5 * 20;
  EXPECT_NEAR(loss_across({house_between(1, 0, 20)}), whole, 1e-9);
  EXPECT_NEAR(loss_across({house_between(1, 0, 10), house_between(2, 10, 20)}), whole, 1e-9);
  EXPECT_NEAR(loss_across({house_between(3, 13, 20), house_between(2, 4, 13), house_between(1, 0, 4)}), whole, 1e-9);
  EXPECT_NEAR(loss_across({house_between(1, 0, 12), house_between(2, 8, 20)}), whole, 1e-9);
  EXPECT_NEAR(loss_across({house_between(1, 0, 10), house_between(2, 10.04, 20)}), whole, 1e-9);
  EXPECT_NEAR(loss_across({house_between(1, 0, 20), house_between(2, 5, 15)}), whole, 1e-9);
  EXPECT_NEAR(loss_across({house_between(2, 0, 20), house_between(1, 0, 20)}), whole, 1e-9);
  // Askew through the gap, which is 0.09 m long then.
  const double askew =
      loss_across({testing::box_prism(1, {0, 0}, {10, 80}, 0, 10), testing::box_prism(2, {10.04, 0}, {20, 80}, 0, 10)},
                  {-1, 1, 5}, {21, 45, 5});
  EXPECT_NEAR(askew, 20 + 0.5 * 20 * std::sqrt(5.0), 1e-9);
  // A lane is one: the house behind it is another, which stays in the way.
  EXPECT_NEAR(loss_across({house_between(1, 0, 10), house_between(2, 10.5, 20)}), 20 + 0.5 * 10, 1e-9);
  // Over the lower neighbour, and down through its roof: 4.5 m high at x = 30 m.
  EXPECT_NEAR(loss_across({house_between(1, 0, 10), house_between(2, 10, 20, 4)}), 20 + 0.5 * 10, 1e-9);
  EXPECT_NEAR(loss_across({house_between(1, 0, 10), house_between(2, 10, 40, 4.5)}, {-20, 10, 7}, {80, 10, 2}),
              20 + 20 + 0.5 * (10 + 10) * std::sqrt(1 + 0.05 * 0.05), 1e-9);
}

// Along a terrace, around a yard of four wings, and from floor to floor.
TEST(BuildingTransmission, BlocksArePaidForAsTheRayPassesThem) {
  std::vector<Prism> terrace;
  for (int i = 0; i < 8; ++i) terrace.push_back(house_between(i + 1, 6 * i, 6 * i + 6));
  EXPECT_NEAR(loss_across(terrace), 20 + 0.5 * 48, 1e-9);
  EXPECT_NEAR(loss_across(terrace, {27, -5, 5}, {27, 25, 5}), 20 + 0.5 * 20, 1e-9);
  const std::vector<Prism> around_yard = {
      testing::box_prism(1, {0, 0}, {8, 40}, 0, 10), testing::box_prism(2, {8, 0}, {32, 8}, 0, 10),
      testing::box_prism(3, {32, 0}, {40, 40}, 0, 10), testing::box_prism(4, {8, 32}, {32, 40}, 0, 10)};
  EXPECT_NEAR(loss_across(around_yard, {-20, 20, 5}, {60, 20, 5}), 40 + 0.5 * 16, 1e-9);
  EXPECT_NEAR(loss_across(around_yard, {-20, 20, 5}, {20, 20, 5}), 20 + 0.5 * 8, 1e-9);
  // And of one polygon, along a wall of its yard, too.
  Prism with_yard = testing::box_prism(1, {0, 0}, {40, 40}, 0, 10);
  with_yard.rings.push_back({{8, 8}, {8, 32}, {32, 32}, {32, 8}});
  for (const std::vector<Prism>& house : {around_yard, {with_yard}}) {
    EXPECT_NEAR(loss_across(house, {8.03, -20, 5}, {8.03, 60, 5}), 40 + 0.5 * 16, 1e-9);
  }
  Prism upper = house_between(2, 0, 20, 16);
  upper.bottom_z = 10;
  upper.on_ground = false;
  EXPECT_NEAR(loss_across({house_between(1, 0, 20), upper}, {-20, 10, 12}, {60, 10, 12}), 20 + 0.5 * 20, 1e-9);
  EXPECT_NEAR(loss_across({house_between(1, 0, 20), upper}, {10, 10, 20}, {10, 10.001, 4}), 20 + 0.5 * 12, 1e-6);
  // High above its neighbour, which is nearer, it does not touch it.
  upper.bottom_z = 12;
  EXPECT_NEAR(loss_across({house_between(1, -1, 20), upper}, {-20, 10, 14}, {60, 10, 14}), 0, 1e-9);
}

// A podium, and floors of the same building in the air over it: from a mast on top down to the street.
TEST(BuildingTransmission, BetweenPartsOverEachOtherThereIsAir) {
  Scene scene = testing::flat_ground(400, 400);
  scene.prisms = {testing::box_prism(1, {100, 60}, {140, 100}, 0, 5),
                  testing::box_prism(1, {100, 60}, {140, 100}, 8, 15)};
  scene.prisms[1].part = 1;
  scene.prisms[1].on_ground = false;
  const Vec3 mast{130, 80, 16};
  const BuildingTransmission through(scene, mast, 850e6, ten_db_walls());
  for (const double x : {140.5, 141.0, 142.0}) {
    // By height: 7 m of the floors and what is left of 5 m below, where the way is still over the podium.
    const Vec3 street{x, 80, 1.5};
    const double slope = norm(street - mast) / (mast.z - street.z), out_z = 16 - 10 * (mast.z - street.z) / (x - 130);
    const double inside_m = slope * (7 + (5 - out_z));
    EXPECT_NEAR(through.loss_db(mast, street), 40 + 0.5 * inside_m, 1e-9) << x;
    EXPECT_NEAR(through.loss_db(street, mast), 40 + 0.5 * inside_m, 1e-9) << x;
  }
  // Straight down, into the podium.
  EXPECT_NEAR(through.loss_db(mast, {130, 80, 6}), 20 + 0.5 * 7, 1e-9);
}

// A feature of several polygons is not one solid for that: what stands apart stays in the way.
TEST(BuildingTransmission, PartsOfAFeatureThatStandApartAreNotTheNearestBuilding) {
  Prism apart = house_between(1, 30, 40);
  apart.part = 1;
  EXPECT_NEAR(loss_across({house_between(1, 0, 20), apart}), 20 + 0.5 * 20, 1e-9);
}

TEST(BuildingTransmission, HousesThatMeetAtACornerAreTwo) {
  const std::vector<Prism> corner = {testing::box_prism(1, {0, 0}, {10, 10}, 0, 10),
                                     testing::box_prism(2, {10, 10}, {20, 20}, 0, 10)};
  EXPECT_NEAR(loss_across(corner, {-5, 5, 5}, {25, 15, 5}), 20 + 0.5 * 10 * std::sqrt(10.0 / 9), 1e-9);
}

TEST(BuildingTransmission, IsTheSameBackwards) {
  const Scene scene = house();
  const BuildingTransmission through(scene, {110, 90, 6}, 850e6, ten_db_walls());
  testing::Random random(3);
  for (int i = 0; i < 200; ++i) {
    const Vec3 a{random.uniform(80, 140), random.uniform(85, 99), random.uniform(1, 35)};
    const Vec3 b{random.uniform(80, 140), random.uniform(111, 130), random.uniform(1, 35)};
    EXPECT_NEAR(through.loss_db(a, b), through.loss_db(b, a), 1e-9);
  }
}

TEST(BuildingTransmission, TakesTheNearestBuildingAndItsMaterials) {
  Scene scene = house();
  scene.materials.push_back({"wood", 1.99, 0, 0.0047, 1.0718});
  scene.prisms[3].material = 1;
  TransmissionOptions options{.nearest_building = true};
  const BuildingTransmission near_house(scene, {110, 90, 6}, 2e9, options);
  EXPECT_NEAR(near_house.loss_db({105, 90, 6}, {105, 130, 6}), 2 * (5 + 4 * 2.0) + 0.5 * 10, 1e-9);
  const BuildingTransmission on_the_other(scene, {215, 115, 28}, 2e9, options);
  EXPECT_NEAR(on_the_other.loss_db({190, 115, 6}, {240, 115, 6}), 2 * (4.85 + 0.12 * 2.0) + 0.5 * 30, 1e-9);
}

// Across a street as well as on the antenna's own side, in whatever order they are.
TEST(BuildingTransmission, BuildingsThatAreEquallyNearAreAllTaken) {
  const Prism west = house_between(1, -40, -20), east = house_between(2, 10, 35), far = house_between(3, 45, 60);
  for (const std::vector<Prism>& prisms : {std::vector{west, east, far}, std::vector{far, east, west}}) {
    Scene scene = testing::flat_ground(400, 400);
    scene.prisms = prisms;
    const Vec3 antenna{-5, 10, 5};
    const BuildingTransmission through(scene, antenna, 850e6, ten_db_walls());
    EXPECT_NEAR(through.loss_db(antenna, {-60, 10, 5}), 20 + 0.5 * 20, 1e-9);
    EXPECT_NEAR(through.loss_db(antenna, {40, 10, 5}), 20 + 0.5 * 25, 1e-9);
    EXPECT_NEAR(through.loss_db(antenna, {70, 10, 5}), 20 + 0.5 * 25, 1e-9);
  }
}

TEST(BuildingTransmission, RoofsLoseByTheirOwnMaterial) {
  Scene scene = house();
  scene.materials.push_back({"wood", 1.99, 0, 0.0047, 1.0718});
  scene.materials.push_back({"metal", 1, 0, 1e7, 0});
  scene.default_materials = {.ground = 0, .wall = 1, .roof = 2};
  const BuildingTransmission through(scene, {105, 105, 15}, 2e9, {.nearest_building = true});
  constexpr double wood = 4.85 + 0.12 * 2.0, metal = 23 + 0.3 * 2.0, indoor = 0.5;
  // Down through the roof, out at a wall; level, through walls alone; down and out below the raised part.
  EXPECT_NEAR(through.loss_db({105, 105, 15}, {105, 115, 5}), metal + wood + indoor * 2 * std::sqrt(2.0), 1e-9);
  EXPECT_NEAR(through.loss_db({105, 90, 6}, {105, 130, 6}), 2 * wood + indoor * 10, 1e-9);
  EXPECT_NEAR(through.loss_db({97, 105, 20}, {97, 105.001, 1}), 2 * metal + indoor * 8, 1e-3);
  // A building's material is that of its walls alone.
  scene.materials.push_back({"glass", 6.31, 0, 0.0036, 1.3394});
  scene.prisms[0].material = 3;
  constexpr double glass = 2 + 0.2 * 2.0;
  const BuildingTransmission of_glass(scene, {105, 105, 15}, 2e9, {.nearest_building = true});
  EXPECT_NEAR(of_glass.loss_db({105, 105, 15}, {105, 115, 5}), metal + glass + indoor * 2 * std::sqrt(2.0), 1e-9);
  EXPECT_NEAR(of_glass.loss_db({105, 90, 6}, {105, 130, 6}), 2 * glass + indoor * 10, 1e-9);
}

TEST(BuildingTransmission, MayHideWhateverItHides) {
  const Scene scene = house();
  const Occlusion whole(scene);
  testing::Random random(5);
  // At a corner, on the roof, and above all roofs.
  for (const Vec3 antenna : {Vec3{122, 98, 6}, Vec3{116, 105, 33}, Vec3{150, 85, 40}}) {
    const BuildingTransmission building(scene, antenna, 850e6, ten_db_walls());
    int hidden = 0, certainly_not = 0;
    for (int i = 0; i < 20'000; ++i) {
      const Vec3 to{random.uniform(60, 260), random.uniform(60, 160), random.uniform(0.5, 40)};
      const bool may_hide = building.may_hide(antenna, to);
      certainly_not += !may_hide;
      if (whole.is_free(antenna, to) == building.occlusion_without().is_free(antenna, to)) continue;
      ++hidden;
      EXPECT_TRUE(may_hide) << to.x << " " << to.y << " " << to.z;
    }
    EXPECT_GT(hidden, 300);
    EXPECT_GT(certainly_not, 1000);
  }
}

TEST(Penetration, IsTheTableOf38901) {
  EXPECT_DOUBLE_EQ(wall_penetration_loss_db("glass", 3.5e9), 2 + 0.2 * 3.5);
  EXPECT_DOUBLE_EQ(wall_penetration_loss_db("concrete", 3.5e9), 5 + 4 * 3.5);
  EXPECT_DOUBLE_EQ(wall_penetration_loss_db("wood", 3.5e9), 4.85 + 0.12 * 3.5);
  EXPECT_DOUBLE_EQ(wall_penetration_loss_db("metal", 3.5e9), 23 + 0.3 * 3.5);
  EXPECT_DOUBLE_EQ(wall_penetration_loss_db("default", 3.5e9), 5 + 4 * 3.5);
  // Buildings keep the names that their data give.
  EXPECT_DOUBLE_EQ(wall_penetration_loss_db("steel", 3.5e9), 23 + 0.3 * 3.5);
  EXPECT_DOUBLE_EQ(wall_penetration_loss_db("timber", 3.5e9), 4.85 + 0.12 * 3.5);
}

RayLaunchingOptions through(bool on) {
  RayLaunchingOptions options = testing::direct_only();
  options.transmission = ten_db_walls();
  options.transmission.nearest_building = on;
  options.rays_per_receiver = 10;
  return options;
}

TEST(ThroughBuilding, BringsFreeSpaceLessTheLossBehindTheNearestBuilding) {
  const Environment environment(house(), 10);
  const Vec3 antenna{105, 85, 6};
  // Behind the house; in sight; behind the other house.
  const std::vector<Vec3> places = {{105, 150, 6}, {60, 85, 6}, {260, 118, 6}};
  const Transmitter transmitter = testing::test_transmitter(antenna);
  const auto receivers = testing::receivers_at(places);
  const RayLaunchingResult off = environment.launch_to_receivers(transmitter, receivers, through(false));
  const RayLaunchingResult on = environment.launch_to_receivers(transmitter, receivers, through(true));
  EXPECT_EQ(off.receivers[0].rays, 0u);
  const double lambda = wavelength_m(850e6);
  const double free_space = lambda / (4 * pi * norm(places[0] - antenna));
  EXPECT_NEAR(decibels(on.receivers[0].gain.value() / (free_space * free_space)), -25, 1e-6);
  EXPECT_EQ(on.receivers[0].strongest_mechanism, Mechanism::through_building);
  EXPECT_FALSE(on.receivers[0].direct);
  for (const std::size_t other : {std::size_t{1}, std::size_t{2}}) {
    testing::expect_same(on.receivers[other], off.receivers[other]);
  }
  ASSERT_FALSE(on.rays.empty());
  EXPECT_EQ(on.rays.front().interactions, "T-B");
  EXPECT_EQ(on.rays.front().mechanism, Mechanism::through_building);
  EXPECT_EQ(on.rays.front().points.size(), 2u);
  EXPECT_NEAR(on.ray_gains[0].through_building, on.receivers[0].gain.value(), 1e-20);
}

// Two houses wall to wall hide the street behind them together.
TEST(ThroughBuilding, BringsFreeSpaceLessTheLossBehindHousesThatTouch) {
  Scene scene = testing::flat_ground(200, 100);
  scene.prisms = {testing::box_prism(1, {60, 0}, {70, 100}, 0, 10), testing::box_prism(2, {70, 0}, {80, 100}, 0, 10)};
  const Environment environment(std::move(scene), 10);
  const Vec3 antenna{40, 50, 5}, place{120, 50, 1.5};
  const RayLaunchingResult result = environment.launch_to_receivers(testing::test_transmitter(antenna),
                                                                    testing::receivers_at({place}), through(true));
  ASSERT_EQ(result.rays.size(), 1u);
  EXPECT_EQ(result.rays.front().interactions, "T-B");
  const double distance_m = norm(place - antenna);
  EXPECT_NEAR(-decibels(result.receivers[0].gain.value()),
              free_space_loss_db(distance_m, 850e6) + 20 + 0.5 * 20 * distance_m / 80, 1e-6);
}

TEST(ThroughBuilding, TilesBehindReflectOnce) {
  Scene scene = house();
  // A long wall across the street behind the house.
  scene.prisms.push_back(testing::box_prism(3, {60, 140}, {160, 150}, 0, 20));
  const Environment environment(scene, 5);
  const Vec3 antenna{110, 85, 6}, receiver{90, 125, 6};
  RayLaunchingOptions options = testing::without_scattering(1, 0, 1);
  options.transmission = ten_db_walls();
  const auto on =
      environment.launch_to_receivers(testing::test_transmitter(antenna), testing::receivers_at({receiver}), options);
  const Vec3 image{receiver.x, 280 - receiver.y, receiver.z};
  const BuildingTransmission expected(environment.scene, antenna, 850e6, options.transmission);
  const auto found =
      std::find_if(on.rays.begin(), on.rays.end(), [](const Ray& ray) { return ray.interactions == "T-B-R"; });
  ASSERT_NE(found, on.rays.end());
  EXPECT_EQ(found->mechanism, Mechanism::reflection);
  EXPECT_NEAR(found->delay_ns, norm(image - antenna) / speed_of_light * 1e9, 1e-3);
  // The loss is that of the way to the tile's middle, near the way to the point of reflection.
  options.transmission.wall_loss_db = 0;
  options.transmission.indoor_db_per_m = 0;
  const auto lossless =
      environment.launch_to_receivers(testing::test_transmitter(antenna), testing::receivers_at({receiver}), options);
  const auto same = std::find_if(lossless.rays.begin(), lossless.rays.end(),
                                 [](const Ray& ray) { return ray.interactions == "T-B-R"; });
  ASSERT_NE(same, lossless.rays.end());
  const double loss_db = decibels(same->path_gain / found->path_gain);
  EXPECT_NEAR(loss_db, expected.loss_db(antenna, found->points[1]), 0.5);
  EXPECT_GT(loss_db, 24);
}

// Two rays go through the building, one by way of the ground before or behind it: to tiles and to receivers alike.
TEST(ThroughBuilding, TheGroundBeforeItReflectsToReceiversToo) {
  Scene scene = testing::flat_ground(800, 60);
  scene.prisms = {testing::box_prism(1, {400, 0}, {410, 60}, 0, 30)};
  const Environment town(testing::with_material(std::move(scene), 5, 0.01), 10);
  Transmitter transmitter = testing::test_transmitter({5, 33, 3});
  transmitter.frequency_hz = 450e6;
  RayLaunchingOptions options = testing::without_scattering(1, 0, 1);
  options.transmission = ten_db_walls();
  std::vector<Vec3> places;
  std::vector<std::size_t> tiles;
  for (std::size_t t = 0; t < town.tiling.tiles.size(); ++t) {
    const Tile& tile = town.tiling.tiles[t];
    if (tile.kind != SurfaceKind::ground || tile.centroid.x < 412 || std::fabs(tile.centroid.y - 33) > 4) continue;
    places.push_back(target_point(tile, options.receiver_height_m));
    tiles.push_back(t);
  }
  ASSERT_GT(places.size(), 30u);
  for (const Summation summation : {Summation::coherent, Summation::local_mean, Summation::power}) {
    options.summation = summation;
    const RayLaunchingResult result = town.launch(transmitter, testing::receivers_at(places), options);
    for (std::size_t i = 0; i < places.size(); ++i) {
      const double tile = testing::total_gain(result.tiles[tiles[i]]);
      EXPECT_NEAR(decibels(testing::total_gain(result.receivers[i]) / tile), 0, 0.01) << places[i].x;
    }
  }
}

// A house that costs nothing and reflects nothing is no house: straight rays through it are in step with their
// reflections on the ground as those in the open are.
TEST(ThroughBuilding, AHouseThatCostsNothingIsNone) {
  const auto town = [](bool with_house) {
    Scene scene = testing::flat_ground(200, 100);
    scene.prisms = {testing::box_prism(1, {190, 5}, {195, 10}, 0, 3)};
    if (with_house) scene.prisms.push_back(testing::box_prism(2, {40, 0}, {50, 100}, 0, 20));
    scene.materials.push_back({"vacuum", 1, 0, 0, 0});
    for (Prism& prism : scene.prisms) prism.material = 1;
    return Environment(std::move(scene), 10);
  };
  const Environment house = town(true), open = town(false);
  const std::vector<Vec3> places{{55, 50.4, 1.5}, {70, 50.4, 1.5}, {90, 61, 3}, {130, 44, 1.5}, {175, 50.4, 1.5}};
  RayLaunchingOptions options = testing::without_scattering(1, 0, 1);
  options.transmission = {.nearest_building = true, .wall_loss_db = 0, .indoor_db_per_m = 0};
  Transmitter transmitter = testing::test_transmitter({24.7, 50.7, 6});
  for (const double frequency_hz : {450e6, 3.5e9, 28e9}) {
    transmitter.frequency_hz = frequency_hz;
    for (const Summation summation : {Summation::coherent, Summation::local_mean, Summation::power}) {
      options.summation = summation;
      const auto through = house.launch(transmitter, testing::receivers_at(places), options),
                 free = open.launch(transmitter, testing::receivers_at(places), options);
      for (std::size_t r = 0; r < places.size(); ++r) {
        const double ratio = testing::total_gain(through.receivers[r]) / testing::total_gain(free.receivers[r]);
        EXPECT_NEAR(decibels(ratio), 0, 1e-6) << frequency_hz << " " << places[r].x;
      }
      std::size_t behind = 0;
      for (std::size_t t = 0; t < house.tiling.tiles.size(); ++t) {
        const Tile& tile = house.tiling.tiles[t];
        if (tile.kind != SurfaceKind::ground || tile.centroid.x < 52 || tile.centroid.x > 180) continue;
        const auto same = std::find_if(open.tiling.tiles.begin(), open.tiling.tiles.end(), [&](const Tile& other) {
          return other.kind == SurfaceKind::ground && norm(other.centroid - tile.centroid) < 1e-6;
        });
        if (same == open.tiling.tiles.end()) continue;
        const auto in_open = free.tiles[static_cast<std::size_t>(same - open.tiling.tiles.begin())];
        EXPECT_NEAR(decibels(testing::total_gain(through.tiles[t]) / testing::total_gain(in_open)), 0, 1e-6)
            << frequency_hz << " " << tile.centroid.x << " " << tile.centroid.y;
        ++behind;
      }
      EXPECT_GT(behind, 60u);
    }
  }
}

// Between an antenna at x = 30 m and a house stands, or does not, one that hides `up_to_m` of it.
struct WithAndWithout {
  explicit WithAndWithout(double up_to_m, std::vector<Prism> others = {})
      : with(scene(up_to_m, others, true), 10), without(scene(up_to_m, others, false), 10) {}

  static Scene scene(double up_to_m, const std::vector<Prism>& others, bool with) {
    Scene scene = testing::flat_ground(160, 140);
    scene.prisms = {testing::box_prism(1, {90, 75}, {110, 105}, 0, 8)};
    scene.prisms.insert(scene.prisms.end(), others.begin(), others.end());
    if (with) scene.prisms.push_back(testing::box_prism(2, {40, 0}, {50, 140}, 0, up_to_m));
    return testing::with_material(std::move(scene), 5, 0.01);
  }

  Environment with, without;
};

constexpr Vec3 before_both{30, 70, 3};

// What comes around the corner of a house behind the nearest one: as if that were not there, less its two walls.
TEST(ThroughBuilding, EdgesBehindDiffractToTilesAndReceivers) {
  const WithAndWithout town(30);
  std::vector<Vec3> places;
  for (const double x : {115.0, 125.0, 145.0}) {
    for (const double y : {78.0, 85.0, 93.0}) places.push_back({x, y, 1.5});
  }
  RayLaunchingOptions options = testing::without_scattering(0, 1, 1);
  options.transmission = {.nearest_building = true, .wall_loss_db = 10, .indoor_db_per_m = 0};
  const auto launch = [&](const Environment& environment) {
    return environment.launch(testing::test_transmitter(before_both), testing::receivers_at(places), options);
  };
  RayLaunchingResult through = launch(town.with);
  options.transmission = {};
  RayLaunchingResult open = launch(town.without);
  for (std::size_t r = 0; r < places.size(); ++r) {
    ASSERT_GT(open.receivers[r].rays, 0u);
    EXPECT_EQ(through.receivers[r].rays, open.receivers[r].rays);
    EXPECT_NEAR(decibels(through.receivers[r].gain.value() / open.receivers[r].gain.value()), -20, 1e-6);
  }
  EXPECT_EQ(through.rays.front().interactions, "T-B-D");
  EXPECT_EQ(through.rays.front().mechanism, Mechanism::diffraction);
  std::size_t behind = 0;
  for (std::size_t t = 0; t < town.with.tiling.tiles.size(); ++t) {
    const Tile& tile = town.with.tiling.tiles[t];
    if (tile.kind != SurfaceKind::ground || tile.centroid.x < 115) continue;
    const auto same = std::find_if(town.without.tiling.tiles.begin(), town.without.tiling.tiles.end(),
                                   [&](const Tile& other) { return norm(other.centroid - tile.centroid) < 1e-6; });
    ASSERT_NE(same, town.without.tiling.tiles.end());
    const ArrivalSums& in_open = open.tiles[static_cast<std::size_t>(same - town.without.tiling.tiles.begin())];
    if (in_open.rays == 0 || in_open.direct) continue;
    EXPECT_NEAR(decibels(testing::total_gain(through.tiles[t]) / testing::total_gain(in_open)), -20, 1e-6)
        << tile.centroid.y;
    ++behind;
  }
  EXPECT_GT(behind, 20u);
}

// Those by way of the ground before the edge and behind it, too; what goes over the roofs does not stand for them.
TEST(ThroughBuilding, EdgesBehindDiffractWhatTheGroundReflects) {
  const WithAndWithout town(30);
  const auto receivers = testing::receivers_at({{125, 85, 1.5}, {140, 93, 1.5}});
  RayLaunchingOptions options = testing::without_scattering(1, 1, 2);
  options.transmission = {.nearest_building = true, .wall_loss_db = 10, .indoor_db_per_m = 0};
  options.ray_losses = true;
  for (const OverRooftop over_rooftop : {OverRooftop::none, OverRooftop::screens}) {
    options.over_rooftop = over_rooftop;
    const auto rays = [&](const Environment& environment) {
      return environment.launch_to_receivers(testing::test_transmitter(before_both), receivers, options).rays;
    };
    const std::vector<Ray> through = rays(town.with);
    std::size_t compared = 0;
    for (const Ray& ray : rays(town.without)) {
      const std::string way = ray.interactions;
      if (way != "T-D" && way != "T-G-D" && way != "T-D-G") continue;
      const auto same = std::find_if(through.begin(), through.end(), [&](const Ray& other) {
        return other.target_id == ray.target_id && other.interactions == "T-B" + way.substr(1) &&
               std::fabs(other.delay_ns - ray.delay_ns) < 1e-6;
      });
      ASSERT_NE(same, through.end()) << way;
      EXPECT_NEAR(decibels(same->path_gain / ray.path_gain), -20, 1e-6) << way;
      const auto building =
          std::find_if(same->losses.begin(), same->losses.end(), [](const RayLoss& loss) { return loss.step == "B"; });
      ASSERT_NE(building, same->losses.end());
      EXPECT_NEAR(building->loss_db, 20, 1e-6) << way;
      ++compared;
    }
    EXPECT_GE(compared, 4u);
  }
}

// The antenna sees the upper part of an edge segment over the nearest house, and the rest through it.
TEST(ThroughBuilding, EdgesSeenInPartDiffractFromEachPartOnce) {
  // Its shadow ends above the middle of a segment of the tower's edges, or below.
  for (const double house_m : {5.3, 4.9}) {
    const WithAndWithout town(house_m, {testing::box_prism(3, {90, 30}, {96, 50}, 0, 30)});
    std::vector<Vec3> places;
    for (double z = 1; z < 26; z += 1) places.push_back({130, 52, z});
    const auto receivers = testing::receivers_at(places);
    RayLaunchingOptions options = testing::without_scattering(0, 1, 1);
    options.transmission = {.nearest_building = true, .wall_loss_db = 0, .indoor_db_per_m = 0};
    const auto upright_edge = [](const Environment& environment, const Ray& ray) {
      const std::size_t tiles = environment.tiling.tiles.size();
      if (ray.elements.size() != 1 || ray.elements[0] < tiles) return false;
      const EdgeSegment& edge = environment.tiling.edges[ray.elements[0] - tiles];
      return edge.kind == EdgeKind::corner && edge.midpoint.x > 80 && edge.midpoint.y < 60;
    };
    const auto gains = [&](const Environment& environment, bool is_through) {
      std::map<std::pair<std::int64_t, long>, double> by_length;
      for (const Ray& ray :
           environment.launch_to_receivers(testing::test_transmitter(before_both), receivers, options).rays) {
        if (!upright_edge(environment, ray) || (ray.goes_through_building() && !is_through)) continue;
        by_length[{ray.target_id, std::lround(1e3 * ray.delay_ns)}] += ray.path_gain;
      }
      return by_length;
    };
    const auto all = gains(town.with, true), in_air = gains(town.with, false), open = gains(town.without, true);
    EXPECT_LT(in_air.size(), all.size());
    EXPECT_EQ(all.size(), open.size());
    for (const auto& [ray, gain] : open) {
      const auto same = all.find(ray);
      ASSERT_NE(same, all.end());
      EXPECT_NEAR(decibels(same->second / gain), 0, 0.5) << ray.first;
    }
  }
}

TEST(ThroughBuilding, TilesAreReachedOnceAndTheSameWithAnyReceivers) {
  const Environment environment(house(), 10);
  const Transmitter transmitter = testing::test_transmitter({105, 85, 6});
  const RayLaunchingResult on = environment.launch(transmitter, {}, through(true));
  const RayLaunchingResult off = environment.launch(transmitter, {}, through(false));
  std::size_t more = 0;
  for (std::size_t t = 0; t < on.tiles.size(); ++t) {
    if (off.tiles[t].rays > 0) {
      testing::expect_same(on.tiles[t], off.tiles[t]);
    } else if (on.tiles[t].rays > 0) {
      ++more;
      EXPECT_EQ(on.tiles[t].rays, 1u);
    }
  }
  EXPECT_GT(more, 50u);
}

// A detached wooden house before a row of others; the antenna hangs at its south-eastern corner.
TEST(ThroughBuilding, FillsTheSideStreetBehindACornerSite) {
  Scene scene = testing::flat_ground(400, 400);
  scene.prisms = {testing::box_prism(1, {150, 208}, {192, 240}, 0, 15),
                  testing::box_prism(2, {150, 256}, {192, 288}, 0, 15)};
  scene.materials.push_back({"wood", 1.99, 0, 0.0047, 1.0718});
  scene.prisms[0].material = 1;
  const Environment town(scene, 5);
  Transmitter transmitter = testing::test_transmitter({193, 207, 8});
  const std::vector<Vec3> places = {{200, 248, 1.5}, {186, 248, 1.5}, {176, 248, 1.5}, {160, 248, 1.5}};
  const char* const names[] = {"beside the house, in sight", "behind it, 6 m from its end", "16 m", "32 m"};
  RayLaunchingOptions options;
  options.over_rooftop = OverRooftop::screens;
  options.summation = Summation::power;
  const auto path_losses = [&](bool with) {
    options.transmission.nearest_building = with;
    const RayLaunchingResult result = town.launch_to_receivers(transmitter, testing::receivers_at(places), options);
    std::vector<double> losses;
    for (const ArrivalSums& sums : result.receivers) {
      losses.push_back(-half_wave_dipole_gain_dbi - decibels(sums.gain.value()));
    }
    return losses;
  };
  const std::vector<double> without = path_losses(false), with = path_losses(true);
  const BuildingTransmission building(scene, transmitter.position, transmitter.frequency_hz,
                                      {.nearest_building = true});
  for (std::size_t r = 0; r < places.size(); ++r) {
    testing::expect_in_validation_page({names[r], testing::fixed(without[r], 1),
                                        testing::fixed(building.loss_db(transmitter.position, places[r]), 1),
                                        testing::fixed(with[r], 1)});
    EXPECT_LE(with[r], without[r]);
  }
  EXPECT_LT(with[2], without[2] - 3);
}

}  // namespace
}  // namespace tesseray
