// SPDX-License-Identifier: GPL-3.0-or-later
// Rays over the roofs: what stands in the vertical plane, the loss over it, and how the launcher sums them.
#include "core/propagation/rooftops/over_rooftop.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <span>
#include <tuple>
#include <utility>
#include <vector>

#include "core/base/units.h"
#include "core/physics/knife_edge.h"
#include "core/physics/link_metrics.h"
#include "core/physics/material.h"
#include "core/propagation/images/image_tracer.h"
#include "core/propagation/rooftops/roof_edge.h"
#include "core/scene/ground_plan/prism_index.h"
#include "tests/support/environment.h"
#include "tests/support/exact_knife_edges.h"
#include "tests/support/exact_wedge.h"
#include "tests/support/rooftop_profile.h"
#include "tests/support/synthetic_city.h"

namespace tesseray {
namespace {

using testing::Environment;

double decibels_between(double a, double b) { return 10.0 * std::log10(a / b); }

// Everything in front of the line and above it, from samples of the highest surface along it.
TEST(RooftopProfiles, HaveWhatTheHighestSurfaceHas) {
  testing::SyntheticCityOptions options;
  options.width_m = options.depth_m = 600;
  options.hill_m = 0;
  for (const std::uint64_t seed : {1u, 2u, 3u}) {
    options.seed = seed;
    const Scene scene = testing::synthetic_city(options);
    const RooftopProfiles profiles(scene, PrismIndex(scene));
    const PrismIndex surface(scene);
    testing::Random random(seed);
    std::size_t edges = 0;
    for (int pair = 0; pair < 60; ++pair) {
      const Vec3 from{random.uniform(-20, 620), random.uniform(-20, 620), random.uniform(5, 40)};
      const Vec3 to{random.uniform(0, 600), random.uniform(0, 600), 1.5};
      const double length = norm(to.xy() - from.xy());
      if (length < 50) continue;
      constexpr double margin_m = 3.0;
      const std::vector<Vec2> profile = testing::profile_between(profiles, from, to, margin_m);
      ASSERT_TRUE(std::is_sorted(profile.begin(), profile.end(), [](Vec2 a, Vec2 b) { return a.x <= b.x; }));
      const auto place = [&](double distance) { return from.xy() + (distance / length) * (to.xy() - from.xy()); };
      const auto line = [&](double distance) { return from.z + (to.z - from.z) * distance / length; };
      edges += profile.size() - 2;
      // Each edge has its roof beside it.
      for (std::size_t i = 1; i + 1 < profile.size(); ++i) {
        const Vec2 edge = profile[i];
        double beside = 0;  // edges within one gap act as one
        for (double step = -least_roof_gap_m; step <= least_roof_gap_m; step += 0.01) {
          beside = std::max(beside, surface.surface_height(place(edge.x + step)));
        }
        EXPECT_GE(beside, edge.y - 1e-9);
      }
      // What stands above the line is no higher than the edges on either side of it.
      for (double distance = 2; distance < length - 2; distance += 0.7) {
        const double height = surface.surface_height(place(distance));
        if (height < line(distance)) continue;
        const auto after = std::lower_bound(profile.begin(), profile.end(), distance,
                                            [](Vec2 point, double d) { return point.x < d; });
        const double highest = std::max(after->y, (after - 1)->y);
        EXPECT_LE(height, highest + 1e-9) << "seed " << seed << ", " << distance << " m of " << length;
      }
    }
    EXPECT_GT(edges, 100u);
  }
}

TEST(RooftopProfiles, HaveTheCrestOfAHill) {
  Scene scene = testing::flat_ground(1000, 200);
  Terrain& terrain = scene.terrain;
  terrain.step_x = terrain.step_y = 10;
  terrain.columns = 101;
  terrain.rows = 21;
  terrain.south_west = {0, 0};
  terrain.height_m.assign(std::size_t{101} * 21, 0.0f);
  for (std::uint32_t row = 0; row < 21; ++row) {
    for (std::uint32_t column = 30; column <= 70; ++column) {
      const double way = std::fabs(column - 50.0) / 20.0;
      terrain.height_m[row * 101 + column] = static_cast<float>(40.0 * (1.0 - way));
    }
  }
  const RooftopProfiles profiles(scene, PrismIndex(scene));
  const std::vector<Vec2> profile = testing::profile_between(profiles, {20, 100, 10}, {980, 100, 1.5}, 2.0);
  ASSERT_EQ(profile.size(), 3u);
  EXPECT_DOUBLE_EQ(profile[1].x, 480.0);
  EXPECT_DOUBLE_EQ(profile[1].y, 40.0);
}

// From the corners of a higher house, inward ones and those of its courtyard, too, the house stands at the end where
// the line goes into it there, and not where the line touches the corner alone.
TEST(RooftopProfiles, HaveTheHouseOfACornerWhereTheLineGoesIn) {
  for (const double turned_rad : {0.0, 0.7}) {
    const auto turned = [&](Vec2 p) {
      const double c = std::cos(turned_rad), s = std::sin(turned_rad);
      return Vec2{150, 150} + Vec2{c * p.x - s * p.y, s * p.x + c * p.y};
    };
    Scene scene = testing::flat_ground(300, 300);
    Prism house = testing::box_prism(1, {0, 0}, {1, 1}, 0, 20);
    house.rings = {{{0, 0}, {40, 0}, {40, 15}, {16, 18}, {12, 40}, {0, 40}}, {{4, 4}, {4, 12}, {9, 10}, {9, 5}}};
    for (Ring& ring : house.rings) std::transform(ring.begin(), ring.end(), ring.begin(), turned);
    scene.prisms.push_back(house);
    const RooftopProfiles profiles(scene, PrismIndex(scene));
    const PrismIndex surface(scene);
    std::size_t into = 0;
    for (const Ring& ring : house.rings) {
      for (const Vec2 corner : ring) {
        for (int step = 0; step < 72; ++step) {
          // Along no wall.
          const double azimuth = (step + 0.37) * 2 * pi / 72;
          const Vec2 direction{std::cos(azimuth), std::sin(azimuth)}, other = corner + 70 * direction;
          const bool goes_in = surface.surface_height(corner + 0.1 * direction) > 10;
          const Vec3 at_corner{corner.x, corner.y, 8}, far{other.x, other.y, 8};
          const auto where = ::testing::Message() << corner.x << ", " << corner.y << ", step " << step;
          EXPECT_EQ(testing::profile_between(profiles, at_corner, far, 1)[1].x < 1, goes_in) << where;
          // Past a corner that a line meets to the last digit it may go unseen.
          const std::vector<Vec2> back = testing::profile_between(profiles, far, at_corner, 1);
          const double last_m = back[back.size() - 2].x;
          EXPECT_TRUE(goes_in || last_m < 69) << where;
          into += goes_in ? 1 : 0;
        }
      }
    }
    EXPECT_GT(into, 250u);
  }
}

// Houses of random depths and gaps in a row, many lower or higher by half a metre or a few, some of one height.
Scene random_row_of_houses(testing::Random& random) {
  Scene scene = testing::flat_ground(400, 240);
  double front_x = 100;
  for (std::int64_t house = 1; front_x < 300; ++house) {
    const double rear_x = front_x + random.uniform(0.05, random.below(3) == 0 ? 15.0 : 2.5);
    const double height_m = 8 + 0.5 * static_cast<double>(random.below(12));
    scene.prisms.push_back(testing::box_prism(house, {front_x, 10}, {rear_x, 230}, 0, height_m));
    front_x = rear_x + (random.below(2) == 0 ? 0.0 : random.uniform(0.06, 3.0));
  }
  return scene;
}

TEST(RooftopProfiles, AreTheSameFromEitherEnd) {
  testing::Random random(17);
  std::size_t edges = 0;
  for (int trial = 0; trial < 200; ++trial) {
    const Scene scene = random_row_of_houses(random);
    const RooftopProfiles profiles(scene, PrismIndex(scene));
    const Vec3 from{20, 120 + random.uniform(-80, 80), 14}, to{390, 120 + random.uniform(-80, 80), 2};
    const std::vector<Vec2> there = testing::profile_between(profiles, from, to, 5);
    const std::vector<Vec2> back = testing::profile_between(profiles, to, from, 5);
    ASSERT_EQ(there.size(), back.size()) << "trial " << trial;
    edges += there.size() - 2;
    for (std::size_t i = 0; i < there.size(); ++i) {
      const Vec2 mirrored = back[back.size() - 1 - i];
      EXPECT_NEAR(there[i].x, there.back().x - mirrored.x, 1e-9) << "trial " << trial;
      EXPECT_EQ(there[i].y, mirrored.y) << "trial " << trial;
    }
  }
  EXPECT_GT(edges, 2000u);
}

// A plain of 14 km with a house 6 km from its west end.
Scene plain() {
  Scene scene = testing::flat_ground(14000, 200);
  scene.prisms.push_back(testing::box_prism(1, {6000, 10}, {6010, 190}, 0, 20));
  return scene;
}

TEST(RooftopProfiles, StandHigherByTheEarthsBulge) {
  const Scene scene = plain();
  const RooftopProfiles profiles(scene, PrismIndex(scene));
  const std::vector<Vec2> profile = testing::profile_between(profiles, {500, 100, 30}, {12500, 100, 10}, 5.0);
  ASSERT_EQ(profile.size(), 4u);
  for (const std::size_t side : {std::size_t{1}, std::size_t{2}}) {
    const double distance = profile[side].x;
    EXPECT_DOUBLE_EQ(distance, side == 1 ? 5500 : 5510);
    EXPECT_NEAR(profile[side].y, 20 + distance * (12000 - distance) / (2 * 8.5e6), 1e-9);
  }
  // Within 4 km the earth is flat, and a kilometre farther it is not any more.
  const auto first_edge = [&](double to_x) {
    return testing::profile_between(profiles, {3500, 100, 30}, {to_x, 100, 10}, 5.0)[1];
  };
  EXPECT_EQ(first_edge(7500).y, 20);
  EXPECT_NEAR(first_edge(8000).y, 20 + 0.5 * 2500 * 2000 / (2 * 8.5e6), 1e-9);
  EXPECT_NEAR(first_edge(8500).y, 20 + 2500.0 * 2500 / (2 * 8.5e6), 1e-9);
}

// An antenna's own roof reflects (OwnRoofsReflect) on the way to far targets, too.
TEST(OverRooftop, OwnRoofsReflectUnderACurvedEarth) {
  const Scene scene = plain();
  const OverRooftopPaths paths(scene);
  OverRooftopPaths::Workspace work;
  RooftopPath path;
  const std::vector<Complex> permittivities(scene.materials.size(), Complex{5, -0.3});
  const auto loss_db = [&](double to_x, std::uint32_t roof) {
    const RooftopRays rays{{6008, 100, 20.005}, 0.35, permittivities, roof};
    EXPECT_TRUE(paths.find(rays, {{to_x, 100, 1.5}}, OverRooftop::screens, work, path));
    return decibels_between(1, squared_norm(path.vertical));
  };
  const std::uint32_t own = paths.roof_at({6008, 100, 20.005});
  for (const double to_x : {9900.0, 12000.0}) EXPECT_GT(loss_db(to_x, own), loss_db(to_x, no_roof) + 10) << to_x;
}

TEST(RooftopProfiles, SmoothEarthIsAFewCrests) {
  Scene scene = testing::flat_ground(60000, 200);
  const RooftopProfiles profiles(scene, PrismIndex(scene));
  const std::vector<Vec2> profile = testing::profile_between(profiles, {0, 100, 5}, {60000, 100, 5}, 5.0);
  EXPECT_GT(profile.size(), 5u);
  EXPECT_LT(profile.size(), 70u);
  const double bulge = 60000.0 * 60000.0 / (8 * 8.5e6);
  double highest = 0;
  for (const Vec2 point : profile) highest = std::max(highest, point.y);
  EXPECT_NEAR(highest, bulge, 0.1);
  // The string over the crests is nowhere more than the tolerance below the bulge.
  for (double distance = 1000; distance < 59000; distance += 777) {
    const auto after =
        std::lower_bound(profile.begin(), profile.end(), distance, [](Vec2 point, double d) { return point.x < d; });
    const Vec2 before = *(after - 1), way = *after - before;
    const double string = before.y + way.y * (distance - before.x) / way.x;
    EXPECT_GT(string, distance * (60000 - distance) / (2 * 8.5e6) - 0.11);
  }
}

// One long building across the way, so low that no bend is steep: two absorbing screens.
Scene one_building(double height_m) {
  Scene scene = testing::flat_ground(660, 240);
  scene.prisms.push_back(testing::box_prism(1, {350, 10}, {365, 230}, 0, height_m));
  return scene;
}

RayLaunchingOptions roofs_only() {
  RayLaunchingOptions options = testing::without_scattering(0, 1, 1);
  options.over_rooftop = OverRooftop::screens;
  return options;
}

TEST(OverRooftop, OneBuildingIsTwoScreens) {
  const Environment city(one_building(12), 10);
  const Vec3 antenna{100, 120, 14}, receiver{640, 120, 3};
  const Transmitter transmitter = testing::test_transmitter(antenna);
  RayLaunchingOptions options = roofs_only();
  options.rays_per_receiver = 5;
  const RayLaunchingResult result = city.launch_to_receivers(transmitter, testing::receivers_at({receiver}), options);
  const double wavelength = speed_of_light / transmitter.frequency_hz;
  const std::vector<Vec2> profile{{0, 14}, {250, 12}, {265, 12}, {540, 3}};
  const double loss_db = free_space_loss_db(norm(receiver - antenna), transmitter.frequency_hz) -
                         10.0 * std::log10(squared_norm(double_knife_edge_factor(profile, wavelength)));
  // The diffraction at the roof's edges is not counted again.
  EXPECT_EQ(result.receivers[0].rays, 1u);
  EXPECT_EQ(result.receivers[0].strongest_mechanism, Mechanism::over_rooftop);
  EXPECT_NEAR(-10.0 * std::log10(testing::total_gain(result.receivers[0])), loss_db, 0.05);
  ASSERT_EQ(result.rays.size(), 1u);
  EXPECT_EQ(result.rays[0].interactions, "T-O");
  EXPECT_EQ(result.rays[0].mechanism, Mechanism::over_rooftop);
  EXPECT_EQ(result.rays[0].points, (std::vector<Vec3>{antenna, {350, 120, 12}, {365, 120, 12}, receiver}));
  EXPECT_NEAR(result.ray_gains[0].over_rooftop, testing::total_gain(result.receivers[0]), 1e-15);
}

TEST(OverRooftop, SteepEdgesAreWedges) {
  // One edge, 45° down into the street: the launcher's own diffraction by UTD says what arrives.
  Scene scene = testing::flat_ground(660, 240);
  scene.prisms.push_back(testing::box_prism(1, {350, 10}, {420, 230}, 0, 20));
  const Environment city(scene, 10);
  for (const Vec3 receiver : {Vec3{430, 120, 8}, Vec3{436, 120, 4}}) {
    const Transmitter transmitter = testing::test_transmitter({100, 120, 60});
    RayLaunchingOptions diffraction = roofs_only();
    diffraction.over_rooftop = OverRooftop::none;
    const auto with = city.launch_to_receivers(transmitter, testing::receivers_at({receiver}), roofs_only());
    const auto without = city.launch_to_receivers(transmitter, testing::receivers_at({receiver}), diffraction);
    EXPECT_EQ(with.receivers[0].strongest_mechanism, Mechanism::over_rooftop);
    EXPECT_EQ(without.receivers[0].strongest_mechanism, Mechanism::diffraction);
    EXPECT_NEAR(decibels_between(testing::total_gain(with.receivers[0]), testing::total_gain(without.receivers[0])), 0,
                1.5);
  }
}

// Its roof 15 m above the ground, its eaves at x = 370 m.
Scene house_with_long_eaves() {
  Scene scene = testing::flat_ground(660, 640);
  scene.prisms.push_back(testing::box_prism(1, {300, 10}, {370, 630}, 0, 15));
  return testing::with_material(std::move(scene), 5, 0.01);
}

// How much of a screen across such eaves stands in the way, by the detour over their Keller point.
double nu_past_long_eaves(Vec3 antenna, Vec3 place) {
  const double over_eaves_m = std::hypot(370 - antenna.x, antenna.z - 15) + std::hypot(place.x - 370, place.z - 15);
  const double longer_m = std::hypot(over_eaves_m, place.y - antenna.y) - norm(place - antenna);
  return -2 * std::sqrt(longer_m / wavelength_m(850e6));
}

// Eaves that the vertical plane meets at an angle: the launcher's own diffraction, by way of the Keller point, says
// what arrives, and is the same way, which counts once.
TEST(OverRooftop, EdgesAtAnAngleAreThoseOfTheirKellerPoints) {
  const Environment city(house_with_long_eaves(), 10);
  std::size_t aside = 0;
  for (const Polarization polarization : {Polarization::vertical, Polarization::horizontal}) {
    RayLaunchingOptions over_roofs = roofs_only();
    over_roofs.receiver_polarization = polarization;
    over_roofs.rays_per_receiver = 5;
    RayLaunchingOptions diffraction = over_roofs;
    diffraction.over_rooftop = OverRooftop::none;
    // Near the edge, in the middle of the roof, and far before the house.
    for (const Vec3 antenna : {Vec3{367, 120, 18}, Vec3{362, 120, 16}, Vec3{335, 120, 25}, Vec3{100, 120, 150}}) {
      std::vector<Vec3> places;
      for (const double behind_m : {2.0, 5.0, 12.0}) {
        for (const double along_m : {0.0, 5.0, 10.0, 20.0, 40.0, 80.0, 160.0}) {
          places.push_back({370 + behind_m, 120 + along_m, 1.5});
        }
      }
      Transmitter transmitter = testing::test_transmitter(antenna);
      transmitter.polarization = polarization;
      const auto receivers = testing::receivers_at(places);
      const auto with = city.launch_to_receivers(transmitter, receivers, over_roofs);
      const auto without = city.launch_to_receivers(transmitter, receivers, diffraction);
      for (std::size_t r = 0; r < places.size(); ++r) {
        if (without.receivers[r].rays != 1) continue;
        if (with.receivers[r].strongest_mechanism != Mechanism::over_rooftop) continue;
        const auto where = ::testing::Message()
                           << "from " << antenna.x << ", to " << places[r].x << ", " << places[r].y;
        EXPECT_EQ(with.receivers[r].rays, 1u) << where;
        EXPECT_NEAR(decibels_between(testing::total_gain(with.receivers[r]), testing::total_gain(without.receivers[r])),
                    0, 0.01)
            << where;
        if (places[r].y > 120) ++aside;
      }
    }
  }
  EXPECT_GT(aside, 40u);
}

// A roof of another material than its walls: at its edge the roof's is on one face and the wall's on the other, as the
// launcher's own diffraction has it, behind the eaves and in sight past them, and there and back.
TEST(OverRooftop, RoofsAndWallsHaveMaterialsOfTheirOwn) {
  const Material brick{"brick", 3.91, 0, 0.0238, 0.16}, metal{"metal", 1, 0, 1e7, 0}, wood{"wood", 1.99, 0, 0.0047, 0};
  struct House {
    Material wall, roof;
  };
  std::vector<Vec3> places;
  for (const double behind_m : {2.0, 5.0, 12.0, 30.0}) {
    for (const double along_m : {0.0, 20.0, 80.0}) places.push_back({370 + behind_m, 120 + along_m, 1.5});
  }
  const auto receivers = testing::receivers_at(places);
  // Over the roof, near its edge and farther from it, and before the house.
  const std::vector<Vec3> antennas{{369.7, 120, 15.3}, {367, 120, 18}, {335, 120, 25}, {100, 120, 150}};
  std::size_t hidden = 0, in_sight = 0;
  for (const House& house : {House{brick, metal}, House{metal, wood}, House{wood, brick}}) {
    Scene scene = house_with_long_eaves();
    scene.materials = {Material{"default", 5, 0, 0.01, 0}, house.wall, house.roof};
    scene.prisms[0].material = 1;
    scene.default_materials.roof = 2;
    const Environment city(std::move(scene), 10);
    for (const Polarization polarization : {Polarization::vertical, Polarization::horizontal}) {
      RayLaunchingOptions over_roofs = roofs_only();
      over_roofs.receiver_polarization = polarization;
      RayLaunchingOptions diffraction = over_roofs;
      diffraction.over_rooftop = OverRooftop::none;
      diffraction.summation = Summation::coherent;
      std::vector<std::vector<ArrivalSums>> back;
      for (const Vec3 place : places) {
        Transmitter there = testing::test_transmitter(place);
        there.polarization = polarization;
        back.push_back(city.launch_to_receivers(there, testing::receivers_at(antennas), over_roofs).receivers);
      }
      for (std::size_t a = 0; a < antennas.size(); ++a) {
        Transmitter transmitter = testing::test_transmitter(antennas[a]);
        transmitter.polarization = polarization;
        const auto with = city.launch_to_receivers(transmitter, receivers, over_roofs);
        const auto without = city.launch_to_receivers(transmitter, receivers, diffraction);
        for (std::size_t r = 0; r < places.size(); ++r) {
          const bool is_direct = with.receivers[r].direct;
          // Farther above the edge the roof counts less and less.
          if (is_direct && nu_past_long_eaves(antennas[a], places[r]) < -0.75) continue;
          if (without.receivers[r].rays != (is_direct ? 2u : 1u)) continue;
          const auto where = ::testing::Message() << house.wall.name << " below " << house.roof.name << ", from "
                                                  << antennas[a].x << " to " << places[r].x << ", " << places[r].y;
          const double gain = testing::total_gain(with.receivers[r]);
          EXPECT_NEAR(decibels_between(gain, testing::total_gain(without.receivers[r])), 0, is_direct ? 0.05 : 0.01)
              << where;
          EXPECT_NEAR(decibels_between(gain, testing::total_gain(back[r][a])), 0, 0.01) << where;
          ++(is_direct ? in_sight : hidden);
        }
      }
    }
  }
  EXPECT_GT(hidden, 100u);
  EXPECT_GT(in_sight, 30u);
}

// Rays over the roofs have the antenna's gain towards the edge's Keller point, as the launcher's
// own diffraction there has.
TEST(OverRooftop, AntennasSendToTheKellerPoint) {
  const Environment city(house_with_long_eaves(), 10);
  RayLaunchingOptions over_roofs = roofs_only();
  RayLaunchingOptions diffraction = over_roofs;
  diffraction.over_rooftop = OverRooftop::none;
  std::vector<Vec3> places;
  for (const double behind_m : {2.0, 5.0, 12.0}) {
    for (const double along_m : {-80.0, -20.0, 0.0, 10.0, 20.0, 40.0, 80.0}) {
      places.push_back({370 + behind_m, 320 + along_m, 1.5});
    }
  }
  const auto receivers = testing::receivers_at(places);
  std::size_t compared = 0;
  for (const double azimuth_deg : {0.0, 45.0, 90.0, 150.0}) {
    for (const Vec3 antenna : {Vec3{367, 320, 18}, Vec3{362, 320, 16}}) {
      Transmitter transmitter = testing::test_transmitter(antenna);
      transmitter.antenna = AntennaKind::sector_3gpp;
      transmitter.azimuth_deg = azimuth_deg;
      const auto with = city.launch_to_receivers(transmitter, receivers, over_roofs);
      const auto without = city.launch_to_receivers(transmitter, receivers, diffraction);
      for (std::size_t r = 0; r < places.size(); ++r) {
        if (without.receivers[r].rays != 1) continue;
        if (with.receivers[r].strongest_mechanism != Mechanism::over_rooftop) continue;
        EXPECT_NEAR(decibels_between(testing::total_gain(with.receivers[r]), testing::total_gain(without.receivers[r])),
                    0, 0.05)
            << "from " << antenna.x << ", azimuth " << azimuth_deg << ", to " << places[r].x << ", " << places[r].y;
        ++compared;
      }
    }
  }
  EXPECT_GT(compared, 60u);
}

// Places behind a thin wall that an antenna before it sees over its top: what this takes is by how much longer the way
// by its Keller point is than the straight one, wherever the vertical plane meets it, and counts once.
TEST(OverRooftop, EavesInSightTakeByTheirDetour) {
  Scene scene = testing::flat_ground(660, 640);
  scene.prisms.push_back(testing::box_prism(1, {369.999, 10}, {370, 630}, 0, 15));
  const Environment city(std::move(scene), 10);
  std::size_t near = 0;
  for (const Vec3 antenna : {Vec3{369.7, 120, 16}, Vec3{369.7, 120, 18}, Vec3{369, 120, 18}, Vec3{367, 120, 18},
                             Vec3{367, 120, 25}, Vec3{350, 120, 45}}) {
    std::vector<Vec3> places;
    for (const double before_m : {2.0, 3.0, 5.0, 8.0, 15.0}) {
      for (const double along_m : {0.0, 5.0, 10.0, 20.0, 40.0, 80.0, 160.0}) {
        places.push_back({370 + before_m, 120 + along_m, 1.5});
      }
    }
    const auto result =
        city.launch_to_receivers(testing::test_transmitter(antenna), testing::receivers_at(places), roofs_only());
    for (std::size_t r = 0; r < places.size(); ++r) {
      const Vec3 place = places[r];
      const double straight_m = norm(place - antenna);
      const double nu = nu_past_long_eaves(antenna, place);
      if (!result.receivers[r].direct || nu < -0.75) continue;
      const auto where = ::testing::Message()
                         << "from " << antenna.x << ", " << antenna.z << " to " << place.x << ", " << place.y;
      EXPECT_EQ(result.receivers[r].rays, 1u) << where;
      const double loss_db =
          -10 * std::log10(testing::total_gain(result.receivers[r])) - free_space_loss_db(straight_m, 850e6);
      EXPECT_NEAR(loss_db, -20 * std::log10(norm(knife_edge_factor(nu))), 0.05) << where;
      ++near;
    }
  }
  EXPECT_GT(near, 50u);
}

// The same of what the ground reflects, before such an edge and behind it: from the antenna to the receiver's image as
// from the receiver to the antenna's.
TEST(OverRooftop, EavesAtAnAngleTakeTheSameOfAReflectionBothWays) {
  Scene scene = testing::flat_ground(200, 200);
  Prism wall = testing::box_prism(1, {0, 0}, {1, 1}, 0, 2);
  wall.rings = {{{60, 40}, {140, 80}, {139.9, 80.2}, {59.9, 40.2}}};
  scene.prisms.push_back(wall);
  const OverRooftopPaths paths(scene);
  OverRooftopPaths::Workspace work;
  const std::vector<Complex> permittivities(scene.materials.size(), Complex{5, -0.3});
  const double wavelength = wavelength_m(850e6);
  const auto left = [&](Vec3 from, Vec3 to) {
    const RooftopRays rays{from, wavelength, permittivities};
    return paths.left_in_sight(rays, {{to.x, to.y, -to.z}}, OverRooftopPaths::WayInSight::by_ground, work).factor;
  };
  double greatest_share = 0;
  for (const double from_z : {5.0, 12.0, 25.0}) {
    for (const double to_x : {60.0, 80.0, 110.0, 150.0}) {
      const Vec3 from{40, 20, from_z}, to{to_x, 100, 4};
      const Complex forth = left(from, to), back = left(to, from);
      EXPECT_LT(norm(forth - back), 1e-3) << from_z << ", " << to_x;
      greatest_share = std::max(greatest_share, norm(forth - Complex{1, 0}));
    }
  }
  EXPECT_GT(greatest_share, 0.3);
}

// An antenna over a roof, near its eaves: places before the wall in its sight have the direct ray with what the
// launcher's own diffraction brings past the eaves, in step, of each polarisation. At both ends alike.
TEST(OverRooftop, OwnRoofsReflectInSight) {
  const Environment city(house_with_long_eaves(), 10);
  std::size_t near = 0;
  double greatest_db = 0;
  for (const Polarization polarization : {Polarization::vertical, Polarization::horizontal}) {
    RayLaunchingOptions over_roofs = roofs_only();
    over_roofs.receiver_polarization = polarization;
    RayLaunchingOptions diffraction = over_roofs;
    diffraction.over_rooftop = OverRooftop::none;
    diffraction.summation = Summation::coherent;
    for (const Vec3 antenna : {Vec3{369.7, 120, 15.3}, Vec3{369.7, 120, 16}, Vec3{369.95, 120, 15.4},
                               Vec3{369, 120, 16}, Vec3{369, 120, 18}, Vec3{367, 120, 18}}) {
      std::vector<Vec3> places;
      for (const double before_m : {2.0, 3.0, 5.0, 8.0, 15.0, 30.0}) {
        for (const double along_m : {0.0, 5.0, 10.0, 20.0, 40.0, 80.0, 160.0}) {
          places.push_back({370 + before_m, 120 + along_m, 1.5});
        }
      }
      Transmitter transmitter = testing::test_transmitter(antenna);
      transmitter.polarization = polarization;
      const auto receivers = testing::receivers_at(places);
      const auto with = city.launch_to_receivers(transmitter, receivers, over_roofs);
      const auto without = city.launch_to_receivers(transmitter, receivers, diffraction);
      for (std::size_t r = 0; r < places.size(); ++r) {
        const Vec3 place = places[r];
        const double straight_m = norm(place - antenna);
        const double nu = nu_past_long_eaves(antenna, place);
        if (!with.receivers[r].direct || nu < -0.75) continue;
        const auto where = ::testing::Message()
                           << "from " << antenna.x << ", " << antenna.z << " to " << place.x << ", " << place.y;
        EXPECT_EQ(with.receivers[r].rays, 1u) << where;
        EXPECT_EQ(without.receivers[r].rays, 2u) << where;
        const double gain = testing::total_gain(with.receivers[r]);
        EXPECT_NEAR(decibels_between(gain, testing::total_gain(without.receivers[r])), 0, 0.05) << where;
        Transmitter there = testing::test_transmitter(place);
        there.polarization = polarization;
        const auto back = city.launch_to_receivers(there, testing::receivers_at({antenna}), over_roofs);
        EXPECT_NEAR(decibels_between(gain, testing::total_gain(back.receivers[0])), 0, 0.01) << where;
        const double screen_db = free_space_loss_db(straight_m, 850e6) - 20 * std::log10(norm(knife_edge_factor(nu)));
        greatest_db = std::max(greatest_db, std::fabs(-10 * std::log10(gain) - screen_db));
        ++near;
      }
    }
  }
  EXPECT_GT(near, 60u);
  EXPECT_GT(greatest_db, 5);
}

// Power has no step where a place behind a roof comes into the sight of an antenna that stands just over it.
TEST(OverRooftop, OwnRoofsReflectOnBothSidesOfTheShadowsBoundary) {
  const Environment city(house_with_long_eaves(), 10);
  for (const Vec3 antenna : {Vec3{369.7, 320, 15.1}, Vec3{369, 320, 15.3}, Vec3{365, 320, 16}, Vec3{350, 320, 18}}) {
    for (const double along_m : {0.0, 15.0, 120.0}) {
      const double fall = (antenna.z - 15) / (370 - antenna.x), behind_m = std::min(40.0, 12 / fall);
      const double boundary_z = 15 - fall * behind_m;
      const auto result =
          city.launch_to_receivers(testing::test_transmitter(antenna),
                                   testing::receivers_at({{370 + behind_m, 320 + along_m, boundary_z - 1e-3},
                                                          {370 + behind_m, 320 + along_m, boundary_z + 1e-3}}),
                                   roofs_only());
      EXPECT_FALSE(result.receivers[0].direct);
      EXPECT_TRUE(result.receivers[1].direct);
      EXPECT_NEAR(decibels_between(testing::total_gain(result.receivers[0]), testing::total_gain(result.receivers[1])),
                  0, 0.1)
          << antenna.x << ", " << antenna.z << ", " << along_m << " m along";
    }
  }
}

// From the corner of a building higher than the antenna along its wall: the vertical plane touches the corner, and
// nothing is in the way.
TEST(OverRooftop, ACornerAtTheAntennaTakesNothingInSight) {
  Scene scene = testing::flat_ground(300, 300);
  Prism tower = testing::box_prism(1, {0, 0}, {1, 1}, 0, 15.4);
  tower.rings = {{{125, 125}, {195.33, 163.13}, {157.21, 233.46}, {86.87, 195.33}}};
  scene.prisms.push_back(tower);
  const OverRooftopPaths paths(scene);
  OverRooftopPaths::Workspace work;
  const std::vector<Complex> permittivities(scene.materials.size(), Complex{5, -0.3});
  const Vec3 corner{125, 125, 8}, place{162.5, 140.5, 1.5};
  for (const auto way : {OverRooftopPaths::WayInSight::straight, OverRooftopPaths::WayInSight::by_ground}) {
    for (const auto& [from, to] : {std::pair{corner, place}, std::pair{place, corner}}) {
      const bool is_by_ground = way == OverRooftopPaths::WayInSight::by_ground;
      const RooftopRays rays{from, wavelength_m(850e6), permittivities};
      const RooftopTarget target{{to.x, to.y, is_by_ground ? -to.z : to.z}};
      EXPECT_NEAR(norm(paths.left_in_sight(rays, target, way, work).factor), 1, 0.1) << is_by_ground << ", " << from.x;
    }
  }
}

// The same to a place behind another house: its loss is that from before the corner.
TEST(OverRooftop, ACornerAtTheAntennaTakesNothingInTheShadow) {
  Scene scene = testing::flat_ground(300, 300);
  Prism tower = testing::box_prism(1, {0, 0}, {1, 1}, 0, 15.4);
  tower.rings = {{{125, 125}, {195.33, 163.13}, {157.21, 233.46}, {86.87, 195.33}}};
  scene.prisms = {tower, testing::box_prism(2, {200, 60}, {210, 162}, 0, 12)};
  const OverRooftopPaths paths(scene);
  OverRooftopPaths::Workspace work;
  RooftopPath path;
  const std::vector<Complex> permittivities(scene.materials.size(), Complex{5, -0.3});
  const auto loss_db = [&](Vec3 from, Vec3 to) {
    const RooftopRays rays{from, wavelength_m(850e6), permittivities};
    EXPECT_TRUE(paths.find(rays, {to}, OverRooftop::screens, work, path));
    return decibels_between(1, squared_norm(path.vertical));
  };
  const Vec3 corner{125, 125, 8}, before{125.07, 124.71, 8};
  for (const Vec3 place : {Vec3{250, 80, 1.5}, Vec3{230, 120, 1.5}, Vec3{220, 158, 3}, Vec3{260, 150, 10}}) {
    const double forth_db = loss_db(corner, place);
    EXPECT_NEAR(forth_db, loss_db(before, place), 0.3) << place.x << ", " << place.y;
    EXPECT_NEAR(forth_db, loss_db(place, corner), 0.01) << place.x << ", " << place.y;
  }
}

// An edge that bends a ray hardly is a screen, by how much longer the way by the Keller point is than the straight one:
// of points unfolded about the edge, which lies at an angle to their vertical plane.
TEST(OverRooftop, EdgesAtAnAngleThatBendLittleAreScreensByTheirDetour) {
  constexpr double wavelength_m = 0.333;
  for (const double sine : {1.0, 0.7, 0.35}) {
    for (const double before_z : {20.0, 60.0, -30.0}) {
      for (const double over_line_m : {0.1, 0.5, 1.5}) {
        const double edge_z = before_z * 0.6 + over_line_m;
        const rooftop_detail::Bend bend{.before = {0, before_z}, .edge = {40, edge_z}, .after = {100, 0}, .sine = sine};
        const double along_m = 100 * std::sqrt(1 - sine * sine);
        const double by_edge_m =
            std::hypot(std::hypot(40 * sine, edge_z - before_z) + std::hypot(60 * sine, edge_z), along_m);
        const double detour_m = by_edge_m - std::hypot(100, before_z);
        const double screen = norm(knife_edge_factor(fresnel_parameter(over_line_m, 40, 60, wavelength_m)));
        const double over_screen =
            rooftop_detail::edge_over_screen(bend, {{5, -0.1}, {5, -0.1}}, wavelength_m).vertical;
        EXPECT_NEAR(20 * std::log10(over_screen * screen), -knife_edge_loss_db(2 * std::sqrt(detour_m / wavelength_m)),
                    0.02)
            << sine << ", " << before_z << ", " << over_line_m;
      }
    }
  }
}

// The vertical plane meets the eaves and a pillar behind them, the way by the eaves' Keller point passes beside the
// pillar: these are two ways, and count both.
TEST(OverRooftop, WhatGoesBesideASecondEdgeCountsBesides) {
  Scene scene = testing::flat_ground(660, 640);
  scene.prisms.push_back(testing::box_prism(1, {300, 10}, {370, 630}, 0, 15));
  scene.prisms.push_back(testing::box_prism(2, {371.6, 129.5}, {372.4, 130.7}, 0, 12));
  const Environment city(testing::with_material(std::move(scene), 5, 0.01), 10);
  const Transmitter transmitter = testing::test_transmitter({362, 120, 16});
  RayLaunchingOptions over_roofs = roofs_only();
  over_roofs.rays_per_receiver = 5;
  RayLaunchingOptions diffraction = over_roofs;
  diffraction.over_rooftop = OverRooftop::none;
  const auto receivers = testing::receivers_at({{374, 132, 1.5}});
  const auto without = city.launch_to_receivers(transmitter, receivers, diffraction);
  const auto with = city.launch_to_receivers(transmitter, receivers, over_roofs);
  ASSERT_EQ(without.rays.size(), 1u);
  ASSERT_EQ(with.rays.size(), 2u);
  const auto by_eaves =
      std::find_if(with.rays.begin(), with.rays.end(), [](const Ray& ray) { return ray.interactions == "T-D"; });
  ASSERT_NE(by_eaves, with.rays.end());
  EXPECT_DOUBLE_EQ(by_eaves->path_gain, without.rays[0].path_gain);
}

// The rays of one receiver that edges have diffracted near the vertical plane, the first of them behind the antenna or
// beyond the receiver. REQUIRES: the receiver lies east of the antenna.
std::vector<Ray> diffracted_behind(const Environment& city, const RayLaunchingOptions& options, Vec3 antenna,
                                   Vec3 receiver) {
  constexpr double near_plane_m = 20;
  std::vector<Ray> rays =
      city.launch_to_receivers(testing::test_transmitter(antenna), testing::receivers_at({receiver}), options).rays;
  std::erase_if(rays, [&](const Ray& ray) {
    const std::span edges(ray.points.begin() + 1, ray.points.end() - 1);
    const bool is_diffracted = ray.interactions == "T-D" || ray.interactions == "T-D-D";
    return !is_diffracted || (edges.front().x > antenna.x && edges.front().x < receiver.x) ||
           std::ranges::any_of(edges, [&](Vec3 point) { return std::fabs(point.y - antenna.y) > near_plane_m; });
  });
  std::ranges::sort(rays, {}, &Ray::elements);
  return rays;
}

// Nothing over the roofs stands for what the eaves behind an antenna send back, or those beyond the receiver's street,
// in sight and behind a house between.
TEST(OverRooftop, EdgesBehindTheAntennaAndBeyondTheReceiverCountBesides) {
  for (const double between_m : {8.0, 20.0}) {
    Scene scene = testing::flat_ground(400, 240);
    scene.prisms = {testing::box_prism(1, {60, 20}, {90, 220}, 0, 26),
                    testing::box_prism(2, {200, 20}, {212, 220}, 0, between_m),
                    testing::box_prism(3, {260, 20}, {280, 220}, 0, 22)};
    const Environment city(testing::with_material(std::move(scene), 5, 0.01), 25);
    const Vec3 antenna{120, 120, 24};
    RayLaunchingOptions screens = testing::without_scattering(0, 2, 2);
    screens.rays_per_receiver = 100;
    RayLaunchingOptions none = screens;
    screens.over_rooftop = OverRooftop::screens;
    none.over_rooftop = OverRooftop::none;
    for (const Vec3 receiver : {Vec3{225, 123, 1.5}, Vec3{240, 128, 1.5}}) {
      const auto without = diffracted_behind(city, none, antenna, receiver);
      const auto with = diffracted_behind(city, screens, antenna, receiver);
      const auto where = ::testing::Message() << between_m << " m, " << receiver.x;
      ASSERT_GT(without.size(), 2u) << where;
      EXPECT_TRUE(std::ranges::equal(with, without, {}, &Ray::elements, &Ray::elements))
          << with.size() << " of " << without.size() << ", " << where;
    }
  }
}

Scene wall_across_way(double thickness_m) {
  Scene scene = testing::flat_ground(660, 240);
  scene.prisms.push_back(testing::box_prism(1, {300 - thickness_m, 10}, {300, 230}, 0, 15));
  return scene;
}

// What comes over the roofs to one receiver.
double gain_over_roofs(const Environment& city, Vec3 antenna, Vec3 receiver) {
  return testing::total_gain(
      city.launch_to_receivers(testing::test_transmitter(antenna), testing::receivers_at({receiver}), roofs_only())
          .receivers[0]);
}

TEST(OverRooftop, ThinWallsAreEdgesFromBelowTheirTopsToo) {
  for (const double thickness_m : {0.1, 0.3, 1.0, 1.9}) {
    const Environment city(wall_across_way(thickness_m), 10);
    for (const double behind_m : {5.0, 20.0, 40.0, 100.0}) {
      const Vec3 receiver{300 + behind_m, 120, 1.5};
      const double above = gain_over_roofs(city, {240, 120, 15.01}, receiver);
      const double below = gain_over_roofs(city, {240, 120, 14.99}, receiver);
      EXPECT_NEAR(decibels_between(above, below), 0, 0.1) << thickness_m << " m, " << behind_m << " m";
      // From far below as from above: nearly what one knife edge leaves, but where the ray is bent far.
      for (const double height_m : {5.0, 14.0, 16.0}) {
        const Vec3 antenna{240, 120, height_m};
        const double straight = norm(receiver - antenna), distance = receiver.x - antenna.x;
        const double line = height_m + (receiver.z - height_m) * 60 / distance;
        const double nu = fresnel_parameter(15 - line, 60, behind_m, wavelength_m(850e6));
        const double loss_db = free_space_loss_db(straight, 850e6) + knife_edge_loss_db(nu);
        const double gain = gain_over_roofs(city, antenna, receiver);
        if (thickness_m == 0.1) {
          EXPECT_NEAR(-10 * std::log10(gain), loss_db, behind_m < 10 ? 8 : 3.5) << height_m << " m";
        }
      }
    }
  }
}

// Beside a wall whose upper edge hides a receiver behind a second roof just below the way over it: along the street the
// edge's Keller point moves away from the vertical plane, and the ray over the roofs stands for it there, too.
TEST(OverRooftop, AnEdgeBesideThePlaneIsThereOnceWhereASecondRoofIsNear) {
  Scene scene = testing::flat_ground(240, 300);
  scene.prisms = {testing::box_prism(1, {80, 30}, {90, 270}, 0, 10),
                  testing::box_prism(2, {110, 30}, {122, 270}, 0, 14)};
  const Environment city(scene, 25);
  RayLaunchingOptions options = roofs_only();
  options.max_diffractions = 1;
  const Vec3 antenna{79, 150, 6};
  std::vector<Vec3> receivers;
  for (double along_m = 2; along_m < 12; along_m += 0.5) receivers.push_back({123.5, 150 + along_m, 16.5});
  const auto there =
      city.launch_to_receivers(testing::test_transmitter(antenna), testing::receivers_at(receivers), options);
  for (std::size_t r = 0; r < receivers.size(); ++r) {
    EXPECT_EQ(there.receivers[r].rays, 1u) << receivers[r].y;
    if (r == 0) continue;
    EXPECT_NEAR(decibels_between(testing::total_gain(there.receivers[r]), testing::total_gain(there.receivers[r - 1])),
                0, 0.2)
        << receivers[r].y;
  }
}

// The deeper a house the more it takes, and without a step: its roof has two edges, of which those of a thin wall act
// as one.
TEST(OverRooftop, WallsTakeMoreTheThickerTheyAre) {
  const Scene plain = testing::flat_ground(660, 240);
  const std::vector<Complex> permittivities(plain.materials.size(), Complex{5, -0.3});
  const auto loss_db = [&](double thickness_m, Vec3 antenna, Vec3 receiver) {
    Scene scene = plain;
    scene.prisms = {testing::box_prism(1, {300 - thickness_m, 10}, {300, 230}, 0, 15)};
    const OverRooftopPaths paths(scene);
    OverRooftopPaths::Workspace work;
    RooftopPath path;
    EXPECT_TRUE(
        paths.find({antenna, wavelength_m(850e6), permittivities}, {receiver}, OverRooftop::screens, work, path));
    return decibels_between(1, squared_norm(path.vertical));
  };
  for (const double height_m : {5.0, 12.0, 14.5}) {
    for (const double behind_m : {5.0, 20.0, 100.0}) {
      const Vec3 antenna{240, 120, height_m}, receiver{300 + behind_m, 120, 1.5};
      double thinner_db = loss_db(0.1, antenna, receiver);
      for (double thickness_m = 0.16; thickness_m < 3; thickness_m *= 1.1) {
        const double here_db = loss_db(thickness_m, antenna, receiver);
        const auto where = ::testing::Message() << thickness_m << ", " << height_m << ", " << behind_m;
        EXPECT_GT(here_db, thinner_db - 0.2) << where;
        EXPECT_LT(here_db, thinner_db + (thickness_m < 0.17 ? 3 : 0.8)) << where;
        thinner_db = here_db;
      }
    }
  }
}

// A house of 15 m whose rear has storeys set back, each by `setback_m` and lower by `storey_m`.
Scene house_with_setbacks(int setbacks, double setback_m, double storey_m) {
  constexpr double front_x = 285, rear_x = 300, top_z = 15;
  Scene scene = testing::flat_ground(660, 240);
  double begin_x = front_x;
  for (int part = 0; part <= setbacks; ++part) {
    const double end_x = rear_x - (setbacks - part) * setback_m;
    scene.prisms.push_back(testing::box_prism(part + 1, {begin_x, 10}, {end_x, 230}, 0, top_z - part * storey_m));
    begin_x = end_x;
  }
  return scene;
}

struct RoofLosses {
  double horizontal_db = 0, vertical_db = 0;
};

RoofLosses losses_over_roofs(const Scene& scene, Vec3 antenna, Vec3 receiver, double frequency_hz) {
  const std::vector<Complex> permittivities(scene.materials.size(), Complex{5, -0.3});
  const OverRooftopPaths paths(scene);
  OverRooftopPaths::Workspace work;
  RooftopPath path;
  EXPECT_TRUE(
      paths.find({antenna, wavelength_m(frequency_hz), permittivities}, {receiver}, OverRooftop::screens, work, path));
  return {decibels_between(1, squared_norm(path.horizontal)), decibels_between(1, squared_norm(path.vertical))};
}

TEST(OverRooftop, SetbacksTakeTheSameThereAndBack) {
  for (const int setbacks : {1, 2, 3, 5}) {
    for (const double setback_m : {0.1, 0.3, 1.0, 1.5, 1.95, 2.05}) {
      for (const double storey_m : {0.5, 2.0}) {
        const Scene scene = house_with_setbacks(setbacks, setback_m, storey_m);
        for (const double behind_m : {3.0, 8.0, 40.0}) {
          const Vec3 mast{165, 120, 30}, receiver{300 + behind_m, 121, 1.5};
          for (const double frequency_hz : {450e6, 3.5e9}) {
            const RoofLosses there = losses_over_roofs(scene, mast, receiver, frequency_hz);
            const RoofLosses back = losses_over_roofs(scene, receiver, mast, frequency_hz);
            const auto where = ::testing::Message() << setbacks << " of " << setback_m << " m, " << behind_m << " m";
            EXPECT_NEAR(there.horizontal_db, back.horizontal_db, 0.01) << where;
            EXPECT_NEAR(there.vertical_db, back.vertical_db, 0.01) << where;
          }
        }
      }
    }
  }
}

// The wider the setback, the more the edge of the part below stands in the way of its own: what both take has no step.
TEST(OverRooftop, SetbacksTakeTheirPartWithoutAStep) {
  constexpr double all_in_way_m = 3, growth = 1.03;
  // From there on the edge is in the way.
  for (const auto& [storey_m, behind_m, in_way_m] :
       {std::tuple{0.5, 3.0, 0.2}, {0.5, 8.0, 0.4}, {1.0, 3.0, 0.3}, {1.0, 8.0, 0.7}, {3.0, 3.0, 1.0}}) {
    const Vec3 mast{165, 120, 30}, receiver{300 + behind_m, 121, 1.5};
    for (const double frequency_hz : {450e6, 900e6, 3.5e9}) {
      const auto losses = [&](double setback_m) {
        return losses_over_roofs(house_with_setbacks(1, setback_m, storey_m), mast, receiver, frequency_hz);
      };
      RoofLosses narrower = losses(in_way_m);
      for (double setback_m = growth * in_way_m; setback_m < all_in_way_m; setback_m *= growth) {
        const RoofLosses here = losses(setback_m);
        const auto where = ::testing::Message() << storey_m << " m lower, " << setback_m << " m, " << behind_m << " m";
        EXPECT_NEAR(here.horizontal_db, narrower.horizontal_db, 1.1) << where;
        EXPECT_NEAR(here.vertical_db, narrower.vertical_db, 0.8) << where;
        narrower = here;
      }
    }
  }
}

// Beside the image method's ray over both edges, whose roofs reflect, which takes 2 to 6 dB more from what goes along
// them than roofs that absorb do.
TEST(OverRooftop, SetbacksTakeNearlyWhatTheyDoByImages) {
  const Vec3 mast{165, 120, 30}, receiver{303, 120.5, 1.5};
  const std::vector<Receiver> receivers = testing::receivers_at({receiver});
  const Transmitter transmitter = testing::test_transmitter(mast);
  ImageTracingOptions exact;
  exact.max_reflections = 0;
  exact.max_diffractions = 2;
  for (const double storey_m : {1.0, 3.0}) {
    for (const double setback_m : {1.0, 1.5, 1.95, 2.05, 3.0}) {
      const Environment city(testing::with_material(house_with_setbacks(1, setback_m, storey_m), 5, 0.05), 25);
      double over_both = 0;
      for (const Ray& ray :
           ImageTracer(city.scene, city.occlusion, receivers, exact).trace(transmitter, no_progress()).rays) {
        const bool rises = std::all_of(ray.points.begin() + 1, ray.points.end() - 1,
                                       [&](Vec3 point) { return point.z >= 15 - storey_m; });
        if (rises) over_both += ray.path_gain;
      }
      const double above_db = decibels_between(gain_over_roofs(city, mast, receiver), over_both);
      EXPECT_GT(above_db, 1) << storey_m << " m lower, " << setback_m << " m";
      EXPECT_LT(above_db, 7) << storey_m << " m lower, " << setback_m << " m";
    }
  }
}

// A step of 10 cm in the roof, along which the vertical plane runs, and which it crosses next to the far eaves: these
// bend the ray, as those of an even roof do, and not the step beside them.
TEST(OverRooftop, EavesBendWhatRunsAlongAStepOfTheRoof) {
  constexpr double rear_x = 300, step_y = 120;
  const auto roof = [&](double step_m) {
    Scene scene = testing::flat_ground(660, 240);
    scene.prisms = {testing::box_prism(1, {285, 10}, {rear_x, step_y}, 0, 12 + step_m),
                    testing::box_prism(2, {285, step_y}, {rear_x, 230}, 0, 12)};
    return scene;
  };
  const Scene even = roof(0), stepped = roof(0.1);
  for (const double before_eaves_m : {0.5, 1.0, 1.5}) {
    for (const double slope : {0.005, 0.02, 0.08}) {
      const auto on_plane = [&](double x, double z) {
        return Vec3{x, step_y + slope * (x - (rear_x - before_eaves_m)), z};
      };
      for (const double behind_m : {2.0, 8.0}) {
        const Vec3 mast = on_plane(165, 30), receiver = on_plane(rear_x + behind_m, 1.5);
        const RoofLosses here = losses_over_roofs(stepped, mast, receiver, 900e6);
        const RoofLosses without = losses_over_roofs(even, mast, receiver, 900e6);
        const auto where = ::testing::Message() << before_eaves_m << " m, " << slope << ", " << behind_m << " m";
        EXPECT_NEAR(here.vertical_db, without.vertical_db, 8) << where;
        EXPECT_NEAR(here.horizontal_db, without.horizontal_db, 8) << where;
      }
    }
  }
}

// A thin conducting house, over whose roof the ray does not rise: absorbing, that has half of the field across the edge
// that there is over a conducting one, from the wall (but for the 0.3 m next to it) on. That is known exactly.
TEST(OverRooftop, BelowAnAbsorbingRoofIsHalfOfTheFieldOfAConductor) {
  Scene scene = testing::flat_ground(660, 240);
  const Vec3 edge{400, 120, 15};
  scene.prisms = {testing::box_prism(1, {edge.x - 0.1, 10}, {edge.x, 230}, 0, edge.z)};
  const OverRooftopPaths paths(scene);
  OverRooftopPaths::Workspace work;
  const std::vector<Complex> permittivities(scene.materials.size(), perfect_conductor_permittivity);
  const double wavelength = wavelength_m(850e6), wave_number = 2 * pi / wavelength;
  const Vec3 antenna{300, edge.y, edge.z};
  for (const double behind_m : {0.3, 0.5, 1.0, 3.0, 8.0, 20.0}) {
    const Vec3 receiver{edge.x + behind_m, edge.y, 1.5};
    RooftopPath path;
    ASSERT_TRUE(paths.find({antenna, wavelength, permittivities}, {receiver}, OverRooftop::screens, work, path));
    ASSERT_EQ(path.edges.size(), 1u);
    const WedgeGeometry wedge{.source_m = norm(antenna - edge),
                              .observer_m = norm(receiver - edge),
                              .observer_angle = pi + std::atan2(edge.z - receiver.z, behind_m)};
    const std::complex<double> on_conductor = exact_wedge_field(wedge, {1, 1}, wave_number);
    EXPECT_NEAR(decibels_between(squared_norm(path.vertical), std::norm(0.5 * norm(receiver - antenna) * on_conductor)),
                0, 0.1)
        << behind_m << " m behind";
  }
}

// The field behind an edge to which a wave of vertical polarisation comes along a roof that absorbs, near the wall
// below it.
double field_near_wall(double along_roof_m, double below_m, double from_wall_m, bool wall_reflects) {
  const WedgeGeometry wedge{.source_m = along_roof_m,
                            .observer_m = std::hypot(from_wall_m, below_m),
                            .observer_angle = pi + std::atan2(below_m, from_wall_m)};
  const Complex wall = fresnel(relative_permittivity({5, 0.01}, 850e6), from_wall_m / wedge.observer_m).tm;
  const std::complex<double> of_wall = wall_reflects ? std::complex<double>(wall.re, wall.im) : 0;
  return std::abs(exact_wedge_field(wedge, {0, of_wall}, 2 * pi / wavelength_m(850e6)));
}

// An antenna or a receiver at a façade: its roof's edge bends the ray however near it is. On the wall there is the wave
// that falls on it, 0.3 m before it what that and its reflection leave, and between some of both.
TEST(OverRooftop, EdgesNextToTheEndsCount) {
  constexpr double front_x = 350, rear_x = 362, roof_z = 15;
  Scene scene = testing::flat_ground(660, 240);
  scene.prisms.push_back(testing::box_prism(1, {front_x, 10}, {rear_x, 230}, 0, roof_z));
  const Environment city(scene, 10);
  const auto gain = [&](double before_m, double behind_m) {
    const auto result = city.launch_to_receivers(testing::test_transmitter({front_x - before_m, 120, 6}),
                                                 testing::receivers_at({{rear_x + behind_m, 120, 1.5}}), roofs_only());
    return testing::total_gain(result.receivers[0]);
  };
  constexpr double far_m = 0.35;
  ASSERT_GT(gain(far_m, 20), 0);
  const auto expected_db = [&](double near_m, double height_m) {
    const auto field_db = [&](double from_wall_m, bool wall_reflects) {
      return 20 * std::log10(field_near_wall(rear_x - front_x, roof_z - height_m, from_wall_m, wall_reflects));
    };
    const double share = share_between(near_m, 0.01, 0.3);
    const double near_db = (share > 0 ? share * field_db(near_m, true) : 0) + (1 - share) * field_db(near_m, false);
    return near_db - field_db(far_m, true);
  };
  for (const double near_m : {1e-9, 1e-4, 0.009, 0.02, 0.05, 0.1, 0.2, 0.29, 0.31, 0.5, 2.0}) {
    EXPECT_NEAR(decibels_between(gain(near_m, 20), gain(far_m, 20)), expected_db(near_m, 6), 0.3)
        << near_m << " m before the house";
    EXPECT_NEAR(decibels_between(gain(20, near_m), gain(20, far_m)), expected_db(near_m, 1.5), 0.3)
        << near_m << " m behind it";
  }
}

// Roofs just below the line take from what is in sight as the screens do that they are, so that power falls across the
// shadow's boundary without a step; their diffractions are in it already.
TEST(OverRooftop, RoofsJustBelowTheLineTakeTheirPart) {
  Scene one = testing::flat_ground(660, 240);
  one.prisms = {testing::box_prism(1, {300.45, 10}, {300.55, 230}, 0, 12)};
  Scene rows = testing::flat_ground(660, 240);
  for (int i = 1; i <= 6; ++i) {
    const double x = 100 + i * 460.0 / 7;
    rows.prisms.push_back(testing::box_prism(i, {x - 0.05, 10}, {x + 0.05, 230}, 0, 12));
  }
  const Vec3 antenna{100, 120, 12};
  const double wavelength = speed_of_light / 850e6;
  const auto losses_db = [&](const Scene& scene, std::vector<double> heights) {
    const Environment city(scene, 10);
    std::vector<Vec3> points;
    for (const double z : heights) points.push_back({560, 120, z});
    const auto result =
        city.launch_to_receivers(testing::test_transmitter(antenna), testing::receivers_at(points), roofs_only());
    std::vector<double> losses;
    for (std::size_t r = 0; r < points.size(); ++r) {
      EXPECT_EQ(result.receivers[r].rays, 1u) << points[r].z;
      EXPECT_EQ(result.receivers[r].direct, points[r].z > 12) << points[r].z;
      // What the roof does to the phase makes nothing faster than light.
      EXPECT_GE(result.receivers[r].first_excess_m, 0) << points[r].z;
      losses.push_back(-10.0 * std::log10(testing::total_gain(result.receivers[r])) -
                       free_space_loss_db(norm(points[r] - antenna), 850e6));
    }
    return losses;
  };
  // Receivers on both sides of the boundary, which is at 12 m; one screen is exact at all of them.
  const std::vector<double> heights{10.9, 11.7, 11.99, 12.01, 12.3, 13.1, 14.7, 16.0, 17.3, 17.4, 20.0};
  const std::vector<double> behind_one = losses_db(one, heights);
  for (std::size_t r = 0; r < heights.size(); ++r) {
    const double clearance = 12 - (12 + (heights[r] - 12) * 200.5 / 460);
    const double nu = fresnel_parameter(clearance, 200.5, 259.5, wavelength);
    if (nu < negligible_fresnel_parameter) continue;
    EXPECT_NEAR(behind_one[r], knife_edge_loss_db(nu), 0.02) << heights[r];
  }
  const std::vector<double> behind_rows = losses_db(rows, heights);
  EXPECT_NEAR(behind_rows[2], behind_rows[3], 0.3);
  // 1/(N+1) of the field behind N equally high screens at grazing (docs/physics.md §6).
  EXPECT_NEAR(behind_rows[3], 20 * std::log10(7.0), 0.3);
  for (std::size_t r = 1; r < heights.size(); ++r) EXPECT_LT(behind_rows[r], behind_rows[r - 1] + 0.05);
  // Above that nothing is lost, and what their edges diffract is not added in power.
  EXPECT_NEAR(losses_db(rows, {60})[0], 0, 0.01);
  EXPECT_NEAR(losses_db(one, {40})[0], 0, 0.01);
}

// In sight of a mast, over roofs each of which reaches nearer to the line than the one before. Of all of them the chain
// of integrals would be the small difference of great terms, 17 dB too much. In double precision and along contours
// that end far out they take 0.62 dB, the two nearest alone 0.98 dB.
TEST(OverRooftop, ManyRoofsBelowTheLineTakeWhatTheNearestDo) {
  const std::vector<Vec2> below_line{{743.096, -8.411}, {883.097, -9.307}, {891.217, -8.203},
                                     {903.224, -6.570}, {923.360, -3.344}, {943.507, -0.605}};
  const Vec3 antenna{50, 100, 155.71}, receiver{989.78, 100, 27.07};
  const Vec3 way = receiver - antenna, along = normalized(way), across{-along.z, 0, along.x};
  Scene scene = testing::flat_ground(1100, 200);
  std::vector<Vec2> profile{{0, 0}};
  for (const Vec2 place : below_line) {
    const Vec3 top = antenna + place.x * along + place.y * across;
    scene.prisms.push_back(testing::box_prism(static_cast<std::int64_t>(profile.size()), {top.x - 0.05, 10},
                                              {top.x + 0.05, 190}, 0, top.z));
    profile.push_back(place);
  }
  profile.push_back({norm(way), 0});
  const OverRooftopPaths paths(scene);
  OverRooftopPaths::Workspace work;
  const std::vector<Complex> permittivities(scene.materials.size(), Complex{5, -0.3});
  const double wavelength = wavelength_m(850e6);
  const RooftopRays rays{antenna, wavelength, permittivities};
  const Complex left = paths.left_in_sight(rays, {receiver}, OverRooftopPaths::WayInSight::straight, work).factor;
  EXPECT_NEAR(decibels_between(1, squared_norm(left)), 0.62, 0.5);
  profile.erase(profile.begin() + 1, profile.end() - 3);
  EXPECT_NEAR(decibels_between(squared_norm(left), squared_norm(double_knife_edge_factor(profile, wavelength))), 0,
              0.5);
}

// Two rays over flat ground past one upright screen: from the antenna and its image to the receiver and its image, each
// over the top (Fresnel's integral; paraxial).
struct TwoRaysPastScreen {
  double frequency_hz, antenna_m, to_screen_m, top_m, permittivity;

