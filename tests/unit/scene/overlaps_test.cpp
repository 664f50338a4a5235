// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/scene/clean_up/overlaps.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "core/scene/ground_plan/polygon.h"
#include "core/scene/ground_plan/prism_index.h"
#include "tests/support/synthetic_city.h"

namespace tesseray {
namespace {

using testing::box_prism;

class OverlapsTest : public ::testing::Test {
 protected:
  std::vector<Prism> resolve(std::vector<Prism> prisms) {
    return without_overlaps(std::move(prisms), testing::flat_ground(500, 500).terrain, log_, no_progress());
  }
  bool has_issue(const std::string& code, std::int64_t feature) {
    return std::any_of(log_.issues().begin(), log_.issues().end(),
                       [&](const Issue& issue) { return issue.code == code && issue.feature_id == feature; });
  }
  IssueLog log_{"roofs"};
};

double volume(const std::vector<Prism>& prisms) {
  double sum = 0;
  for (const Prism& prism : prisms) sum += area(prism.rings) * (prism.top_z - prism.bottom_z);
  return sum;
}

// How many prisms hold a point.
int held_by(const std::vector<Prism>& prisms, Vec3 p) {
  return static_cast<int>(std::count_if(prisms.begin(), prisms.end(), [p](const Prism& prism) {
    return p.z > prism.bottom_z && p.z < prism.top_z && contains(prism.rings, p.xy());
  }));
}

TEST_F(OverlapsTest, TheHigherKeepsTheSpaceAndTheLowerIsCutBack) {
  const auto result = resolve({box_prism(1, {0, 0}, {20, 20}, 0, 10), box_prism(2, {15, 0}, {40, 20}, 0, 15)});
  ASSERT_EQ(result.size(), 2u);
  EXPECT_DOUBLE_EQ(area(result[0].rings), 300);
  EXPECT_DOUBLE_EQ(area(result[1].rings), 500);
  ASSERT_EQ(log_.issues().size(), 1u);
  EXPECT_TRUE(has_issue("overlap", 1));
  EXPECT_NE(log_.issues()[0].message.find("100.00 m² of 400.00 m²"), std::string::npos) << log_.issues()[0].message;
  EXPECT_NE(log_.issues()[0].message.find("feature(s) 2"), std::string::npos);
}

TEST_F(OverlapsTest, AHigherOneAcrossTheMiddleLeavesTwoParts) {
  const auto result = resolve({box_prism(1, {0, 0}, {60, 10}, 0, 10), box_prism(2, {20, -5}, {30, 15}, 0, 15)});
  ASSERT_EQ(result.size(), 3u);
  EXPECT_EQ(result[0].part, 0u);
  EXPECT_EQ(result[1].building_id, 1);
  EXPECT_EQ(result[1].part, 1u);
  EXPECT_DOUBLE_EQ(area(result[0].rings) + area(result[1].rings), 500);
}

TEST_F(OverlapsTest, WhatIsInsideAHigherOneIsDroppedWithAnIssue) {
  const auto result = resolve({box_prism(1, {5, 5}, {10, 10}, 0, 10), box_prism(2, {0, 0}, {20, 20}, 0, 15)});
  ASSERT_EQ(result.size(), 1u);
  EXPECT_TRUE(has_issue("inside_higher", 1));
}

TEST_F(OverlapsTest, CopiesGoWithAnIssueWhereverTheirRingStarts) {
  Prism copy = box_prism(2, {0, 0}, {20, 20}, 0, 10);
  std::rotate(copy.rings[0].begin(), copy.rings[0].begin() + 2, copy.rings[0].end());
  const auto result = resolve({box_prism(1, {0, 0}, {20, 20}, 0, 10), copy});
  ASSERT_EQ(result.size(), 1u);
  EXPECT_EQ(result[0].building_id, 1);
  EXPECT_TRUE(has_issue("duplicate", 2));
}

TEST_F(OverlapsTest, StackedAndNeighbouringPartsStayAsTheyAre) {
  const std::vector<Prism> parts{box_prism(1, {0, 0}, {20, 20}, 0, 10), box_prism(2, {5, 5}, {15, 15}, 10, 30),
                                 box_prism(3, {20, 0}, {40, 20}, 0, 25), box_prism(4, {0, 30}, {20, 50}, 8, 12)};
  const auto result = resolve(parts);
  ASSERT_EQ(result.size(), 4u);
  for (std::size_t i = 0; i < 4; ++i) {
    EXPECT_EQ(result[i].rings, parts[i].rings);
    EXPECT_EQ(result[i].top_z, parts[i].top_z);
  }
  EXPECT_TRUE(log_.issues().empty());
}

TEST_F(OverlapsTest, ARaisedHigherOneLeavesWhatIsBelowIt) {
  // A block of 10 m under a bridge from 6 m to 12 m: the block keeps 0 … 6 m there.
  const auto result = resolve({box_prism(1, {0, 0}, {30, 10}, 0, 10), box_prism(2, {10, -5}, {20, 15}, 6, 12)});
  EXPECT_DOUBLE_EQ(volume(result), 30 * 10 * 10 - 10 * 10 * 4 + 10 * 20 * 6);
  EXPECT_EQ(held_by(result, {15, 5, 3}), 1);
  EXPECT_EQ(held_by(result, {15, 5, 8}), 1);
  EXPECT_EQ(held_by(result, {5, 5, 8}), 1);
}

TEST_F(OverlapsTest, InexactSharedWallsAreOneIssueForTheLayer) {
  std::vector<Prism> row;
  for (int i = 0; i < 10; ++i) {
    row.push_back(box_prism(i, {snapped(20.0 * i), 0}, {snapped(20.0 * i + 20.02), 20}, 0, 10 + i));
  }
  const auto result = resolve(row);
  ASSERT_EQ(result.size(), 10u);
  for (std::size_t i = 0; i < 10; ++i) EXPECT_EQ(result[i].rings, row[i].rings);
  ASSERT_EQ(log_.issues().size(), 1u);
  EXPECT_EQ(log_.issues()[0].code, "thin_overlap");
  EXPECT_EQ(log_.issues()[0].feature_id, -1);
}

TEST_F(OverlapsTest, ShiftedCopiesAreFoundThoughTheirSidesAreNear) {
  // Shifted by 2 cm: every side is near the other's, and yet they fill the same space.
  const double shift = snapped(0.02);
  const auto result =
      resolve({box_prism(1, {0, 0}, {20, 20}, 0, 10), box_prism(2, {shift, shift}, {20 + shift, 20 + shift}, 0, 12)});
  ASSERT_EQ(result.size(), 1u);
  EXPECT_EQ(result[0].building_id, 2);
  EXPECT_TRUE(has_issue("inside_higher", 1));
}

TEST_F(OverlapsTest, SameSidesWithAnotherLengthAreFound) {
  // The overlap's sides lie on both outlines, but for one.
  const auto result = resolve({box_prism(1, {0, 0}, {20, 20}, 0, 10), box_prism(2, {0, 10}, {20, 40}, 0, 12)});
  ASSERT_EQ(result.size(), 2u);
  EXPECT_DOUBLE_EQ(area(result[0].rings), 200);
}

// Whatever is thrown together, no point is in two prisms, and every point of the union stays filled up to its top.
TEST_F(OverlapsTest, RandomHeapIsResolvedWithoutLoss) {
  testing::Random random(5);
  std::vector<Prism> heap;
  for (int i = 0; i < 60; ++i) {
    const double x = snapped(random.uniform(0, 100)), y = snapped(random.uniform(0, 100));
    const double w = snapped(random.uniform(3, 40)), d = snapped(random.uniform(3, 40));
    const double top = snapped(random.uniform(5, 60));
    const bool is_raised = random.below(3) == 0;
    heap.push_back(box_prism(i, {x, y}, {x + w, y + d}, is_raised ? snapped(top * 0.6) : 0, top));
  }
  const auto result = resolve(heap);
  int filled = 0;
  for (int i = 0; i < 20'000; ++i) {
    const double x = random.uniform(0, 140), y = random.uniform(0, 140), z = random.uniform(0, 60);
    const int before = held_by(heap, {x, y, z}), after = held_by(result, {x, y, z});
    ASSERT_LE(after, 1) << x << " " << y << " " << z;
    // Slivers of up to 10 cm may have gone.
    const double near = 0.15;
    bool is_inner = before > 0;
    for (const Prism& prism : heap) is_inner = is_inner && distance_to_sides(prism.rings, {x, y}) > near;
    if (!is_inner) continue;
    ++filled;
    ASSERT_EQ(after, 1) << x << " " << y << " " << z;
  }
  EXPECT_GT(filled, 3000);
}

}  // namespace
}  // namespace tesseray
