// SPDX-License-Identifier: GPL-3.0-or-later
// The exact test of sight on scenes that are solved by hand.
#include <gtest/gtest.h>

#include <algorithm>
#include <random>

#include "core/visibility/occlusion/occlusion_view.h"
#include "core/visibility/visibility.h"
#include "small_cities.h"

namespace tesseray::test {
namespace {

Terrain flat_terrain(double height_m) {
  Terrain terrain;
  terrain.south_west = {-100, -100};
  terrain.step_x = terrain.step_y = 10;
  terrain.columns = terrain.rows = 21;
  terrain.height_m.assign(std::size_t{21} * 21, static_cast<float>(height_m));
  return terrain;
}

Prism box(double x0, double y0, double x1, double y1, double bottom_z, double top_z, bool on_ground = true) {
  Prism prism;
  prism.rings = {{{x0, y0}, {x1, y0}, {x1, y1}, {x0, y1}}};
  prism.bottom_z = bottom_z;
  prism.top_z = top_z;
  prism.on_ground = on_ground;
  return prism;
}

// Flat ground at height 0 and the given parts.
Scene scene_of(std::vector<Prism> prisms) {
  Scene scene;
  scene.terrain = flat_terrain(0);
  scene.extent = {{-90, -90}, {90, 90}};
  scene.prisms = std::move(prisms);
  return scene;
}

// Both directions, which must agree.
bool is_free(const Scene& scene, Vec3 a, Vec3 b) {
  const Occlusion occlusion(scene);
  EXPECT_EQ(occlusion.is_free(a, b), occlusion.is_free(b, a));
  return occlusion.is_free(a, b);
}

TEST(Occlusion, AWallBlocksBelowItsTopAndNotAbove) {
  const Scene scene = scene_of({box(0, 0, 10, 10, 0, 8)});
  EXPECT_FALSE(is_free(scene, {-20, 5, 4}, {30, 5, 4}));
  EXPECT_TRUE(is_free(scene, {-20, 5, 9}, {30, 5, 9}));
  EXPECT_TRUE(is_free(scene, {-20, 11, 4}, {30, 11, 4}));
  // Over the near eave and into the far one.
  EXPECT_FALSE(is_free(scene, {-10, 5, 9}, {20, 5, 7}));
  EXPECT_TRUE(is_free(scene, {-10, 5, 9.5}, {20, 5, 8.01}));
}

TEST(Occlusion, TouchingAnEaveOrACornerCounts) {
  const Scene scene = scene_of({box(0, 0, 10, 10, 0, 8)});
  EXPECT_FALSE(is_free(scene, {-20, 5, 8}, {30, 5, 8}));
  EXPECT_FALSE(is_free(scene, {-10, 10, 4}, {10, -10, 4}));  // through the corner (0, 0) alone
  EXPECT_TRUE(is_free(scene, {-10, 9.999, 4}, {9.999, -10, 4}));
}

TEST(Occlusion, ASegmentInAWallsPlaneIsBlockedByTheWallAlone) {
  const Scene scene = scene_of({box(0, 0, 10, 10, 0, 8)});
  EXPECT_FALSE(is_free(scene, {-20, 0, 4}, {30, 0, 4}));
  EXPECT_TRUE(is_free(scene, {-20, 0, 9}, {30, 0, 9}));
  EXPECT_TRUE(is_free(scene, {-20, 0, 4}, {-1, 0, 4}));
  EXPECT_FALSE(is_free(scene, {5, 0, 4}, {5, 0, 6}));  // upright, in the wall
  EXPECT_TRUE(is_free(scene, {5, 0, 9}, {5, 0, 12}));
  EXPECT_FALSE(is_free(scene, {-5, 0, 12}, {15, 0, 6}));  // falls into the wall's plane piece
}

TEST(Occlusion, AnEndOnAWallSeesOutwardsAndNotThrough) {
  const Scene scene = scene_of({box(0, 0, 10, 10, 0, 8)});
  EXPECT_TRUE(is_free(scene, {0, 5, 4}, {-20, 5, 4}));
  EXPECT_FALSE(is_free(scene, {0, 5, 4}, {30, 5, 4}));
  EXPECT_TRUE(is_free(scene, {5, 5, 8}, {-20, 5, 12}));  // from the roof itself
  // In over the roof and out through no other wall; from wall to wall; along the roof, and at the top.
  EXPECT_FALSE(is_free(scene, {10, 5, 0.5}, {-20, 5, 17}));
  EXPECT_FALSE(is_free(scene, {0, 5, 4}, {10, 5, 4}));
  EXPECT_TRUE(is_free(scene, {10, 5, 9}, {-20, 5, 9}));
  EXPECT_TRUE(is_free(scene, {10, 5, 8}, {-20, 5, 12}));
  // At a corner there is no wall that the segment comes to from behind.
  EXPECT_TRUE(is_free(scene, {10, 10, 4}, {-20, 20, 17}));
}

TEST(Occlusion, PartyWallsLetNothingThroughAndTheHigherOneIsMet) {
  const Scene scene = scene_of({box(0, 0, 10, 10, 0, 8), box(10, 0, 20, 10, 0, 12)});
  EXPECT_FALSE(is_free(scene, {10, -20, 4}, {10, 30, 4}));    // along the common wall
  EXPECT_FALSE(is_free(scene, {10, -20, 10}, {10, 30, 10}));  // along the higher part's wall
  EXPECT_FALSE(is_free(scene, {5, 5, 9}, {15, 5, 13}));
  EXPECT_TRUE(is_free(scene, {5, 5, 9}, {-20, 5, 9}));
  // Houses that touch at a corner alone.
  const Scene corners = scene_of({box(0, 0, 10, 10, 0, 8), box(10, 10, 20, 20, 0, 8)});
  EXPECT_FALSE(is_free(corners, {20, 0, 4}, {0, 20, 4}));
}

TEST(Occlusion, ACourtyardIsOpenInsideAndClosedAround) {
  Prism yard = box(0, 0, 30, 30, 0, 10);
  yard.rings.push_back({{10, 10}, {10, 20}, {20, 20}, {20, 10}});
  const Scene scene = scene_of({yard});
  EXPECT_TRUE(is_free(scene, {11, 11, 1}, {19, 19, 8}));
  EXPECT_FALSE(is_free(scene, {15, 15, 1}, {-10, 15, 1}));
  EXPECT_TRUE(is_free(scene, {15, 15, 1}, {15.5, 15, 40}));
  EXPECT_FALSE(is_free(scene, {5, 15, 10.5}, {25, 15, 2}));     // from roof to roof side, under the far eave
  EXPECT_TRUE(is_free(scene, {9.5, 15, 10.5}, {19.5, 15, 5}));  // from the roof down into the yard
}

TEST(Occlusion, ARaisedPartIsOpenBelowAndSolidFromTopToBottom) {
  const Scene scene = scene_of({box(0, 0, 10, 10, 5, 6, false)});
  EXPECT_TRUE(is_free(scene, {-10, 5, 3}, {20, 5, 3}));
  EXPECT_FALSE(is_free(scene, {-10, 5, 5.5}, {20, 5, 5.5}));
  EXPECT_FALSE(is_free(scene, {5, 5, 3}, {5.5, 5, 9}));  // up through the slab
  EXPECT_FALSE(is_free(scene, {5, 5, 3}, {5, 5, 9}));
  EXPECT_TRUE(is_free(scene, {5, 5, 3}, {8, 8, 4.99}));
  EXPECT_TRUE(is_free(scene, {11, 5, 3}, {11, 5, 9}));
  EXPECT_FALSE(is_free(scene, {5, 5, 5.5}, {30, 5, 5.5}));  // from within
}

TEST(Occlusion, InsideOfAPartNothingIsSeen) {
  const Scene scene = scene_of({box(0, 0, 10, 10, 0, 8)});
  EXPECT_FALSE(is_free(scene, {4, 5, 2}, {6, 5, 2}));
  EXPECT_FALSE(is_free(scene, {5, 5, 2}, {5, 5, 20}));
  // A point on a wall, or at a corner, is not inside.
  EXPECT_TRUE(is_free(scene, {10, 5, 2}, {20, 5, 2}));
  EXPECT_TRUE(is_free(scene, {5, 0, 2}, {5, -9, 2}));
  EXPECT_TRUE(is_free(scene, {5, 10, 2}, {5, 19, 2}));
  EXPECT_TRUE(is_free(scene, {0, 0, 2}, {-9, -5, 2}));
}

TEST(Occlusion, TerrainHidesBehindAHillAndItsDiagonalsCount) {
  Scene scene = scene_of({});
  // A ridge of one node: its triangles reach to the neighbours, along the south-west to north-east diagonal too.
  scene.terrain.height_m[10 * 21 + 10] = 20;  // at (0, 0)
  EXPECT_FALSE(is_free(scene, {-30, 0, 5}, {30, 0, 5}));
  EXPECT_TRUE(is_free(scene, {-30, 0, 20.1}, {30, 0, 20.1}));
  // Over (5, 5) the surface is 10 m high (on the diagonal), over (5, −5) and (−5, 5) it is 10 m on no diagonal: 0.
  EXPECT_FALSE(is_free(scene, {0, 10, 9.9}, {10, 0, 9.9}));
  EXPECT_TRUE(is_free(scene, {0, 10, 10.1}, {10, 0, 10.1}));
  EXPECT_FALSE(is_free(scene, {-10, 0, 5}, {10, 0, 5}));
  EXPECT_TRUE(is_free(scene, {0.001, -10, 0.01}, {10, -0.001, 0.01}));  // along the foot, where the cell is flat
  EXPECT_FALSE(is_free(scene, {5, 5, 1}, {5, 5, 30}));                  // from within the hill
}

TEST(Occlusion, OutsideOfItsGridThereIsNoTerrain) {
  const Scene scene = scene_of({});
  EXPECT_TRUE(is_free(scene, {-300, 0, -5}, {-150, 0, -5}));
  EXPECT_FALSE(is_free(scene, {-300, 0, 5}, {0, 0, -1}));
  EXPECT_TRUE(is_free(scene, {-300, 0, 5}, {300, 0, 5}));
  EXPECT_TRUE(is_free(scene, {-300, 250, -50}, {300, 250, 50}));
}

TEST(Occlusion, ASceneWithoutAnythingHidesNothing) {
  const Scene scene;
  EXPECT_TRUE(is_free(scene, {0, 0, 0}, {10, 10, -10}));
  EXPECT_TRUE(is_free(scene, {1, 2, 3}, {1, 2, 3}));
}

// A random point of the air over a city, or of its ground.
Vec3 random_point(std::mt19937& random, const Scene& scene) {
  const auto uniform = [&](double low, double high) {
    return std::uniform_real_distribution<double>(low, high)(random);
  };
  const Vec2 p = {uniform(scene.extent.min.x - 20, scene.extent.max.x + 20),
                  uniform(scene.extent.min.y - 20, scene.extent.max.y + 20)};
  const double above = uniform(0, 1) < 0.3 ? lift_m : uniform(0, 30);
  return {p.x, p.y, scene.terrain.height_at(p) + above};
}

TEST(Occlusion, IsSymmetricBitForBit) {
  for (const CityOptions& options : hard_cities()) {
    const Scene scene = make_city(options);
    const Occlusion occlusion(scene);
    std::mt19937 random(7);
    int free = 0;
    for (int k = 0; k < 20000; ++k) {
      const Vec3 a = random_point(random, scene);
      const Vec3 b = random_point(random, scene);
      ASSERT_EQ(occlusion.is_free(a, b), occlusion.is_free(b, a)) << options.name << " " << k;
      free += occlusion.is_free(a, b) ? 1 : 0;
    }
    EXPECT_GT(free, 1000);
    EXPECT_LT(free, 19000);
  }
}

TEST(Occlusion, MoreObstaclesNeverAddSight) {
  for (const CityOptions& options : hard_cities()) {
    const Scene full = make_city(options);
    Scene part = full;
    std::mt19937 random(11);
    std::shuffle(part.prisms.begin(), part.prisms.end(), random);
    part.prisms.resize(part.prisms.size() / 2);
    for (float& height : part.terrain.height_m) height -= random() % 2 ? 0.5f : 0.0f;
    const Occlusion more(full), less(part);
    int lost = 0;
    for (int k = 0; k < 20000; ++k) {
      const Vec3 a = random_point(random, full);
      const Vec3 b = random_point(random, full);
      if (more.is_free(a, b)) {
        ASSERT_TRUE(less.is_free(a, b)) << options.name << " " << k;
      } else if (less.is_free(a, b)) {
        ++lost;
      }
    }
    EXPECT_GT(lost, 500);
  }
}

TEST(Occlusion, AQuarterTurnOfACityOnFlatGroundChangesNothing) {
  for (const CityOptions& options : hard_cities()) {
    if (options.hill_height_m > 0) continue;  // a quarter turn turns the diagonals of terrain cells
    const Scene scene = make_city(options);
    const Occlusion occlusion(scene), turned(quarter_turn(scene));
    std::mt19937 random(13);
    for (int k = 0; k < 20000; ++k) {
      const Vec3 a = random_point(random, scene);
      const Vec3 b = random_point(random, scene);
      ASSERT_EQ(occlusion.is_free(a, b), turned.is_free({-a.y, a.x, a.z}, {-b.y, b.x, b.z})) << options.name << k;
    }
  }
}

}  // namespace
}  // namespace tesseray::test