  double loss_db(double plan_m, double receiver_m) const {
    const double wavelength = speed_of_light / frequency_hz, wave_number = 2 * pi / wavelength;
    const auto amplitude = [&](double begin_z, double end_z) {
      const double clearance = top_m - (begin_z + (end_z - begin_z) * to_screen_m / plan_m);
      const double length = std::hypot(plan_m, end_z - begin_z);
      const double nu = fresnel_parameter(clearance, to_screen_m, plan_m - to_screen_m, wavelength);
      return (1 / length) * (knife_edge_factor(nu) * exp_j(-wave_number * length));
    };
    const auto reflection = [&](double rise, double distance) {
      const double sine = rise / std::hypot(distance, rise);
      const double root = std::sqrt(permittivity - 1 + sine * sine);
      return (permittivity * sine - root) / (permittivity * sine + root);
    };
    const double before = reflection(antenna_m + top_m, to_screen_m);
    const double behind = reflection(top_m + receiver_m, plan_m - to_screen_m);
    const double of_line = reflection(antenna_m + receiver_m, plan_m);
    // Past a low screen the ground reflects what goes by at the angle of the line.
    const bool is_behind = antenna_m - (antenna_m + receiver_m) * to_screen_m / plan_m > 0;
    const Complex sum = amplitude(antenna_m, receiver_m) +
                        (is_behind ? of_line : behind) * amplitude(antenna_m, -receiver_m) +
                        (is_behind ? before : of_line) * amplitude(-antenna_m, receiver_m) +
                        before * behind * amplitude(-antenna_m, -receiver_m);
    return -10 * std::log10(squared_norm(sum) / (4 * wave_number * wave_number));
  }
};

// A plain with a wall across it, and losses to a receiver at 1.5 m over the middle of a ground tile and to that tile.
class WallAcrossPlain {
 public:
  explicit WallAcrossPlain(const TwoRaysPastScreen& rays)
      : rays_(rays), city_(testing::with_material(scene_of(rays), rays.permittivity, 0), 20) {}

