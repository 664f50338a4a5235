// SPDX-License-Identifier: GPL-3.0-or-later
// What is told of the searches' costs is a part of all that grows to one; how well it fits the time is measured by
// tests/bench/progress_accuracy.py.
#include "core/visibility/rows/search_costs.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <mutex>

#include "small_cities.h"

namespace tesseray::test {
namespace {

class Told final : public Progress {
 public:
  void advance(double fraction) override {
    const std::lock_guard lock(mutex_);
    most_ = std::max(most_, fraction);
  }
  double most() const { return most_; }

 private:
  std::mutex mutex_;
  double most_ = 0;
};

class Cancelled final : public Progress {
 public:
  bool is_cancelled() const override { return true; }
};

class SearchCostsOfACity : public ::testing::Test {
 protected:
  Scene scene_ = make_city(hard_cities().back());
  Tiling tiling_ = tile_scene(scene_, {}, no_progress());
  Occlusion occlusion_{scene_};
  HalfRowFinder finder_{occlusion_, tiling_, {}};
};

TEST_F(SearchCostsOfACity, AreAPartOfAllThatGrowsWithEachElement) {
  for (const std::uint32_t first : {std::uint32_t{0}, finder_.element_count() / 3, finder_.element_count() - 1}) {
    const SearchCosts costs(finder_, first, no_progress());
    EXPECT_EQ(costs.before(first), 0);
    EXPECT_DOUBLE_EQ(costs.before(finder_.element_count()), 1);
    for (std::uint32_t element = first; element < finder_.element_count(); ++element) {
      ASSERT_GT(costs.before(element + 1), costs.before(element)) << element;
    }
  }
  const SearchCosts of_none(finder_, finder_.element_count(), no_progress());
  EXPECT_EQ(of_none.before(finder_.element_count()), 0);
}

TEST_F(SearchCostsOfACity, TellHowFarItIsWhateverIsSearched) {
  const std::uint32_t half = finder_.element_count() / 2;
  const SearchCosts costs(finder_, 0, no_progress());
  Told first, rest;
  find_halves(finder_, 0, half, costs, first);
  find_halves(finder_, half, finder_.element_count(), costs, rest);
  EXPECT_NEAR(first.most(), costs.before(half), 1e-9);
  EXPECT_NEAR(rest.most(), 1, 1e-9);
}

TEST_F(SearchCostsOfACity, EndWhenTheRunIsCancelled) { EXPECT_THROW(SearchCosts(finder_, 0, Cancelled()), Error); }

}  // namespace
}  // namespace tesseray::test
