// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/scene/clean_up/simplified_footprints.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <random>
#include <tuple>
#include <utility>
#include <vector>

#include "core/scene/ground_plan/footprint_repair.h"
#include "core/scene/ground_plan/polygon.h"
#include "core/scene/ground_plan/prism_index.h"

namespace tesseray {
namespace {

using Footprints = std::vector<std::vector<Rings>>;

Ring box(double x0, double y0, double x1, double y1) { return {{x0, y0}, {x1, y0}, {x1, y1}, {x0, y1}}; }

// The footprints of buildings 1, 2, … on the ground.
class Plan {
 public:
  explicit Plan(std::vector<Rings> polygons) {
    for (Rings& rings : polygons) {
      RawBuilding building;
      building.feature_id = static_cast<std::int64_t>(buildings.size()) + 1;
      buildings.push_back(std::move(building));
      footprints.push_back({std::move(rings)});
    }
  }

  Footprints simplified(double tolerance_m, double min_area_m2 = 0) {
    SceneOptions options;
    options.simplify_tolerance_m = tolerance_m;
    options.min_building_area_m2 = min_area_m2;
    return simplified_footprints(buildings, footprints, options, log);
  }

  std::vector<RawBuilding> buildings;
  Footprints footprints;
  IssueLog log{"roofs"};
};

std::size_t corners_of(const Footprints& footprints) {
  std::size_t count = 0;
  for (const auto& polygons : footprints) {
    for (const Rings& rings : polygons) {
      for (const Ring& ring : rings) count += ring.size();
    }
  }
  return count;
}

void expect_valid(const Footprints& footprints) {
  PolygonOverlay overlay;
  for (std::size_t b = 0; b < footprints.size(); ++b) {
    for (const Rings& rings : footprints[b]) {
      EXPECT_TRUE(overlay.is_valid(rings)) << b;
      for (const Ring& ring : rings) EXPECT_EQ(signed_area(ring) > 0, &ring == &rings.front()) << b;
    }
  }
}

int held_by(const Footprints& footprints, Vec2 p) {
  int count = 0;
  for (const auto& polygons : footprints) {
    count += static_cast<int>(
        std::count_if(polygons.begin(), polygons.end(), [p](const Rings& rings) { return contains(rings, p); }));
  }
  return count;
}

double greatest_distance(const Footprints& of_corners, const Footprints& from_sides) {
  double greatest = 0;
  for (std::size_t b = 0; b < of_corners.size(); ++b) {
    for (std::size_t i = 0; i < of_corners[b].size(); ++i) {
      for (const Ring& ring : of_corners[b][i]) {
        for (const Vec2 p : ring) greatest = std::max(greatest, distance_to_sides(from_sides[b][i], p));
      }
    }
  }
  return greatest;
}

// Houses side by side and back to back that fill a rectangle without a gap: a lattice of moved nodes, with crooked
// walls of `steps` pieces between them. Each house has its corners off by up to `inexact_m`.
class HousesWithoutGap {
 public:
  HousesWithoutGap(unsigned seed, double inexact_m) : random_(seed), inexact_m_(inexact_m) {
    for (int j = 0; j <= rows; ++j) {
      for (int i = 0; i <= columns; ++i) {
        const bool inside = i > 0 && i < columns && j > 0 && j < rows;
        nodes_.push_back(Vec2{i * size_m, j * size_m} + (inside ? 1.0 : 0.0) * off(2.0));
      }
    }
    for (int j = 0; j <= rows; ++j) {
      for (int i = 0; i <= columns; ++i) {
        across_.push_back(i < columns ? wall(node(i, j), node(i + 1, j), j > 0 && j < rows) : Ring{});
        up_.push_back(j < rows ? wall(node(i, j), node(i, j + 1), i > 0 && i < columns) : Ring{});
      }
    }
  }

  std::vector<Rings> polygons() {
    std::vector<Rings> all;
    for (int j = 0; j < rows; ++j) {
      for (int i = 0; i < columns; ++i) {
        Ring ring;
        append(ring, node(i, j), across_[at(i, j)], false);
        append(ring, node(i + 1, j), up_[at(i + 1, j)], false);
        append(ring, node(i + 1, j + 1), across_[at(i, j + 1)], true);
        append(ring, node(i, j + 1), up_[at(i, j)], true);
        for (Vec2& p : ring) {
          const Vec2 moved = p + off(inexact_m_);
          p = {snapped(moved.x), snapped(moved.y)};
        }
        all.push_back({ring});
      }
    }
    return all;
  }

