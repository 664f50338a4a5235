// SPDX-License-Identifier: GPL-3.0-or-later
#include <gtest/gtest.h>

#include "core/base/units.h"
#include "core/scene/ground_plan/prism_index.h"
#include "tests/unit/tiling/tiled.h"

namespace tesseray {
namespace {

using testing::box_prism;
using testing::count;
using testing::prism_of;
using testing::tiled;
using testing::total_length;
using testing::with_prisms;

void expect_frame(const EdgeSegment& edge) {
  for (const Vec3& unit : {edge.direction, edge.tangent_0, edge.normal_0, edge.tangent_n, edge.normal_n}) {
    EXPECT_NEAR(norm(unit), 1, 1e-12);
  }
  EXPECT_NEAR(dot(edge.direction, edge.tangent_0), 0, 1e-12);
  EXPECT_NEAR(dot(edge.direction, edge.tangent_n), 0, 1e-12);
  EXPECT_NEAR(norm(edge.normal_0 - cross(edge.direction, edge.tangent_0)), 0, 1e-12);
  EXPECT_NEAR(dot(edge.normal_n, edge.tangent_n), 0, 1e-12);
  EXPECT_GT(edge.wedge_angle, pi);
  EXPECT_LE(edge.wedge_angle, 2 * pi);
  // The n-face is the 0-face turned by the exterior angle through the air.
  const Vec3 turned = std::cos(edge.wedge_angle) * edge.tangent_0 + std::sin(edge.wedge_angle) * edge.normal_0;
  EXPECT_NEAR(norm(turned - edge.tangent_n), 0, 1e-9);
}

TEST(Edges, OfABoxAreCountedByHand) {
  const Scene scene = with_prisms({box_prism(1, {40, 40}, {60, 70}, 0, 26)});
  const Tiling tiling = tiled(scene);
  EXPECT_EQ(count(tiling, EdgeKind::roof), 2 + 3 + 2 + 3);
  EXPECT_EQ(count(tiling, EdgeKind::corner), 4 * 3);  // 26 m: 3 pieces
  EXPECT_EQ(count(tiling, EdgeKind::terrain), 0);
  EXPECT_NEAR(total_length(tiling, EdgeKind::roof), 100, 1e-9);
  EXPECT_NEAR(total_length(tiling, EdgeKind::corner), 4 * 26, 1e-9);
  for (const EdgeSegment& edge : tiling.edges) {
    expect_frame(edge);
    EXPECT_NEAR(degrees(edge.wedge_angle), 270, 1e-9);
    EXPECT_EQ(edge.prism, 0u);
    // Out of the solid along the bisector, into it against it.
    const PrismIndex index(scene);
    EXPECT_EQ(index.prism_at(edge.midpoint + 0.01 * bisector(edge)), -1);
    EXPECT_EQ(index.prism_at(edge.midpoint - 0.01 * bisector(edge)), 0);
  }
}

TEST(Edges, ParentsAreTheNearestTilesOfTheirFaces) {
  Prism prism = box_prism(1, {40, 40}, {60, 70}, 0, 26);
  prism.material = 2;
  const Tiling tiling = tiled(with_prisms({prism}));
  EXPECT_EQ(tiling.edges.size(), 22u);
  for (const EdgeSegment& edge : tiling.edges) {
    ASSERT_NE(edge.tile_a, no_index);
    ASSERT_NE(edge.tile_b, no_index);
    const Tile &a = tiling.tiles[edge.tile_a], &b = tiling.tiles[edge.tile_b];
    EXPECT_NEAR(norm(a.normal - edge.normal_0), 0, 1e-12);
    EXPECT_NEAR(norm(b.normal - edge.normal_n), 0, 1e-12);
    // Border tiles: the edge is half a tile from the centroid, and opposite its middle.
    EXPECT_NEAR(dot(a.centroid - edge.midpoint, edge.direction), 0, 1e-9);
    EXPECT_LE(norm(a.centroid - edge.midpoint), 5.01);
    EXPECT_LE(norm(b.centroid - edge.midpoint), 5.01);
    EXPECT_EQ(edge.material_n, 2);
    EXPECT_EQ(edge.material_0, edge.kind == EdgeKind::roof ? 0 : 2);
  }
}

TEST(Edges, ConcaveCornersAreNone) {
  const Ring l{{20, 20}, {60, 20}, {60, 40}, {40, 40}, {40, 60}, {20, 60}};
  const Rings rings{l, {{26, 26}, {26, 34}, {34, 34}, {34, 26}}};
  const Tiling tiling = tiled(with_prisms({prism_of(1, rings, 0, 10)}));
  EXPECT_EQ(count(tiling, EdgeKind::corner), 5);
  EXPECT_NEAR(total_length(tiling, EdgeKind::roof), 160 + 32, 1e-9);
}

TEST(Edges, ExteriorAngleFollowsTheCorner) {
  // An equilateral triangle: interior 60°, exterior 300°.
  const double height = snapped(20 * std::sqrt(3.0));
  const Tiling tiling = tiled(with_prisms({prism_of(1, {{{20, 20}, {60, 20}, {40, 20 + height}}}, 0, 10)}));
  int corners = 0;
  for (const EdgeSegment& edge : tiling.edges) {
    expect_frame(edge);
    if (edge.kind != EdgeKind::corner) continue;
    ++corners;
    EXPECT_NEAR(degrees(edge.wedge_angle), 300, 0.01);
  }
  EXPECT_EQ(corners, 3);
}

TEST(Edges, NearlyStraightCornersAreNone) {
  // A side bent by 4°, and one bent by 8°.
  const auto bent = [](double angle) {
    const double out = snapped(20 * std::tan(radians(angle / 2)));
    return prism_of(1, {{{20, 40}, {40, 40 - out}, {60, 40}, {60, 60}, {20, 60}}}, 0, 10);
  };
  EXPECT_EQ(count(tiled(with_prisms({bent(4)})), EdgeKind::corner), 4);
  EXPECT_EQ(count(tiled(with_prisms({bent(8)})), EdgeKind::corner), 5);
}

TEST(Edges, TouchingBuildingsHaveNoneWhereTheirWallsGoOn) {
  const Tiling equal =
      tiled(with_prisms({box_prism(1, {20, 20}, {40, 40}, 0, 10), box_prism(2, {40, 20}, {60, 40}, 0, 10)}));
  EXPECT_EQ(count(equal, EdgeKind::corner), 4);
  EXPECT_NEAR(total_length(equal, EdgeKind::roof), 120, 1e-9);

  const Tiling stepped =
      tiled(with_prisms({box_prism(1, {20, 20}, {40, 40}, 0, 10), box_prism(2, {40, 20}, {60, 40}, 0, 25)}));
  // Outer corners: 2 × 10 m and 2 × 25 m; above the lower roof 2 × 15 m.
  EXPECT_NEAR(total_length(stepped, EdgeKind::corner), 2 * 10 + 2 * 25 + 2 * 15, 1e-9);
  EXPECT_NEAR(total_length(stepped, EdgeKind::roof), 3 * 20 + 4 * 20, 1e-9);
  for (const EdgeSegment& edge : stepped.edges) {
    if (edge.kind == EdgeKind::corner && edge.midpoint.x == 40) {
      EXPECT_GT(edge.midpoint.z, 10);
    }
  }
}

TEST(Edges, ACornerThatTwoBuildingsShareIsFound) {
  // A square cut along its diagonal: the two sharp corners are 270° corners of both together.
  const Prism south_east = prism_of(1, {{{20, 20}, {60, 20}, {60, 60}}}, 0, 10);
  const Prism north_west = prism_of(2, {{{20, 20}, {60, 60}, {20, 60}}}, 0, 10);
  const Tiling tiling = tiled(with_prisms({south_east, north_west}));
  EXPECT_EQ(count(tiling, EdgeKind::corner), 4);
  for (const EdgeSegment& edge : tiling.edges) {
    EXPECT_NEAR(degrees(edge.wedge_angle), 270, 1e-9);
  }
  EXPECT_NEAR(total_length(tiling, EdgeKind::roof), 160, 1e-9);

  // One half higher: above the lower roof its own sharp corners are free.
  Prism higher = north_west;
  higher.top_z = 18;
  const Tiling stepped = tiled(with_prisms({south_east, higher}));
  double sharp = 0;
  for (const EdgeSegment& edge : stepped.edges) {
    if (edge.kind == EdgeKind::corner && std::fabs(degrees(edge.wedge_angle) - 315) < 1) sharp += edge.length_m;
  }
  EXPECT_NEAR(sharp, 2 * 8, 1e-9);
}

TEST(Edges, BuildingsThatTouchAtACornerHaveNoneThere) {
  const Tiling tiling =
      tiled(with_prisms({box_prism(1, {20, 20}, {40, 40}, 0, 10), box_prism(2, {40, 40}, {60, 60}, 0, 10)}));
  EXPECT_EQ(count(tiling, EdgeKind::corner), 6);
}

TEST(Edges, TowerFlushWithItsPodiumHasNoEaveBelowIt) {
  // The tower's west wall continues the podium's.
  const Scene scene = with_prisms({box_prism(1, {20, 20}, {60, 60}, 0, 10), box_prism(2, {20, 30}, {40, 50}, 10, 40)});
  const Tiling tiling = tiled(scene);
  double podium = 0, tower = 0;
  for (const EdgeSegment& edge : tiling.edges) {
    if (edge.kind != EdgeKind::roof) continue;
    (edge.midpoint.z == 10 ? podium : tower) += edge.length_m;
  }
  EXPECT_NEAR(podium, 160 - 20, 1e-9);
  EXPECT_NEAR(tower, 80, 1e-9);
}

TEST(Edges, RidgeOfTheTerrainIsCountedByHand) {
  // A roof of 30° slopes along x = 50, and a valley at x = 80.
  Scene scene = testing::flat_ground(100, 100);
  scene.terrain.step_x = 10;
  scene.terrain.columns = 11;
  scene.terrain.height_m.clear();
  const double rise = 10 * std::tan(radians(30.0));
  for (int row = 0; row < 2; ++row) {
    for (int column = 0; column < 11; ++column) {
      const int steps = column <= 5 ? column : column <= 8 ? 10 - column : column - 6;
      scene.terrain.height_m.push_back(static_cast<float>(rise * steps));
    }
  }
  const Tiling tiling = tiled(scene);
  ASSERT_EQ(tiling.edges.size(), 10u);
  for (const EdgeSegment& edge : tiling.edges) {
    expect_frame(edge);
    EXPECT_EQ(edge.kind, EdgeKind::terrain);
    EXPECT_EQ(edge.midpoint.x, 50);
    EXPECT_NEAR(degrees(edge.wedge_angle), 240, 1e-4);
    EXPECT_NEAR(norm(tiling.tiles[edge.tile_a].normal - edge.normal_0), 0, 1e-6);
    EXPECT_NEAR(norm(tiling.tiles[edge.tile_b].normal - edge.normal_n), 0, 1e-6);
    EXPECT_GT(bisector(edge).z, 0.99);
  }
  EXPECT_TRUE(tiled(scene, {.ridge_angle_deg = 241}).edges.empty());
}

TEST(Edges, RidgesRunAcrossTooAndDiagonallyNot) {
  // The same roof along y = 50.
  Scene scene = testing::flat_ground(100, 100);
  scene.terrain.step_y = 50;
  scene.terrain.rows = 3;
  scene.terrain.height_m = {0, 0, 29, 29, 0, 0};
  const Tiling tiling = tiled(scene);
  ASSERT_EQ(tiling.edges.size(), 10u);
  for (const EdgeSegment& edge : tiling.edges) {
    expect_frame(edge);
    EXPECT_EQ(edge.midpoint.y, 50);
    EXPECT_NEAR(degrees(edge.wedge_angle), 180 + 2 * degrees(std::atan(29.0 / 50)), 1e-4);
    EXPECT_GT(bisector(edge).z, 0.99);
  }
}

}  // namespace
}  // namespace tesseray