  struct Losses {
    bool in_sight = false;
    double receiver_db = 0, tile_db = 0;
  };
  std::vector<Losses> at(const std::vector<double>& x, Summation summation = Summation::coherent) const {
    RayLaunchingOptions options = testing::without_scattering(1, 1, 2);
    options.over_rooftop = OverRooftop::screens;
    options.summation = summation;
    Transmitter transmitter = testing::test_transmitter({antenna_x, 30, rays_.antenna_m});
    transmitter.frequency_hz = rays_.frequency_hz;
    std::vector<Vec3> places;
    for (const double receiver_x : x) places.push_back({receiver_x, 30, 1.5});
    const auto result = city_.launch(transmitter, testing::receivers_at(places), options);
    std::vector<Losses> losses(places.size());
    for (std::size_t r = 0; r < places.size(); ++r) {
      losses[r] = {result.receivers[r].direct, -decibels(testing::total_gain(result.receivers[r]))};
      for (std::size_t t = 0; t < city_.tiling.tiles.size(); ++t) {
        if (norm(target_point(city_.tiling.tiles[t], 1.5) - places[r]) > 0.01) continue;
        losses[r].tile_db = -decibels(testing::total_gain(result.tiles[t]));
      }
    }
    return losses;
  }
  static constexpr double antenna_x = 0.1, width_m = 2100;

