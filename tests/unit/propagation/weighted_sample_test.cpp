// SPDX-License-Identifier: GPL-3.0-or-later
// Samples of scattering tiles by their power: no bias, and no more of them than asked for.
#include "core/propagation/rows/weighted_sample.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <numeric>
#include <vector>

#include "tests/support/synthetic_city.h"

namespace tesseray {
namespace {

struct Source {
  std::uint32_t tile = 0;
  double weight = 0, share = 1;
};

void thin(std::vector<Source>& sources, std::size_t most, std::uint64_t seed) {
  sources.resize(thin_by_weight(
      sources, most, seed, [](const Source& source) { return source.weight; },
      [](Source& source, double times) { source.share *= times; }));
}

std::vector<Source> random_sources(std::size_t count, std::uint64_t seed) {
  testing::Random random(seed);
  std::vector<Source> sources;
  for (std::uint32_t tile = 0; tile < count; ++tile) {
    sources.push_back({tile, std::pow(10.0, random.uniform(-6, 0)), 0.5});
  }
  return sources;
}

TEST(WeightedSample, FewSourcesStayAsTheyAre) {
  for (const std::size_t most : {std::size_t{0}, std::size_t{20}, std::size_t{50}}) {
    std::vector<Source> sources = random_sources(20, 1);
    thin(sources, most, 7);
    ASSERT_EQ(sources.size(), 20u);
    for (const Source& source : sources) EXPECT_EQ(source.share, 0.5);
  }
}

TEST(WeightedSample, KeepsAboutAsManyAsAskedFor) {
  for (std::uint64_t seed = 0; seed < 50; ++seed) {
    std::vector<Source> sources = random_sources(1000, seed);
    thin(sources, 32, seed);
    EXPECT_GE(sources.size(), 31u);
    EXPECT_LE(sources.size(), 33u);
  }
}

// Over all draws each tile keeps its power: 4,000 draws of 24 from 200.
TEST(WeightedSample, HasNoBias) {
  const std::vector<Source> all = random_sources(200, 3);
  constexpr int draws = 4000;
  std::map<std::uint32_t, double> shares;
  for (std::uint64_t seed = 0; seed < draws; ++seed) {
    std::vector<Source> sources = all;
    thin(sources, 24, seed);
    double power = 0;
    for (const Source& source : sources) {
      shares[source.tile] += source.share / draws;
      power += source.weight * source.share;
    }
    // Weak ones stand for the same weight each, so that the sum of weights hardly changes from draw to draw.
    double whole = 0;
    for (const Source& source : all) whole += source.weight * source.share;
    EXPECT_NEAR(power / whole, 1, 0.03);
  }
  // A source that is drawn with probability p has a share of standard deviation 0.5 √((1 − p)/(p · draws)).
  double whole = 0;
  for (const Source& source : all) whole += source.weight;
  for (const Source& source : all) {
    const double probability = std::min(1.0, 24 * source.weight / whole);
    if (probability < 0.01) continue;
    EXPECT_NEAR(shares[source.tile], 0.5, 2.5 * std::sqrt(1 / (probability * draws))) << source.tile;
  }
}

// All of these estimates are above 1, so that without a share all would be kept; those above a hundredth of their sum
// still are.
TEST(WeightedSample, ByShareDrawsWhatIsASmallPartOfAll) {
  testing::Random random(5);
  std::vector<float> estimates;
  for (int i = 0; i < 1001; ++i) estimates.push_back(static_cast<float>(std::pow(10.0, random.uniform(0, 3))));
  estimates[17] = std::numeric_limits<float>::infinity();
  std::vector<float> finite = estimates;
  finite[17] = 0;
  const double all = std::accumulate(finite.begin(), finite.end(), 0.0);
  EXPECT_NEAR(static_cast<double>(scale_to_share(finite, 0.01)), 1 / (0.01 * all), 1e-5 / (0.01 * all));
  EXPECT_EQ(scale_to_share(finite, 0.5 / all), 1.0f);
  EXPECT_EQ(scale_to_share(finite, 0), 1.0f);

  // What is beyond all bounds is kept, and leaves the others their chance.
  std::vector<std::uint32_t> numbers(estimates.size());
  std::iota(numbers.begin(), numbers.end(), 0u);
  DrawnNumbers drawn;
  draw_evenly(numbers, estimates, scale_to_share(estimates, 0.01), 3, drawn);
  EXPECT_TRUE(std::count(drawn.numbers.begin(), drawn.numbers.end(), 17u) == 1);
  draw_evenly(numbers, finite, scale_to_share(finite, 0.01), 3, drawn);
  EXPECT_GT(drawn.numbers.size(), 50u);
  EXPECT_LT(drawn.numbers.size(), 102u);
  double power = 0;
  for (std::size_t k = 0; k < drawn.numbers.size(); ++k) {
    power += static_cast<double>(finite[drawn.numbers[k]]) * static_cast<double>(drawn.stand_for[k]);
  }
  EXPECT_NEAR(power / all, 1, 0.01);
}

// One after the other, as a GPU's threads have them, and side by side, as vectors have them.
TEST(WeightedSample, SumsOfEstimatesAreTheSameByLanes) {
  testing::Random random(6);
  std::vector<float> estimates;
  for (int i = 0; i < 500; ++i) {
    estimates.push_back(static_cast<float>(std::pow(10.0, random.uniform(-3, 3))));
    float lanes[estimate_lanes];
    for (std::size_t lane = 0; lane < estimate_lanes; ++lane) {
      lanes[lane] = lane_of_estimates(estimates.data(), estimates.size(), lane);
    }
    ASSERT_EQ(scale_to_share(estimates, 0.02), scale_to_share(lanes, 0.02)) << i;
  }
}

TEST(WeightedSample, IsTheSameForOneSeedAndDiffersBetweenSeeds) {
  const auto drawn = [](std::uint64_t seed) {
    std::vector<Source> sources = random_sources(500, 9);
    thin(sources, 10, seed);
    std::vector<std::uint32_t> tiles;
    for (const Source& source : sources) tiles.push_back(source.tile);
    return tiles;
  };
  EXPECT_EQ(drawn(1), drawn(1));
  EXPECT_NE(drawn(1), drawn(2));
}

}  // namespace
}  // namespace tesseray
