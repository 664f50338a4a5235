// SPDX-License-Identifier: GPL-3.0-or-later
// What need not be asked of the ground below lines of sight, since it is known.
#include "core/propagation/rooftops/ground_near_sight.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstddef>

#include "core/propagation/rooftops/rooftop_profiles.h"
#include "core/scene/ground_plan/prism_index.h"
#include "tests/support/environment.h"
#include "tests/support/synthetic_city.h"

namespace tesseray {
namespace {

constexpr double wavelength_m = 0.353;

struct Hills {
  double width_m, step_m;
};
// With lines near the ground, along its hills and from beyond its border, up to 12 km.
constexpr Hills of_sizes[] = {{400, 5}, {3000, 10}, {12'000, 60}};

Scene hills(const Hills& size) {
  return testing::terrain_of(size.width_m, 0.4 * size.width_m, size.step_m, [](Vec2 p) {
    return 12 * std::sin(p.x / 140) * std::cos(p.y / 90) + 1.5 * std::sin(p.x / 17 + p.y / 23);
  });
}

RooftopLine random_line(const Hills& size, const TerrainView& terrain, testing::Random& random) {
  const auto end = [&](double least_m, double most_m) {
    const Vec2 at{random.uniform(-20, size.width_m + 20), random.uniform(-20, 0.4 * size.width_m + 20)};
    return Vec3{at.x, at.y, terrain.height_at(at) + random.uniform(least_m, most_m)};
  };
  const Vec3 from = end(2, 80), to = end(0.01, 30);
  return {from, to, 0};
}

TEST(GroundNearSight, HasNoVerticesWhereNoGroundMayComeNear) {
  testing::Random random(7);
  GroundNearSight ground;
  for (const Hills& size : of_sizes) {
    const Scene scene = hills(size);
    const RooftopProfiles profiles(scene, PrismIndex(scene));
    const RooftopSceneView& view = profiles.view();
    std::size_t far_below = 0, without = 0;
    for (int i = 0; i < 3000; ++i) {
      const RooftopLine line = random_line(size, view.terrain, random);
      const bool may_come_near = GroundNearSight::may_come_near(view, line, wavelength_m);
      ground.find(view.terrain, line, wavelength_m);
      if (!may_come_near) {
        EXPECT_LE(ground.nearest_nu, GroundNearSight::least_nu);
        EXPECT_TRUE(ground.vertices.empty());
        ++far_below;
      }
      if (!(ground.nearest_nu > GroundNearSight::least_nu)) ++without;
    }
    EXPECT_GT(without, 200u);
    EXPECT_GT(far_below, without / 2) << size.width_m;
  }
}

// Just at the ν that counts, and just below it.
TEST(GroundNearSight, MayComeNearWhereANodeIsJustHighEnough) {
  const Scene scene = testing::terrain_of(600, 40, 10, [](Vec2 p) { return p.x == 300 ? 1.0 : 0.0; });
  const RooftopProfiles profiles(scene, PrismIndex(scene));
  const auto at_height = [&](double z) {
    return GroundNearSight::may_come_near(profiles.view(), {{50, 20, z}, {550, 20, z}, 0}, wavelength_m);
  };
  const double clearance = -GroundNearSight::least_nu * std::sqrt(wavelength_m * 500 / 8);
  EXPECT_TRUE(at_height(1 + clearance - 1e-6));
  EXPECT_FALSE(at_height(1 + clearance + 0.02));
}

TEST(GroundNearSight, OfPlacesAboveEachOtherIsThatOfEach) {
  testing::Random random(11);
  GroundNearSight kept;
  for (const Hills& size : of_sizes) {
    const Scene scene = hills(size);
    const TerrainView terrain = scene.terrain.view();
    for (int i = 0; i < 50; ++i) {
      const RooftopLine first = random_line(size, terrain, random);
      const Vec2 from = first.from.xy(), to = first.at(first.length_m), way = to - from;
      const Vec2 places[] = {to, to + Vec2{0.5, 0}, from + Vec2{-way.y, way.x}};
      for (const double z : {first.end_z, first.end_z + 3, first.end_z + 40}) {
        for (const Vec2 place : places) {
          const RooftopLine line(first.from, {place.x, place.y, z}, 0);
          GroundNearSight fresh;
          fresh.find(terrain, line, wavelength_m);
          // More than once each.
          for (int again = 0; again < 2; ++again) {
            kept.find(terrain, line, wavelength_m);
            EXPECT_EQ(kept.ground, fresh.ground);
            EXPECT_EQ(kept.vertices, fresh.vertices);
            EXPECT_EQ(kept.nearest_nu, fresh.nearest_nu);
          }
        }
      }
    }
  }
}

// Two even slopes, along the upper end of one of which the line runs while they bend far below it: what rounding leaves
// of the slopes is no vertex, wherever the line crosses the terrain's triangles.
TEST(GroundNearSight, HasNoVerticesWhereRoundingAloneBendsTheGround) {
  const Scene scene = testing::terrain_of(200, 200, 10, [](Vec2 p) { return 0.15 * std::fabs(p.x - 100); });
  const TerrainView terrain = scene.terrain.view();
  GroundNearSight ground;
  int near = 0;
  for (int i = 0; i < 100; ++i) {
    const Vec2 from{147.8, 18.2}, to{44.8 + 0.01 * i, 116.2};
    const RooftopLine line({from.x, from.y, terrain.height_at(from) + 12}, {to.x, to.y, terrain.height_at(to) + 0.5},
                           0);
    ground.find(terrain, line, 2 * wavelength_m);
    EXPECT_FALSE(ground.is_straight);
    if (ground.nearest_nu > GroundNearSight::least_nu) ++near;
    EXPECT_TRUE(ground.vertices.empty()) << i;
  }
  EXPECT_GT(near, 80);
}

// By 1 µm, over even slopes with one bend or two.
TEST(GroundNearSight, HasTheSameVerticesNextToEachOther) {
  testing::Random random(13);
  const Scene scene = testing::terrain_of(
      400, 400, 10, [](Vec2 p) { return 0.1 * std::fabs(p.x - 200) - 0.2 * std::fmax(0, p.x - 290); });
  const TerrainView terrain = scene.terrain.view();
  std::size_t vertices = 0;
  for (int i = 0; i < 2000; ++i) {
    const auto end = [&](double least_m, double most_m) {
      const Vec2 at{random.uniform(20, 380), random.uniform(20, 380)};
      return Vec3{at.x, at.y, terrain.height_at(at) + random.uniform(least_m, most_m)};
    };
    const Vec3 from = end(2, 20), to = end(0.5, 4);
    GroundNearSight here, beside;
    here.find(terrain, {from, to, 0}, wavelength_m);
    beside.find(terrain, {from + Vec3{1e-6, 0.7e-6, 0}, to, 0}, wavelength_m);
    EXPECT_EQ(here.vertices.size(), beside.vertices.size()) << i;
    vertices += here.vertices.size();
  }
  EXPECT_GT(vertices, 50u);
}

}  // namespace
}  // namespace tesseray
