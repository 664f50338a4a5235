// SPDX-License-Identifier: GPL-3.0-or-later
// Transmitter and receiver exchanged, and the whole scene turned or scaled: nothing changes.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "core/base/units.h"
#include "tests/support/environment.h"
#include "tests/support/synthetic_city.h"

namespace tesseray {
namespace {

using testing::Environment;

constexpr Vec2 centre{200, 200};

// Two houses and a long wall about the centre, turned by `azimuth` (rad) and enlarged by `scale`.
Scene houses(double azimuth, double scale) {
  Scene scene = testing::flat_ground(400, 400);
  scene.prisms = {testing::box_prism(1, {-40, -30}, {-20, 20}, 0, 14), testing::box_prism(2, {0, 30}, {45, 50}, 0, 9),
                  testing::box_prism(3, {13, -57}, {50, -40}, 0, 22)};
  for (Prism& prism : scene.prisms) {
    prism.top_z *= scale;
    for (Vec2& p : prism.rings.front()) {
      const double c = std::cos(azimuth), s = std::sin(azimuth);
      p = centre + scale * Vec2{c * p.x - s * p.y, s * p.x + c * p.y};
    }
  }
  return scene;
}

Vec3 placed(Vec3 p, double azimuth, double scale) {
  const double c = std::cos(azimuth), s = std::sin(azimuth);
  return {centre.x + scale * (c * p.x - s * p.y), centre.y + scale * (s * p.x + c * p.y), scale * p.z};
}

// "-R-D" for "-D-R".
std::string turned(const std::string& kind) {
  std::string result;
  for (std::size_t i = kind.size(); i > 0; i -= 2) result.append({'-', kind[i - 1]});
  return result;
}

struct Found {
  std::string kind;
  double length_m = 0, power_dbm = 0;
};

std::vector<Found> found(const RayLaunchingResult& result, bool backwards) {
  std::vector<Found> rays;
  for (const Ray& ray : result.rays) {
    std::string kind = ray.interactions.substr(1);
    if (backwards) kind = turned(kind);
    rays.push_back({kind, ray.delay_ns * 1e-9 * speed_of_light, ray.power_dbm});
  }
  return rays;
}

const Found* same(const std::vector<Found>& rays, const Found& ray, double scale = 1) {
  for (const Found& other : rays) {
    if (other.kind == ray.kind && std::fabs(other.length_m - scale * ray.length_m) < 1e-6 * scale) return &other;
  }
  return nullptr;
}

const std::vector<Vec3> ends{
    {-5.3, -7.1, 6}, {28.7, 12.9, 1.5}, {-55.1, 3.3, 1.7}, {60.2, -20.4, 2.5}, {-12.3, 44.2, 11}};

// Reflections have the same field there and back, and so has a diffraction, on whichever sides of its edge the ends
// are.
TEST(Reciprocity, RaysAreTheSameThereAndBack) {
  Scene scene = houses(0, 1);
  scene.extent = {{140, 130}, {270, 270}};
  const Environment town(std::move(scene), 4);
  const RayLaunchingOptions options = testing::without_scattering(2, 1, 2);
  std::size_t rays = 0, compared = 0, reflected = 0, diffracted = 0, both = 0;
  double sum_db = 0, squares_db = 0;
  for (std::size_t i = 0; i < ends.size(); ++i) {
    for (std::size_t j = 0; j < i; ++j) {
      const Vec3 a = placed(ends[i], 0, 1), b = placed(ends[j], 0, 1);
      const auto there = town.launch_to_receivers(testing::test_transmitter(a), testing::receivers_at({b}), options);
      const auto back = town.launch_to_receivers(testing::test_transmitter(b), testing::receivers_at({a}), options);
      EXPECT_EQ(there.receivers.front().direct, back.receivers.front().direct);
      const auto returned = found(back, true);
      for (const Ray& ray : there.rays) {
        ++rays;
        const Found* other = same(returned, {ray.interactions.substr(1), ray.delay_ns * 1e-9 * speed_of_light, 0});
        if (other == nullptr) continue;
        ++compared;
        const bool by_edge = ray.interactions.find('D') != std::string::npos;
        if (by_edge && ray.interactions.size() > 3) {
          // Behind an edge a wave is known at the centroid of the tile that reflects it, and one way is not the other.
          const double difference_db = other->power_dbm - ray.power_dbm;
          sum_db += difference_db;
          squares_db += difference_db * difference_db;
          ++both;
          continue;
        }
        EXPECT_NEAR(other->power_dbm, ray.power_dbm, 1e-6) << ray.interactions;
        ++(by_edge ? diffracted : reflected);
      }
    }
  }
  EXPECT_GT(rays, 100u);
  EXPECT_GT(compared, rays * 9 / 10);
  EXPECT_GT(reflected, 20u);
  EXPECT_GT(diffracted, 5u);
  ASSERT_GT(both, 5u);
  EXPECT_LT(std::fabs(sum_db / static_cast<double>(both)), 0.5);
  EXPECT_LT(std::sqrt(squares_db / static_cast<double>(both)), 2.0);
}

// A house between two others, with trees on either side of it and on the ground about.
Scene houses_and_trees() {
  Scene scene = testing::flat_ground(300, 240);
  scene.prisms = {testing::box_prism(1, {140, 80}, {155, 150}, 0, 12),
                  testing::box_prism(2, {90, 170}, {210, 185}, 0, 15),
                  testing::box_prism(3, {100, 40}, {200, 52}, 0, 9)};
  scene.vegetation = {{1, {{{118, 95}, {124, 95}, {124, 135}, {118, 135}}}, 2, 10},
                      {2, {{{163, 100}, {170, 100}, {170, 160}, {163, 160}}}, 2, 8}};
  return scene;
}

// All effects, with one interaction after a scattering.
RayLaunchingOptions everything() {
  RayLaunchingOptions options;
  options.min_power_dbm = -400;
  options.over_rooftop = OverRooftop::screens;
  options.transmission.nearest_building = true;
  options.tiles_are_targets = false;
  options.rays_per_receiver = 1'000'000;
  options.scattered_rays = true;
  return options;
}

// Two ends on both sides of the house, to both of which it is the nearest, and two in sight of each other through
// trees.
const std::pair<Vec3, Vec3> through_house{{131.3, 112.7, 3}, {160.9, 121.1, 2.5}},
    through_trees{{105.3, 112.7, 4}, {129.9, 121.1, 2.5}};

// What is known not to be the same with the ends exchanged, each for its reason.
bool is_one_way(const Ray& ray, bool is_conductor) {
  const std::string& kind = ray.interactions;
  const auto has = [&](char letter) { return kind.find(letter) != std::string::npos; };
  // Ways over the roofs and through the house begin at the transmitter, and go on from there (docs/physics.md §6, §8).
  if (has('O') || (has('B') && kind != "T-B")) return true;
  // With others, since behind an edge the wave is known at the tile's centroid and before it, after a scattering, at
  // the segment's midpoint (docs/validation.md).
  if (has('D')) return kind != "T-D";
  if (!has('S')) return false;
  // One interaction at most follows a scattering, but two may come before it.
  const std::size_t before = kind.find('S') / 2 - 1, after = kind.size() / 2 - before - 1;
  if (before > 1 || after > 1) return true;
  // A mirror takes the mean of both polarisations of what was scattered before, those of a wave after; of a conductor
  // they are alike (§7).
  return before + after > 0 && !is_conductor;
}

// The path gains of all others by kind and elements.
using GainsByWay = std::map<std::pair<std::string, std::vector<std::uint32_t>>, double>;
GainsByWay gains_by_way(const Environment& town, Vec3 from, Vec3 to, bool is_conductor, bool backwards) {
  RayLaunchingOptions options = everything();
  // So that no scattered ray brings what the ground reflects beyond the limits, at the receiver's end alone.
  options.summation = Summation::power;
  const auto result = town.launch_to_receivers(testing::test_transmitter(from), testing::receivers_at({to}), options);
  GainsByWay gains;
  for (const Ray& ray : result.rays) {
    if (is_one_way(ray, is_conductor)) continue;
    std::string kind = ray.interactions.substr(1);
    std::vector<std::uint32_t> elements = ray.elements;
    // The tile is named that lies below the receiver.
    if (kind == "-G") elements.clear();
    if (backwards) {
      kind = turned(kind);
      std::reverse(elements.begin(), elements.end());
    }
    gains[{"T" + kind, elements}] += ray.path_gain;
  }
  return gains;
}

// Direct, reflected, diffracted and scattered, through a house and through trees: each way there is one back with the
// same power.
TEST(Reciprocity, AllEffectsAtOnceAreTheSameThereAndBack) {
  for (const bool is_conductor : {false, true}) {
    Scene scene = houses_and_trees();
    if (is_conductor) scene = testing::with_material(std::move(scene), 1, 1e16);
    const Environment town(std::move(scene), 4);
    std::map<std::string, std::size_t> compared;
    std::size_t ways = 0, both_ways = 0;
    for (const auto& [a, b] : {through_house, through_trees}) {
      const GainsByWay there = gains_by_way(town, a, b, is_conductor, false);
      const GainsByWay back = gains_by_way(town, b, a, is_conductor, true);
      ways += there.size() + back.size();
      for (const auto& [way, gain] : there) {
        // Where a ray meets the ground and a wall near their border, another tile may be found to be first.
        const auto same_way = back.find(way);
        if (same_way == back.end()) continue;
        EXPECT_NEAR(decibels(same_way->second / gain), 0, 1e-6) << way.first;
        both_ways += 2;
        ++compared[way.first];
      }
    }
    EXPECT_GT(both_ways, ways * 99 / 100);
    std::vector<std::string> kinds{"T", "T-B", "T-R", "T-G", "T-D", "T-R-R", "T-R-R-R", "T-S"};
    if (is_conductor) kinds.insert(kinds.end(), {"T-R-S", "T-S-R", "T-G-S", "T-S-G", "T-R-S-R", "T-G-S-R"});
    for (const std::string& kind : kinds) EXPECT_GT(compared[kind], 0u) << kind;
    EXPECT_GT(compared["T-S"], 1000u);
  }
}

// The ground before the first roof is in the way over the roofs, that behind the last one a way of its own: without
// them the way itself, beside everything else.
TEST(Reciprocity, OverTheRoofsAmongAllEffects) {
  RayLaunchingOptions options = everything();
  options.max_reflections = 0;
  const Environment town(houses_and_trees(), 4);
  const auto gain = [&](Vec3 from, Vec3 to) {
    return town.launch_to_receivers(testing::test_transmitter(from), testing::receivers_at({to}), options)
        .ray_gains.front()
        .over_rooftop;
  };
  const auto& [a, b] = through_house;
  ASSERT_GT(gain(a, b), 0);
  EXPECT_NEAR(decibels(gain(a, b) / gain(b, a)), 0, 1e-3);
}

// The whole scene turned about the vertical: tiles and edges turn with it (but for the ground, which has none here).
TEST(Invariance, TurningTheSceneChangesNothing) {
  const RayLaunchingOptions options = testing::without_scattering(2, 2, 3);
  std::vector<std::vector<Found>> expected;
  for (const double azimuth : {0.0, 0.3, 1.1, 2.9}) {
    Scene scene = houses(azimuth, 1);
    scene.extent = {};
    const Environment town(std::move(scene), 5);
    for (std::size_t i = 1; i < ends.size(); ++i) {
      Transmitter transmitter = testing::test_transmitter(placed(ends[0], azimuth, 1));
      transmitter.antenna = AntennaKind::sector_3gpp;
      transmitter.grid_azimuth_deg = transmitter.azimuth_deg = 40 - degrees(azimuth);
      transmitter.downtilt_deg = 4;
      const auto rays = found(
          town.launch_to_receivers(transmitter, testing::receivers_at({placed(ends[i], azimuth, 1)}), options), false);
      if (azimuth == 0) {
        expected.push_back(rays);
        continue;
      }
      std::size_t matched = 0;
      double there = 0, here = 0;
      for (const Found& ray : rays) here += power_ratio(ray.power_dbm);
      for (const Found& ray : expected[i - 1]) {
        there += power_ratio(ray.power_dbm);
        const Found* other = same(rays, ray);
        if (other == nullptr) continue;
        ++matched;
        if (ray.power_dbm > -200) {
          EXPECT_NEAR(other->power_dbm, ray.power_dbm, 1e-4) << ray.kind;
        }
      }
      EXPECT_GE(matched, expected[i - 1].size() * 99 / 100) << "turned by " << azimuth;
      EXPECT_NEAR(decibels(here / there), 0, 0.01);
    }
  }
}

// A perfect conductor knows no frequency: lengths and wavelength enlarged together leave the path gains as they are.
TEST(Invariance, ScalingLengthsAndWavelengthChangesNothing) {
  const RayLaunchingOptions options = testing::without_scattering(2, 1, 2);
  std::vector<Found> expected;
  for (const double scale : {1.0, 2.0}) {
    Scene scene = testing::with_material(houses(0.4, scale), 1, 1e12);
    scene.extent = {};
    const Environment town(std::move(scene), 5 * scale);
    Transmitter transmitter = testing::test_transmitter(placed(ends[0], 0.4, scale));
    transmitter.frequency_hz = 1e9 / scale;
    const auto rays = found(
        town.launch_to_receivers(transmitter, testing::receivers_at({placed(ends[1], 0.4, scale)}), options), false);
    if (scale == 1.0) {
      expected = rays;
      EXPECT_GT(rays.size(), 5u);
      continue;
    }
    ASSERT_EQ(rays.size(), expected.size());
    for (const Found& ray : expected) {
      const Found* other = same(rays, ray, scale);
      ASSERT_NE(other, nullptr) << ray.kind;
      if (ray.power_dbm > -200) {
        EXPECT_NEAR(other->power_dbm, ray.power_dbm, 1e-3) << ray.kind;
      }
    }
  }
}

}  // namespace
}  // namespace tesseray
