// SPDX-License-Identifier: GPL-3.0-or-later
// Walls and roofs of buildings small enough to be counted by hand.
#include <gtest/gtest.h>

#include "core/scene/ground_plan/prism_index.h"
#include "core/tiling/subdivision.h"
#include "tests/unit/tiling/tiled.h"

namespace tesseray {
namespace {

using testing::box_prism;
using testing::count;
using testing::prism_of;
using testing::tiled;
using testing::total_area;
using testing::with_prisms;

constexpr auto ground = SurfaceKind::ground;
constexpr auto wall = SurfaceKind::wall;
constexpr auto roof = SurfaceKind::roof;

// An L of 40 × 40 with 20 m wide wings.
const Ring l_shape{{20, 20}, {60, 20}, {60, 40}, {40, 40}, {40, 60}, {20, 60}};

TEST(Subdivision, IsEquationThree) {
  EXPECT_EQ(subdivisions(30, 10), 3u);
  EXPECT_EQ(subdivisions(24, 10), 2u);
  EXPECT_EQ(subdivisions(25, 10), 2u);  // the remainder is half a tile: not more than half
  EXPECT_EQ(subdivisions(25.1, 10), 3u);
  EXPECT_EQ(subdivisions(29.999, 10), 3u);
  EXPECT_EQ(subdivisions(15, 10), 1u);
  EXPECT_EQ(subdivisions(15.1, 10), 2u);
  EXPECT_EQ(subdivisions(4, 10), 1u);       // no quotient: one piece, not none
  EXPECT_EQ(subdivisions(25.001, 10), 2u);  // what snapping may add to a half is still a half
}

TEST(BuildingTiles, BoxIsCountedByHand) {
  const Scene scene = with_prisms({box_prism(1, {40, 40}, {60, 70}, 0, 12)});
  const Tiling tiling = tiled(scene);
  EXPECT_EQ(count(tiling, wall), 2 + 3 + 2 + 3);  // 12 m high: one row
  EXPECT_EQ(count(tiling, roof), 2 * 3);
  EXPECT_EQ(count(tiling, ground), 100 - 6);
  EXPECT_NEAR(total_area(tiling, wall), 100 * 12, 1e-9);
  EXPECT_NEAR(total_area(tiling, roof), 600, 1e-9);
  EXPECT_NEAR(total_area(tiling, ground), 9400, 1e-9);
  EXPECT_EQ(tiling.counts.walls_too_small, 0u);
  EXPECT_EQ(tiling.counts.wall_tiles_covered, 0u);
}

TEST(BuildingTiles, NormalsPointOutwardsAndFramesAreRightHanded) {
  Prism prism = prism_of(1, {l_shape, {{26, 26}, {26, 34}, {34, 34}, {34, 26}}}, 0, 12);
  prism.material = 3;
  const Scene scene = with_prisms({prism});
  const PrismIndex index(scene);
  const Tiling tiling = tiled(scene);
  EXPECT_GT(count(tiling, ground), 0);
  EXPECT_GT(count(tiling, wall), 0);
  EXPECT_GT(count(tiling, roof), 0);
  for (const Tile& tile : tiling.tiles) {
    EXPECT_NEAR(norm(tile.normal), 1, 1e-12);
    EXPECT_GT(dot(cross(tile.half_u, tile.half_v), tile.normal), 0);
    EXPECT_NEAR(dot(tile.half_u, tile.normal), 0, 1e-12);
    EXPECT_NEAR(dot(tile.half_v, tile.normal), 0, 1e-12);
    if (tile.kind == ground) continue;
    EXPECT_EQ(index.prism_at(tile.centroid + 0.01 * tile.normal), -1);
    EXPECT_EQ(index.prism_at(tile.centroid - 0.01 * tile.normal), 0);
    EXPECT_EQ(tile.prism, 0u);
    EXPECT_EQ(tile.material, tile.kind == wall ? 3 : 0);
  }
}

TEST(BuildingTiles, LWithCourtyardHasAllItsWalls) {
  const Scene scene = with_prisms({prism_of(1, {l_shape, {{26, 26}, {26, 34}, {34, 34}, {34, 26}}}, 0, 12)});
  const Tiling tiling = tiled(scene);
  EXPECT_NEAR(total_area(tiling, wall), (160 + 32) * 12, 1e-9);
  EXPECT_EQ(count(tiling, wall), 4 + 2 + 2 + 2 + 2 + 4 + 4 * 1);
  // 16 cells of the square around it; 4 lie outside the L, and 0 have their centre in the courtyard.
  EXPECT_EQ(count(tiling, roof), 12);
}

TEST(BuildingTiles, SharedWallIsExposedAboveTheLowerRoof) {
  const Scene scene = with_prisms({box_prism(1, {20, 20}, {40, 40}, 0, 10), box_prism(2, {40, 20}, {60, 40}, 0, 25)});
  const Tiling tiling = tiled(scene);
  EXPECT_NEAR(total_area(tiling, wall), 3 * 20 * 10 + 3 * 20 * 25 + 20 * 15, 1e-9);
  for (const Tile& tile : tiling.tiles) {
    if (tile.kind != wall || tile.centroid.x != 40) continue;
    EXPECT_EQ(tile.prism, 1u);
    EXPECT_GT(tile.centroid.z - norm(tile.half_v), 10 - 1e-9);
  }
  // The low wall's two tiles, and of the high one's 2 × 2 (2.5 rows round to 2) those whose centres are below 10 m.
  EXPECT_EQ(tiling.counts.wall_tiles_covered, 2u + 2u);
}

TEST(BuildingTiles, NeighbourOfOtherLengthCoversOnlyItsPart) {
  // The neighbour touches 10 m of a 40 m wall, in the middle.
  const Scene scene = with_prisms({box_prism(1, {20, 20}, {60, 40}, 0, 10), box_prism(2, {35, 40}, {45, 60}, 0, 10)});
  EXPECT_NEAR(total_area(tiled(scene), wall), (120 - 10 + 60 - 10) * 10, 1e-9);
}

TEST(BuildingTiles, GapsAndStepsOfCentimetresAreNone) {
  const double gap = snapped(0.03);
  const Scene scene = with_prisms(
      {box_prism(1, {20, 20}, {40, 40}, 0, 10), box_prism(2, {40 + gap, 20 - gap}, {60, 40 + gap}, 0, 10 + gap)});
  const Tiling tiling = tiled(scene);
  EXPECT_NEAR(total_area(tiling, wall), 3 * 20 * 10 + 3 * 20 * 10, 3);
  EXPECT_EQ(tiling.counts.walls_too_small, 0u);
  EXPECT_EQ(count(tiling, EdgeKind::corner), 4);
}

// A ring around a yard that is cut open by a slit, as footprints with yards are drawn where holes cannot be.
TEST(BuildingTiles, SlitsOfCentimetresInOneFootprintAreNone) {
  for (const double slit : {coordinate_step_m, 0.03125, 0.0625}) {
    const Ring ring{{20, 20}, {60, 20}, {60, 60}, {40 + slit, 60}, {40 + slit, 50}, {50, 50},
                    {50, 30}, {30, 30}, {30, 50}, {40, 50},        {40, 60},        {20, 60}};
    const Tiling tiling = tiled(with_prisms({prism_of(1, {ring}, 0, 10)}));
    const bool is_open = slit >= 0.05;
    EXPECT_NEAR(total_area(tiling, wall), (160 + 80 + (is_open ? 20 : 0) - 2 * slit) * 10, 1e-9) << slit;
    EXPECT_NEAR(testing::total_length(tiling, EdgeKind::roof), 160 + 80 + (is_open ? 20 : 0) - 2 * slit, 1e-9) << slit;
    EXPECT_EQ(count(tiling, EdgeKind::corner), is_open ? 8 : 4) << slit;
  }
}

TEST(BuildingTiles, TerraceRowIsOneBuildingToTheAir) {
  std::vector<Prism> row;
  for (int i = 0; i < 5; ++i) row.push_back(box_prism(i, {20.0 + 10 * i, 40}, {30.0 + 10 * i, 60}, 0, 10));
  const Tiling tiling = tiled(with_prisms(row));
  EXPECT_NEAR(total_area(tiling, wall), 140 * 10, 1e-9);
  EXPECT_EQ(count(tiling, EdgeKind::corner), 4);
  EXPECT_NEAR(testing::total_length(tiling, EdgeKind::roof), 140, 1e-9);
}

TEST(BuildingTiles, TowerOnAPodiumCoversItsRoof) {
  const Scene scene = with_prisms({box_prism(1, {20, 20}, {60, 60}, 0, 10), box_prism(2, {30, 30}, {50, 50}, 10, 40)});
  const Tiling tiling = tiled(scene);
  EXPECT_EQ(count(tiling, roof), 16 - 4 + 4);
  EXPECT_EQ(tiling.counts.roof_tiles_covered, 4u);
  EXPECT_NEAR(total_area(tiling, wall), 160 * 10 + 80 * 30, 1e-9);
}

TEST(BuildingTiles, TowersThatTouchCoverTheRoofBelowTheirCommonWall) {
  // The wall at x = 45 runs through the centres of cells of the podium's roof.
  const Scene scene = with_prisms({box_prism(1, {20, 20}, {60, 60}, 0, 10), box_prism(2, {30, 30}, {45, 50}, 10, 40),
                                   box_prism(3, {45, 30}, {60, 50}, 10, 50)});
  int of_podium = 0;
  for (const Tile& tile : tiled(scene).tiles) {
    if (tile.kind != roof || tile.prism != 0) continue;
    ++of_podium;
    EXPECT_TRUE(tile.centroid.x <= 30 || tile.centroid.y <= 30 || tile.centroid.y >= 50) << tile.centroid.x;
  }
  EXPECT_EQ(of_podium, 10);
}

TEST(BuildingTiles, RaisedPartLeavesGroundAndWallBelowIt) {
  const Scene scene = with_prisms({box_prism(1, {20, 20}, {40, 40}, 0, 20), box_prism(2, {40, 20}, {60, 40}, 8, 14)});
  const Tiling tiling = tiled(scene);
  EXPECT_EQ(count(tiling, ground), 100 - 4);
  // The bridge covers 8 … 14 m of one wall and has three walls of its own.
  EXPECT_NEAR(total_area(tiling, wall), 80 * 20 - 20 * 6 + 3 * 20 * 6, 1e-9);
}

TEST(BuildingTiles, SmallWallsAreDroppedAndCounted) {
  // A corner cut off by 0.7 × 0.7 m: a wall 0.99 m wide.
  const double cut = snapped(0.7);
  const Scene narrow =
      with_prisms({prism_of(1, {{{20, 20}, {40 - cut, 20}, {40, 20 + cut}, {40, 40}, {20, 40}}}, 0, 12)});
  EXPECT_EQ(tiled(narrow).counts.walls_too_small, 1u);
  EXPECT_EQ(count(tiled(narrow), wall), 8);
  EXPECT_EQ(tiled(narrow, {.min_wall_width_m = 0.5}).counts.walls_too_small, 0u);
  // 20 m × 0.15 m is 3 m².
  const Scene low = with_prisms({box_prism(1, {20, 20}, {40, 40}, 0, 0.15625)});
  EXPECT_EQ(tiled(low).counts.walls_too_small, 4u);
  EXPECT_EQ(count(tiled(low), wall), 0);
}

TEST(BuildingTiles, ABuildingOfSmallWallsAloneIsAnIssue) {
  // Each wall of 2.25 m²: together 9 m², more than a wall needs. A step of 0.5 m² in all is none to speak of.
  const Scene scene =
      with_prisms({box_prism(1, {20, 20}, {40, 40}, 0, 10), box_prism(2, {50, 50}, {51.5, 51.5}, 0, 1.5),
                   box_prism(3, {60, 60}, {61, 61}, 0, 0.125)});
  Tiling tiling = tiled(scene, {.min_wall_width_m = 2});
  ASSERT_EQ(tiling.without_walls, std::vector<std::uint32_t>{1});
  const std::vector<Issue> issues = tiling_issues(scene, tiling, "houses");
  ASSERT_EQ(issues.size(), 1u);
  EXPECT_EQ(issues[0].code, "walls_too_small");
  EXPECT_EQ(issues[0].action, Issue::Action::assumed);
  EXPECT_EQ(issues[0].layer, "houses");
  EXPECT_EQ(issues[0].feature_id, scene.prisms[1].source_feature);
  EXPECT_NE(issues[0].message.find("MIN_WALL_WIDTH (2.00 m)"), std::string::npos);
}

TEST(BuildingTiles, SidesInAStraightLineAreOneWall) {
  // Each long side is given as 8 pieces of 5 m, a millimetre off the line now and then.
  Ring ring;
  for (int i = 0; i < 8; ++i) ring.push_back({20 + 5.0 * i, 20 + (i % 3) * coordinate_step_m});
  ring.insert(ring.end(), {{60, 20}, {60, 40}});
  for (int i = 1; i < 8; ++i) ring.push_back({60 - 5.0 * i, 40});
  ring.push_back({20, 40});
  const Tiling tiling = tiled(with_prisms({prism_of(1, {ring}, 0, 10)}));
  EXPECT_EQ(count(tiling, wall), 4 + 2 + 4 + 2);
  EXPECT_EQ(count(tiling, EdgeKind::corner), 4);
}

TEST(BuildingTiles, WallsEndAtTheGroundTheyStandOn) {
  // The ground rises by 1 m in 10 m to the east under a box from 4 m to 14 m.
  Scene scene = with_prisms({box_prism(1, {40, 40}, {60, 60}, 4, 14)});
  scene.prisms[0].on_ground = true;
  scene.terrain.height_m = {0, 10, 0, 10};
  int east = 0, west = 0;
  for (const Tile& tile : tiled(scene).tiles) {
    if (tile.kind != wall) continue;
    EXPECT_GT(tile.centroid.z, scene.terrain.height_at(tile.centroid.xy()));
    if (tile.normal.x > 0.5) {
      ++east;
      EXPECT_NEAR(tile.centroid.z - norm(tile.half_v), 6, 0.01);
    }
    if (tile.normal.x < -0.5) {
      ++west;
      EXPECT_NEAR(tile.centroid.z - norm(tile.half_v), 4, 0.01);
    }
  }
  EXPECT_EQ(east, 2);
  EXPECT_EQ(west, 2);
}

TEST(BuildingTiles, WallsUnderTheGroundAreDroppedAndCounted) {
  // Dug into the hill: 4 m at the west side, 10 m at the east side, roof at 9 m.
  Scene scene = with_prisms({box_prism(1, {40, 40}, {60, 60}, 4, 5.5)});
  scene.prisms[0].on_ground = true;
  scene.terrain.height_m = {0, 10, 0, 10};
  const Tiling tiling = tiled(scene);
  for (const Tile& tile : tiling.tiles) EXPECT_FALSE(tile.kind == wall && tile.normal.x > 0.5);
  EXPECT_GT(tiling.counts.wall_tiles_under_ground, 0u);
  // East of x = 55 the hill is above the roof: its ground is exposed there, and the roof is not.
  for (const Tile& tile : tiling.tiles) {
    if (tile.kind == roof) {
      EXPECT_LT(tile.centroid.x, 55.2);
    }
  }
}

TEST(BuildingTiles, NarrowRoofsGetOneTileInside) {
  // A ring of 2 m around a yard of 26 m: the grid's centres fall into the yard or miss the wings.
  const Rings frame{{{20, 20}, {50, 20}, {50, 50}, {20, 50}}, {{22, 22}, {22, 48}, {48, 48}, {48, 22}}};
  const Scene scene = with_prisms({prism_of(1, frame, 0, 10)});
  const Tiling tiling = tiled(scene);
  ASSERT_EQ(count(tiling, roof), 1);
  EXPECT_EQ(tiling.counts.roofs_without_tile, 0u);
  for (const Tile& tile : tiling.tiles) {
    if (tile.kind == roof) {
      EXPECT_TRUE(contains(frame, tile.centroid.xy()));
      EXPECT_LE(tile.area_m2(), 100 + 1e-9);
    }
  }
}

TEST(BuildingTiles, RoofRemnantsBesideATowerAreCounted) {
  // The tower leaves a rim of 1 m of a 4 m roof: 12 m², less than a quarter of a tile.
  const Scene scene = with_prisms({box_prism(1, {20, 20}, {24, 24}, 0, 10), box_prism(2, {21, 21}, {23, 23}, 10, 20)});
  EXPECT_EQ(tiled(scene).counts.roofs_without_tile, 1u);
}

TEST(BuildingTiles, TurnedBuildingsHaveAsManyTiles) {
  const Rings l{l_shape, {{26, 26}, {26, 34}, {34, 34}, {34, 26}}};
  const Rings box{{{70, 20}, {95, 20}, {95, 35}, {70, 35}}};  // 25 m and 15 m: remainders of exactly one half
  const auto at_angle = [&](double angle) {
    return tiled(
        with_prisms({prism_of(1, testing::turned(l, angle), 0, 12), prism_of(2, testing::turned(box, angle), 0, 25)}));
  };
  const Tiling straight = at_angle(0);
  for (const double angle : {0.1, 0.4, 0.785398, 1.3, 2.2, 3.0, 4.4}) {
    const Tiling tiling = at_angle(angle);
    EXPECT_EQ(count(tiling, wall), count(straight, wall)) << angle;
    EXPECT_EQ(count(tiling, roof), count(straight, roof)) << angle;
    EXPECT_EQ(count(tiling, EdgeKind::roof), count(straight, EdgeKind::roof)) << angle;
    EXPECT_EQ(count(tiling, EdgeKind::corner), count(straight, EdgeKind::corner)) << angle;
    EXPECT_NEAR(total_area(tiling, wall), total_area(straight, wall), 0.2) << angle;
  }
}

}  // namespace
}  // namespace tesseray
