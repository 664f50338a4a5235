// SPDX-License-Identifier: GPL-3.0-or-later
// Tubes by the element at which they bounce next: which stay, in which order, and what memory they keep.
#include "core/propagation/tubes/tube_groups.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "core/propagation/rows/weighted_sample.h"
#include "tests/support/synthetic_city.h"

namespace tesseray {
namespace {

constexpr std::size_t elements = 40, tube_count = 5'000;

// In parts of many sizes, some of them empty; lengths tell them apart.
std::vector<std::vector<Tube>> random_parts() {
  testing::Random random(5);
  std::vector<std::vector<Tube>> parts(1);
  for (std::size_t i = 0; i < tube_count; ++i) {
    while (random.uniform(0, 1) < 0.05) parts.emplace_back();
    Tube& tube = parts.back().emplace_back();
    tube.length_m = static_cast<double>(i);
    tube.element = static_cast<std::uint32_t>(random.uniform(0, elements)) * 7;
    tube.path_gain = std::pow(10.0, random.uniform(-12, -6));
    tube.reflections = static_cast<std::uint8_t>(random.uniform(0, 3));
  }
  return parts;
}

TubeParts as_tubes(std::vector<std::vector<Tube>> parts) {
  TubeParts tubes;
  for (std::vector<Tube>& part : parts) tubes.add(std::move(part));
  return tubes;
}

// One element after the other: tubes from the antenna first when some are left out, of the others a sample.
std::map<std::uint32_t, std::vector<Tube>> expected_groups(std::size_t most) {
  std::map<std::uint32_t, std::vector<Tube>> groups;
  for (const std::vector<Tube>& part : random_parts()) {
    for (const Tube& tube : part) groups[tube.element].push_back(tube);
  }
  for (auto& [element, tubes] : groups) {
    if (most == 0 || tubes.size() <= most) continue;
    std::vector<Tube> kept, bounced;
    for (const Tube& tube : tubes) (tube.interactions() == 0 ? kept : bounced).push_back(tube);
    bounced.resize(thin_by_weight(
        bounced, most, element, [](const Tube& tube) { return tube.path_gain; },
        [](Tube& tube, double times) {
          tube.path_gain *= times;
          tube.stands_for *= static_cast<float>(times);
        }));
    kept.insert(kept.end(), bounced.begin(), bounced.end());
    tubes = std::move(kept);
  }
  return groups;
}

void expect_same(std::span<const Tube* const> found, const std::vector<Tube>& expected) {
  ASSERT_EQ(found.size(), expected.size());
  for (std::size_t i = 0; i < found.size(); ++i) {
    EXPECT_EQ(found[i]->length_m, expected[i].length_m);
    EXPECT_EQ(found[i]->path_gain, expected[i].path_gain);
    EXPECT_FLOAT_EQ(found[i]->stands_for, expected[i].stands_for);
  }
}

class TubesByElement : public ::testing::TestWithParam<std::size_t> {};

TEST_P(TubesByElement, StandInTheOrderInWhichTheyCame) {
  const TubeGroups groups(as_tubes(random_parts()), GetParam());
  const auto expected = expected_groups(GetParam());
  ASSERT_EQ(groups.list().size(), expected.size());
  auto next = expected.begin();
  std::size_t all = 0;
  for (const TubeGroup& group : groups.list()) {
    EXPECT_EQ(group.element, next->first);
    expect_same(group.tubes, next->second);
    all += (next++)->second.size();
  }
  EXPECT_EQ(groups.tube_count(), all);
  EXPECT_EQ(GetParam() == 0, all == tube_count);
}

TEST_P(TubesByElement, StayWhileThoseBeforeThemAreDropped) {
  TubeGroups groups(as_tubes(random_parts()), GetParam());
  const auto expected = expected_groups(GetParam());
  for (const std::size_t bounced : {std::size_t{1}, std::size_t{1}, std::size_t{17}, groups.list().size()}) {
    groups.drop_before(bounced);
    std::size_t place = 0, left = 0;
    for (const auto& [element, tubes] : expected) {
      SCOPED_TRACE(place);
      const TubeGroup& group = groups.list()[place++];
      EXPECT_EQ(group.element, element);
      expect_same(group.tubes, place > bounced ? tubes : std::vector<Tube>());
      left += group.tubes.size();
    }
    EXPECT_EQ(groups.tube_count(), left);
  }
  EXPECT_EQ(groups.tube_count(), 0u);
}

INSTANTIATE_TEST_SUITE_P(, TubesByElement, ::testing::Values(0, 32));

TEST(NoTubes, HaveNoGroups) {
  TubeGroups groups({}, 32);
  EXPECT_TRUE(groups.list().empty());
  groups.drop_before(0);
  EXPECT_EQ(groups.tube_count(), 0u);
}

}  // namespace
}  // namespace tesseray
