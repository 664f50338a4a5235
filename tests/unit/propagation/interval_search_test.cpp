// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/propagation/rows/interval_search.h"

#include <gtest/gtest.h>

#include <limits>

#include "core/base/error.h"
#include "core/propagation/rows/row_targets.h"
#include "tests/support/synthetic_city.h"

namespace tesseray {
namespace {

using testing::Random;

std::vector<std::uint32_t> find_one_by_one(const RowIntervals& row, const IntervalBounds& bounds) {
  std::vector<std::uint32_t> hits;
  for (std::uint32_t i = 0; i < row.size(); ++i) {
    bool hit = row.first_u[i] <= bounds.upper_u && row.last_u[i] > bounds.lower_u;
    if (!row.first_v.empty()) hit = hit && row.first_v[i] <= bounds.upper_v && row.last_v[i] > bounds.lower_v;
    if (hit) hits.push_back(i);
  }
  return hits;
}

// Few different values, so that equal ones meet often.
float coarse(Random& random) { return static_cast<float>(static_cast<int>(random.below(9)) - 4) * 0.5F; }

RowIntervals random_row(Random& random, std::size_t size, bool with_v) {
  RowIntervals row;
  row.target.resize(size);
  row.resize(with_v);
  for (std::size_t i = 0; i < size; ++i) {
    const float u = coarse(random), v = coarse(random);
    row.first_u[i] = u;
    row.last_u[i] = u + 0.5F * static_cast<float>(random.below(3));
    if (with_v) {
      row.first_v[i] = v;
      row.last_v[i] = v + 0.5F * static_cast<float>(random.below(3));
    }
  }
  row.finish();
  return row;
}

TEST(TargetPoints, HaveNumbersTogether) {
  EXPECT_NO_THROW(require_target_numbers((1u << 30u) - 7, 7));
  try {
    require_target_numbers((1u << 30u) - 7, 8);
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::resources);
    EXPECT_TRUE(error.message().starts_with("1073741817 tiles and edge segments and 8 receivers are more"));
  }
}

TEST(IntervalSearch, FindsWhatOneByOneComparisonFinds) {
  Random random(7);
  BlockSearch search;
  std::size_t found = 0;
  for (const std::size_t size : {0, 1, 7, 15, 16, 17, 31, 32, 33, 47, 70, 255, 256, 257, 300, 513}) {
    for (const bool with_v : {false, true}) {
      for (int repeat = 0; repeat < 60; ++repeat) {
        const RowIntervals row = random_row(random, size, with_v);
        const IntervalBounds bounds{coarse(random), coarse(random), coarse(random), coarse(random)};
        std::vector<std::uint32_t> hits;
        find_hits(row, bounds, search, hits);
        ASSERT_EQ(hits, find_one_by_one(row, bounds)) << size << " members";
        found += hits.size();
      }
    }
  }
  EXPECT_GT(found, 10'000u);
}

TEST(IntervalSearch, AppendsToWhatWasFoundBefore) {
  Random random(8);
  const RowIntervals row = random_row(random, 33, true);
  const IntervalBounds all{10, -10, 10, -10};
  BlockSearch search;
  search.mask.assign(500, 1);
  std::vector<std::uint32_t> hits{99};
  find_hits(row, all, search, hits);
  ASSERT_EQ(hits.size(), 34u);
  EXPECT_EQ(hits[0], 99u);
  EXPECT_EQ(hits[1], 0u);
  EXPECT_EQ(hits[33], 32u);
}

// Most blocks of a long row are left out by their bounds alone.
TEST(IntervalSearch, AsksOnlyBlocksThatMayHoldAHit) {
  RowIntervals row;
  row.target.resize(1000);
  row.resize(false);
  for (std::size_t i = 0; i < row.size(); ++i) {
    row.first_u[i] = static_cast<float>(i);
    row.last_u[i] = static_cast<float>(i) + 1.0F;
  }
  row.finish();
  BlockSearch search;
  find_blocks(row, {100.5F, 99.5F, 0, 0}, search);
  EXPECT_EQ(search.blocks, std::vector<std::uint32_t>{6});
  find_blocks(row, {2000.0F, 1500.0F, 0, 0}, search);
  EXPECT_TRUE(search.blocks.empty());
}

// Half-open, so that a ray through the common side of two tiles is reflected by one of them: u ≤ upper, u > lower.
TEST(IntervalSearch, IntervalsAreClosedAboveAndOpenBelow) {
  RowIntervals row;
  row.target = {0, 1};
  row.resize(false);
  row.first_u[0] = row.first_u[1] = 1.0F;
  row.last_u[0] = row.last_u[1] = 2.0F;
  row.finish();
  BlockSearch search;
  const auto hits = [&](float upper, float lower) {
    std::vector<std::uint32_t> found;
    find_hits(row, {upper, lower, 0, 0}, search, found);
    return found.size();
  };
  EXPECT_EQ(hits(1.0F, 0), 2u);
  EXPECT_EQ(hits(0.999F, 0), 0u);
  EXPECT_EQ(hits(5, 2.0F), 0u);
  EXPECT_EQ(hits(5, 1.999F), 2u);
  constexpr float infinite = std::numeric_limits<float>::infinity();
  EXPECT_EQ(hits(infinite, -infinite), 2u);
  EXPECT_EQ(hits(-infinite, infinite), 0u);
}

}  // namespace
}  // namespace tesseray
