// SPDX-License-Identifier: GPL-3.0-or-later
// The ground before the first edge of rays over the roofs: where it is, and what comes by way of it.
#include "core/propagation/rooftops/ground_before_edge.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "core/base/units.h"
#include "core/physics/fresnel.h"
#include "core/physics/knife_edge.h"
#include "core/physics/material.h"
#include "core/propagation/rays/link.h"
#include "core/propagation/rooftops/over_rooftop.h"
#include "tests/support/environment.h"
#include "tests/support/synthetic_city.h"

namespace tesseray {
namespace {

using testing::Environment;

GroundBeforeEdge ground_of(const Scene& scene, Vec3 antenna, Vec3 edge) {
  const RooftopLine line(antenna, edge, 0);
  return ground_before(scene.terrain.view(), line, {norm(edge.xy() - antenna.xy()), edge.z});
}

TEST(GroundBeforeEdge, IsThePlaneOfASlope) {
  const Scene slope = testing::terrain_of(600, 600, 10, [](Vec2 p) { return 5 + 0.1 * p.x - 0.04 * p.y; });
  const Vec3 antenna{20.5, 33, 5 + 2.05 - 1.32 + 3}, edge{320.5, 433, 5 + 32.05 - 17.32 + 12};
  const GroundBeforeEdge ground = ground_of(slope, antenna, edge);
  EXPECT_TRUE(ground.reflects);
  EXPECT_NEAR(ground.height_m, antenna.z - 3, 1e-5);
  EXPECT_NEAR(ground.slope, (0.1 * 300 - 0.04 * 400) / 500, 1e-7);
  // The image lies as far below the plane as the antenna stands above it, at right angles to it.
  const Vec2 image = ground.image_of({0, antenna.z}), way = Vec2{0, antenna.z} - image;
  EXPECT_NEAR(dot(way, Vec2{1, ground.slope}), 0, 1e-9);
  const Vec2 middle = image + 0.5 * way;
  EXPECT_NEAR(middle.y, ground.height_at(middle.x), 1e-9);
  // Beyond a wall next to the antenna there is no image.
  EXPECT_FALSE(ground_of(slope, antenna, antenna + Vec3{0.06, 0.08, 5}).reflects);
}

TEST(GroundBeforeEdge, IsWhereTheReflectionIs) {
  // A plain, and behind it a slope up to a crest; the antenna stands in a hollow of the plain.
  const Scene scene = testing::terrain_of(2000, 60, 5, [](Vec2 p) {
    return p.x < 60 ? -2.0 : p.x < 1000 ? 0.0 : 0.2 * (p.x - 1000);
  });
  // 30 m above the plain: from far before the crest.
  const GroundBeforeEdge plain = ground_of(scene, {20, 30, 30}, {1500, 30, 100});
  EXPECT_TRUE(plain.reflects);
  EXPECT_NEAR(plain.height_m, 0, 1e-6);
  EXPECT_NEAR(plain.slope, 0, 1e-6);
  // 4 m above it: from the hollow, or nearly.
  EXPECT_LT(ground_of(scene, {20, 30, 2}, {1500, 30, 100}).height_m, -0.2);
}

TEST(GroundBeforeEdge, ReachesToTheCrest) {
  const Scene plateau = testing::terrain_of(1000, 60, 10, [](Vec2 p) { return p.x <= 500 ? 40.0 : 0.0; });
  const GroundBeforeEdge along = ground_of(plateau, {100, 30, 41.5}, {500, 30, 40});
  EXPECT_TRUE(along.reflects);
  EXPECT_NEAR(along.image_below({0, 41.5}, {400, 40}), 3, 1e-6);
  const Scene dome = testing::terrain_of(1000, 60, 10, [](Vec2 p) { return 40 - p.x * p.x / 2e4; });
  for (const double antenna_z : {50.0, 41.5}) {
    const GroundBeforeEdge over = ground_of(dome, {0, 30, antenna_z}, {300, 30, 35.5});
    EXPECT_TRUE(over.reflects) << antenna_z;
    EXPECT_NEAR(over.height_at(300), 35.5, 1e-6) << antenna_z;
    EXPECT_LT(over.height_m, antenna_z);
  }
}

// A wall 20 m high across a plain.
constexpr double wall_m = 20, wall_at = 1000.5, depth_m = 60;
Scene wall_on_a_plain() {
  Scene scene = testing::flat_ground(2020, depth_m);
  scene.prisms = {testing::box_prism(1, {1000, 0}, {1000.1, depth_m}, 0, wall_m)};
  return testing::with_material(std::move(scene), 5, 0.01);
}

// What comes to a place behind the wall, for low bends: from the antenna and its image, to the place and its image.
struct FourRays {
  double frequency_hz;
  Complex permittivity;

