// SPDX-License-Identifier: GPL-3.0-or-later
// Real surfaces and edges against those of the tiling, which are found in another way.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "core/propagation/images/real_edges.h"
#include "core/propagation/images/reflectors.h"
#include "core/scene/ground_plan/prism_index.h"
#include "tests/support/environment.h"
#include "tests/support/synthetic_city.h"

namespace tesseray {
namespace {

using testing::Environment;

Scene city(double hill_m) {
  testing::SyntheticCityOptions options;
  options.width_m = options.depth_m = 300;
  options.hill_m = hill_m;
  options.seed = 5;
  return testing::synthetic_city(options);
}

TEST(RealSurfaces, EveryTileLiesOnOneOfItsKind) {
  for (const double hill_m : {0.0, 12.0}) {
    const Environment environment(city(hill_m), 10);
    const Reflectors reflectors(environment.scene);
    ASSERT_GT(environment.tiling.tiles.size(), 1000u);
    for (const Tile& tile : environment.tiling.tiles) {
      const auto holders = std::count_if(reflectors.all().begin(), reflectors.all().end(), [&](const Reflector& one) {
        const bool same_plane = std::fabs(dot(tile.centroid - one.origin, one.normal)) < 0.005;
        const bool alike =
            one.kind == tile.kind && (tile.kind == SurfaceKind::ground || norm(one.normal - tile.normal) < 1e-2);
        return same_plane && alike && one.prism == tile.prism && reflectors.contains(one, tile.centroid);
      });
      EXPECT_EQ(holders, 1) << static_cast<int>(tile.kind) << ' ' << tile.centroid.x << ' ' << tile.centroid.y;
    }
  }
}

TEST(RealSurfaces, EveryEdgeSegmentOfTheTilingIsAnExposedEdge) {
  const Environment environment(city(0), 10);
  const PrismIndex index(environment.scene);
  const RealEdges edges(environment.scene, index, 195);
  ASSERT_GT(environment.tiling.edges.size(), 500u);
  for (const EdgeSegment& segment : environment.tiling.edges) {
    const auto holders = std::count_if(edges.all().begin(), edges.all().end(), [&](const EdgeSegment& edge) {
      const Vec3 way = segment.midpoint - edge.midpoint;
      const double along = dot(way, edge.direction);
      return edge.kind == segment.kind && std::fabs(along) <= 0.5 * edge.length_m &&
             norm(way - along * edge.direction) < 0.02 && std::fabs(edge.wedge_angle - segment.wedge_angle) < 1e-2 &&
             norm(bisector(edge) - bisector(segment)) < 1e-2 && edges.is_exposed(edge, segment.midpoint);
    });
    EXPECT_EQ(holders, 1) << segment.midpoint.x << ' ' << segment.midpoint.y << ' ' << segment.midpoint.z;
  }
}

TEST(RealSurfaces, HousesOfATerraceHaveNoEdgesBetweenThem) {
  Scene scene = testing::flat_ground(100, 100);
  scene.prisms = {testing::box_prism(1, {20, 20}, {30, 30}, 0, 10), testing::box_prism(2, {30, 20}, {40, 30}, 0, 10),
                  testing::box_prism(3, {40, 20}, {50, 30}, 0, 14)};
  const PrismIndex index(scene);
  const RealEdges edges(scene, index, 195);
  const auto exposed_at = [&](Vec3 point) {
    return std::count_if(edges.all().begin(), edges.all().end(), [&](const EdgeSegment& edge) {
      const Vec3 way = point - edge.midpoint;
      const double along = dot(way, edge.direction);
      return std::fabs(along) < 0.5 * edge.length_m && norm(way - along * edge.direction) < 1e-9 &&
             edges.is_exposed(edge, point);
    });
  };
  EXPECT_EQ(exposed_at({25, 20, 10}), 1);  // eaves
  EXPECT_EQ(exposed_at({20, 20, 5}), 1);   // a corner
  EXPECT_EQ(exposed_at({30, 25, 10}), 0);  // between roofs of one height
  EXPECT_EQ(exposed_at({30, 20, 5}), 0);   // between fronts in one plane
  EXPECT_EQ(exposed_at({40, 25, 10}), 0);  // a roof against a higher wall
  EXPECT_EQ(exposed_at({40, 25, 14}), 1);  // the higher roof's edge
  EXPECT_EQ(exposed_at({40, 20, 12}), 1);  // the higher house's corner above the lower roof …
  EXPECT_EQ(exposed_at({40, 20, 5}), 0);   // … and not below it
}

TEST(RealSurfaces, RidgeOfTheTerrain) {
  Scene scene = testing::flat_ground(40, 40);
  scene.terrain = {{0, 0}, 20, 20, 3, 3, {0, 8, 0, 0, 8, 0, 0, 8, 0}};
  const PrismIndex index(scene);
  const RealEdges edges(scene, index, 195);
  ASSERT_EQ(edges.all().size(), 2u);
  for (const EdgeSegment& edge : edges.all()) {
    EXPECT_NEAR(std::fabs(edge.direction.y), 1, 1e-12);
    EXPECT_NEAR(edge.midpoint.z, 8, 1e-12);
    EXPECT_NEAR(edge.wedge_angle, 2 * std::atan2(20.0, -8.0), 1e-9);
    EXPECT_NEAR(bisector(edge).z, 1, 1e-12);
  }
  EXPECT_TRUE(RealEdges(scene, index, 240).all().empty());
}

}  // namespace
}  // namespace tesseray