 private:
  static Scene scene_of(const TwoRaysPastScreen& rays) {
    Scene scene = testing::flat_ground(width_m, 60);
    const double x = antenna_x + rays.to_screen_m;
    scene.prisms = {testing::box_prism(1, {x - 0.05, 0}, {x + 0.05, 60}, 0, rays.top_m)};
    return scene;
  }

  TwoRaysPastScreen rays_;
  Environment city_;
};

// The direct ray and its reflections on the ground before a wall and behind it, each over the top as far as that takes
// from it: at tiles and at receivers, whose ground tile may still be in the shadow.
TEST(OverRooftop, TheDirectRayAndItsReflectionsPassTheRoof) {
  for (const auto& [frequency_hz, antenna_m, x] :
       {std::tuple{450e6, 20.0, 1010.0}, std::tuple{450e6, 20.0, 1090.0}, std::tuple{2.6e9, 30.0, 770.0}}) {
    SCOPED_TRACE(x);
    const TwoRaysPastScreen rays{frequency_hz, antenna_m, 511.5 - WallAcrossPlain::antenna_x, 10, 5};
    const WallAcrossPlain::Losses losses = WallAcrossPlain(rays).at({x}).front();
    const double expected = rays.loss_db(x - WallAcrossPlain::antenna_x, 1.5);
    EXPECT_TRUE(losses.in_sight);
    EXPECT_NEAR(losses.receiver_db, expected, 0.25);
    EXPECT_NEAR(losses.tile_db, expected, 0.25);
  }
}

// In the shadow the wave over the wall and its reflection are in step by where they come from, and so are the direct
// ray and its own in sight.
TEST(OverRooftop, TheLocalMeanHasNoStepAtTheShadowsBoundary) {
  constexpr double to_wall_m = 511.4, apart_m = 0.25;
  for (const double frequency_hz : {450e6, 900e6, 2.6e9, 6e9, 28e9}) {
    for (const auto& [antenna_m, top_m] : {std::pair{20.0, 5.0}, std::pair{20.0, 10.0}, std::pair{25.0, 5.0},
                                           std::pair{25.0, 10.0}, std::pair{30.0, 5.0}, std::pair{30.0, 10.0}}) {
      const WallAcrossPlain wall({frequency_hz, antenna_m, to_wall_m, top_m, 5});
      const double boundary_x = WallAcrossPlain::antenna_x + to_wall_m * (antenna_m - 1.5) / (antenna_m - top_m);
      std::vector<double> x;
      for (int i = -10; i <= 10; ++i) x.push_back(boundary_x + apart_m * i);
      const auto losses = wall.at(x, Summation::local_mean);
      EXPECT_FALSE(losses.front().in_sight);
      EXPECT_TRUE(losses.back().in_sight);
      for (std::size_t i = 1; i < x.size(); ++i) {
        EXPECT_NEAR(losses[i].receiver_db, losses[i - 1].receiver_db, 0.9)
            << frequency_hz << " Hz, antenna " << antenna_m << ", wall " << top_m << ", place " << x[i];
      }
    }
  }
}

// Far out, where the direct ray and its reflection nearly cancel, the least that one of them loses without the other
// shows. The lower the wall the less it takes, and one of no height nothing.
TEST(OverRooftop, LowRoofsTakeLittleOfTwoRays) {
  std::vector<double> x;
  for (double place = 330; place < 2050; place += 80) x.push_back(place);
  std::size_t compared = 0;
  double squares = 0;
  for (const double frequency_hz : {150e6, 450e6, 900e6}) {
    for (const auto& [antenna_m, to_wall_m] :
         {std::pair{6.0, 500.0}, std::pair{10.0, 200.0}, std::pair{30.0, 1000.0}}) {
      for (const double top_m : {0.2, 1.0, 3.0}) {
        const TwoRaysPastScreen rays{frequency_hz, antenna_m, to_wall_m, top_m, 5};
        const auto losses = WallAcrossPlain(rays).at(x);
        for (std::size_t r = 0; r < x.size(); ++r) {
          const double plan_m = x[r] - WallAcrossPlain::antenna_x;
          if (plan_m < to_wall_m + 60 || !losses[r].in_sight) continue;
          SCOPED_TRACE(::testing::Message()
                       << frequency_hz << " Hz, antenna " << antenna_m << ", wall " << top_m << ", place " << x[r]);
          const double off_db = losses[r].receiver_db - rays.loss_db(plan_m, 1.5);
          squares += off_db * off_db;
          EXPECT_NEAR(off_db, 0, 1.2);
          EXPECT_NEAR(losses[r].tile_db, losses[r].receiver_db, 0.05);
          ++compared;
        }
      }
    }
  }
  EXPECT_GT(compared, 300u);
  EXPECT_LT(std::sqrt(squares / static_cast<double>(compared)), 0.4);
}

// Ground of the permittivity of air reflects nothing: the direct ray past a low wall is left, on the ground and at the
// walls of a house behind it.
TEST(OverRooftop, LowRoofsOverGroundThatReflectsNothing) {
  const TwoRaysPastScreen rays{450e6, 10, 200, 3, 1};
  const WallAcrossPlain::Losses losses = WallAcrossPlain(rays).at({1050}).front();
  EXPECT_NEAR(losses.receiver_db, rays.loss_db(1050 - WallAcrossPlain::antenna_x, 1.5), 0.3);
  EXPECT_NEAR(losses.tile_db, losses.receiver_db, 0.05);
  Scene scene = testing::flat_ground(700, 60);
  scene.prisms = {testing::box_prism(1, {600, 10}, {601, 50}, 0, 3),
                  testing::box_prism(2, {660, 10}, {680, 50}, 0, 12)};
  const Environment city(testing::with_material(std::move(scene), 1, 0), 10);
  RayLaunchingOptions options = testing::without_scattering(1, 1, 2);
  options.over_rooftop = OverRooftop::screens;
  const auto result = city.launch(testing::test_transmitter({0.1, 30, 6}), {}, options);
  std::size_t walls = 0;
  for (std::size_t t = 0; t < city.tiling.tiles.size(); ++t) {
    const Tile& tile = city.tiling.tiles[t];
    if (tile.prism != 1 || tile.kind != SurfaceKind::wall || !result.tiles[t].direct) continue;
    const double free_db = free_space_loss_db(norm(tile.centroid - Vec3{0.1, 30, 6}), 850e6);
    EXPECT_NEAR(-decibels(testing::total_gain(result.tiles[t])), free_db, 6) << t;
    ++walls;
  }
  EXPECT_GT(walls, 3u);
}

// Houses of unequal height far below the line of sight, with antenna and receivers about as high: what comes past their
// images in the ground is next to nothing.
TEST(OverRooftop, HousesFarBelowTheLineLeaveFreeSpace) {
  Scene scene = testing::flat_ground(420, 120);
  scene.prisms = {testing::box_prism(1, {120, 30}, {135, 100}, 0, 12),
                  testing::box_prism(2, {160, 30}, {170, 100}, 0, 9)};
  const Environment city(std::move(scene), 10);
  RayLaunchingOptions options = testing::without_scattering(3, 3, 1);
  options.over_rooftop = OverRooftop::screens;
  std::vector<Vec3> places;
  for (double z = 20; z < 36; z += 0.5) places.push_back({320.3, 63.3, z});
  Transmitter transmitter = testing::test_transmitter({20.13, 61.7, 30});
  transmitter.frequency_hz = 3500e6;
  const auto result = city.launch_to_receivers(transmitter, testing::receivers_at(places), options);
  for (std::size_t r = 0; r < places.size(); ++r) {
    const double free_db = free_space_loss_db(norm(places[r] - transmitter.position), transmitter.frequency_hz);
    EXPECT_NEAR(-decibels(testing::total_gain(result.receivers[r])), free_db, 2) << places[r].z;
  }
}

// Across the line, not upright: the launcher's own diffraction by UTD, in amplitude with the direct ray.
TEST(OverRooftop, SteepLinesOfSightAreClearedAcross) {
  Scene scene = testing::flat_ground(120, 240);
  scene.prisms = {testing::box_prism(1, {15, 10}, {24, 230}, 0, 12)};
  const Environment city(scene, 5);
  RayLaunchingOptions diffraction = roofs_only();
  diffraction.over_rooftop = OverRooftop::none;
  diffraction.summation = Summation::coherent;
  for (const double z : {0.6, 1.0, 1.5, 2.0}) {
    const Vec3 antenna{10, 120, 40}, receiver{30, 120, z};
    const auto gain = [&](const RayLaunchingOptions& options) {
      return testing::total_gain(
          city.launch_to_receivers(testing::test_transmitter(antenna), testing::receivers_at({receiver}), options)
              .receivers[0]);
    };
    EXPECT_NEAR(decibels_between(gain(roofs_only()), gain(diffraction)), 0, 0.2) << z;
  }
}

// Roofs of the same height before a roof are in the way of its tiles, too; its own edge is not.
TEST(OverRooftop, RoofsOfEqualHeightTakeTheirPart) {
  const auto loss_db = [](double last_m) {
    Scene scene = testing::flat_ground(500, 100);
    for (int i = 0; i < 6; ++i) {
      const double x = 100 + 50 * i;
      scene.prisms.push_back(testing::box_prism(i + 1, {x, 0}, {x + 20, 100}, 0, i == 5 ? last_m : 12));
    }
    const Environment city(std::move(scene), 10);
    const Vec3 antenna{50, 52, 13};
    const auto result = city.launch(testing::test_transmitter(antenna), {}, roofs_only());
    double sum = 0;
    int tiles = 0;
    for (std::size_t t = 0; t < city.tiling.tiles.size(); ++t) {
      const Tile& tile = city.tiling.tiles[t];
      if (tile.prism != 5 || tile.kind != SurfaceKind::roof || std::fabs(tile.centroid.y - 52) > 10) continue;
      EXPECT_TRUE(result.tiles[t].direct);
      sum +=
          -10 * std::log10(result.tiles[t].strongest_gain) - free_space_loss_db(norm(tile.centroid - antenna), 850e6);
      ++tiles;
    }
    return sum / tiles;
  };
  EXPECT_GT(loss_db(12), 12);
  EXPECT_NEAR(loss_db(12), loss_db(12.02), 0.3);
}

// The same from either end, and of tiles as of receivers; a roof takes nothing from its own tiles.
TEST(OverRooftop, WhatIsLeftInSightIsReciprocal) {
  Scene scene = testing::flat_ground(660, 240);
  scene.prisms = {testing::box_prism(1, {250, 10}, {262, 230}, 0, 12),
                  testing::box_prism(2, {300, 10}, {330, 230}, 0, 11),
                  testing::box_prism(3, {500, 10}, {560, 230}, 0, 30)};
  const Environment city(scene, 10);
  RayLaunchingOptions clear = roofs_only();
  clear.over_rooftop = OverRooftop::none;
  clear.max_diffractions = 0;
  const Vec3 antenna{100, 120, 14};
  const auto gain = [&](Vec3 from, Vec3 to) {
    return testing::total_gain(
        city.launch_to_receivers(testing::test_transmitter(from), testing::receivers_at({to}), roofs_only())
            .receivers[0]);
  };
  // What the third house sends back passes the others on one of its legs, and they take nothing from it on the last.
  const auto straight = [&](Vec3 from, Vec3 to) {
    RayLaunchingOptions strongest = roofs_only();
    strongest.rays_per_receiver = 1;
    return city.launch_to_receivers(testing::test_transmitter(from), testing::receivers_at({to}), strongest).rays.at(0);
  };
  for (const Vec3 receiver : {Vec3{490, 120, 12.5}, Vec3{400, 125, 12}, Vec3{450, 110, 13}}) {
    const Ray there = straight(antenna, receiver), back = straight(receiver, antenna);
    EXPECT_EQ(there.interactions, "T");
    EXPECT_NEAR(decibels_between(there.path_gain, back.path_gain), 0, 1e-3);
  }
  const auto with = city.launch(testing::test_transmitter(antenna), {}, roofs_only());
  const auto without = city.launch(testing::test_transmitter(antenna), {}, clear);
  int walls = 0, own_roofs = 0;
  for (std::size_t t = 0; t < city.tiling.tiles.size(); ++t) {
    const Tile& tile = city.tiling.tiles[t];
    if (!without.tiles[t].direct || tile.kind == SurfaceKind::ground) continue;
    if (tile.prism == 0 && tile.kind == SurfaceKind::roof) {
      EXPECT_EQ(with.tiles[t].strongest_gain, without.tiles[t].strongest_gain);
      ++own_roofs;
    }
    if (tile.prism == 2 && tile.kind == SurfaceKind::wall) {
      EXPECT_NEAR(
          decibels_between(testing::total_gain(with.tiles[t]), gain(antenna, tile.centroid + 1e-3 * tile.normal)), 0,
          0.05);
      if (with.tiles[t].strongest_gain < 0.99 * without.tiles[t].strongest_gain) ++walls;
    }
  }
  EXPECT_GT(walls, 10);
  EXPECT_GT(own_roofs, 10);
}

// The roof that an antenna stands over reflects, however low the antenna is, and however little the ray bends at its
// edge: the launcher's own diffraction by UTD says what arrives. At both ends alike.
TEST(OverRooftop, OwnRoofsReflect) {
  Scene scene = testing::flat_ground(660, 240);
  scene.prisms.push_back(testing::box_prism(1, {300, 10}, {370, 230}, 0, 15));
  const Environment city(scene, 10);
  RayLaunchingOptions diffraction = roofs_only();
  diffraction.over_rooftop = OverRooftop::none;
  const auto gain = [&](Vec3 from, Vec3 to, const RayLaunchingOptions& options) {
    const auto result = city.launch_to_receivers(testing::test_transmitter(from), testing::receivers_at({to}), options);
    return result.receivers[0].strongest_gain;
  };
  for (const double above_m : {0.1, 0.5, 1.7, 1.8, 3.0}) {
    const Vec3 antenna{350, 120, 15 + above_m};
    for (const double behind_m : {5.0, 15.0, 50.0, 80.0}) {
      const Vec3 receiver{370 + behind_m, 120, 1.5};
      const double over_roof = gain(antenna, receiver, roofs_only());
      EXPECT_NEAR(decibels_between(over_roof, gain(antenna, receiver, diffraction)), 0, 1.5)
          << above_m << " m, " << behind_m << " m";
      EXPECT_NEAR(decibels_between(over_roof, gain(receiver, antenna, roofs_only())), 0, 0.01);
    }
  }
}

TEST(RooftopProfiles, LeaveOutWhatHasAirBelow) {
  Scene scene = testing::flat_ground(660, 240);
  const auto raised = [&](double from_x, double to_x, double bottom_z, double top_z) {
    scene.prisms.push_back(testing::box_prism(1, {from_x, 10}, {to_x, 230}, bottom_z, top_z));
    scene.prisms.back().on_ground = false;
  };
  raised(100, 110, 12, 13);  // a bridge
  raised(104, 106, 13, 16);  // and what stands on it
  scene.prisms.push_back(testing::box_prism(2, {200, 10}, {240, 230}, 0, 10));
  raised(210, 230, 10, 25);  // a tower on a podium
  raised(240, 250, 6, 10);   // and what it holds out
  raised(300, 310, 0, 20);   // down to the ground
  const RooftopProfiles profiles(scene, PrismIndex(scene));
  const std::vector<Vec2> profile = testing::profile_between(profiles, {20, 120, 5}, {600, 120, 5}, 2.0);
  std::vector<Vec2> edges(profile.begin() + 1, profile.end() - 1);
  EXPECT_EQ(edges, (std::vector<Vec2>{{180, 10}, {190, 25}, {210, 25}, {220, 10}, {280, 20}, {290, 20}}));
}

TEST(RooftopProfiles, CloseGapsBelowParts) {
  for (const auto& [gap_m, edges] : {std::pair{0.04, 6u}, std::pair{0.45, 6u}, std::pair{0.6, 2u}}) {
    SCOPED_TRACE(gap_m);
    Scene scene = testing::flat_ground(660, 240);
    const auto raised = [&](Vec2 from, Vec2 to, double bottom_z, double top_z) {
      scene.prisms.push_back(testing::box_prism(1, from, to, bottom_z, top_z));
      scene.prisms.back().on_ground = false;
    };
    raised({300, 10}, {310, 230}, gap_m, 20);  // over the ground
    scene.prisms.push_back(testing::box_prism(2, {200, 10}, {240, 230}, 0, 10));
    raised({210, 10}, {230, 230}, 10 + gap_m, 25);  // over a podium
    const RooftopProfiles profiles(scene, PrismIndex(scene));
    const std::vector<Vec2> profile = testing::profile_between(profiles, {20, 120, 5}, {600, 120, 5}, 2.0);
    EXPECT_EQ(profile.size(), 2 + edges);  // the ends, too
  }
}

// A block on piles before a low house, over whose roof a ray would come straight through the block.
TEST(OverRooftop, RaysPassAboveAPartWithAirBelowNotThroughIt) {
  const auto powers = [](double bottom_z, bool with_house) {
    Scene scene = testing::flat_ground(300, 240);
    scene.prisms.push_back(testing::box_prism(1, {100, 20}, {115, 220}, bottom_z, 40));
    scene.prisms.back().on_ground = bottom_z == 0;
    if (with_house) scene.prisms.push_back(testing::box_prism(2, {140, 60}, {150, 180}, 0, 6));
    const Environment town(std::move(scene), 10);
    const RayLaunchingResult launched = town.launch_to_receivers(
        testing::test_transmitter({40, 120, 20}),
        testing::receivers_at({{153, 120, 1.5}, {158, 121, 1.5}, {165, 121, 1.5}, {180, 121, 1.5}}), roofs_only());
    std::vector<double> gains;
    for (const ArrivalSums& receiver : launched.receivers) gains.push_back(testing::total_gain(receiver));
    return gains;
  };
  for (const bool with_house : {true, false}) {
    SCOPED_TRACE(with_house);
    const std::vector<double> standing = powers(0, with_house);
    for (const double bottom_z : {0.3, 4.0}) {
      const std::vector<double> raised = powers(bottom_z, with_house);
      for (std::size_t r = 0; r < standing.size(); ++r) {
        EXPECT_GT(standing[r], 0) << r;
        EXPECT_NEAR(decibels_between(raised[r], standing[r]), 0, 1e-6) << bottom_z << " m, " << r;
      }
    }
  }
}

// Walls and blocks with air below, of which some or all hide the receiver: what comes over them is that of exact
// screens, though another roof is near the way, over which alone it would go straight through them.
TEST(OverRooftop, OverPartsWithAirBelowIsThatOfExactScreens) {
  struct Screens {
    std::vector<std::array<double, 4>> parts;  // from x to x, from z to z; on the ground from 0
    std::vector<Vec2> edges;                   // over which the ray bends
  };
  const Vec3 antenna{100, 120, 14}, receiver{640, 120, 3};
  for (const Screens& screens :
       {Screens{{{350, 365, 5, 12}}, {{250, 12}, {265, 12}}},
        Screens{{{350, 365, 5, 12}, {560, 570, 0, 1}}, {{250, 12}, {265, 12}}},
        Screens{{{300, 300.1, 4, 16}, {480, 480.1, 4, 11}}, {{200.05, 16}, {380.05, 11}}},
        Screens{{{300, 300.1, 4, 16}, {480, 480.1, 0, 11}}, {{200.05, 16}, {380.05, 11}}},
        Screens{{{300, 300.1, 0, 16}, {480, 480.1, 2, 11}, {560, 570, 0, 1}}, {{200.05, 16}, {380.05, 11}}}}) {
    Scene scene = testing::flat_ground(660, 240);
    for (const auto& [from_x, to_x, bottom_z, top_z] : screens.parts) {
      scene.prisms.push_back(testing::box_prism(1, {from_x, 10}, {to_x, 230}, bottom_z, top_z));
      scene.prisms.back().on_ground = bottom_z == 0;
    }
    const Environment city(std::move(scene), 10);
    const Transmitter transmitter = testing::test_transmitter(antenna);
    const RayLaunchingResult result =
        city.launch_to_receivers(transmitter, testing::receivers_at({receiver}), roofs_only());
    std::vector<Vec2> profile{{0, antenna.z}, {receiver.x - antenna.x, receiver.z}};
    profile.insert(profile.begin() + 1, screens.edges.begin(), screens.edges.end());
    const double wavelength = speed_of_light / transmitter.frequency_hz;
    const double loss_db = free_space_loss_db(norm(receiver - antenna), transmitter.frequency_hz) -
                           decibels(squared_norm(double_knife_edge_factor(profile, wavelength)));
    EXPECT_EQ(result.receivers[0].strongest_mechanism, Mechanism::over_rooftop);
    EXPECT_NEAR(-decibels(testing::total_gain(result.receivers[0])), loss_db, 0.1)
        << screens.parts.size() << " parts, " << screens.parts[0][2] << " m";
  }
}

// From a mast down behind a block on pillars: as the image tracer's ray by its wedges.
TEST(OverRooftop, OverPartsWithAirBelowBendsAsByImages) {
  Scene scene = testing::flat_ground(660, 240);
  scene.prisms.push_back(testing::box_prism(1, {300, 10}, {330, 230}, 4, 15));
  scene.prisms.back().on_ground = false;
  scene.prisms.push_back(testing::box_prism(2, {350, 10}, {360, 230}, 0, 2));
  const Environment city(std::move(scene), 10);
  const Transmitter transmitter = testing::test_transmitter({200, 120, 40});
  const std::vector<Receiver> receivers =
      testing::receivers_at({{335, 120, 1.5}, {340, 120, 1.5}, {345, 120, 3}, {348, 120, 5}});
  ImageTracingOptions exact;
  exact.max_reflections = 0;
  exact.max_diffractions = 1;
  std::vector<double> over_roof(receivers.size());
  for (const Ray& ray :
       ImageTracer(city.scene, city.occlusion, receivers, exact).trace(transmitter, no_progress()).rays) {
    if (ray.points[1].z == 15) over_roof[static_cast<std::size_t>(ray.target_id) - 1] += ray.path_gain;
  }
  const RayLaunchingResult launched = city.launch_to_receivers(transmitter, receivers, roofs_only());
  for (std::size_t r = 0; r < receivers.size(); ++r) {
    EXPECT_NEAR(decibels_between(testing::total_gain(launched.receivers[r]), over_roof[r]), 0, 1) << r;
  }
}

TEST(OverRooftop, IsReciprocal) {
  testing::SyntheticCityOptions options;
  options.width_m = options.depth_m = 500;
  const Environment city(testing::synthetic_city(options), 12);
  testing::Random random(5);
  int compared = 0, one_way = 0;
  for (int pair = 0; pair < 40; ++pair) {
    const Vec2 a{random.uniform(20, 480), random.uniform(20, 480)}, b{random.uniform(20, 480), random.uniform(20, 480)};
    const PrismIndex surface(city.scene);
    const Vec3 from{a.x, a.y, surface.surface_height(a) + 3}, to{b.x, b.y, surface.surface_height(b) + 3};
    const auto there =
        city.launch_to_receivers(testing::test_transmitter(from), testing::receivers_at({to}), roofs_only());
    const auto back =
        city.launch_to_receivers(testing::test_transmitter(to), testing::receivers_at({from}), roofs_only());
    const bool is_there = there.receivers[0].strongest_mechanism == Mechanism::over_rooftop,
               is_back = back.receivers[0].strongest_mechanism == Mechanism::over_rooftop;
    // What is reflected after it comes back reflected before it, by another ray.
    if (is_there != is_back) ++one_way;
    if (!is_there || !is_back) continue;
    ++compared;
    EXPECT_NEAR(decibels_between(there.receivers[0].strongest_gain, back.receivers[0].strongest_gain), 0, 0.01);
  }
  EXPECT_GE(compared, 20);
  EXPECT_LE(one_way, 3);
}

// Rays over the roofs of one antenna to all tiles of a hilly city.
struct RaysOfCity {
  RaysOfCity(std::uint64_t seed, Vec2 place, double height_m)
      : city(city_of(seed), 8),
        paths(city.scene),
        permittivities(city.scene.materials.size(), Complex{5, -0.3}),
        rays{{place.x, place.y, PrismIndex(city.scene).surface_height(place) + height_m},
             speed_of_light / 850e6,
             permittivities} {}

