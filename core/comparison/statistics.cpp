// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/comparison/statistics.h"

#include <algorithm>
#include <cmath>
#include <cstddef>

namespace tesseray {
namespace {

// A row in which nothing is defined yet.
ErrorStatistics undefined_row() {
  ErrorStatistics row;
  row.mean = row.deviation = row.rmse = row.mae = undefined;
  row.median = row.p10 = row.p90 = row.correlation = undefined;
  row.mean_of_mean = row.deviation_of_mean = row.mean_of_deviation = row.deviation_of_deviation = undefined;
  return row;
}

}  // namespace

double mean(std::span<const double> values) {
  if (values.empty()) return undefined;
  double sum = 0;
  for (const double value : values) sum += value;
  return sum / static_cast<double>(values.size());
}

double standard_deviation(std::span<const double> values) {
  if (values.size() < 2) return undefined;
  const double center = mean(values);
  double sum = 0;
  for (const double value : values) sum += (value - center) * (value - center);
  return std::sqrt(sum / static_cast<double>(values.size() - 1));
}

double percentile(std::vector<double> values, double fraction) {
  if (values.empty()) return undefined;
  std::sort(values.begin(), values.end());
  const double position = fraction * static_cast<double>(values.size() - 1);
  const auto below = static_cast<std::size_t>(std::floor(position));
  const std::size_t above = std::min(below + 1, values.size() - 1);
  return values[below] + (position - static_cast<double>(below)) * (values[above] - values[below]);
}

double correlation(std::span<const double> a, std::span<const double> b) {
  if (a.size() < 2) return undefined;
  const double mean_a = mean(a), mean_b = mean(b);
  double aa = 0, bb = 0, ab = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    aa += (a[i] - mean_a) * (a[i] - mean_a);
    bb += (b[i] - mean_b) * (b[i] - mean_b);
    ab += (a[i] - mean_a) * (b[i] - mean_b);
  }
  return aa > 0 && bb > 0 ? ab / std::sqrt(aa * bb) : undefined;
}

ErrorStatistics describe_errors(std::span<const MeasurementError* const> used) {
  ErrorStatistics row = undefined_row();
  row.n = static_cast<std::int64_t>(used.size());
  if (used.empty()) return row;

  std::vector<double> errors, measured, predicted;
  double sum_of_squares = 0, sum_of_magnitudes = 0;
  for (const MeasurementError* measurement : used) {
    errors.push_back(measurement->error);
    measured.push_back(measurement->measured);
    predicted.push_back(measurement->predicted);
    sum_of_squares += measurement->error * measurement->error;
    sum_of_magnitudes += std::fabs(measurement->error);
  }
  const auto n = static_cast<double>(used.size());
  row.mean = mean(errors);
  row.deviation = standard_deviation(errors);
  row.rmse = std::sqrt(sum_of_squares / n);
  row.mae = sum_of_magnitudes / n;
  row.median = percentile(errors, 0.5);
  row.p10 = percentile(errors, 0.1);
  row.p90 = percentile(errors, 0.9);
  row.correlation = correlation(measured, predicted);
  return row;
}

double share_within(std::span<const MeasurementError* const> used, double greatest) {
  if (used.empty() || std::isnan(greatest)) return undefined;
  const auto within = std::count_if(used.begin(), used.end(), [greatest](const MeasurementError* measurement) {
    return std::fabs(measurement->error) <= greatest;
  });
  return static_cast<double>(within) / static_cast<double>(used.size());
}

ErrorStatistics describe_sites(std::span<const ErrorStatistics> sites) {
  std::vector<double> means, deviations;
  for (const ErrorStatistics& site : sites) {
    if (site.n >= 1) means.push_back(site.mean);
    if (site.n >= 2) deviations.push_back(site.deviation);
  }
  ErrorStatistics row = undefined_row();
  row.n = static_cast<std::int64_t>(means.size());
  row.mean_of_mean = mean(means);
  row.deviation_of_mean = standard_deviation(means);
  row.mean_of_deviation = mean(deviations);
  row.deviation_of_deviation = standard_deviation(deviations);
  return row;
}

}  // namespace tesseray
