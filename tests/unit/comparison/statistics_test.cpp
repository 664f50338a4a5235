// SPDX-License-Identifier: GPL-3.0-or-later
// Expected figures are worked out by hand or with numpy 1.24 (the call stands beside them).
#include "core/comparison/statistics.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

namespace tesseray {
namespace {

TEST(Statistics, MeanAndStandardDeviationWithNMinusOne) {
  // Deviations from 5: −3 −1 −1 −1 0 0 2 4, squares sum to 32.
  const std::vector<double> values{2, 4, 4, 4, 5, 5, 7, 9};
  EXPECT_DOUBLE_EQ(mean(values), 5.0);
  EXPECT_DOUBLE_EQ(standard_deviation(values), std::sqrt(32.0 / 7.0));
}

TEST(Statistics, AreUndefinedForTooFewValues) {
  EXPECT_TRUE(std::isnan(mean({})));
  EXPECT_TRUE(std::isnan(standard_deviation(std::vector<double>{3.0})));
  EXPECT_TRUE(std::isnan(percentile({}, 0.5)));
  EXPECT_TRUE(std::isnan(correlation(std::vector<double>{1.0}, std::vector<double>{2.0})));
  EXPECT_TRUE(std::isnan(correlation(std::vector<double>{1, 1, 1}, std::vector<double>{1, 2, 3})));
}

TEST(Statistics, PercentileInterpolatesLinearlyAsNumpyDoes) {
  // numpy.percentile([15, 20, 35, 40, 50], [10, 40, 50, 90]) = [17, 29, 35, 46]
  const std::vector<double> values{50, 15, 40, 20, 35};
  EXPECT_DOUBLE_EQ(percentile(values, 0.1), 17.0);
  EXPECT_DOUBLE_EQ(percentile(values, 0.4), 29.0);
  EXPECT_DOUBLE_EQ(percentile(values, 0.5), 35.0);
  EXPECT_DOUBLE_EQ(percentile(values, 0.9), 46.0);
  EXPECT_DOUBLE_EQ(percentile(values, 0.0), 15.0);
  EXPECT_DOUBLE_EQ(percentile(values, 1.0), 50.0);
  EXPECT_DOUBLE_EQ(percentile({7.5}, 0.9), 7.5);
}

TEST(Statistics, CorrelationIsPearsons) {
  const std::vector<double> a{1, 2, 3, 4, 5}, b{2, 1, 4, 3, 5};
  // Σ(a−3)(b−3) = 8, Σ(a−3)² = Σ(b−3)² = 10.
  EXPECT_DOUBLE_EQ(correlation(a, b), 0.8);
  std::vector<double> falling;
  for (const double value : a) falling.push_back(7 - 2 * value);
  EXPECT_NEAR(correlation(a, falling), -1.0, 1e-15);
}

TEST(Statistics, RowOfAGroup) {
  // Errors 2, −4, 6 with measured −80, −90, −100.
  std::vector<MeasurementError> errors(3);
  const double measured[] = {-80, -90, -100}, error[] = {2, -4, 6};
  std::vector<const MeasurementError*> used;
  for (std::size_t i = 0; i < errors.size(); ++i) {
    errors[i].measured = measured[i];
    errors[i].predicted = measured[i] + error[i];
    errors[i].error = error[i];
    used.push_back(&errors[i]);
  }
  const ErrorStatistics row = describe_errors(used);
  EXPECT_EQ(row.n, 3);
  EXPECT_DOUBLE_EQ(row.mean, 4.0 / 3.0);
  EXPECT_DOUBLE_EQ(row.deviation, std::sqrt((56.0 - 16.0 / 3.0) / 2.0));
  EXPECT_DOUBLE_EQ(row.rmse, std::sqrt(56.0 / 3.0));
  EXPECT_DOUBLE_EQ(row.mae, 4.0);
  EXPECT_DOUBLE_EQ(row.median, 2.0);
  // numpy.percentile([2, -4, 6], [10, 90]) = [-2.8, 5.2]
  EXPECT_NEAR(row.p10, -2.8, 1e-12);
  EXPECT_NEAR(row.p90, 5.2, 1e-12);
  // numpy.corrcoef([-80, -90, -100], [-78, -94, -94])[0, 1] = 0.8660254037844387
  EXPECT_NEAR(row.correlation, std::sqrt(3.0) / 2.0, 1e-12);
  EXPECT_TRUE(std::isnan(row.mean_of_mean));
}

TEST(Statistics, RowOverSites) {
  std::vector<ErrorStatistics> sites(4);
  sites[0].n = 10, sites[0].mean = 1, sites[0].deviation = 6;
  sites[1].n = 20, sites[1].mean = -3, sites[1].deviation = 8;
  sites[2].n = 1, sites[2].mean = 5, sites[2].deviation = std::nan("");
  sites[3].n = 0, sites[3].mean = std::nan(""), sites[3].deviation = std::nan("");
  const ErrorStatistics row = describe_sites(sites);
  EXPECT_EQ(row.n, 3);
  EXPECT_DOUBLE_EQ(row.mean_of_mean, 1.0);
  EXPECT_DOUBLE_EQ(row.deviation_of_mean, 4.0);  // deviations 0, −4, 4; √(32/2)
  EXPECT_DOUBLE_EQ(row.mean_of_deviation, 7.0);
  EXPECT_DOUBLE_EQ(row.deviation_of_deviation, std::sqrt(2.0));
  EXPECT_TRUE(std::isnan(row.mean));
}

}  // namespace
}  // namespace tesseray