  static Scene city_of(std::uint64_t seed) {
    testing::SyntheticCityOptions options;
    options.width_m = options.depth_m = 600;
    options.hill_m = 20;
    options.seed = seed;
    return testing::synthetic_city(options);
  }
  bool find(const RooftopTarget& target, RooftopPath& path) {
    return paths.find(rays, target, OverRooftop::screens, work, path);
  }

  Environment city;
  OverRooftopPaths paths;
  std::vector<Complex> permittivities;
  RooftopRays rays;
  OverRooftopPaths::Workspace work;
};

// A profile may end early: never where the edges that are chosen from all of it would let the ray through.
// Behind a house a ray over its roof has the phase of its length and little more, also where it falls steeply: the
// screens' integral knows but the paraxial length, which is 2 m less 15 m behind a wall of 20 m.
TEST(OverRooftop, PhaseIsThatOfTheLength) {
  Scene scene = testing::flat_ground(100, 200);
  scene.prisms = {testing::box_prism(1, {20, 90}, {80, 100}, 0, 20)};
  const Environment house(testing::with_material(std::move(scene), 5, 0.01), 10);
  RayLaunchingOptions options = testing::without_scattering(1, 1, 1);
  options.over_rooftop = OverRooftop::screens;
  options.rays_per_receiver = 10;
  const Transmitter transmitter = testing::test_transmitter({50, 20, 1.5});
  for (const double behind_m : {12.0, 20.0, 40.0}) {
    std::vector<Vec3> places;
    for (int step = 0; step < 20; ++step) places.push_back({50, 100 + behind_m, 1.5 + 0.1 * step});
    const RayLaunchingResult result = house.launch_to_receivers(transmitter, testing::receivers_at(places), options);
    std::vector<double> phases;
    for (const Ray& ray : result.rays) {
      if (ray.interactions != "T-O") continue;
      const double turns = ray.delay_ns * 1e-9 * transmitter.frequency_hz + ray.phase_deg / 360;
      phases.push_back(360 * (turns - std::round(turns)));
    }
    ASSERT_EQ(phases.size(), places.size());
    for (const double phase : phases) {
      EXPECT_LT(std::fabs(std::remainder(phase - phases.front(), 360)), 8) << behind_m;
    }
  }
}

TEST(OverRooftop, ReachTilesFromInFrontAlone) {
  std::size_t in_front = 0, behind = 0;
  for (const double height_m : {2.0, 30.0}) {
    RaysOfCity all(3, {310, 290}, height_m);
    RooftopPath path, again;
    for (const Tile& tile : all.city.tiling.tiles) {
      const Vec3 point = target_point(tile, 1.5);
      if (!all.find({point}, path)) continue;
      const bool is_found = all.find({point, tile.centroid, tile.normal}, again);
      const bool is_in_front = dot(path.edges.back() - tile.centroid, tile.normal) > in_front_m;
      ASSERT_EQ(is_found, is_in_front) << tile.id;
      if (is_found) {
        EXPECT_EQ(again.edges, path.edges);
      }
      ++(is_found ? in_front : behind);
    }
  }
  EXPECT_GT(in_front, 1000u);
  EXPECT_GT(behind, 1000u);
}

TEST(OverRooftop, TilesReachedSoReflectOnce) {
  // Behind the building a wall faces it: what comes over the roof goes back from the wall.
  Scene scene = one_building(12);
  scene.prisms.push_back(testing::box_prism(2, {450, 20}, {470, 220}, 0, 11));
  const Environment city(scene, 5);
  RayLaunchingOptions options = roofs_only();
  options.max_reflections = 2;
  options.max_bounces = options.max_reflections_with_diffractions = 3;
  options.rays_per_receiver = 20;
  const auto result = city.launch_to_receivers(testing::test_transmitter({100, 120, 14}),
                                               testing::receivers_at({{400, 121, 3}}), options);
  const auto has = [&](const std::string& interactions) {
    return std::any_of(result.rays.begin(), result.rays.end(),
                       [&](const Ray& ray) { return ray.interactions == interactions; });
  };
  EXPECT_TRUE(has("T-O"));
  EXPECT_TRUE(has("T-O-R"));
  EXPECT_FALSE(has("T-O-R-R")) << "one reflection after the roofs";
  for (const Ray& ray : result.rays) {
    if (ray.interactions != "T-O-R") continue;
    // Equal angles at the wall x = 450.
    ASSERT_GE(ray.points.size(), 4u);
    const Vec3 in = normalized(ray.points[ray.points.size() - 2] - ray.points[ray.points.size() - 3]);
    const Vec3 out = normalized(ray.points.back() - ray.points[ray.points.size() - 2]);
    EXPECT_NEAR(ray.points[ray.points.size() - 2].x, 450, 1e-6);
    EXPECT_NEAR(in.x, -out.x, 1e-2);
    EXPECT_NEAR(in.z, out.z, 1e-2);
  }
}

}  // namespace
}  // namespace tesseray
