// SPDX-License-Identifier: GPL-3.0-or-later
// Errors over a golden table's profiles, dB.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <numeric>
#include <vector>

namespace tesseray::testing {

class SpreadOfErrors {
 public:
  void add(double error_db) { values_.push_back(error_db); }
  std::size_t size() const { return values_.size(); }
  double mean() const {
    return std::accumulate(values_.begin(), values_.end(), 0.0) / static_cast<double>(values_.size());
  }
  double spread() const {
    double squares = 0;
    for (const double value : values_) squares += (value - mean()) * (value - mean());
    return std::sqrt(squares / static_cast<double>(values_.size()));
  }
  double most() const {
    double most = 0;
    for (const double value : values_) most = std::max(most, std::fabs(value));
    return most;
  }

 private:
  std::vector<double> values_;
};

}  // namespace tesseray::testing
