// SPDX-License-Identifier: GPL-3.0-or-later
// Properties that hold for every tile and edge of whole cities.
#include <gtest/gtest.h>
#include <tbb/global_control.h>

#include "core/scene/ground_plan/polygon.h"
#include "core/scene/ground_plan/prism_index.h"
#include "tests/unit/tiling/tiled.h"

namespace tesseray {
namespace {

using testing::count;
using testing::Random;
using testing::tiled;

Scene hilly_city(std::uint64_t seed) {
  testing::SyntheticCityOptions options;
  options.width_m = 700;
  options.depth_m = 600;
  options.tower_share = 0.06;
  options.seed = seed;
  return testing::synthetic_city(options);
}

bool is_air(const Scene& scene, const PrismIndex& index, Vec3 p) {
  return index.prism_at(p) < 0 && p.z > scene.terrain.height_at(p.xy());
}

class CityTest : public ::testing::TestWithParam<std::uint64_t> {
 protected:
  CityTest() : scene_(hilly_city(GetParam())), index_(scene_), tiling_(tiled(scene_)) {}
  Scene scene_;
  PrismIndex index_;
  Tiling tiling_;
};

TEST_P(CityTest, EveryTileHasAirBeforeItAndSolidBehindIt) {
  ASSERT_GT(tiling_.tiles.size(), 5000u);
  for (const Tile& tile : tiling_.tiles) {
    EXPECT_TRUE(is_air(scene_, index_, tile.centroid + 0.01 * tile.normal)) << tile.id;
    EXPECT_FALSE(is_air(scene_, index_, tile.centroid - 0.01 * tile.normal)) << tile.id;
  }
}

TEST_P(CityTest, EveryEdgeHasItsFacesWhereItSays) {
  ASSERT_GT(tiling_.edges.size(), 2000u);
  for (const EdgeSegment& edge : tiling_.edges) {
    EXPECT_TRUE(is_air(scene_, index_, edge.midpoint + 0.01 * bisector(edge))) << edge.id;
    if (edge.kind == EdgeKind::terrain) continue;
    EXPECT_FALSE(is_air(scene_, index_, edge.midpoint - 0.02 * bisector(edge))) << edge.id;
    // 10 cm down either face: air before it, solid behind it.
    const Vec3 on_0 = edge.midpoint + 0.1 * edge.tangent_0, on_n = edge.midpoint + 0.1 * edge.tangent_n;
    EXPECT_TRUE(is_air(scene_, index_, on_0 + 0.01 * edge.normal_0)) << edge.id;
    EXPECT_FALSE(is_air(scene_, index_, on_0 - 0.01 * edge.normal_0)) << edge.id;
    EXPECT_TRUE(is_air(scene_, index_, on_n + 0.01 * edge.normal_n)) << edge.id;
    EXPECT_FALSE(is_air(scene_, index_, on_n - 0.01 * edge.normal_n)) << edge.id;
  }
}

TEST_P(CityTest, ParentsLieOnTheEdgesFaces) {
  int on_0 = 0, on_n = 0;
  for (const EdgeSegment& edge : tiling_.edges) {
    if (edge.kind == EdgeKind::terrain) continue;
    if (edge.tile_a != no_index) {
      ++on_0;
      const Tile& a = tiling_.tiles[edge.tile_a];
      EXPECT_NEAR(dot(a.centroid - edge.midpoint, edge.normal_0), 0, 0.06) << edge.id;
    }
    if (edge.tile_b != no_index) {
      ++on_n;
      const Tile& b = tiling_.tiles[edge.tile_b];
      EXPECT_NEAR(dot(b.centroid - edge.midpoint, edge.normal_n), 0, 0.06) << edge.id;
    }
  }
  EXPECT_GT(on_0, 2900);
  EXPECT_GT(on_n, 2900);
}

// Points thrown onto walls: those in the air lie on exactly one tile, unless their piece of wall is too small for one.
TEST_P(CityTest, ExposedWallsAreTiledOnceAndCoveredOnesNot) {
  Random random(GetParam());
  std::vector<std::vector<const Tile*>> wall_tiles(scene_.prisms.size());
  for (const Tile& tile : tiling_.tiles) {
    if (tile.kind == SurfaceKind::wall) wall_tiles[tile.prism].push_back(&tile);
  }
  int exposed = 0, covered = 0, missed = 0;
  for (int i = 0; i < 20'000; ++i) {
    const std::uint32_t p = random.below(static_cast<std::uint32_t>(scene_.prisms.size()));
    const Prism& prism = scene_.prisms[p];
    const Ring& ring = prism.rings[random.below(static_cast<std::uint32_t>(prism.rings.size()))];
    const std::uint32_t side = random.below(static_cast<std::uint32_t>(ring.size()));
    const Vec2 a = ring[side], along = ring[(side + 1) % ring.size()] - a;
    const double u = random.uniform(0.02, 0.98);
    const double z = random.uniform(prism.bottom_z, prism.top_z);
    const Vec2 foot = a + u * along;
    const Vec2 normal = (1.0 / norm(along)) * Vec2{along.y, -along.x};
    const Vec2 before = foot + 0.06 * normal;
    const bool is_exposed = is_air(scene_, index_, {before.x, before.y, z});
    int on = 0;
    for (const Tile* tile : wall_tiles[p]) {
      const Vec3 d = Vec3{foot.x, foot.y, z} - tile->centroid;
      const bool is_on = std::fabs(dot(d, tile->normal)) < 0.005 &&
                         std::fabs(dot(d, tile->half_u)) < squared_norm(tile->half_u) &&
                         std::fabs(dot(d, tile->half_v)) < squared_norm(tile->half_v);
      on += is_on ? 1 : 0;
    }
    ASSERT_LE(on, 1);
    (is_exposed ? exposed : covered) += 1;
    missed += is_exposed && on == 0 ? 1 : 0;
    // A tile may reach a little under sloping ground, but never behind another building.
    if (on == 1 && !is_exposed) {
      EXPECT_LT(index_.prism_at({before.x, before.y, z}), 0) << i;
    }
  }
  EXPECT_GT(exposed, 5000);
  EXPECT_GT(covered, 3000);
  EXPECT_LT(missed, exposed / 100);
}

TEST_P(CityTest, RoofTilesCoverTheFreeRoofsOnTheWhole) {
  double free_area = 0;
  for (std::size_t p = 0; p < scene_.prisms.size(); ++p) {
    const bool has_tower = p + 1 < scene_.prisms.size() && scene_.prisms[p + 1].part == 1;
    free_area += area(scene_.prisms[p].rings) - (has_tower ? area(scene_.prisms[p + 1].rings) : 0);
  }
  EXPECT_NEAR(testing::total_area(tiling_, SurfaceKind::roof) / free_area, 1, 0.15);
}

INSTANTIATE_TEST_SUITE_P(Seeds, CityTest, ::testing::Values(1, 2, 3));

// The exposed walls of solids on one level close: their areas times normals add up to nothing.
TEST(City, ExposedWallsClose) {
  testing::SyntheticCityOptions options;
  options.width_m = options.depth_m = 500;
  options.hill_m = 0;
  const Tiling tiling = tiled(testing::synthetic_city(options), {.min_wall_width_m = 0, .min_wall_area_m2 = 0});
  Vec3 sum;
  double total = 0;
  for (const Tile& tile : tiling.tiles) {
    if (tile.kind != SurfaceKind::wall) continue;
    sum = sum + tile.area_m2() * tile.normal;
    total += tile.area_m2();
  }
  EXPECT_GT(total, 10'000);
  EXPECT_LT(norm(sum), 2e-4 * total);
}

TEST(City, IsTheSameForAnyNumberOfThreads) {
  const Scene scene = hilly_city(9);
  const Tiling many = tiled(scene);
  const tbb::global_control one(tbb::global_control::max_allowed_parallelism, 1);
  const Tiling single = tiled(scene);
  ASSERT_EQ(many.tiles.size(), single.tiles.size());
  ASSERT_EQ(many.edges.size(), single.edges.size());
  for (std::size_t i = 0; i < many.tiles.size(); ++i) {
    EXPECT_EQ(many.tiles[i].id, single.tiles[i].id);
    EXPECT_EQ(many.tiles[i].centroid, single.tiles[i].centroid);
    EXPECT_EQ(many.tiles[i].half_u, single.tiles[i].half_u);
    EXPECT_EQ(many.tiles[i].half_v, single.tiles[i].half_v);
  }
  for (std::size_t i = 0; i < many.edges.size(); ++i) {
    EXPECT_EQ(many.edges[i].id, single.edges[i].id);
    EXPECT_EQ(many.edges[i].midpoint, single.edges[i].midpoint);
    EXPECT_EQ(many.edges[i].tile_a, single.edges[i].tile_a);
    EXPECT_EQ(many.edges[i].tile_b, single.edges[i].tile_b);
  }
}

TEST(City, ATurnedGridHasAsManyBuildingTiles) {
  testing::SyntheticCityOptions options = testing::dense_block_city();
  options.width_m = options.depth_m = 300;
  options.district_m = 300;
  options.rotated = false;
  const Scene straight = testing::synthetic_city(options);
  Scene turned = straight;
  for (Prism& prism : turned.prisms) prism.rings = testing::turned(prism.rings, 0.37);
  EXPECT_EQ(count(tiled(straight), SurfaceKind::wall), count(tiled(turned), SurfaceKind::wall));
  EXPECT_EQ(count(tiled(straight), SurfaceKind::roof), count(tiled(turned), SurfaceKind::roof));
  EXPECT_EQ(tiled(straight).edges.size(), tiled(turned).edges.size());
}

TEST(City, BenchmarksHaveTheSizeTheyClaim) {
  EXPECT_NEAR(static_cast<double>(tiled(testing::synthetic_city(testing::dense_block_city())).tiles.size()), 5750, 100);
  EXPECT_GE(tiled(testing::synthetic_city(testing::large_city())).tiles.size(), 412'000u);
}

}  // namespace
}  // namespace tesseray
