// SPDX-License-Identifier: GPL-3.0-or-later
// One ray at one target: into the sums, and kept when single rays are wanted.
#include "core/propagation/launch.h"

namespace tesseray {

void Launch::add_arrival(const RayEnding& ending, const ArrivedRay& ray, std::uint32_t number, ThreadState& state) {
  const Arrival& arrival = ray.arrival;
  state.sums[sum_index(number)].add(arrival);
  add_wideband(arrival, ending.chain, number, ray.is_companion, state);
  const bool recorded = environment_.options.rays_per_receiver > 0 && environment_.points.is_receiver(number);
  if (!recorded || !(arrival.path_gain > 0)) return;
  const Complex phased = exp_j(-link_.wave_number() * ray.length_m) * ray.received;
  state.recorded.push_back({number - environment_.points.element_count(), arrival.path_gain, ray.length_m,
                            std::atan2(phased.im, phased.re), ending.chain});
}

void Launch::arrive(const RayEnding& ending, std::uint32_t number, ThreadState& state) {
  if (ending.chain.is_scattered()) {
    arrive_scattered(ending, number, state);
    return;
  }
  tesseray::arrive(view_, ending, number, [&](const ArrivedRay& ray) { add_arrival(ending, ray, number, state); });
}

}  // namespace tesseray
