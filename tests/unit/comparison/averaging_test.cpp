// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/comparison/averaging.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <vector>

namespace tesseray {
namespace {

TEST(Averaging, OfPowersNotOfDecibels) {
  // 0 dB and 20 dB: (1 + 100) / 2 = 50.5.
  const std::vector<RouteSample> route{{{0, 0}, 0.0}, {{1, 0}, 20.0}};
  const std::vector<double> average = average_along_route(route, 2.0);
  EXPECT_NEAR(average[0], 10 * std::log10(50.5), 1e-12);
  EXPECT_NEAR(average[1], 10 * std::log10(50.5), 1e-12);
}

TEST(Averaging, WindowIsMeasuredAlongTheWay) {
  // A hairpin: the first and last sample are 1 m apart in space and 21 m along the way.
  const std::vector<RouteSample> route{{{0, 0}, 0.0}, {{10, 0}, 30.0}, {{10, 1}, 30.0}, {{0, 1}, 0.0}};
  const std::vector<double> average = average_along_route(route, 10.0);
  EXPECT_DOUBLE_EQ(average[0], 0.0);
  EXPECT_DOUBLE_EQ(average[1], 30.0);
  EXPECT_DOUBLE_EQ(average[3], 0.0);
}

TEST(Averaging, WhereTheVehicleStandsAllSamplesHaveOneMean) {
  // 50,000 samples at one place: each with a window of its own would take minutes.
  std::vector<RouteSample> route{{{0, 0}, -60.0}, {{4, 0}, -80.0}};
  for (int i = 0; i < 50'000; ++i) route.push_back({{8, 0}, i % 2 == 0 ? -70.0 : -90.0});
  route.push_back({{20, 0}, -50.0});
  const std::vector<double> average = average_along_route(route, 8.0);
  const double sum = 1e-8 + 25'000 * (1e-7 + 1e-9);
  for (std::size_t i = 2; i < 50'002; ++i) ASSERT_NEAR(average[i], 10 * std::log10(sum / 50'001), 1e-9) << i;
  EXPECT_DOUBLE_EQ(average.back(), -50.0);
}

TEST(Averaging, TakesSamplesWithinHalfTheWindow) {
  const std::vector<RouteSample> route{{{0, 0}, 10.0}, {{4, 0}, 0.0}, {{8, 0}, 10.0}, {{13, 0}, 10.0}};
  const std::vector<double> average = average_along_route(route, 8.0);
  EXPECT_NEAR(average[0], 10 * std::log10(5.5), 1e-12);  // 0 and 4 m
  EXPECT_NEAR(average[1], 10 * std::log10(7.0), 1e-12);  // 0, 4, 8 m
  EXPECT_NEAR(average[2], 10 * std::log10(5.5), 1e-12);  // 4 and 8 m; 13 m is 5 m away
  EXPECT_DOUBLE_EQ(average[3], 10.0);
}

TEST(Averaging, Properties) {
  std::vector<RouteSample> route;
  for (int i = 0; i < 50; ++i) route.push_back({{3.0 * i, std::sin(i)}, -80 + 10 * std::sin(7.0 * i)});
  const std::vector<double> unchanged = average_along_route(route, 0.0);
  for (std::size_t i = 0; i < route.size(); ++i) EXPECT_EQ(unchanged[i], route[i].power_db);

  std::vector<RouteSample> level = route;
  for (RouteSample& sample : level) sample.power_db = -93.7;
  for (const double value : average_along_route(level, 25.0)) EXPECT_EQ(value, -93.7);

  const std::vector<double> forth = average_along_route(route, 25.0);
  std::vector<RouteSample> reversed(route.rbegin(), route.rend());
  std::vector<double> back = average_along_route(reversed, 25.0);
  std::reverse(back.begin(), back.end());
  for (std::size_t i = 0; i < route.size(); ++i) EXPECT_NEAR(forth[i], back[i], 1e-9);
}

TEST(Averaging, SamplesWithoutALevelTakeNoPart) {
  const std::vector<RouteSample> route{{{0, 0}, 10.0}, {{1, 0}, std::nan("")}, {{2, 0}, 10.0}};
  const std::vector<double> average = average_along_route(route, 10.0);
  EXPECT_DOUBLE_EQ(average[0], 10.0);
  EXPECT_TRUE(std::isnan(average[1]));
  EXPECT_DOUBLE_EQ(average[2], 10.0);
}

}  // namespace
}  // namespace tesseray
