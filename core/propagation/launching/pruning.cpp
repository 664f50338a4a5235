// SPDX-License-Identifier: GPL-3.0-or-later
// What is drawn by chance where a whole city is the target (docs/propagation-cost.md): so that sums keep their
// expectation, and the same for any number of threads.
#include <algorithm>

#include "core/propagation/launching/bounces.h"
#include "core/propagation/launching/launch.h"
#include "core/propagation/launching/scattered_power.h"
#include "core/propagation/rows/weighted_sample.h"

namespace tesseray {

bool draws_by_chance(const RayLaunchingOptions& options, const TargetPoints& points) {
  return options.pruning && points.target_tile_count() >= std::max(options.pruning_from_tiles, 1u);
}

Pruning Launch::choose_pruning() const {
  if (!draws_by_chance(environment_.options, environment_.points)) return {};
  return pruning_for(arrivals_.share_in_sight());
}

void Bounces::prepare_roulette() {
  const TargetPoints& points = environment_.points;
  if (pruning_.roulette <= 0) return;
  take_bounced();
  roulette_gain_.assign(points.element_count(), 0.0f);
  view_.roulette_gain = roulette_gain_.data();
  const std::vector<double> gains = arrivals_.gains_so_far();
  for (std::size_t t = 0; t < gains.size(); ++t) roulette_gain_[t] = static_cast<float>(pruning_.roulette * gains[t]);
  // An edge segment has no sum of its own, but that of the darker of its parents.
  for (std::uint32_t e = 0; e < points.edge_count(); ++e) {
    const EdgeSegment& edge = environment_.tiling.edges[e];
    const auto of = [&](std::uint32_t tile) { return tile == no_index ? 0.0f : roulette_gain_[tile]; };
    roulette_gain_[points.tile_count() + e] = std::min(of(edge.tile_a), of(edge.tile_b));
  }
  if (bouncer_) bouncer_->know(roulette_gain_);
}

void ScatteredPower::prepare_scattered_draw() {
  if (pruning_.scattered <= 0) return;
  const std::vector<double> gains = arrivals_.gains_so_far();
  known_gains_.assign(gains.begin(), gains.end());
  scattering_view_.known_gains = known_gains_.data();
  if (scatterer_) scatterer_->know(known_gains_);
}

void ScatteredPower::draw_observers(const EdgeSegment& edge, std::span<const std::uint32_t> members, std::uint64_t seed,
                                    ThreadState& state) const {
  const TargetPointsView points = environment_.points.view();
  const ScatteredAtEdge at_edge = scattered_at_edge(points, edge.midpoint, state.sources);
  state.sources_about_edge.clear();
  for (const ScatteringSource& source : state.sources) {
    state.sources_about_edge.push_back(source_about_edge(points, edge, source));
  }
  columns_.estimate_past_edge(members, known_gains_, edge.midpoint,
                              {edge, at_edge, 1 / pruning_.then_diffracted, link_.wave_number()},
                              {state.sources_about_edge, edge.wedge_angle}, state.estimates);
  draw_evenly(members, state.estimates, 1.0f, seed, state.drawn);
}

}  // namespace tesseray