  std::vector<Complex> fields(Vec3 antenna, Vec3 place) const {
    const double wavelength = speed_of_light / frequency_hz, wave_number = 2 * pi / wavelength;
    const double plan = place.x - antenna.x, before = wall_at - antenna.x, behind = place.x - wall_at;
    const auto reflection = [&](double rise, double distance) {
      return fresnel(permittivity, rise / std::hypot(rise, distance)).tm;
    };
    std::vector<Complex> fields;
    for (const double from_z : {antenna.z, -antenna.z}) {
      for (const double to_z : {place.z, -place.z}) {
        const double clearance = wall_m - (from_z + (to_z - from_z) * before / plan);
        const double length = std::hypot(plan, to_z - from_z);
        const double nu = fresnel_parameter(clearance, before, behind, wavelength);
        // In the shadow the way bends over the wall, longer by this than ν has it.
        const double detour = std::hypot(before, wall_m - from_z) + std::hypot(behind, to_z - wall_m) - length,
                     beyond_paraxial = nu > 0 ? detour - nu * nu * wavelength / 4 : 0.0;
        Complex field = (1 / (2 * wave_number * length)) *
                        (knife_edge_factor(nu) * exp_j(-wave_number * (length + beyond_paraxial)));
        if (from_z < 0) field = reflection(antenna.z + wall_m, before) * field;
        if (to_z < 0) field = reflection(place.z + wall_m, behind) * field;
        fields.push_back(field);
      }
    }
    return fields;
  }
};

RayLaunchingOptions over_the_wall(Summation summation) {
  RayLaunchingOptions options = testing::without_scattering(1, 1, 2);
  options.over_rooftop = OverRooftop::screens;
  options.summation = summation;
  return options;
}

TEST(GroundBeforeEdge, SendsItsPartOverAWall) {
  const Environment plain(wall_on_a_plain(), 10);
  for (const double frequency_hz : {150e6, 900e6}) {
    for (const Vec3 antenna : {Vec3{0.1, 30, 1.5}, Vec3{0.1, 30, 10}, Vec3{600.1, 30, 3}, Vec3{850.1, 30, 8}}) {
      Transmitter transmitter = testing::test_transmitter(antenna);
      transmitter.frequency_hz = frequency_hz;
      const RayLaunchingOptions in_step = over_the_wall(Summation::coherent),
                                in_power = over_the_wall(Summation::power);
      const Link link(plain.scene, transmitter, in_step);
      const FourRays rays{frequency_hz, link.permittivities()[plain.scene.default_materials.ground]};
      const RayLaunchingResult coherent = plain.launch(transmitter, {}, in_step);
      const RayLaunchingResult power = plain.launch(transmitter, {}, in_power);
      std::size_t compared = 0;
      double most_db = 0;
      for (std::size_t t = 0; t < plain.tiling.tiles.size(); ++t) {
        const Tile& tile = plain.tiling.tiles[t];
        if (tile.kind != SurfaceKind::ground || tile.centroid.x < 1200 || std::fabs(tile.centroid.y - 30) > 6) continue;
        Complex sum;
        double powers = 0;
        for (const Complex field : rays.fields(antenna, target_point(tile, in_step.receiver_height_m))) {
          sum = sum + field;
          powers += squared_norm(field);
        }
        const double off_db = decibels(testing::total_gain(coherent.tiles[t]) / squared_norm(sum));
        EXPECT_NEAR(off_db, 0, 0.5) << antenna.x << " " << antenna.z << " " << tile.centroid.x;
        EXPECT_NEAR(decibels(testing::total_gain(power.tiles[t]) / powers), 0, 0.2) << tile.centroid.x;
        most_db = std::max(most_db, std::fabs(decibels(squared_norm(sum) / powers)));
        ++compared;
      }
      EXPECT_GT(compared, 50u);
      EXPECT_GT(most_db, 2);
    }
  }
}

// The same from either end, and the receiver's tile agrees; without reflections there is none on the ground either.
TEST(GroundBeforeEdge, IsTheSameFromEitherEnd) {
  const Environment plain(wall_on_a_plain(), 10);
  struct Ends {
    Vec3 there, back;
  };
  for (const Ends& ends : {Ends{{5, 33, 1.5}, {1305, 33, 10}}, Ends{{5, 33, 1.5}, {1995, 33, 1.5}},
                           Ends{{405, 33, 4}, {1405, 33, 12}}, Ends{{905, 33, 12}, {1505, 33, 1.5}}}) {
    for (const double frequency_hz : {150e6, 900e6}) {
      for (const Summation summation : {Summation::coherent, Summation::local_mean, Summation::power}) {
        const auto gain = [&](Vec3 from, Vec3 to, RayLaunchingOptions options) {
          Transmitter transmitter = testing::test_transmitter(from);
          transmitter.frequency_hz = frequency_hz;
          options.summation = summation;
          return testing::total_gain(
              plain.launch_to_receivers(transmitter, testing::receivers_at({to}), options).receivers[0]);
        };
        const RayLaunchingOptions options = over_the_wall(summation);
        const double off_db = decibels(gain(ends.there, ends.back, options) / gain(ends.back, ends.there, options));
        EXPECT_NEAR(off_db, 0, 1) << ends.there.z << " " << ends.back.z << " " << static_cast<int>(summation);
      }
    }
  }
}

// What the roof below an antenna, which reflects itself, takes from the direct ray to the top of the wall.
double own_roof_db(const OverRooftopPaths& paths, Vec3 antenna, double frequency_hz) {
  const std::vector<Complex> permittivities(paths.view().ground_material + 1,
                                            relative_permittivity({5, 0.01}, frequency_hz));
  const RooftopRays rays{.from = antenna,
                         .wavelength_m = wavelength_m(frequency_hz),
                         .permittivities = permittivities,
                         .roof = paths.roof_at(antenna),
                         .horizontal_share = 0};
  OverRooftopPaths::Workspace work;
  const auto left =
      paths.left_in_sight(rays, {.point = {1000, antenna.y, wall_m}}, OverRooftopPaths::WayInSight::straight, work);
  return -decibels(squared_norm(left.factor));
}

// A house below the antenna does not hide the ground far before it.
TEST(GroundBeforeEdge, ReflectsBelowAntennasOnSmallHousesToo) {
  Scene with_house = wall_on_a_plain();
  with_house.prisms.push_back(testing::box_prism(2, {2, 30}, {8, 36}, 0, 2.6));
  const Environment bare(wall_on_a_plain(), 10), on_house(std::move(with_house), 10);
  const OverRooftopPaths paths(on_house.scene);
  for (const double frequency_hz : {150e6, 450e6}) {
    for (const Vec3 place : {Vec3{1205, 33, 1.5}, Vec3{1305, 33, 6}}) {
      const auto loss_db = [&](const Environment& environment, Vec3 from, Vec3 to) {
        Transmitter transmitter = testing::test_transmitter(from);
        transmitter.frequency_hz = frequency_hz;
        const auto result =
            environment.launch(transmitter, testing::receivers_at({to}), over_the_wall(Summation::coherent));
        return -decibels(testing::total_gain(result.receivers[0]));
      };
      const Vec3 antenna{5, 33, 4.1};
      const double alone_db = loss_db(bare, antenna, place);
      EXPECT_NEAR(loss_db(on_house, antenna, place), alone_db + own_roof_db(paths, antenna, frequency_hz), 0.1)
          << place.x;
      EXPECT_NEAR(loss_db(on_house, place, antenna), alone_db, 0.5) << place.x;
    }
  }
}

// What the antenna's pattern adds to a ray that leaves straight and by way of the ground is not in the basic loss.
TEST(GroundBeforeEdge, BasicLossIsThatWithoutThePattern) {
  const Environment plain(wall_on_a_plain(), 10);
  const auto receivers = testing::receivers_at({{1205, 33, 1.5}, {1305, 33, 12}, {1405, 33, 39}});
  const RayLaunchingOptions options = over_the_wall(Summation::power);
  Transmitter transmitter = testing::test_transmitter({905, 33, 8});
  const RayLaunchingResult isotropic = plain.launch(transmitter, receivers, options);
  transmitter.antenna = AntennaKind::beam;
  transmitter.antenna_details.beamwidth_deg = 10;
  transmitter.azimuth_deg = transmitter.grid_azimuth_deg = 90;
  for (const double downtilt_deg : {-5.0, 5.0, 10.0}) {
    transmitter.downtilt_deg = downtilt_deg;
    const RayLaunchingResult beam = plain.launch(transmitter, receivers, options);
    for (std::size_t r = 0; r < receivers.size(); ++r) {
      const double basic = isotropic.receivers[r].basic_gain.value();
      EXPECT_NEAR(decibels(beam.receivers[r].basic_gain.value() / basic), 0, 0.05) << downtilt_deg << " " << r;
      EXPECT_LT(beam.receivers[r].gain.value(), isotropic.receivers[r].gain.value());
    }
  }
}

// What tiles reflect to a receiver does not depend on the height over them at which they are predicted.
TEST(GroundBeforeEdge, ReceiversHaveTheSameAtAnyHeightOfTheTiles) {
  Scene scene = testing::flat_ground(1400, 60);
  scene.prisms = {testing::box_prism(1, {1000, 0}, {1000.1, 60}, 0, 4)};
  const Environment plain(testing::with_material(std::move(scene), 5, 0.01), 14);
  Transmitter transmitter = testing::test_transmitter({0.1, 33, 6});
  transmitter.frequency_hz = 150e6;
  std::vector<double> losses_db;
  for (const double height_m : {0.5, 1.5, 15.0}) {
    RayLaunchingOptions options = over_the_wall(Summation::coherent);
    options.receiver_height_m = height_m;
    options.rays_per_receiver = 5;
    const auto result = plain.launch(transmitter, testing::receivers_at({{1300, 33, 3}}), options);
    ASSERT_EQ(result.rays.size(), 2u);
    EXPECT_EQ(result.rays[1].interactions, "T-O-G");
    EXPECT_EQ(result.rays[1].points.size(), 4u);
    losses_db.push_back(-decibels(testing::total_gain(result.receivers[0])));
  }
  EXPECT_NEAR(losses_db[1], losses_db[0], 0.3);
  EXPECT_NEAR(losses_db[2], losses_db[0], 0.3);
}

// Up through the shadow's boundary of the antenna, at 38 m, and that of its image 6 m higher: without a step, as long
// as the wall takes anything from the direct ray.
TEST(GroundBeforeEdge, SendsItsPartIntoSightToo) {
  const Environment plain(wall_on_a_plain(), 10);
  const Vec3 antenna{600.1, 33, 3};
  std::vector<Vec3> places;
  for (double z = 25; z < 47; z += 1) places.push_back({1405, 33, z});
  for (const double frequency_hz : {150e6, 900e6}) {
    Transmitter transmitter = testing::test_transmitter(antenna);
    transmitter.frequency_hz = frequency_hz;
    const RayLaunchingOptions options = over_the_wall(Summation::coherent);
    const Link link(plain.scene, transmitter, options);
    const FourRays rays{frequency_hz, link.permittivities()[plain.scene.default_materials.ground]};
    const auto result = plain.launch(transmitter, testing::receivers_at(places), options);
    for (std::size_t r = 0; r < places.size(); ++r) {
      EXPECT_EQ(result.receivers[r].direct, places[r].z > 37.5);
      Complex sum;
      for (const Complex field : rays.fields(antenna, places[r])) sum = sum + field;
      const double off_db = decibels(testing::total_gain(result.receivers[r]) / squared_norm(sum));
      EXPECT_NEAR(off_db, 0, 0.2) << places[r].z;
    }
  }
}

// Behind a house, or a crest, on ground that falls across the way: what the ground reflects to a receiver does not
// depend on how far beside the middle of its tile that stands. From place to place loss changes as the ways do.
TEST(GroundBeforeEdge, BehindItTheGroundGoesOnBesideTheMiddlesOfTiles) {
  for (const bool is_crest : {false, true}) {
    for (const double fall : {0.0, 0.05, 0.2}) {
      const auto ground_z = [&](Vec2 p) {
        const double from_crest_m = (p.y - 150) / 50;
        return 60 - fall * p.x + (is_crest ? 8 * std::exp(-from_crest_m * from_crest_m) : 0);
      };
      Scene scene = testing::terrain_of(200, 320, 10, ground_z);
      if (!is_crest) scene.prisms = {testing::box_prism(1, {40, 140}, {170, 160}, 0, 68 - 105 * fall)};
      const Environment slope(testing::with_material(std::move(scene), 5, 0.01), 10);
      RayLaunchingOptions options = testing::without_scattering(1, 1, 1);
      options.over_rooftop = OverRooftop::screens;
      std::vector<Vec3> places;
      for (double x = 91.003; x < 119; x += 0.5) places.push_back(at_height({x, 310}, ground_z({x, 310}) + 1.5));
      Transmitter transmitter = testing::test_transmitter(at_height({102, 10}, ground_z({102, 10}) + 6));
      transmitter.frequency_hz = 450e6;
      const auto launched = slope.launch_to_receivers(transmitter, testing::receivers_at(places), options);
      for (std::size_t r = 1; r < places.size(); ++r) {
        const double step_db = decibels(testing::total_gain(launched.receivers[r])) -
                               decibels(testing::total_gain(launched.receivers[r - 1]));
        EXPECT_NEAR(step_db, 0, 0.5) << (is_crest ? "crest" : "house") << ", falls by " << fall << ", at "
                                     << places[r].x;
      }
    }
  }
}

// A house before the wall, upon the place of the reflection, takes most of it away; a step of the ground, or a house
// beside the plane, does not.
TEST(GroundBeforeEdge, IsNotWhereAHouseStands) {
  const Vec3 antenna{0.1, 30, 10};
  const auto gain = [antenna](double house_from_y, double house_m, int reflections) {
    Scene scene = wall_on_a_plain();
    if (house_from_y > 0) {
      scene.prisms.push_back(testing::box_prism(2, {320, house_from_y}, {350, house_from_y + 10}, 0, house_m));
    }
    const Environment city(std::move(scene), 10);
    RayLaunchingOptions options = over_the_wall(Summation::power);
    options.max_reflections = reflections;
    const auto result = city.launch(testing::test_transmitter(antenna), {}, options);
    for (std::size_t t = 0; t < city.tiling.tiles.size(); ++t) {
      const Tile& tile = city.tiling.tiles[t];
      if (norm(tile.centroid - Vec3{1405, 25, 0}) < 1) return testing::total_gain(result.tiles[t]);
    }
    return 0.0;
  };
  // Behind the wall the ground reflects in any case.
  const Transmitter transmitter = testing::test_transmitter(antenna);
  const Scene plain = wall_on_a_plain();
  const Link link(plain, transmitter, over_the_wall(Summation::power));
  const auto ways = FourRays{transmitter.frequency_hz, link.permittivities()[0]}.fields(antenna, {1405, 25, 1.5});
  const double reflected_behind = squared_norm(ways[1]) / squared_norm(ways[0]);
  const double none = (1 + reflected_behind) * gain(0, 0, 0), some = gain(0, 0, 1);
  EXPECT_GT(decibels(some / none), 0.5);
  EXPECT_LT(decibels(gain(25, 7, 1) / none), 0.3 * decibels(some / none));
  EXPECT_NEAR(decibels(gain(25, 0.1, 1) / some), 0, 0.05);
  EXPECT_NEAR(decibels(gain(45, 7, 1) / some), 0, 0.01);
}

// A house upon the place of the reflection takes as much on a slope as on a plain.
TEST(GroundBeforeEdge, IsHiddenByHousesOnSlopes) {
  const auto left = [](double slope) {
    Scene scene = testing::terrain_of(400, 60, 10, [&](Vec2 p) { return slope * p.x; });
    scene.prisms = {testing::box_prism(1, {199, 0}, {201, 60}, 200 * slope, 3 + 200 * slope)};
    const OverRooftopPaths paths(scene);
    OverRooftopPaths::Workspace work;
    const Vec3 antenna{100, 30, 5 + 100 * slope}, edge{300, 30, 5 + 300 * slope};
    const PlaneImage image = image_in(ground_of(scene, antenna, edge), antenna, {1, 0});
    return norm(paths.left_beside_strips(image, antenna, edge, 0.35, work));
  };
  EXPECT_LT(left(0), 0.6);
  for (const double slope : {0.1, -0.1}) EXPECT_NEAR(left(slope), left(0), 0.03) << slope;
}

// The field over a plateau's brink, from an antenna on the plateau: that of the antenna and of its image in it, at the
// target and at its image in the plain below.
TEST(GroundBeforeEdge, ReflectsOnAPlateauUpToItsBrink) {
  const Environment plateau(
      testing::terrain_of(1400, 60, 10, [](Vec2 p) { return 40 - 0.4 * std::clamp(p.x - 600, 0.0, 100.0); }), 10);
  const Vec3 brink{600, 30, 40};
  for (const Vec3 antenna : {Vec3{20, 30, 41.5}, Vec3{400, 30, 43}}) {
    const Transmitter transmitter = testing::test_transmitter(antenna);
    const RayLaunchingOptions options = over_the_wall(Summation::coherent);
    const Link link(plateau.scene, transmitter, options);
    const Complex permittivity = link.permittivities()[plateau.scene.default_materials.ground];
    const double wave_number = link.wave_number();
    const auto field_from = [&](double z, Vec3 point) {
      const double before = brink.x - antenna.x, behind = point.x - brink.x, plan = before + behind;
      const double clearance = brink.z - (z + (point.z - z) * before / plan), length = std::hypot(plan, point.z - z);
      const double nu = fresnel_parameter(clearance, before, behind, 2 * pi / wave_number);
      return (1 / (2 * wave_number * length)) * (knife_edge_factor(nu) * exp_j(-wave_number * length));
    };
    const auto result = plateau.launch(transmitter, {}, options);
    std::size_t compared = 0;
    for (std::size_t t = 0; t < plateau.tiling.tiles.size(); ++t) {
      const Tile& tile = plateau.tiling.tiles[t];
      if (tile.centroid.x < 1000 || std::fabs(tile.centroid.y - antenna.y) > 6) continue;
      const Vec3 point = target_point(tile, options.receiver_height_m), below{point.x, point.y, -point.z};
      const double above = antenna.z - brink.z;
      const auto reflection = [&](double rise, double distance) {
        return fresnel(permittivity, rise / std::hypot(rise, distance)).tm;
      };
      const Complex before = reflection(above, brink.x - antenna.x),
                    behind = reflection(brink.z + point.z, point.x - brink.x);
      const auto from_both = [&](Vec3 to) {
        return field_from(antenna.z, to) + before * field_from(brink.z - above, to);
      };
      const Complex field = from_both(point) + behind * from_both(below);
      const Complex without = field_from(antenna.z, point) + behind * field_from(antenna.z, below);
      EXPECT_LT(decibels(squared_norm(field) / squared_norm(without)), -4);
      EXPECT_NEAR(decibels(testing::total_gain(result.tiles[t]) / squared_norm(field)), 0, 0.3) << point.x;
      ++compared;
    }
    EXPECT_GT(compared, 60u);
  }
}

// On a slope up to a crest, whose heights are not those of one plane to the last bit: the wave runs along it, from an
// antenna and to a receiver alike, and its reflection takes most of it. The rays can be drawn.
TEST(GroundBeforeEdge, RunsAlongSlopes) {
  const Environment ridge(
      testing::terrain_of(1100, 60, 10, [](Vec2 p) { return std::max(0.0, 20.3 * (1 - std::fabs(p.x - 500) / 80)); }),
      10);
  const auto above = [&](double x, double height_m) {
    return Vec3{x, 33, ridge.scene.terrain.height_at({x, 33}) + height_m};
  };
  const Vec3 far = above(1000, 5);
  double before_db = -1000;
  for (double x = 432.5; x < 488; x += 7.5) {
    const Vec3 near = above(x, 1.5);
    const auto loss_db = [&](Vec3 from, Vec3 to, int reflections) {
      RayLaunchingOptions options = over_the_wall(Summation::local_mean);
      options.max_reflections = reflections;
      options.rays_per_receiver = 5;
      const RayLaunchingResult result =
          ridge.launch_to_receivers(testing::test_transmitter(from), testing::receivers_at({to}), options);
      for (const Ray& ray : result.rays) EXPECT_GE(ray.points.size(), 3u);
      return decibels(testing::total_gain(result.receivers[0]));
    };
    const double there_db = loss_db(near, far, 1);
    EXPECT_NEAR(there_db, loss_db(far, near, 1), 0.7) << x;
    EXPECT_LT(there_db, loss_db(near, far, 0) - 4) << x;
    EXPECT_GT(there_db, before_db) << x;
    before_db = there_db;
  }
}

}  // namespace
}  // namespace tesseray
