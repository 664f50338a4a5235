// SPDX-License-Identifier: GPL-3.0-or-later
// Hills, plateaus and the curved earth: what vertical planes cut of a terrain, and what arrives behind its crests.
#include <gtest/gtest.h>

#include <cmath>
#include <memory>
#include <utility>
#include <vector>

#include "core/base/units.h"
#include "core/physics/antenna_pattern.h"
#include "core/physics/fresnel.h"
#include "core/physics/knife_edge.h"
#include "core/physics/material.h"
#include "core/propagation/images/image_tracer.h"
#include "core/propagation/rays/link.h"
#include "core/propagation/rooftops/ground_along_profile.h"
#include "core/propagation/rooftops/over_rooftop.h"
#include "core/propagation/rooftops/rooftop_profiles.h"
#include "core/scene/ground_plan/prism_index.h"
#include "tests/support/environment.h"
#include "tests/support/rooftop_profile.h"
#include "tests/support/synthetic_city.h"

namespace tesseray {
namespace {

using testing::Environment;
// Of the polygon through the points of a profile.
double height_over(const std::vector<Vec2>& points, double distance) {
  std::size_t next = 1;
  while (next + 1 < points.size() && points[next].x < distance) ++next;
  const Vec2 from = points[next - 1], to = points[next];
  return from.y + (to.y - from.y) * (distance - from.x) / (to.x - from.x);
}

std::vector<Vec2> profile_of(const RooftopProfiles& profiles, Vec3 from, Vec3 to) {
  return testing::profile_between(profiles, from, to, 5);
}

// A surface of large triangles, and the same with many nodes in each: one hull, from either end.
TEST(TerrainProfiles, AreThoseOfTheSurfaceWhateverItsNodes) {
  constexpr double width = 900, depth = 600;
  testing::Random random(5);
  const Scene coarse = testing::terrain_of(width, depth, 30, [&](Vec2) { return random.uniform(0, 25); });
  const Scene fine = testing::terrain_of(width, depth, 5, [&](Vec2 p) { return coarse.terrain.height_at(p); });
  const RooftopProfiles of_coarse(coarse, PrismIndex(coarse)), of_fine(fine, PrismIndex(fine));
  std::size_t crests = 0;
  for (int pair = 0; pair < 200; ++pair) {
    const auto end = [&] {
      const Vec2 place{random.uniform(0, width), random.uniform(0, depth)};
      return Vec3{place.x, place.y, coarse.terrain.height_at(place) + random.uniform(1, 10)};
    };
    const Vec3 from = end(), to = end();
    const double length = norm(to.xy() - from.xy());
    if (length < 30) continue;
    const std::vector<Vec2> points = profile_of(of_coarse, from, to), others = profile_of(of_fine, from, to),
                            back = profile_of(of_coarse, to, from);
    for (const Vec2 point : points) EXPECT_NEAR(height_over(others, point.x), point.y, 1e-4);
    for (const Vec2 point : others) EXPECT_NEAR(height_over(points, point.x), point.y, 1e-4);
    ASSERT_EQ(back.size(), points.size());
    for (std::size_t i = 0; i < points.size(); ++i) {
      EXPECT_NEAR(back[points.size() - 1 - i].x, length - points[i].x, 1e-6);
      EXPECT_NEAR(back[points.size() - 1 - i].y, points[i].y, 1e-6);
    }
    crests += points.size() - 2;
  }
  EXPECT_GT(crests, 200u);
}

// A hill 20 m high, whose far slope is turned away from a low antenna: targets over it are in sight for a while, and
// then behind the crest. All of it has values.
TEST(BehindACrest, GroundTurnedAwayIsReached) {
  const auto height_at = [](Vec2 p) {
    const double way = (p.x - 500) / 250;
    return std::fabs(way) < 1 ? 10 * (1 + std::cos(pi * way)) : 0;
  };
  const Environment hill(testing::terrain_of(1000, 60, 10, height_at), 10);
  const Vec3 antenna{20, 30, 10};
  RayLaunchingOptions options = testing::without_scattering(0, 1, 1);
  options.over_rooftop = OverRooftop::screens;
  const RayLaunchingResult result = hill.launch(testing::test_transmitter(antenna), {}, options);
  std::size_t in_sight = 0, hidden = 0;
  for (std::size_t t = 0; t < hill.tiling.tiles.size(); ++t) {
    const Tile& tile = hill.tiling.tiles[t];
    if (tile.centroid.x < 300 || dot(antenna - tile.centroid, tile.normal) > 0) continue;
    const bool sees = hill.occlusion.is_free(antenna, target_point(tile, options.receiver_height_m));
    EXPECT_EQ(result.tiles[t].direct, sees) << tile.centroid.x;
    EXPECT_GT(testing::total_gain(result.tiles[t]), 0) << tile.centroid.x;
    ++(sees ? in_sight : hidden);
  }
  EXPECT_GT(in_sight, 5u);
  EXPECT_GT(hidden, 50u);
}

// What a sharp ridge's edges diffract to what stands over its flank has that face's reflection with it: the flank
// reflects nothing once more, at receivers and tiles, without rays over the roofs.
TEST(BehindACrest, FlanksHaveTheFieldOfTheRidgesWedge) {
  const auto height_at = [](Vec2 p) { return std::max(0.0, 40 - 0.5 * std::fabs(p.x - 150)); };
  const Environment ridge(testing::terrain_of(300, 300, 5, height_at), 10);
  const Transmitter transmitter = testing::test_transmitter({100, 150.37, 18});
  RayLaunchingOptions options = testing::without_scattering(2, 1, 2);
  options.over_rooftop = OverRooftop::none;
  std::vector<Vec3> places;
  std::vector<std::size_t> tiles;
  for (std::size_t t = 0; t < ridge.tiling.tiles.size(); ++t) {
    const Vec3 middle = ridge.tiling.tiles[t].centroid;
    if (middle.x < 155 || middle.x > 195 || std::fabs(middle.y - 150) > 50) continue;
    tiles.push_back(t);
    places.push_back(target_point(ridge.tiling.tiles[t], options.receiver_height_m));
  }
  ASSERT_GT(tiles.size(), 30u);
  const std::vector<Receiver> receivers = testing::receivers_at(places);
  const RayLaunchingResult launched = ridge.launch(transmitter, receivers, options);
  ImageTracingOptions exact;
  exact.max_reflections = 0;
  exact.max_diffractions = 1;
  exact.max_length_m = 1000;
  exact.link = options;
  const ImageTracingResult traced =
      ImageTracer(ridge.scene, ridge.occlusion, receivers, exact).trace(transmitter, no_progress());
  for (std::size_t i = 0; i < tiles.size(); ++i) {
    const double expected = testing::total_gain(traced.receivers[i]);
    ASSERT_GT(expected, 0) << places[i].x << ", " << places[i].y;
    EXPECT_NEAR(decibels(testing::total_gain(launched.receivers[i]) / expected), 0, 0.05)
        << places[i].x << ", " << places[i].y;
    EXPECT_NEAR(decibels(testing::total_gain(launched.tiles[tiles[i]]) / expected), 0, 0.05)
        << places[i].x << ", " << places[i].y;
  }
}

// A plateau of 40 m behind a slope. The wave runs along it, as along real ground: its reflection, which no tile stands
// for, all but cancels it at a receiver as at a tile's target.
TEST(BehindACrest, PlateausAreReachedAlongTheGround) {
  const auto height_at = [](Vec2 p) { return 0.4 * std::clamp(p.x - 400, 0.0, 100.0); };
  const Environment plateau(testing::terrain_of(1200, 60, 10, height_at), 10);
  RayLaunchingOptions options = testing::without_scattering(2, 1, 3);
  options.over_rooftop = OverRooftop::screens;
  options.rays_per_receiver = 5;
  std::vector<std::size_t> tiles;
  std::vector<Vec3> places;
  for (std::size_t t = 0; t < plateau.tiling.tiles.size(); ++t) {
    const Tile& tile = plateau.tiling.tiles[t];
    if (tile.centroid.x < 550 || tile.centroid.y > 10) continue;
    tiles.push_back(t);
    places.push_back(target_point(tile, options.receiver_height_m));
  }
  ASSERT_GT(tiles.size(), 50u);
  for (const Summation summation : {Summation::local_mean, Summation::coherent, Summation::power}) {
    options.summation = summation;
    const RayLaunchingResult result =
        plateau.launch(testing::test_transmitter({100, 30, 10}), testing::receivers_at(places), options);
    std::vector<double> over(tiles.size(), 0), by_ground(tiles.size(), 0);
    for (const Ray& ray : result.rays) {
      if (ray.interactions == "T-O") over.at(static_cast<std::size_t>(ray.target_id - 1)) = ray.path_gain;
      if (ray.interactions == "T-O-G") by_ground.at(static_cast<std::size_t>(ray.target_id - 1)) = ray.path_gain;
    }
    for (std::size_t r = 0; r < tiles.size(); ++r) {
      const double gain = testing::total_gain(result.receivers[r]);
      EXPECT_NEAR(decibels(gain / testing::total_gain(result.tiles[tiles[r]])), 0, 0.1) << places[r].x;
      EXPECT_GT(by_ground[r], 0) << places[r].x;
      EXPECT_LT(by_ground[r], over[r]) << places[r].x;
      if (summation != Summation::power) {
        EXPECT_LT(gain, 0.4 * over[r]) << places[r].x;
      }
    }
  }
}

// Upwards alone, in all azimuths.
std::shared_ptr<const AntennaPattern> upward_pattern() {
  AntennaPattern pattern;
  for (int angle = 0; angle < 360; ++angle) {
    pattern.horizontal.push_back({static_cast<double>(angle), 0});
    pattern.vertical.push_back({static_cast<double>(angle), angle > 2 && angle < 178 ? 100.0 : 0.0});
  }
  return std::make_shared<const AntennaPattern>(std::move(pattern));
}

// The same plateau in closed form: the field behind its brink at the target, and at the target's image in the plateau.
// Nothing is sent to the ground before the brink.
TEST(BehindACrest, ThePlateausFieldIsThatOfTheImageToo) {
  const auto height_at = [](Vec2 p) { return 0.4 * std::clamp(p.x - 400, 0.0, 100.0); };
  const Environment plateau(testing::terrain_of(1200, 60, 10, height_at), 10);
  const Vec3 antenna{100, 30, 10}, brink{500, 30, 40};
  Transmitter transmitter = testing::test_transmitter(antenna);
  transmitter.antenna = AntennaKind::pattern_file;
  transmitter.antenna_details.pattern = upward_pattern();
  const double wave_number = 2 * pi * transmitter.frequency_hz / speed_of_light;
  RayLaunchingOptions options = testing::without_scattering(1, 1, 1);
  options.over_rooftop = OverRooftop::screens;
  options.summation = Summation::coherent;
  const RayLaunchingResult result = plateau.launch(transmitter, {}, options);
  const Link link(plateau.scene, transmitter, options);
  const Complex permittivity = link.permittivities()[plateau.scene.default_materials.ground];
  const auto field_at = [&](Vec3 point) {
    const double length = norm(point - antenna), to_brink = brink.x - antenna.x, behind = point.x - brink.x;
    const double clearance = brink.z - (antenna.z + (point.z - antenna.z) * to_brink / (to_brink + behind));
    const double nu = fresnel_parameter(clearance, to_brink, behind, 2 * pi / wave_number);
    return (1 / (2 * wave_number * length)) * (knife_edge_factor(nu) * exp_j(-wave_number * length));
  };
  std::size_t compared = 0;
  for (std::size_t t = 0; t < plateau.tiling.tiles.size(); ++t) {
    const Tile& tile = plateau.tiling.tiles[t];
    // The ray in the plane of the brink's edges alone. Right behind the brink that and its reflection nearly cancel
    // each other, and the little that comes otherwise shows.
    if (tile.centroid.x < 540 || std::fabs(tile.centroid.y - antenna.y) > 6) continue;
    const Vec3 target = target_point(tile, options.receiver_height_m), below = target - Vec3{0, 0, 3};
    const double sine = options.receiver_height_m / norm(below - brink);
    const Complex expected = field_at(target) + fresnel(permittivity, sine).tm * field_at(below);
    const double off_db = decibels(testing::total_gain(result.tiles[t]) / squared_norm(expected));
    EXPECT_NEAR(off_db, 0, 0.5) << target.x;
    ++compared;
  }
  EXPECT_GT(compared, 100u);
}

// All of a hillside that is asked stands out between its ends: more than there is room for.
TEST(RoundGround, KeepsTheVerticesNextToTheCrest) {
  constexpr double crest_x = 100, foot_x = 340;
  const auto falling = [](double x) { return x < crest_x ? 0 : -(x - crest_x) * (x - crest_x) / 1000; };
  const Scene scene = testing::terrain_of(500, 60, 10, [&](Vec2 p) { return falling(p.x); });
  const RooftopProfiles profiles(scene, PrismIndex(scene));
  const auto round_between = [&](bool crest_first) {
    const Vec3 crest{crest_x, 30, falling(crest_x)}, foot{foot_x, 30, falling(foot_x)};
    const RooftopLine line(crest_first ? crest : foot, crest_first ? foot : crest, 0);
    return round_ground(profiles.view().terrain, line, {0, line.from.z}, {line.length_m, line.end_z}, crest_first, 0.1);
  };
  const RoundGround down = round_between(true), up = round_between(false);
  ASSERT_EQ(down.count, RoundGround::most_vertices);
  ASSERT_EQ(up.count, RoundGround::most_vertices);
  for (std::uint32_t v = 0; v < down.count; ++v) {
    if (v < RoundGround::steps_at_crest) {
      EXPECT_NEAR(down.vertices[v].x, 10.0 * (v + 1), 1e-9);
    }
    const Vec2 same = up.vertices[up.count - 1 - v];
    EXPECT_NEAR(foot_x - crest_x - same.x, down.vertices[v].x, 1e-9);
    EXPECT_NEAR(same.y, down.vertices[v].y, 1e-9);
  }
}

// Whether even flanks are round by a rounding makes no difference, along the grid and across it: millimetres of heights
// that are stored to 1/1024 m.
TEST(RoundGround, OfEvenFlanksIsTheSameInAllDirections) {
  for (const double bulge_m : {0.0, 0.002, 0.02, -0.02}) {
    const auto ridge = [&](Vec2 p) {
      const double from_crest_m = std::fabs(p.x - 450), even_m = from_crest_m / 30 - 1;
      const double height_m = 20 - from_crest_m / 3 + bulge_m * (1 - even_m * even_m);
      return from_crest_m < 60 ? std::round(height_m * 1024) / 1024 : 0;
    };
    const Scene scene = testing::terrain_of(800, 60, 2, ridge);
    const OverRooftopPaths paths(scene);
    OverRooftopPaths::Workspace work;
    RooftopPath path;
    const std::vector<Complex> permittivities(scene.materials.size(), Complex{5, -0.3});
    for (const double across_m : {0.0, 2.0}) {
      double before_db = 0;
      for (double x = 570; x < 600; x += 0.5) {
        const RooftopRays rays{{150, 20, 10}, wavelength_m(900e6), permittivities};
        ASSERT_TRUE(paths.find(rays, {{x, 20 + across_m, 1.5}}, OverRooftop::screens, work, path));
        const double here_db = decibels(1 / squared_norm(path.vertical));
        if (x > 570) {
          EXPECT_NEAR(here_db, before_db, 0.1) << bulge_m << ", " << across_m << ", " << x;
        }
        before_db = here_db;
      }
    }
  }
}

// Flat ground, antennas of 30 m and 1.5 m: the horizon of an earth of 8,500 km is 27.6 km away.
TEST(CurvedEarth, EndsTheSightAtTheHorizon) {
  const Environment plain(testing::flat_ground(45000, 400), 200);
  RayLaunchingOptions options = testing::without_scattering(1, 1, 2);
  options.over_rooftop = OverRooftop::screens;
  const auto receivers =
      testing::receivers_at({{20000, 200, 1.5}, {26000, 200, 1.5}, {29000, 200, 1.5}, {44000, 200, 1.5}});
  const RayLaunchingResult result = plain.launch(testing::test_transmitter({1000, 200, 30}), receivers, options);
  EXPECT_TRUE(result.receivers[0].direct);
  EXPECT_TRUE(result.receivers[1].direct);
  EXPECT_FALSE(result.receivers[2].direct);
  const double seen = testing::total_gain(result.receivers[1]), beyond = testing::total_gain(result.receivers[3]);
  EXPECT_GT(beyond, 0);
  // Over a flat earth two rays would lose 40 dB per decade.
  EXPECT_LT(decibels(beyond / seen), -40 * std::log10(43.0 / 25.0) - 5);
}

// Far in sight the ground bends away below antennas of 30 and 1.5 m: losses over the spherical earth of ITU-R P.526-15,
// §3.1 (150 MHz, horizontal polarisation). Over a flat one they are 1 to 3 dB less.
TEST(CurvedEarth, LowersAntennasInSight) {
  const Environment plain(testing::flat_ground(25000, 400), 200);
  Transmitter transmitter = testing::test_transmitter({1000, 200, 30});
  transmitter.frequency_hz = 150e6;
  transmitter.polarization = Polarization::horizontal;
  RayLaunchingOptions options = testing::without_scattering(1, 1, 2);
  options.over_rooftop = OverRooftop::screens;
  options.receiver_polarization = Polarization::horizontal;
  const auto receivers = testing::receivers_at({{11000, 200, 1.5}, {16000, 200, 1.5}, {21000, 200, 1.5}});
  const RayLaunchingResult result = plain.launch(transmitter, receivers, options);
  const double losses_db[] = {127.7, 135.5, 141.3};
  for (std::size_t r = 0; r < receivers.size(); ++r) {
    EXPECT_TRUE(result.receivers[r].direct);
    EXPECT_NEAR(-decibels(testing::total_gain(result.receivers[r])), losses_db[r], 1.3) << r;
  }
}

// The bulge comes in from 4 km on: nothing steps there, whatever the ground reflects.
TEST(CurvedEarth, ComesInWithoutAStep) {
  const Environment plain(testing::flat_ground(6000, 400), 200);
  RayLaunchingOptions options = testing::without_scattering(1, 1, 2);
  options.over_rooftop = OverRooftop::screens;
  const auto receivers = testing::receivers_at({{4490, 200, 1.5}, {4510, 200, 1.5}});
  for (const double frequency_mhz : {150.0, 450.0, 900.0}) {
    for (const double antenna_m : {10.0, 30.0}) {
      Transmitter transmitter = testing::test_transmitter({500, 200, antenna_m});
      transmitter.frequency_hz = 1e6 * frequency_mhz;
      const RayLaunchingResult result = plain.launch(transmitter, receivers, options);
      const double before = testing::total_gain(result.receivers[0]), behind = testing::total_gain(result.receivers[1]);
      EXPECT_NEAR(decibels(before / behind), 40 * std::log10(4010.0 / 3990.0), 0.05) << frequency_mhz << antenna_m;
    }
  }
}

// Rough ground is a mirror where it is grazed: the fourth power of the distance stays.
TEST(TwoRays, OverGroundThatScattersAreThoseOfTheClosedForm) {
  const Environment plain(testing::flat_ground(7000, 400), 200);
  RayLaunchingOptions options;
  options.over_rooftop = OverRooftop::screens;
  options.rays_per_receiver = 1000;
  ASSERT_GT(options.scattering_coefficient, 0.3);
  ASSERT_GT(options.max_scatterings, 0);
  const Vec3 antenna{500, 200, 10};
  Transmitter transmitter = testing::test_transmitter(antenna);
  transmitter.frequency_hz = 450e6;
  const double wave_number = 2 * pi / wavelength_m(transmitter.frequency_hz);
  const Complex permittivity = relative_permittivity({5, 0.01}, transmitter.frequency_hz);
  std::vector<Vec3> places;
  for (double x = 1000; x <= 6000; x += 500) places.push_back({antenna.x + x, 200, 1.5});
  const RayLaunchingResult result = plain.launch(transmitter, testing::receivers_at(places), options);
  std::vector<Complex> sums(places.size());
  for (const Ray& ray : result.rays) {
    if (ray.interactions != "T" && ray.interactions != "T-G") continue;
    Complex& sum = sums[static_cast<std::size_t>(ray.target_id) - 1];
    sum = sum + std::sqrt(ray.path_gain) * exp_j(radians(ray.phase_deg));
  }
  for (std::size_t r = 0; r < places.size(); ++r) {
    const double distance = places[r].x - antenna.x;
    const double straight = norm(Vec2{distance, antenna.z - 1.5}), by_ground = norm(Vec2{distance, antenna.z + 1.5});
    const Complex both =
        (1 / straight) * exp_j(-wave_number * straight) +
        (1 / by_ground) * (fresnel(permittivity, (antenna.z + 1.5) / by_ground).tm * exp_j(-wave_number * by_ground));
    const double expected_db = -20 * std::log10(norm(both) / (2 * wave_number));
    const double more_db = -decibels(squared_norm(sums[r])) - expected_db;
    // From 4 km on the earth bends. At 6 km a parabolic equation over the bulge has 0.606 dB more.
    if (distance < 6000) {
      EXPECT_NEAR(more_db, 0, distance > 4000 ? 0.6 : 0.15) << distance;
    } else {
      EXPECT_NEAR(more_db, 0.606, 0.02);
    }
  }
}

// Every terrain model scatters by centimetres from node to node, more steeply than waves far out come in at the ground.
// What its heights do to the phase is little: losses are those over the plane, in sight and behind a wall.
TEST(RoughTerrain, ReflectsAsThePlaneThatItNearlyIs) {
  constexpr double width = 2100, depth = 60;
  std::vector<double> x;
  for (double place = 405; place < 2000; place += 50) x.push_back(place);
  for (const bool behind_wall : {false, true}) {
    const auto losses_db = [&](double scatter_m) {
      testing::Random random(7);
      Scene scene = testing::terrain_of(width, depth, 10, [&](Vec2) { return random.uniform(-scatter_m, scatter_m); });
      if (behind_wall) scene.prisms = {testing::box_prism(1, {300, 0}, {310, depth}, -1, 9)};
      const Environment plain(testing::with_material(std::move(scene), 5, 0.01), 10);
      const auto over_ground = [&](Vec2 p, double height_m) {
        return Vec3{p.x, p.y, plain.scene.terrain.height_at(p) + height_m};
      };
      Transmitter transmitter = testing::test_transmitter(over_ground({5, 30}, 10));
      transmitter.frequency_hz = 450e6;
      RayLaunchingOptions options = testing::without_scattering(1, 1, 2);
      options.over_rooftop = OverRooftop::screens;
      std::vector<Vec3> places;
      for (const double place : x) places.push_back(over_ground({place, 35}, 1.5));
      const auto result = plain.launch(transmitter, testing::receivers_at(places), options);
      std::vector<double> losses;
      for (const ArrivalSums& at : result.receivers) losses.push_back(-decibels(testing::total_gain(at)));
      return losses;
    };
    const std::vector<double> smooth = losses_db(0), rough = losses_db(0.05);
    for (std::size_t r = 0; r < x.size(); ++r) EXPECT_NEAR(rough[r], smooth[r], 1.3) << behind_wall << " " << x[r];
  }
}

}  // namespace
}  // namespace tesseray
