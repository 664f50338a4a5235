// SPDX-License-Identifier: GPL-3.0-or-later
// What is drawn by chance where a whole city is the target (docs/propagation-cost.md): so that sums keep their
// expectation, and the same for any number of threads.
#include <algorithm>

#include "core/base/parallel.h"
#include "core/propagation/launching/bounces.h"
#include "core/propagation/launching/launch.h"
#include "core/propagation/launching/scattered_power.h"
#include "core/propagation/rows/weighted_sample.h"
#include "core/propagation/tubes/roulette.h"

namespace tesseray {

bool draws_by_chance(const RayLaunchingOptions& options, const TargetPoints& points) {
  return options.pruning && points.target_tile_count() >= std::max(options.pruning_from_tiles, 1u);
}

Pruning Launch::choose_pruning() const {
  if (!draws_by_chance(environment_.options, environment_.points)) return {};
  return pruning_for(arrivals_.share_in_sight());
}

void Bounces::prepare_roulette() {
  if (pruning_.roulette <= 0) return;
  const TargetPoints& points = environment_.points;
  const RouletteScale scale{pruning_.roulette};
  roulette_gain_.assign(points.element_count(), 0.0f);
  view_.roulette_gain = roulette_gain_.data();
  if (bouncer_) {
    bouncer_->draw_by(scale, roulette_gain_);
    return;
  }
  constexpr std::size_t elements_per_block = 4096;
  const std::vector<FixedPointSum> gains = arrivals_.gain_sums();
  parallel_blocks(gains.size(), elements_per_block, no_progress(), [&](std::size_t begin, std::size_t end) {
    for (std::size_t t = begin; t < end; ++t) roulette_gain_[t] = scale.of(gains[t]);
  });
  const std::span<float> of_edges = std::span(roulette_gain_).subspan(points.tile_count());
  parallel_blocks(of_edges.size(), elements_per_block, no_progress(), [&](std::size_t begin, std::size_t end) {
    for (std::size_t e = begin; e < end; ++e) {
      of_edges[e] = roulette_at_edge(environment_.tiling.edges[e], roulette_gain_.data());
    }
  });
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
