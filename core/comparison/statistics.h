// SPDX-License-Identifier: GPL-3.0-or-later
// Statistics of prediction errors (paper 002, equations 3–5), as plain functions of numbers.
#pragma once

#include <limits>
#include <span>
#include <vector>

#include "core/comparison/comparison.h"

namespace tesseray {

// Where there is no such number.
inline constexpr double undefined = std::numeric_limits<double>::quiet_NaN();

// Mean and standard deviation with n − 1; NaN where n is too small (0 and 1).
double mean(std::span<const double> values);
double standard_deviation(std::span<const double> values);

// The quantile `fraction` (0 … 1) by linear interpolation between the order statistics around position
// fraction · (n − 1): definition 7 of Hyndman and Fan (1996), numpy's default. NaN for no values.
double percentile(std::vector<double> values, double fraction);

// Pearson's correlation; NaN for n < 2 or when one side does not vary. REQUIRES: equal lengths.
double correlation(std::span<const double> a, std::span<const double> b);

// The used errors of one group (transmitter, or all) as a row of error_statistics.
ErrorStatistics describe_errors(std::span<const MeasurementError* const> used);

// The part of the errors whose magnitude is at most `greatest`, 0 … 1; NaN without errors, or for NaN.
double share_within(std::span<const MeasurementError* const> used, double greatest);

// Means and standard deviations, over sites, of the sites' means and standard deviations (n − 1 both). `n` is the
// number of sites that have measurements; a site of one measurement has a mean but no standard deviation.
ErrorStatistics describe_sites(std::span<const ErrorStatistics> sites);

}  // namespace tesseray
