// SPDX-License-Identifier: GPL-3.0-or-later
// Curves that are given as many narrow sides: round towers, rounded corners, round courtyards.
#include <gtest/gtest.h>

#include <map>
#include <set>
#include <utility>

#include "core/base/units.h"
#include "core/scene/ground_plan/polygon.h"
#include "core/scene/ground_plan/prism_index.h"
#include "tests/unit/tiling/tiled.h"

namespace tesseray {
namespace {

using testing::box_prism;
using testing::count;
using testing::prism_of;
using testing::tiled;
using testing::total_area;
using testing::total_length;
using testing::with_prisms;

constexpr double height_m = 30;
// A quarter of MIN_WALL_WIDTH.
constexpr double greatest_shift_m = 0.25;

Vec2 on_circle(Vec2 centre, double radius_m, double angle) {
  return {snapped(centre.x + radius_m * std::cos(angle)), snapped(centre.y + radius_m * std::sin(angle))};
}

Ring circle(Vec2 centre, double radius_m, int sides) {
  Ring ring;
  for (int k = 0; k < sides; ++k) ring.push_back(on_circle(centre, radius_m, 2 * pi * (k + 0.37) / sides));
  return ring;
}

// A square of 40 m whose north-eastern corner is rounded.
Ring rounded_square(double radius_m, int sides) {
  Ring ring{{30, 30}, {70, 30}};
  for (int k = 0; k <= sides; ++k) {
    ring.push_back(on_circle({70 - radius_m, 70 - radius_m}, radius_m, 0.5 * pi * k / sides));
  }
  ring.push_back({30, 70});
  return ring;
}

Scene building(Rings rings, double height = height_m) {
  return with_prisms({prism_of(1, std::move(rings), 0, height)});
}

struct Corner {
  Vec2 place;
  double turn_deg = 0;
};

// One for all the segments above each other.
std::vector<Corner> corners(const Tiling& tiling) {
  std::map<std::pair<double, double>, double> turns;
  for (const EdgeSegment& edge : tiling.edges) {
    if (edge.kind == EdgeKind::corner) turns[{edge.midpoint.x, edge.midpoint.y}] = degrees(edge.wedge_angle - pi);
  }
  std::vector<Corner> found;
  for (const auto& [place, turn_deg] : turns) found.push_back({{place.first, place.second}, turn_deg});
  return found;
}

double least_width_m(const Tiling& tiling) {
  double least = 1e9;
  for (const Tile& tile : tiling.tiles) {
    if (tile.kind == SurfaceKind::wall) least = std::min(least, 2 * norm(tile.half_u));
  }
  return least;
}

// Nothing that sees or is seen lies in the solid, or far from it.
void expect_at_the_walls(const Scene& scene, const Tiling& tiling) {
  const PrismIndex index(scene);
  const auto expect_near = [&](Vec3 point, Vec3 lifted) {
    EXPECT_EQ(index.prism_at(lifted), -1) << point.x << ' ' << point.y << ' ' << point.z;
    EXPECT_LE(distance_to_sides(scene.prisms[0].rings, point.xy()), greatest_shift_m + 1e-9);
  };
  for (const Tile& tile : tiling.tiles) {
    if (tile.kind == SurfaceKind::wall) expect_near(tile.centroid, tile.centroid + 0.01 * tile.normal);
  }
  for (const EdgeSegment& edge : tiling.edges) expect_near(edge.midpoint, edge.midpoint + 0.01 * bisector(edge));
}

TEST(Curves, ARoundTowerHasWallsAndEdges) {
  for (const int sides : {64, 100, 360}) {  // of 0.98, 0.63 and 0.17 m
    const Scene scene = building({circle({50, 50}, 10, sides)});
    const Tiling tiling = tiled(scene);
    const double around_m = 20 * pi;
    EXPECT_NEAR(total_area(tiling, SurfaceKind::wall), around_m * height_m, 0.01 * around_m * height_m);
    EXPECT_NEAR(total_length(tiling, EdgeKind::roof), around_m, 0.01 * around_m);
    EXPECT_GE(least_width_m(tiling), 1);
    double turn_deg = 0;
    for (const Corner& corner : corners(tiling)) {
      EXPECT_GE(corner.turn_deg, 5);
      EXPECT_LE(corner.turn_deg, 25);
      turn_deg += corner.turn_deg;
    }
    EXPECT_NEAR(turn_deg, 360, 1e-6);
    for (const EdgeSegment& edge : tiling.edges) {
      EXPECT_NE(edge.tile_a, no_index);
      EXPECT_NE(edge.tile_b, no_index);
    }
    expect_at_the_walls(scene, tiling);
    EXPECT_TRUE(tiling.without_walls.empty());
  }
}

TEST(Curves, OfLargeRadiusTurnByEnoughForEdges) {
  // 2.8° at each of 128 vertices.
  const Scene scene = building({circle({50, 50}, 20, 128)});
  const Tiling tiling = tiled(scene);
  double turn_deg = 0;
  for (const Corner& corner : corners(tiling)) turn_deg += corner.turn_deg;
  EXPECT_NEAR(turn_deg, 360, 1e-6);
  expect_at_the_walls(scene, tiling);
}

TEST(Curves, SidesThatAreWideEnoughStayAsTheyAre) {
  const Tiling tiling = tiled(building({circle({50, 50}, 10, 56)}));
  EXPECT_EQ(count(tiling, SurfaceKind::wall), 56 * 3);
  EXPECT_EQ(count(tiling, EdgeKind::roof), 56);
  EXPECT_EQ(count(tiling, EdgeKind::corner), 56 * 3);
}

TEST(Curves, ARoundedCornerTurnsByARightAngleInAFewEdges) {
  struct Rounding {
    double radius_m = 0;
    int sides = 0;
    std::size_t most_edges = 0;
  };
  for (const Rounding& rounding : {Rounding{3, 8, 6}, Rounding{3, 40, 6}, Rounding{1, 10, 3}, Rounding{0.5, 10, 1}}) {
    const Scene scene = building({rounded_square(rounding.radius_m, rounding.sides)});
    const Tiling tiling = tiled(scene);
    double turn_deg = 0;
    std::size_t edges = 0;
    for (const Corner& corner : corners(tiling)) {
      if (corner.place.x < 60 || corner.place.y < 60) continue;
      turn_deg += corner.turn_deg;
      ++edges;
    }
    EXPECT_NEAR(turn_deg, 90, 0.2) << rounding.radius_m;
    EXPECT_GE(edges, 1u);
    EXPECT_LE(edges, rounding.most_edges) << rounding.radius_m << " m, " << rounding.sides;
    expect_at_the_walls(scene, tiling);
  }
}

TEST(Curves, TenVerticesWithinAMetreAreOneEdge) {
  // 56° in ten turns of 5.6°, 0.1 m apart.
  Ring ring{{20, 40}, {60, 40}};
  double azimuth = 0;
  for (int k = 0; k < 10; ++k) {
    azimuth += 5.6 * pi / 180;
    const double step_m = k < 9 ? 0.1 : 20.0;
    ring.push_back(ring.back() + step_m * Vec2{std::cos(azimuth), std::sin(azimuth)});
  }
  ring.push_back({20, 70});
  for (Vec2& p : ring) p = {snapped(p.x), snapped(p.y)};
  std::size_t edges = 0;
  for (const Corner& corner : corners(tiled(building({ring})))) {
    if (norm(corner.place - Vec2{60.4, 40.2}) > 1) continue;
    EXPECT_NEAR(corner.turn_deg, 56, 1);
    ++edges;
  }
  EXPECT_EQ(edges, 1u);
}

TEST(Curves, ANickKeepsItsEdges) {
  struct Nick {
    double size_m = 0;
    int corners = 0;
    std::uint64_t small_walls = 0;
  };
  // One of 5 cm is none to the air, and its sides touch; a larger one has its outer corners, beside wide walls. Inner
  // ones are hollow.
  for (const Nick& nick : {Nick{0.046875, 4, 1}, Nick{0.3125, 6, 3}}) {
    const double inner_x = 70 - nick.size_m, end_y = 49 + nick.size_m;
    const Tiling tiling = tiled(
        building({{{30, 30}, {70, 30}, {70, 49}, {inner_x, 49}, {inner_x, end_y}, {70, end_y}, {70, 70}, {30, 70}}}));
    EXPECT_EQ(count(tiling, SurfaceKind::wall), 3 * (3 * 4 + 2 + 2));
    EXPECT_EQ(count(tiling, EdgeKind::corner), nick.corners * 3);
    EXPECT_EQ(count(tiling, EdgeKind::roof), 3 * 4 + 2 + 2);
    EXPECT_EQ(tiling.counts.walls_too_small, nick.small_walls);
  }
}

TEST(Curves, OctagonsStayOctagons) {
  // Sides of 0.9 m: to leave out one would move the outline by 0.45 m.
  const Scene scene = building({circle({50, 50}, 0.45 / std::sin(pi / 8), 8)});
  const Tiling tiling = tiled(scene);
  EXPECT_EQ(count(tiling, SurfaceKind::wall), 8 * 3);
  EXPECT_EQ(count(tiling, EdgeKind::corner), 8 * 3);
  EXPECT_EQ(count(tiling, EdgeKind::roof), 8);
}

TEST(Curves, ThinPillarsHaveCornersOnly) {
  for (const Ring& ring : {Ring{{50, 50}, {50.75, 50}, {50.75, 50.75}, {50, 50.75}}, circle({50, 50}, 0.375, 24)}) {
    const Tiling tiling = tiled(building({ring}));
    EXPECT_EQ(count(tiling, SurfaceKind::wall), 0);
    EXPECT_EQ(count(tiling, EdgeKind::corner), 4 * 3);
    EXPECT_TRUE(tiling.without_walls.empty());
  }
}

TEST(Curves, ThinWallsWithRoundEndsTurnAroundThem) {
  Ring ring;
  for (int k = 0; k <= 16; ++k) ring.push_back(on_circle({60, 50}, 0.25, pi * (k - 8) / 16));
  for (int k = 0; k <= 16; ++k) ring.push_back(on_circle({40, 50}, 0.25, pi * (k + 8) / 16));
  const Scene scene = building({ring}, 4);
  const Tiling tiling = tiled(scene);
  double turn_deg = 0;
  for (const Corner& corner : corners(tiling)) turn_deg += corner.turn_deg;
  EXPECT_NEAR(turn_deg, 360, 0.5);
  expect_at_the_walls(scene, tiling);
}

TEST(Curves, ARoundCourtyardHasWallsAndNoCorners) {
  Ring yard = circle({50, 50}, 8, 64);
  std::reverse(yard.begin(), yard.end());
  const Scene scene = building({{{30, 30}, {70, 30}, {70, 70}, {30, 70}}, yard});
  const Tiling tiling = tiled(scene);
  EXPECT_NEAR(total_area(tiling, SurfaceKind::wall), (160 + 16 * pi) * height_m, 0.5 * height_m);
  EXPECT_NEAR(total_length(tiling, EdgeKind::roof), 160 + 16 * pi, 0.5);
  EXPECT_EQ(count(tiling, EdgeKind::corner), 4 * 3);
  EXPECT_GE(least_width_m(tiling), 1);
  expect_at_the_walls(scene, tiling);
}

TEST(Curves, AStairTurretIsTiledWhereItStandsOut) {
  // Half a circle at the middle of a wall, in 14 sides of 0.45 m, as a part of its own and as a part of the outline.
  Ring turret, whole{{30, 30}, {70, 30}};
  for (int k = 0; k <= 14; ++k) turret.push_back(on_circle({70, 50}, 2, pi * (k - 7) / 14));
  whole.insert(whole.end(), turret.begin(), turret.end());
  whole.insert(whole.end(), {{70, 70}, {30, 70}});
  const Scene one = building({whole});
  const Scene two = with_prisms(
      {prism_of(1, {{{30, 30}, {70, 30}, {70, 70}, {30, 70}}}, 0, height_m), prism_of(2, {turret}, 0, height_m)});
  for (const Scene& scene : {one, two}) {
    const Tiling tiling = tiled(scene);
    EXPECT_NEAR(total_area(tiling, SurfaceKind::wall), (160 - 4 + 2 * pi) * height_m, 0.3 * height_m);
    double turn_deg = 0;
    for (const Corner& corner : corners(tiling)) turn_deg += corner.turn_deg;
    EXPECT_NEAR(turn_deg, 360 + 180 - 2 * 90 / 14.0, 1);
  }
}

TEST(Curves, HaveUniqueNumbers) {
  // Half of one facet is behind the neighbour, whose parts are of other heights.
  const Scene scene = with_prisms({prism_of(1, {circle({50, 50}, 6, 90)}, 0, height_m),
                                   prism_of(2, {circle({30, 30}, 0.9, 24)}, 0, height_m),
                                   prism_of(3, {{{55.75, 50.25}, {70, 50.25}, {70, 60}, {55.75, 60}}}, 20, 25)});
  for (const double area : {100.0, 1.0}) {
    const Tiling tiling = tiled(scene, {.tile_area_m2 = area});
    std::set<std::int64_t> tiles, edges;
    for (const Tile& tile : tiling.tiles) EXPECT_TRUE(tiles.insert(tile.id).second);
    for (const EdgeSegment& edge : tiling.edges) EXPECT_TRUE(edges.insert(edge.id).second);
  }
}

}  // namespace
}  // namespace tesseray
