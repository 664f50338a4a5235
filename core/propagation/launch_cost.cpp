// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/propagation/launch_cost.h"

#include <algorithm>
#include <iterator>

namespace tesseray {
namespace {

using Shares = std::array<double, launch_phases>;

// Means of a street, a rooftop and a mast over 1 km² (docs/benchmarks/propagation.md), for 0, 1, 2, 3 bounces and more;
// and where two diffractions make bounces outweigh all.
constexpr Shares usual_shares[] = {{1, 0, 0, 0, 0, 0},
                                   {0.45, 0.23, 0.2, 0.05, 0.07, 0},
                                   {0.08, 0.17, 0.1, 0.17, 0.48, 0},
                                   {0.04, 0.2, 0.06, 0.26, 0.44, 0}};
constexpr Shares shares_of_two_diffractions = {0.01, 0.72, 0.02, 0.07, 0.18, 0};
// What two interactions after a scattering take, over all else.
constexpr double two_after_scattering = 2;

Shares shares_for(int max_bounces, int max_diffractions) {
  constexpr int last = static_cast<int>(std::size(usual_shares)) - 1;
  if (max_bounces > last && max_diffractions > 1) return shares_of_two_diffractions;
  return usual_shares[std::clamp(max_bounces, 0, last)];
}

}  // namespace

PhaseShares::PhaseShares(int max_bounces, int max_diffractions, int max_after_scattering)
    : seconds_(shares_for(max_bounces, max_diffractions)) {
  if (max_after_scattering > 1) seconds_.back() = two_after_scattering;
}

PhaseShares::Ends PhaseShares::ends() const {
  const std::lock_guard lock(mutex_);
  double sum = 0, all = 0;
  for (const double seconds : seconds_) all += seconds;
  Ends ends{};
  for (std::size_t p = 0; p < launch_phases; ++p) ends[p] = (sum += seconds_[p]) / all;
  return ends;
}

void PhaseShares::learn_from(const LaunchCost& cost) {
  const std::lock_guard lock(mutex_);
  if (!have_learnt_) seconds_.fill(1e-6);  // so that there is always a sum
  have_learnt_ = true;
  for (std::size_t p = 0; p < launch_phases; ++p) seconds_[p] += cost[static_cast<LaunchPhase>(p)].seconds;
}

}  // namespace tesseray
