// SPDX-License-Identifier: GPL-3.0-or-later
// Transmitter and receiver exchanged, and the whole scene turned or scaled: nothing changes.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>
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

struct Found {
  std::string kind;
  double length_m = 0, power_dbm = 0;
};

std::vector<Found> found(const RayLaunchingResult& result, bool backwards) {
  std::vector<Found> rays;
  for (const Ray& ray : result.rays) {
    std::string kind = ray.interactions.substr(1);
    if (backwards) {
      std::string turned;
      for (std::size_t i = kind.size(); i > 0; i -= 2) turned.append({'-', kind[i - 1]});
      kind = turned;
    }
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

// The half of the air about the edge at `point` in which `p` lies: nearer to the one face or to the other.
bool is_nearer_to_0_face(const Environment& town, Vec3 point, Vec3 p) {
  for (const EdgeSegment& edge : town.tiling.edges) {
    const Vec3 from = point - edge.midpoint;
    const double along = dot(from, edge.direction);
    if (std::fabs(along) > edge.length_m / 2 + 1e-6 || norm(from - along * edge.direction) > 1e-6) continue;
    const double angle = std::atan2(dot(p - point, edge.normal_0), dot(p - point, edge.tangent_0));
    return (angle < 0 ? angle + 2 * pi : angle) < edge.wedge_angle / 2;
  }
  ADD_FAILURE() << "the ray has a diffraction where no edge is";
  return false;
}

// True when the ray comes from the one side of its only edge and leaves on the other.
bool crosses_its_edge(const Environment& town, const Ray& ray) {
  const std::size_t at = (ray.interactions.find('D')) / 2;
  return is_nearer_to_0_face(town, ray.points[at], ray.points[at - 1]) !=
         is_nearer_to_0_face(town, ray.points[at], ray.points[at + 1]);
}

// Reflections have the same field there and back, and so has a diffraction from one side of an edge to the other.
// With both ends nearer to the same face the lossy coefficients are known not to be (docs/physics.md §5.2).
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
      const auto there = town.launch(testing::test_transmitter(a), testing::receivers_at({b}), options);
      const auto back = town.launch(testing::test_transmitter(b), testing::receivers_at({a}), options);
      EXPECT_EQ(there.receivers.front().direct, back.receivers.front().direct);
      const auto returned = found(back, true);
      for (const Ray& ray : there.rays) {
        ++rays;
        const Found* other = same(returned, {ray.interactions.substr(1), ray.delay_ns * 1e-9 * speed_of_light, 0});
        if (other == nullptr) continue;
        ++compared;
        const bool by_edge = ray.interactions.find('D') != std::string::npos;
        if (by_edge && !crosses_its_edge(town, ray)) continue;
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
      const auto rays =
          found(town.launch(transmitter, testing::receivers_at({placed(ends[i], azimuth, 1)}), options), false);
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
    const auto rays =
        found(town.launch(transmitter, testing::receivers_at({placed(ends[1], 0.4, scale)}), options), false);
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
