// SPDX-License-Identifier: GPL-3.0-or-later
// How long bounces will take: of each level a few tubes are bounced before all others, and what comes of them is
// forgotten. This is how the size of a tree is told from a few ways through it (D. E. Knuth, "Estimating the efficiency
// of backtrack programs", Math. Comp. 29, 1975): tubes are drawn in proportion to what they are likely to cost, and
// each stands for as many as that makes it rare, so that the sum keeps its expectation.
#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "core/base/parallel.h"
#include "core/propagation/launching/bounces.h"
#include "core/propagation/rows/weighted_sample.h"

namespace tesseray {
namespace {

// So many tubes of the second level, of the third, and of each deeper one, where most time goes into the second and
// third; but no more than one of so many.
constexpr std::array<std::size_t, 3> most_of_level{1500, 1000, 300};
constexpr std::size_t one_of = 16;
// Where there are fewer a launch takes milliseconds.
constexpr std::size_t least_tubes = 1000;
constexpr std::size_t tubes_per_block = 8;

}  // namespace

// Processor time, fitted to 287 batches of tubes at six sites of two cities (docs/benchmarks/propagation.md); of what
// comes of a batch it is right within a tenth.
double Bounces::GroupWork::row_ns() const { return (at_edge ? 12.7 : 2.3) * static_cast<double>(row_entries); }

double Bounces::GroupWork::rays_ns() const {
  const auto of = [](double each_ns, auto count) { return each_ns * static_cast<double>(count); };
  const double following = of(2300, followed_rays);  // a mast's over 20 km²
  return following + (at_edge ? of(100, tubes) + of(400, arrived_rays) + of(280, children)
                              : of(280, tubes) + of(36, hits) + of(840, arrived_rays) + of(570, children));
}

Bounces::GroupWork Bounces::bounce_group(const TubeGroup& arrived, ThreadState& state,
                                         std::vector<Tube>& children) const {
  const PhaseCost before = state.cost[LaunchPhase::bounces];
  const std::uint64_t arrived_before = state.arrived_rays, followed_before = state.followed_rays;
  const std::size_t children_before = children.size();
  const bool at_edge = environment_.points.is_edge(arrived.element);
  if (at_edge) {
    bounce_edge(arrived, FollowedTo::all, state, children);
  } else {
    bounce_tile(arrived, FollowedTo::all, state, children);
  }
  const PhaseCost& after = state.cost[LaunchPhase::bounces];
  return {.at_edge = at_edge,
          .tubes = arrived.tubes.size(),
          .children = children.size() - children_before,
          .row_entries = after.row_entries - before.row_entries,
          .hits = after.contributions - before.contributions,
          .arrived_rays = state.arrived_rays - arrived_before,
          .followed_rays = state.followed_rays - followed_before};
}

void Bounces::foretell(const TubeParts& children, double brought, const Progress& progress) {
  if (!foretold_) return;
  const auto foretold = std::exchange(foretold_, {});
  if (pruning_.roulette > 0 || bouncer_ || !environment_.points.tiles_are_targets() || !limits_.may_diffract(0, 1) ||
      children.size() < least_tubes) {
    return;
  }
  expected_ns_ = (done_ns_ + sampled_ns(children, progress)) / brought;
  foretold(*expected_ns_);
}

double Bounces::sampled_ns(const TubeParts& tubes, const Progress& progress) const {
  const LikelyNs likely = likely_ns();
  const auto likely_ns_of = [&](const SampledTube& sampled) {
    const Tube& tube = *sampled.tube;
    const double ns = environment_.points.is_tile(tube.element)
                          ? likely.at_tile[tube.reflections][tube.diffractions]
                          : likely.of_member[tube.reflections][tube.diffractions] *
                                (environment_.visibility.row_length(tube.element) + 1);
    return sampled.stands_for * ns;
  };
  std::vector<SampledTube> level;
  level.reserve(tubes.size());
  for (const std::vector<Tube>& part : tubes.parts()) {
    for (const Tube& tube : part) level.push_back({&tube, 1.0});
  }
  std::vector<std::vector<Tube>> tubes_of_level;
  double ns = 0;
  for (std::size_t number = 0; !level.empty(); ++number) {
    double all = 0;
    for (const SampledTube& tube : level) all += tube.stands_for;
    const std::size_t most = most_of_level[std::min(number, most_of_level.size() - 1)];
    level.resize(thin_by_weight(level, std::min(most, static_cast<std::size_t>(all) / one_of + 1), number, likely_ns_of,
                                [](SampledTube& tube, double times) { tube.stands_for *= times; }));
    std::vector<std::vector<Tube>> children(level.size());
    ns += level_ns(level, progress, children);
    std::vector<SampledTube> next;
    for (std::size_t i = 0; i < level.size(); ++i) {
      for (const Tube& child : children[i]) next.push_back({&child, level[i].stands_for});
    }
    level = std::move(next);
    tubes_of_level = std::move(children);
  }
  return ns;
}

double Bounces::level_ns(std::span<const SampledTube> sample, const Progress& progress,
                         std::vector<std::vector<Tube>>& children) const {
  std::vector<GroupWork> works(sample.size());
  tbb::enumerable_thread_specific<ThreadState> states([] { return ThreadState(nullptr); });
  parallel_blocks(sample.size(), tubes_per_block, no_progress(), [&](std::size_t begin, std::size_t end) {
    progress.throw_if_cancelled();
    ThreadState& state = states.local();
    for (std::size_t i = begin; i < end; ++i) {
      works[i] = bounce_group({sample[i].tube->element, {&sample[i].tube, 1}}, state, children[i]);
    }
  });
  struct OfKind {
    double elements = 0, tubes = 0, row_ns = 0;
  };
  OfKind at_tiles{.elements = static_cast<double>(environment_.points.tile_count())};
  OfKind at_edges{.elements = static_cast<double>(environment_.points.edge_count())};
  double ns = 0;
  for (std::size_t i = 0; i < sample.size(); ++i) {
    OfKind& kind = works[i].at_edge ? at_edges : at_tiles;
    kind.tubes += sample[i].stands_for;
    kind.row_ns += sample[i].stands_for * works[i].row_ns();
    ns += sample[i].stands_for * works[i].rays_ns();
  }
  // Tubes that come to an element in one batch have its row together; about so many of the elements have some.
  constexpr double reached = 0.4;
  const double batches =
      1 + (at_tiles.tubes + at_edges.tubes) / static_cast<double>(environment_.options.tubes_of_level);
  for (const OfKind& kind : {at_tiles, at_edges}) {
    const double places = reached * batches * kind.elements;
    if (kind.tubes > 0) ns += kind.row_ns * places * (1 - std::exp(-kind.tubes / places)) / kind.tubes;
  }
  return ns;
}

Bounces::LikelyNs Bounces::likely_ns() const {
  // A reflected tube goes on to so many edge segments, a diffracted one to such parts of the row.
  constexpr double at_tile = 3000, of_member = 80;
  constexpr double edges_of_tile = 4, tiles_of_row = 0.1, edges_of_row = 0.15, usual_row = 450;
  LikelyNs likely;
  for (int interactions = environment_.options.max_bounces; interactions >= 0; --interactions) {
    for (int d = 0; d <= interactions; ++d) {
      const int r = interactions - d;
      const auto next_tile = [&](int reflections, int diffractions) {
        return limits_.may_reflect(reflections, diffractions) ? likely.at_tile[reflections][diffractions] : 0;
      };
      const auto next_member = [&](int reflections, int diffractions) {
        return limits_.may_diffract(reflections, diffractions) ? likely.of_member[reflections][diffractions] : 0;
      };
      likely.at_tile[r][d] = at_tile + next_tile(r + 1, d) + edges_of_tile * usual_row * next_member(r + 1, d);
      likely.of_member[r][d] =
          of_member + tiles_of_row * next_tile(r, d + 1) + edges_of_row * usual_row * next_member(r, d + 1);
    }
  }
  return likely;
}

}  // namespace tesseray