  static constexpr int columns = 8, rows = 6, steps = 6;
  static constexpr double size_m = 16;

 private:
  Vec2 off(double by) {
    std::uniform_real_distribution<double> range(-by, by);
    const double x = range(random_), y = range(random_);
    return {x, y};
  }
  static std::size_t at(int i, int j) { return static_cast<std::size_t>(j * (columns + 1) + i); }
  Vec2 node(int i, int j) const { return nodes_[at(i, j)]; }
  Ring wall(Vec2 a, Vec2 b, bool is_crooked) {
    Ring between;
    for (int k = 1; k < steps; ++k) {
      const double part = static_cast<double>(k) / steps;
      between.push_back(a + part * (b - a) + (is_crooked ? 1.0 : 0.0) * off(0.6));
    }
    return between;
  }
  static void append(Ring& ring, Vec2 start, Ring between, bool turned) {
    if (turned) std::reverse(between.begin(), between.end());
    ring.push_back(start);
    ring.insert(ring.end(), between.begin(), between.end());
  }

  std::mt19937 random_;
  double inexact_m_;
  std::vector<Vec2> nodes_;
  std::vector<Ring> across_, up_;
};

TEST(SimplifiedFootprints, WithoutOptionsNothingIsTouched) {
  Plan plan(HousesWithoutGap(1, 0.01).polygons());
  EXPECT_EQ(plan.simplified(0), plan.footprints);
  EXPECT_TRUE(plan.log.issues().empty());
}

TEST(SimplifiedFootprints, ANotchIsKeptUntilItIsWithinTheTolerance) {
  // 0.4 m deep in a side of 20 m.
  Plan plan({{{{0, 0}, {8, 0}, {8, 0.4}, {12, 0.4}, {12, 0}, {20, 0}, {20, 10}, {0, 10}}}});
  EXPECT_EQ(corners_of(plan.simplified(0.3)), 8u);
  const Footprints simple = plan.simplified(0.6);
  EXPECT_EQ(corners_of(simple), 4u);
  EXPECT_NEAR(area(simple[0][0]), 200, 1e-9);
}

class WithoutGap : public ::testing::TestWithParam<std::tuple<unsigned, double, double>> {};

TEST_P(WithoutGap, CommonWallsStayCommonWithinTheTolerance) {
  const auto [seed, inexact_m, tolerance_m] = GetParam();
  Plan plan(HousesWithoutGap(seed, inexact_m).polygons());
  const Footprints simple = plan.simplified(tolerance_m);
  expect_valid(simple);
  EXPECT_LT(corners_of(simple), corners_of(plan.footprints) * (tolerance_m > 1 ? 0.35 : 0.8));
  EXPECT_LE(greatest_distance(plan.footprints, simple), tolerance_m);
  EXPECT_LE(greatest_distance(simple, plan.footprints), tolerance_m);

  std::mt19937 random(seed);
  const double width = HousesWithoutGap::columns * HousesWithoutGap::size_m;
  const double height = HousesWithoutGap::rows * HousesWithoutGap::size_m;
  std::uniform_real_distribution<double> x(0.1, width - 0.1), y(0.1, height - 0.1);
  for (int i = 0; i < 20'000; ++i) {
    const double px = x(random), py = y(random);
    EXPECT_EQ(held_by(simple, {px, py}), 1) << px << ", " << py;
  }
  double sum = 0;
  for (const auto& polygons : simple) sum += area(polygons.front());
  EXPECT_NEAR(sum, width * height, 2 * inexact_m * (width + height));
}

INSTANTIATE_TEST_SUITE_P(Towns, WithoutGap,
                         ::testing::Values(std::tuple{1u, 0.0, 0.5}, std::tuple{2u, 0.0, 3.0},
                                           std::tuple{3u, 0.01, 1.0}, std::tuple{4u, 0.01, 3.0},
                                           std::tuple{5u, 0.02, 3.0}));

TEST(SimplifiedFootprints, AreTheSameInAnyOrderOfHousesAndCorners) {
  const std::vector<Rings> houses = HousesWithoutGap(3, 0.01).polygons();
  std::vector<std::size_t> order(houses.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::mt19937 random(7);
  std::shuffle(order.begin(), order.end(), random);
  std::vector<Rings> shuffled;
  for (const std::size_t house : order) {
    Rings rings = houses[house];
    std::rotate(rings[0].begin(), rings[0].begin() + static_cast<std::ptrdiff_t>(random() % rings[0].size()),
                rings[0].end());
    shuffled.push_back(std::move(rings));
  }
  const auto corners = [](const Rings& rings) {
    Ring sorted = rings.front();
    std::sort(sorted.begin(), sorted.end(), [](Vec2 p, Vec2 q) { return std::tie(p.x, p.y) < std::tie(q.x, q.y); });
    return sorted;
  };
  const Footprints simple = Plan(houses).simplified(1), of_shuffled = Plan(shuffled).simplified(1);
  for (std::size_t i = 0; i < order.size(); ++i) {
    EXPECT_EQ(corners(of_shuffled[i][0]), corners(simple[order[i]][0])) << order[i];
  }
}

TEST(SimplifiedFootprints, ACornerOnANeighboursSideBecomesOneOfIt) {
  // Two houses in front of a long one, 3 mm off its wall.
  Plan plan({{box(0, 0, 20, 10)}, {box(0, 10.0029296875, 9, 18)}, {box(9, 10, 20, 18)}});
  const Footprints simple = plan.simplified(1);
  ASSERT_EQ(simple[0][0][0].size(), 5u);
  const auto has_corner = [](const Ring& ring, Vec2 p) { return std::find(ring.begin(), ring.end(), p) != ring.end(); };
  const Ring& long_house = simple[0][0][0];
  const Vec2 common = *std::find_if(long_house.begin(), long_house.end(), [](Vec2 p) { return p.x == 9; });
  EXPECT_NEAR(common.y, 10, 0.01);
  EXPECT_TRUE(has_corner(simple[1][0][0], common) && has_corner(simple[2][0][0], common));
  EXPECT_TRUE(has_corner(simple[1][0][0], {0, 10}) && has_corner(simple[2][0][0], {20, 10}));
  EXPECT_NEAR(area(simple[0][0]) + area(simple[1][0]) + area(simple[2][0]), 360, 1e-9);
}

TEST(SimplifiedFootprints, AWallThatOneHouseCannotBendStaysAsItIsInItsNeighbour) {
  // The house in the east is hardly 3 cm thick at the middle of their wall: bent to the nearer corner it would be open.
  const double near = 0.03125;
  Plan plan({{{{0, 0}, {10, 0}, {10, 4}, {near, 5}, {10, 6}, {10, 10}, {0, 10}}}, {box(-10, 0, 0, 10)}});
  for (const auto& [tolerance_m, min_area_m2] : {std::pair{0.5, 0.0}, std::pair{0.0, 20.0}}) {
    const Footprints simple = plan.simplified(tolerance_m, min_area_m2);
    PolygonOverlay overlay;
    EXPECT_TRUE(overlay.intersection(simple[0][0], simple[1][0]).empty()) << tolerance_m;
    EXPECT_NEAR(area(simple[1][0]), 100, 1e-9) << tolerance_m;
  }
}

TEST(SimplifiedFootprints, WithoutAChangeNothingIsSaid) {
  Plan plan({{box(0, 0, 20, 10)}, {box(20, 0, 30, 10)}});
  EXPECT_EQ(plan.simplified(1), plan.footprints);
  EXPECT_TRUE(plan.log.issues().empty());
}

TEST(SimplifiedFootprints, NothingCollapses) {
  // A narrow shed, a courtyard, and a tower in front of a wall that bends around it.
  Plan plan({{box(0, 0, 12, 2)},
             {box(20, 0, 50, 30), {{30, 10}, {30, 12}, {32, 12}, {32, 10}}},
             {{{60, 0}, {90, 0}, {90, 20}, {78, 20}, {78, 14}, {72, 14}, {72, 20}, {60, 20}}},
             {box(74, 16, 76, 18)}});
  const Footprints simple = plan.simplified(20);
  expect_valid(simple);
  EXPECT_NEAR(area(simple[0][0]), 24, 1e-9);
  ASSERT_EQ(simple[1][0].size(), 2u);
  EXPECT_NEAR(area(simple[1][0]), 896, 1e-9);
  EXPECT_EQ(held_by(simple, {75, 17}), 1);
  EXPECT_NEAR(area(simple[3][0]), 4, 1e-9);
}

TEST(SimplifiedFootprints, SmallOnesJoinTheNeighbourWithTheLongestCommonWall) {
  // A lift shaft of 3 m × 3 m in a corner that two houses make: one wall to the left house, two to the right one.
  Plan plan({{box(0, 0, 10, 10)}, {box(10, 0, 13, 3)}, {{{13, 0}, {30, 0}, {30, 10}, {10, 10}, {10, 3}, {13, 3}}}});
  const Footprints simple = plan.simplified(0, 10);
  expect_valid(simple);
  EXPECT_TRUE(simple[1].empty());
  EXPECT_NEAR(area(simple[0][0]), 100, 1e-9);
  EXPECT_NEAR(area(simple[2][0]), 200, 1e-9);
  ASSERT_EQ(plan.log.issues().size(), 1u);
  const Issue& issue = plan.log.issues().front();
  EXPECT_EQ(issue.code, "small_footprint_joined");
  EXPECT_EQ(issue.action, Issue::Action::repaired);
  EXPECT_EQ(issue.feature_id, 2);
  EXPECT_NEAR(area(issue.outline), 9, 1e-9);
  EXPECT_NE(issue.message.find("9.00 m²"), std::string::npos) << issue.message;
  EXPECT_NE(issue.message.find("feature 3"), std::string::npos) << issue.message;
}

TEST(SimplifiedFootprints, SmallOnesThatJoinMayBecomeLargeEnough) {
  Plan plan({{box(0, 0, 2, 4)}, {box(2, 0, 4, 4)}, {box(4, 0, 6.5, 4)}});
  const Footprints simple = plan.simplified(0, 20);
  double sum = 0;
  std::size_t left = 0;
  for (const auto& polygons : simple) {
    left += polygons.size();
    for (const Rings& rings : polygons) sum += area(rings);
  }
  EXPECT_EQ(left, 1u);
  EXPECT_NEAR(sum, 26, 1e-9);
  EXPECT_EQ(plan.log.issues().size(), 2u);
}

// Houses 10 m deep side by side, in any order of the rows.
struct Terrace {
  std::vector<double> height_m, width_m;
  std::vector<std::size_t> order;

  explicit Terrace(std::vector<double> heights)
      : height_m(std::move(heights)), width_m(height_m.size(), 5), order(height_m.size()) {
    std::iota(order.begin(), order.end(), std::size_t{0});
  }
  // The areas and heights that MIN_BUILDING_AREA leaves, from west to east.
  std::vector<std::pair<double, double>> left_of(double min_area_m2) const {
    std::vector<double> west(1, 0);
    for (const double width : width_m) west.push_back(west.back() + width);
    std::vector<Rings> polygons;
    for (const std::size_t i : order) polygons.push_back({box(west[i], 0, west[i + 1], 10)});
    Plan plan(std::move(polygons));
    for (std::size_t i = 0; i < order.size(); ++i) plan.buildings[i].height_m = height_m[order[i]];
    const Footprints footprints = plan.simplified(0, min_area_m2);
    expect_valid(footprints);
    std::map<double, std::pair<double, double>> left;
    for (std::size_t i = 0; i < order.size(); ++i) {
      for (const Rings& rings : footprints[i]) left[bounds(rings).min.x] = {area(rings), *plan.buildings[i].height_m};
    }
    std::vector<std::pair<double, double>> found;
    for (const auto& [x, house] : left) found.push_back(house);
    return found;
  }
};

using Left = std::vector<std::pair<double, double>>;

TEST(SimplifiedFootprints, ATerraceBecomesPairsAndTriples) {
  EXPECT_EQ(Terrace(std::vector<double>(10, 6)).left_of(60), Left(5, {100, 6}));
  EXPECT_EQ(Terrace(std::vector<double>(5, 6)).left_of(60), (Left{{100, 6}, {150, 6}}));
  std::mt19937 random(7);
  std::uniform_real_distribution<double> height(6, 9);
  std::uniform_int_distribution<int> steps_of_width(16, 23);
  Terrace terrace(std::vector<double>(200, 0));
  for (double& each : terrace.height_m) each = height(random);
  for (double& each : terrace.width_m) each = 0.25 * steps_of_width(random);
  const Left left = terrace.left_of(60);
  double sum = 0;
  for (const auto& [area_m2, height_m] : left) {
    EXPECT_GE(area_m2, 80);
    EXPECT_LE(area_m2, 230);
    sum += area_m2;
  }
  EXPECT_NEAR(sum, 10 * std::accumulate(terrace.width_m.begin(), terrace.width_m.end(), 0.0), 1e-6);
  EXPECT_GT(left.size(), 75u);
  for (int i = 0; i < 3; ++i) {
    std::shuffle(terrace.order.begin(), terrace.order.end(), random);
    EXPECT_EQ(terrace.left_of(60), left);
  }
}

TEST(SimplifiedFootprints, LikeHeightsJoinAndTheirMedianByAreaStays) {
  EXPECT_EQ(Terrace({30, 6, 6, 6, 6, 6, 6}).left_of(60), (Left{{100, 6}, {100, 6}, {150, 6}}));
  EXPECT_EQ(Terrace({6, 6, 20, 20, 6, 6}).left_of(60), (Left{{100, 6}, {100, 20}, {100, 6}}));
  EXPECT_EQ(Terrace({20, 6, 6, 20, 20}).left_of(60), (Left{{150, 6}, {100, 20}}));
}

TEST(SimplifiedFootprints, AHouseThatIsLargeEnoughKeepsItsHeight) {
  // Sheds all around a house of 10 m × 10 m, together larger than it.
  std::vector<Rings> polygons = {{box(0, 0, 10, 10)}};
  for (int i = 0; i < 3; ++i) {
    polygons.push_back({box(10, 3.5 * i, 20, 3.5 * i + 3)});
    polygons.push_back({box(-10, 3.5 * i, 0, 3.5 * i + 3)});
  }
  Plan plan(polygons);
  for (RawBuilding& building : plan.buildings) building.height_m = building.feature_id == 1 ? 8 : 3;
  const Footprints simple = plan.simplified(0, 50);
  EXPECT_NEAR(area(simple[0].at(0)), 280, 1e-9);
  for (std::size_t i = 1; i < simple.size(); ++i) EXPECT_TRUE(simple[i].empty());
  EXPECT_EQ(plan.log.issues().size(), 6u);
}

TEST(SimplifiedFootprints, GaragesBetweenTwoHousesJoinEachOther) {
  Plan plan({{box(0, 0, 10, 10)}, {box(10, 0, 13, 6)}, {box(13, 0, 16, 6)}, {box(16, 0, 26, 10)}});
  const std::vector<double> heights = {8, 3, 3, 8};
  for (std::size_t i = 0; i < 4; ++i) plan.buildings[i].height_m = heights[i];
  const Footprints simple = plan.simplified(0, 30);
  EXPECT_NEAR(area(simple[0].at(0)), 100, 1e-9);
  EXPECT_NEAR(area(simple[3].at(0)), 100, 1e-9);
  EXPECT_EQ(simple[1].size() + simple[2].size(), 1u);
}

TEST(SimplifiedFootprints, SmallOnesWithoutACommonWallAreLeftOut) {
  // Alone; touching with one corner; raised above the ground beside a house.
  Plan plan({{box(100, 0, 102, 2)}, {box(0, 0, 20, 20)}, {box(20, 20, 22, 22)}, {box(20, 0, 22, 2)}});
  plan.buildings[3].base_m = 5;
  const Footprints simple = plan.simplified(0, 10);
  EXPECT_TRUE(simple[0].empty() && simple[2].empty() && simple[3].empty());
  EXPECT_NEAR(area(simple[1][0]), 400, 1e-9);
  ASSERT_EQ(plan.log.issues().size(), 3u);
  for (const Issue& issue : plan.log.issues()) {
    EXPECT_EQ(issue.code, "small_footprint");
    EXPECT_EQ(issue.action, Issue::Action::dropped);
  }
}

TEST(SimplifiedFootprints, AJoinedOneHasTheHeightOfItsNeighbour) {
  RawScene raw;
  raw.buildings_layer = "roofs";
  const auto add = [&](Ring ring, double height_m) {
    RawBuilding building;
    building.feature_id = static_cast<std::int64_t>(raw.buildings.size());
    building.parts = {{std::move(ring)}};
    building.height_m = height_m;
    raw.buildings.push_back(std::move(building));
  };
  add(box(0, 0, 20, 20), 12);
  add(box(20, 0, 22, 4), 3);
  SceneOptions options;
  options.min_building_area_m2 = 10;
  const CleanScene clean = build_scene(std::move(raw), options, no_progress());
  ASSERT_EQ(clean.scene.prisms.size(), 1u);
  EXPECT_EQ(clean.scene.prisms[0].top_z, 12);
  EXPECT_NEAR(area(clean.scene.prisms[0].rings), 408, 1e-9);
}

}  // namespace
}  // namespace tesseray
