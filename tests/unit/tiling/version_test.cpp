// SPDX-License-Identifier: GPL-3.0-or-later
// Visibility files name tiles and edges by number. With a program that cuts the same scene into others they must not
// fit, which tiling_version alone sees to.
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <numbers>

#include "tests/unit/tiling/tiled.h"

namespace tesseray {
namespace {

using testing::box_prism;
using testing::count;
using testing::prism_of;

// What changes when tiles or edges come, go, move, or change places.
struct Figures {
  std::array<std::int64_t, 3> tiles;  // on the ground, walls and roofs
  std::array<std::int64_t, 3> edges;  // at roofs, corners and in the terrain
  double tile_moment_m3, edge_moment_m2;
};

// Coordinates weighted so that hardly any move or change of places leaves the sum as it was.
double weighted(Vec3 point, std::size_t number) {
  return dot(point, {0.3, 0.5, 0.7}) * (1 + static_cast<double>(number % 7));
}

Figures figures_of(const Scene& scene) {
  const Tiling tiling = testing::tiled(scene);
  Figures result{
      {count(tiling, SurfaceKind::ground), count(tiling, SurfaceKind::wall), count(tiling, SurfaceKind::roof)},
      {count(tiling, EdgeKind::roof), count(tiling, EdgeKind::corner), count(tiling, EdgeKind::terrain)},
      0,
      0};
  for (std::size_t k = 0; k < tiling.tiles.size(); ++k) {
    result.tile_moment_m3 += tiling.tiles[k].area_m2() * weighted(tiling.tiles[k].centroid, k);
  }
  for (std::size_t k = 0; k < tiling.edges.size(); ++k) {
    result.edge_moment_m2 += tiling.edges[k].length_m * weighted(tiling.edges[k].midpoint, k);
  }
  return result;
}

void expect_figures(const Scene& scene, const Figures& expected) {
  ASSERT_EQ(tiling_version, 4) << "take over the figures of the new version, and its number here";
  const Figures found = figures_of(scene);
  const char* const mend = "scenes are cut into other tiles or edges: count tiling_version up";
  EXPECT_EQ(found.tiles, expected.tiles) << mend;
  EXPECT_EQ(found.edges, expected.edges) << mend;
  EXPECT_NEAR(found.tile_moment_m3, expected.tile_moment_m3, 1) << mend;
  EXPECT_NEAR(found.edge_moment_m2, expected.edge_moment_m2, 0.01) << mend;
}

Ring around(Vec2 centre, double radius_m, int corners) {
  Ring ring;
  for (int k = 0; k < corners; ++k) {
    const double angle = 2 * std::numbers::pi * k / corners;
    ring.push_back({snapped(centre.x + radius_m * std::cos(angle)), snapped(centre.y + radius_m * std::sin(angle))});
  }
  return ring;
}

// What cutting has gone wrong about: common walls through the middles of cells, slits, many balconies, curves, roofs
// askew to the axes, towers on a podium, walls too small for a tile, and a gap of one step of coordinates.
Scene hard_houses() {
  Scene scene = testing::flat_ground(250, 250);
  std::vector<Prism>& prisms = scene.prisms;
  prisms = {box_prism(1, {5, 5}, {35, 35}, 0, 10), box_prism(2, {35, 5}, {60, 35}, 0, 12),
            box_prism(3, {60 + coordinate_step_m, 5}, {85, 35}, 0, 12)};
  prisms.push_back(prism_of(4,
                            {{{20, 60},
                              {60, 60},
                              {60, 100},
                              {40.03125, 100},
                              {40.03125, 90},
                              {50, 90},
                              {50, 70},
                              {30, 70},
                              {30, 90},
                              {40, 90},
                              {40, 100},
                              {20, 100}}},
                            0, 10));
  prisms.push_back(box_prism(5, {120, 20}, {140, 40}, 0, 90));
  for (int storey = 1; storey < 30; ++storey) {
    prisms.push_back(box_prism(100 + storey, {140, 15}, {142, 45}, 3 * storey, 3 * storey + 0.25));
    prisms.back().on_ground = false;
  }
  prisms.push_back(prism_of(6, {around({180, 80}, 20, 24)}, 0, 25));
  prisms.push_back(
      prism_of(7, testing::turned({{{40, 45}, {70, 45}, {70, 75}, {60, 75}, {60, 55}, {40, 55}}}, 0.4), 0, 8));
  for (Vec2& corner : prisms.back().rings[0]) corner = corner + Vec2{50, 50};
  prisms.push_back(box_prism(8, {20, 150}, {60, 190}, 0, 10));
  prisms.push_back(box_prism(9, {30, 160}, {45, 180}, 10, 40));
  prisms.push_back(box_prism(10, {45, 160}, {60, 180}, 10, 50));
  prisms.push_back(prism_of(11, {around({200, 200}, 6, 40)}, 0, 30));
  return scene;
}

TEST(TilingVersion, IsCountedUpWhenHardHousesAreCutAnotherWay) {
  expect_figures(hard_houses(), {{564, 402, 160}, {218, 209, 0}, 34039532.71, 1496446.747});
}

TEST(TilingVersion, IsCountedUpWhenCitiesOnHillsAreCutAnotherWay) {
  testing::SyntheticCityOptions options;
  options.width_m = options.depth_m = 400;
  options.tower_share = 0.1;
  expect_figures(testing::synthetic_city(options), {{1245, 1155, 524}, {738, 500, 0}, 174066943.730, 8167392.312});
}

TEST(TilingVersion, IsCountedUpWhenRidgesAreCutAnotherWay) {
  expect_figures(testing::terrain_of(300, 300, 10, [](Vec2 p) { return 40 - std::abs(p.x - 150) + 0.1 * p.y; }),
                 {{900, 0, 0}, {0, 0, 30}, 54077319.18, 185618.690});
}

}  // namespace
}  // namespace tesseray
