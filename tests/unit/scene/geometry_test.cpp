// SPDX-License-Identifier: GPL-3.0-or-later
#include <gtest/gtest.h>

#include <cmath>

#include "core/scene/ground_plan/polygon.h"
#include "core/scene/ground_plan/prism_index.h"
#include "tests/support/synthetic_city.h"

namespace tesseray {
namespace {

using testing::box_prism;
using testing::Random;

// A 10 × 10 square with a 2 × 2 courtyard.
Rings with_courtyard() { return {{{0, 0}, {10, 0}, {10, 10}, {0, 10}}, {{4, 4}, {4, 6}, {6, 6}, {6, 4}}}; }

// Winding number by summing angles: slow, and built otherwise than contains().
bool inside_by_angles(const Rings& rings, Vec2 p) {
  double turned = 0;
  for (const Ring& ring : rings) {
    for (std::size_t i = 0; i < ring.size(); ++i) {
      const Vec2 a = ring[i] - p, b = ring[(i + 1) % ring.size()] - p;
      turned += std::atan2(cross(a, b), dot(a, b));
    }
  }
  return std::fabs(turned) > 3;
}

TEST(Polygon, AreaTakesHolesOff) {
  EXPECT_DOUBLE_EQ(signed_area(with_courtyard()[0]), 100);
  EXPECT_DOUBLE_EQ(signed_area(with_courtyard()[1]), -4);
  EXPECT_DOUBLE_EQ(area(with_courtyard()), 96);
}

TEST(Polygon, ContainsAgreesWithTheWindingNumber) {
  const Rings rings{{{0, 0}, {9, 1}, {5, 3}, {10, 9}, {2, 8}, {4, 5}}, {{4, 2}, {3, 2.5}, {4, 3}}};
  Random random(7);
  for (int i = 0; i < 5000; ++i) {
    const double x = random.uniform(-1, 11), y = random.uniform(-1, 11);
    ASSERT_EQ(contains(rings, {x, y}), inside_by_angles(rings, {x, y})) << x << " " << y;
  }
}

TEST(Polygon, LineThroughACourtyardIsInsideTwice) {
  std::vector<Interval> inside;
  append_inside_intervals(with_courtyard(), {-1, 5}, {1, 0}, 20, inside);
  ASSERT_EQ(inside.size(), 2u);
  EXPECT_EQ(inside[0], (Interval{1, 5}));
  EXPECT_EQ(inside[1], (Interval{7, 11}));
}

TEST(Polygon, InsideIntervalsAreCutToTheLine) {
  std::vector<Interval> inside;
  append_inside_intervals(with_courtyard(), {2, 1}, {0, 1}, 3, inside);
  ASSERT_EQ(inside.size(), 1u);
  EXPECT_EQ(inside[0], (Interval{0, 3}));
}

TEST(Polygon, InteriorPointOfAThinLIsInsideAndAwayFromTheSides) {
  const Rings l{{{0, 0}, {20, 0}, {20, 1}, {1, 1}, {1, 20}, {0, 20}}};
  const Vec2 p = interior_point(l);
  EXPECT_TRUE(contains(l, p));
  EXPECT_GT(distance_to_sides(l, p), 0.3);
}

class PrismIndexTest : public ::testing::Test {
 protected:
  PrismIndexTest() {
    scene_ = testing::flat_ground(300, 300);
    scene_.prisms = {box_prism(1, {10, 10}, {30, 30}, 0, 12), box_prism(2, {30, 10}, {50, 30}, 0, 20),
                     box_prism(3, {15, 15}, {20, 20}, 12, 40), box_prism(4, {200, 200}, {280, 290}, 0, 8)};
  }
  Scene scene_;
};

TEST_F(PrismIndexTest, PrismAtIsStrictInHeight) {
  const PrismIndex index(scene_);
  EXPECT_EQ(index.prism_at({25, 25, 6}), 0);
  EXPECT_EQ(index.prism_at({25, 25, 12}), -1);
  EXPECT_EQ(index.prism_at({17, 17, 12}), -1);
  EXPECT_EQ(index.prism_at({17, 17, 12.01}), 2);
  EXPECT_EQ(index.prism_at({100, 100, 1}), -1);
  EXPECT_EQ(index.prism_at({-1e9, 5, 1}), -1);
}

TEST_F(PrismIndexTest, SurfaceIsTheHighestRoofOrTheGround) {
  scene_.terrain.height_m = {5, 5, 5, 5};
  const PrismIndex index(scene_);
  EXPECT_EQ(index.surface_height({17, 17}), 40);
  EXPECT_EQ(index.surface_height({25, 25}), 12);
  EXPECT_EQ(index.surface_height({100, 100}), 5);
}

TEST_F(PrismIndexTest, BoxCandidatesAreAscendingUniqueAndTouching) {
  const PrismIndex index(scene_, 4);
  EXPECT_EQ(index.candidates(Rectangle{{0, 0}, {300, 300}}), (std::vector<std::uint32_t>{0, 1, 2, 3}));
  EXPECT_EQ(index.candidates(Rectangle{{31, 11}, {32, 12}}), (std::vector<std::uint32_t>{1}));
  EXPECT_TRUE(index.candidates(Rectangle{{100, 100}, {150, 150}}).empty());
}

TEST(PrismIndex, CityAgreesWithAllPrismsTried) {
  testing::SyntheticCityOptions options;
  options.width_m = options.depth_m = 400;
  const Scene city = testing::synthetic_city(options);
  const PrismIndex index(city);
  Random random(3);
  int inside = 0;
  for (int i = 0; i < 3000; ++i) {
    const double x = random.uniform(-20, 420), y = random.uniform(-20, 420), z = random.uniform(-15, 60);
    std::int64_t expected = -1;
    for (std::size_t p = 0; p < city.prisms.size() && expected < 0; ++p) {
      const Prism& prism = city.prisms[p];
      if (z > prism.bottom_z && z < prism.top_z && inside_by_angles(prism.rings, {x, y})) {
        expected = static_cast<std::int64_t>(p);
      }
    }
    ASSERT_EQ(index.prism_at({x, y, z}), expected);
    inside += expected >= 0 ? 1 : 0;
  }
  EXPECT_GT(inside, 100);
}

TEST(PrismIndex, EmptySceneHasNoCandidates) {
  const Scene scene = testing::flat_ground(10, 10);
  const PrismIndex index(scene);
  EXPECT_TRUE(index.candidates(Vec2{5, 5}).empty());
  EXPECT_TRUE(index.candidates(Rectangle{{0, 0}, {10, 10}}).empty());
  EXPECT_EQ(index.prism_at({5, 5, 0}), -1);
}

}  // namespace
}  // namespace tesseray
