// SPDX-License-Identifier: GPL-3.0-or-later
// The corner points of rays obey the laws by which their lengths and fields were computed.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <set>
#include <string>

#include "core/base/units.h"
#include "tests/support/environment.h"
#include "tests/support/ray_losses.h"
#include "tests/support/synthetic_city.h"

namespace tesseray {
namespace {

using testing::Environment;

// Three houses in a bend, one of them turned, on ground with tiles.
Scene houses() {
  Scene scene = testing::flat_ground(120, 120);
  scene.prisms = {testing::box_prism(1, {20, 20}, {40, 60}, 0, 14), testing::box_prism(2, {60, 70}, {100, 90}, 0, 9)};
  Prism turned = testing::box_prism(3, {0, 0}, {1, 1}, 0, 12);
  turned.rings = {{{70, 20}, {90, 30}, {82, 46}, {62, 36}}};
  scene.prisms.push_back(turned);
  return scene;
}

double length_of(const Ray& ray) {
  double length = 0;
  for (std::size_t i = 1; i < ray.points.size(); ++i) length += norm(ray.points[i] - ray.points[i - 1]);
  return length;
}

// The letters between "T" and the end: "RDG".
std::string letters(const Ray& ray) {
  std::string text;
  for (std::size_t i = 2; i < ray.interactions.size(); i += 2) text.push_back(ray.interactions[i]);
  return text;
}

TEST(RayPath, LengthsAnglesAndConesAreThoseOfTheLaws) {
  const Environment town(houses(), 5);
  const std::vector<Vec3> points{{50, 30, 1.5}, {110, 60, 1.5}, {50, 100, 4}, {10, 80, 2}, {95, 55, 6}, {48, 66, 1.5}};
  const auto result = town.launch(testing::test_transmitter({48.3, 47.1, 8}), testing::receivers_at(points),
                                  testing::without_scattering(2, 2, 3));
  std::set<std::string> kinds;
  std::size_t single = 0;
  for (const Ray& ray : result.rays) {
    const std::string text = letters(ray);
    ASSERT_EQ(ray.points.size(), text.size() + 2);
    kinds.insert(text);
    for (std::size_t i = 0; i < text.size(); ++i) {
      const Vec3 in = normalized(ray.points[i + 1] - ray.points[i]);
      const Vec3 out = normalized(ray.points[i + 2] - ray.points[i + 1]);
      if (text[i] == 'D') {
        // On an edge, with equal angles to it (Keller). Between two edges the wave was found by the second one's
        // midpoint, so that their points move by some metres along the edges.
        const double beyond_m = std::count(text.begin(), text.end(), 'D') > 1 ? 5 : 1e-6;
        const EdgeSegment* at = nullptr;
        for (const EdgeSegment& edge : town.tiling.edges) {
          const Vec3 from = ray.points[i + 1] - edge.midpoint;
          const double along = dot(from, edge.direction);
          if (std::fabs(along) <= edge.length_m / 2 + beyond_m && norm(from - along * edge.direction) < 1e-6)
            at = &edge;
        }
        ASSERT_NE(at, nullptr) << ray.interactions;
        const bool after_edge = text.substr(0, i).find('D') != std::string::npos;
        EXPECT_NEAR(dot(in, at->direction), dot(out, at->direction), after_edge ? 0.2 : 1e-6) << ray.interactions;
      } else {
        const Vec3 change = normalized(out - in);
        double best = 0;
        for (const Tile& tile : town.tiling.tiles) {
          if (std::fabs(dot(ray.points[i + 1] - tile.centroid, tile.normal)) < 1e-6) {
            best = std::fmax(best, dot(change, tile.normal));
          }
        }
        EXPECT_NEAR(best, 1, 1e-9) << ray.interactions;
      }
    }
    if (std::count(text.begin(), text.end(), 'D') < 2) {
      EXPECT_NEAR(length_of(ray), ray.delay_ns * 1e-9 * speed_of_light, 1e-6) << ray.interactions;
      ++single;
    } else {
      EXPECT_NEAR(length_of(ray), ray.delay_ns * 1e-9 * speed_of_light, 0.5) << ray.interactions;
    }
  }
  for (const char* kind : {"", "R", "G", "D", "RD", "DR", "DG", "DD", "RR", "RG", "RDR"}) {
    EXPECT_TRUE(kinds.count(kind) == 1) << kind;
  }
  EXPECT_GT(single, 50u);
}

TEST(RayPath, AnglesAreThoseOfTheFirstAndLastLeg) {
  const Environment town(houses(), 5);
  Transmitter transmitter = testing::test_transmitter({48.3, 47.1, 8});
  transmitter.azimuth_deg = 31;
  transmitter.grid_azimuth_deg = 30;  // grid north is 1° east of true north
  const auto result =
      town.launch(transmitter, testing::receivers_at({{50, 100, 4}}), testing::without_scattering(1, 1, 2));
  ASSERT_FALSE(result.rays.empty());
  const auto azimuth_of = [](Vec3 way) {
    const double azimuth = degrees(std::atan2(way.x, way.y)) + 1;
    return azimuth < 0 ? azimuth + 360 : azimuth;
  };
  for (const Ray& ray : result.rays) {
    const Vec3 first = ray.points[1] - ray.points[0], back = ray.points[ray.points.size() - 2] - ray.points.back();
    EXPECT_NEAR(ray.departure_azimuth_deg, azimuth_of(first), 1e-9);
    EXPECT_NEAR(ray.arrival_azimuth_deg, azimuth_of(back), 1e-9);
    EXPECT_NEAR(ray.departure_elevation_deg, degrees(std::asin(first.z / norm(first))), 1e-9);
    EXPECT_NEAR(ray.arrival_elevation_deg, degrees(std::asin(back.z / norm(back))), 1e-9);
  }
  for (std::size_t i = 1; i < result.rays.size(); ++i) {
    EXPECT_GE(result.rays[i - 1].power_dbm, result.rays[i].power_dbm);
  }
}

// On a hillside the plane of a ground tile cuts the walls above their feet: what it reflects does not reach what lies
// below it. To walls and corners, and from there, the plane that fits the ground around reflects in its place.
TEST(RayPath, GoesOnInFrontOfEachMirror) {
  const auto height_at = [](Vec2 p) { return 9 * std::sin(p.x / 45) * std::cos(p.y / 60); };
  Scene scene = testing::terrain_of(300, 300, 5, height_at);
  for (const Vec2 corner : {Vec2{100, 100}, Vec2{180, 130}, Vec2{140, 210}}) {
    scene.prisms.push_back(testing::box_prism(static_cast<std::int64_t>(scene.prisms.size()) + 1, corner,
                                              corner + Vec2{20, 15}, height_at(corner) - 6, height_at(corner) + 10));
  }
  const Environment hillside(testing::with_material(std::move(scene), 5, 0.01), 10);
  std::vector<Vec3> places;
  for (const Tile& tile : hillside.tiling.tiles) {
    if (tile.kind == SurfaceKind::ground) places.push_back(target_point(tile, 1.5));
  }
  RayLaunchingOptions options = testing::without_scattering(2, 1, 3);
  options.rays_per_receiver = 1000;
  const RayLaunchingResult result = hillside.launch(testing::test_transmitter({150, 160, height_at({150, 160}) + 15}),
                                                    testing::receivers_at(places), options);
  constexpr double of_tile = 1 - 1e-9;
  std::size_t mirrors = 0, of_tiles = 0;
  for (const Ray& ray : result.rays) {
    for (std::size_t i = 0; i + 1 < ray.elements.size(); ++i) {
      if (ray.elements[i] >= hillside.tiling.tiles.size()) continue;
      const Tile& mirror = hillside.tiling.tiles[ray.elements[i]];
      ++mirrors;
      const Vec3 place = ray.points[i + 1], on = ray.points[i + 2];
      if (mirror.kind == SurfaceKind::ground && ray.elements.size() > 1) {
        const Vec3 reflecting = normalized(normalized(on - place) - normalized(place - ray.points[i]));
        EXPECT_GT(dot(reflecting, mirror.normal), 0.95) << ray.interactions;
        EXPECT_NEAR(length_of(ray), ray.delay_ns * 1e-9 * speed_of_light, 1e-6) << ray.interactions;
        if (dot(reflecting, mirror.normal) < of_tile) continue;
      }
      ++of_tiles;
      EXPECT_GT(dot(on - mirror.centroid, mirror.normal), -0.01) << ray.interactions;
    }
  }
  EXPECT_GT(mirrors, 1000u);
  EXPECT_GT(of_tiles, 100u);
}

// What walls and corners send is reflected on the ground before and after them, whatever its tiles' tilts.
TEST(RayPath, UnevenGroundReflectsTheRaysThatLevelGroundDoes) {
  const std::vector<Vec2> places{{50, 30}, {110, 60}, {50, 100}, {10, 80}, {48, 66}, {95, 100}};
  const auto launched = [&](double noise_m) {
    testing::Random random(7);
    Scene scene = testing::terrain_of(120, 120, 5, [&](Vec2) { return noise_m * random.uniform(-1, 1); });
    scene.prisms = houses().prisms;
    for (Prism& prism : scene.prisms) prism.bottom_z = -1;
    const Environment town(testing::with_material(std::move(scene), 5, 0.01), 5);
    std::vector<Vec3> receivers;
    for (const Vec2 p : places) receivers.push_back({p.x, p.y, town.scene.terrain.height_at(p) + 1.5});
    RayLaunchingOptions options = testing::without_scattering(2, 1, 3);
    options.rays_per_receiver = 100'000;
    options.ray_losses = true;
    return town.launch(testing::test_transmitter({48.3, 47.1, 8}), testing::receivers_at(receivers), options);
  };
  struct Listed {
    double gain = 0;
    std::size_t rays = 0, from_ground = 0;
  };
  const auto listed = [&](const RayLaunchingResult& result) {
    std::vector<Listed> of_receivers(places.size());
    for (const Ray& ray : result.rays) {
      Listed& here = of_receivers[static_cast<std::size_t>(ray.target_id - result.rays.front().target_id)];
      here.gain += ray.path_gain;
      ++here.rays;
      here.from_ground += ray.elements.size() > 1 && ray.interactions.find('G') != std::string::npos ? 1 : 0;
      EXPECT_EQ(ray.points.size(), ray.elements.size() + 2) << ray.interactions;
      EXPECT_NEAR(testing::sum_of_losses(ray), -decibels(ray.path_gain) - half_wave_dipole_gain_dbi, 1e-6)
          << ray.interactions;
    }
    return of_receivers;
  };
  const RayLaunchingResult level = launched(0), noisy = launched(0.05);
  const std::vector<Listed> over_level = listed(level), over_noise = listed(noisy);
  for (std::size_t r = 0; r < places.size(); ++r) {
    EXPECT_EQ(over_noise[r].rays, noisy.receivers[r].rays);
    EXPECT_NEAR(over_noise[r].gain / noisy.receivers[r].gain.value(), 1, 1e-9);
    EXPECT_GT(over_level[r].from_ground, 1u);
    EXPECT_NEAR(static_cast<double>(over_noise[r].from_ground), static_cast<double>(over_level[r].from_ground),
                0.2 * static_cast<double>(over_level[r].from_ground))
        << r;
    EXPECT_NEAR(decibels(over_noise[r].gain / over_level[r].gain), 0, 0.6) << r;
  }
}

}  // namespace
}  // namespace tesseray
