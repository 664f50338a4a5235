// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/propagation/launch_cost.h"

#include <algorithm>
#include <numeric>

namespace tesseray {
namespace {

using Shares = std::array<double, launch_phases>;

// For 1, 2, 3 bounces and more, and where two diffractions make bounces outweigh all: means over cities of 5 and 20
// km², of 1 km² for whole launches (docs/benchmarks/propagation.md).
constexpr int most_bounces_told_apart = 3;
struct UsualShares {
  Shares by_bounces[most_bounces_told_apart];
  Shares of_two_diffractions;
};
constexpr UsualShares usual_shares[launch_kinds] = {
    {{{0.45, 0.23, 0.2, 0.05, 0.07}, {0.07, 0.12, 0.08, 0.18, 0.55}, {0.03, 0.16, 0.05, 0.24, 0.52}},
     {0.01, 0.7, 0.02, 0.07, 0.2}},
    {{{0.76, 0.01, 0.08, 0.07, 0.08}, {0.33, 0.06, 0.15, 0.12, 0.34}, {0.26, 0.1, 0.13, 0.15, 0.36}},
     {0.15, 0.42, 0.05, 0.11, 0.27}},
    {{{0.5, 0.1, 0.15, 0.1, 0.15}, {0.15, 0.19, 0.06, 0.19, 0.41}, {0.15, 0.27, 0.05, 0.24, 0.29}},
     {0.03, 0.84, 0.01, 0.06, 0.06}},
    {{{0.23, 0.48, 0.13, 0.07, 0.09}, {0.06, 0.36, 0.04, 0.29, 0.25}, {0.06, 0.43, 0.03, 0.28, 0.2}},
     {0.01, 0.84, 0.01, 0.08, 0.06}}};
constexpr Shares directly{1, 0, 0, 0, 0, 0};
// What two interactions after a scattering take, over all else.
constexpr double two_after_scattering = 2;

Shares shares_for(LaunchKind kind, int max_bounces, int max_diffractions) {
  if (max_bounces < 1) return directly;
  const UsualShares& usual = usual_shares[static_cast<std::size_t>(kind)];
  if (max_bounces > most_bounces_told_apart && max_diffractions > 1) return usual.of_two_diffractions;
  return usual.by_bounces[std::min(max_bounces, most_bounces_told_apart) - 1];
}

}  // namespace

PhaseShares::PhaseShares(int max_bounces, int max_diffractions, int max_after_scattering) {
  for (std::size_t kind = 0; kind < launch_kinds; ++kind) {
    kinds_[kind].seconds = shares_for(static_cast<LaunchKind>(kind), max_bounces, max_diffractions);
    if (max_after_scattering > 1) kinds_[kind].seconds.back() = two_after_scattering;
  }
}

PhaseShares::Ends PhaseShares::ends(LaunchKind kind) const {
  const std::lock_guard lock(mutex_);
  const Shares& seconds = kinds_[static_cast<std::size_t>(kind)].seconds;
  const double all = std::accumulate(seconds.begin(), seconds.end(), 0.0);
  double sum = 0;
  Ends ends{};
  for (std::size_t p = 0; p < launch_phases; ++p) ends[p] = (sum += seconds[p]) / all;
  return ends;
}

void PhaseShares::learn_from(const LaunchCost& cost) {
  const std::lock_guard lock(mutex_);
  OfKind& of_kind = kinds_[static_cast<std::size_t>(cost.kind)];
  if (!of_kind.have_learnt) of_kind.seconds.fill(1e-6);  // so that there is always a sum
  of_kind.have_learnt = true;
  for (std::size_t p = 0; p < launch_phases; ++p) of_kind.seconds[p] += cost[static_cast<LaunchPhase>(p)].seconds;
}

}  // namespace tesseray
