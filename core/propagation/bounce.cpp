// SPDX-License-Identifier: GPL-3.0-or-later
// Reflection and diffraction of tubes, element by element.
#include <tbb/parallel_for.h>

#include <algorithm>
#include <atomic>
#include <utility>

#include "core/propagation/bounced_rays.h"
#include "core/propagation/bounces.h"

namespace tesseray {
namespace {

constexpr std::size_t elements_per_task = 16;
// A diffracted tube lights one in so many members of its row, or fewer.
constexpr std::size_t lit_of_row = 8;

}  // namespace

// Whose rays bounced_rays.h follows: this launch's, on one thread.
class Bounces::RaysOfThread {
 public:
  RaysOfThread(const Bounces& bounces, ThreadArrivals* arrivals, std::vector<Tube>& children)
      : bounces_(bounces), arrivals_(arrivals), children_(children) {}

  const LaunchView& view() const { return bounces_.view_; }
  Link::Departure departure(const InteractionChain& chain, Vec3 direction) const {
    return chain.is_scattered() ? bounces_.scattering_.departure(chain, direction) : bounces_.link_.depart(direction);
  }
  ComplexVec3 reflected(const InteractionChain& chain, const ComplexVec3& incident, Vec3 incidence,
                        const Tile& tile) const {
    return chain.is_scattered() ? bounces_.scattering_.reflected(incident, incidence, tile)
                                : specularly_reflected(bounces_.view_, incident, incidence, tile);
  }
  double vegetation_between(std::uint32_t element, std::uint32_t number) const {
    return bounces_.setting_.vegetation_between(element, number);
  }
  bool may_go_on(const InteractionChain& chain, std::uint32_t element, int reflections, int diffractions) const {
    return bounces_.setting_.may_go_on(chain, element, reflections, diffractions);
  }
  void arrive(const RayEnding& ending, std::uint32_t number) {
    if (arrivals_ == nullptr) return;
    if (ending.chain.is_scattered()) {
      bounces_.scattering_.arrive(ending, number, *arrivals_);
    } else {
      bounces_.arrivals_.arrive(ending, number, *arrivals_);
    }
  }
  Tube& new_child() { return children_.emplace_back(); }

 private:
  const Bounces& bounces_;
  ThreadArrivals* const arrivals_;
  std::vector<Tube>& children_;
};

Bounces::Bounces(const LaunchSetting& setting, const FirstLevelRecord& record, LaunchArrivals& arrivals,
                 ScatteringTiles& scattering, const Pruning& pruning)
    : setting_(setting),
      environment_(setting.environment),
      link_(setting.link),
      limits_(setting.limits),
      arrivals_(arrivals),
      scattering_(scattering),
      pruning_(pruning),
      view_(record.view),
      states_([this] { return ThreadState(&arrivals_.of_thread()); }) {}

LaunchCost Bounces::cost() const {
  LaunchCost cost;
  for (const ThreadState& state : states_) cost.merge(state.cost);
  for (const BatchState& state : batch_states_) cost.merge(state.cost);
  return cost;
}

void Bounces::bounce_first(std::vector<Tube> tubes, WorkProgress& progress, const BouncePace& pace) {
  TubeParts first;
  first.add(std::move(tubes));
  if (environment_.tube_bouncer != nullptr) bouncer_ = environment_.tube_bouncer->start(view_);
  bounce(std::move(first), progress, pace);
  take_bounced();
  bouncer_.reset();
}

void Bounces::count(std::span<const TubeGroup> groups) {
  for (const TubeGroup& group : groups) {
    for (const Tube* tube : group.tubes) {
      const int scatterings = tube->chain.is_scattered() ? 1 : 0;
      ++tubes_by_interactions_[static_cast<std::size_t>(tube->interactions() + scatterings)];
    }
  }
}

void Bounces::bounce(TubeParts tubes, WorkProgress& progress, const BouncePace& pace) {
  if (tubes.size() == 0) return;
  // The more rays have arrived, the more of the others are known to be weak.
  prepare_roulette();
  const TubeGroups groups(std::move(tubes), pruning_.tubes);
  const std::span<const TubeGroup> list = groups.list();
  count(list);
  LevelWork work(look_ahead(list, pace), pace);
  const int interactions = list.front().tubes.front()->interactions();
  TubeParts children;
  const auto bounce_children = [&](std::size_t last) {
    const double before = progress.done();
    bounce(std::exchange(children, {}), progress, work.pass_on(last));
    work.take_passed_on(progress.done() - before);
  };
  for (std::size_t first = 0; first < list.size();) {
    progress.throw_if_cancelled();
    const std::size_t last = end_of_batch(list, first), had = children.size();
    const std::span<const TubeGroup> batch = list.subspan(first, last - first);
    const double expected = work.own(first, last), before = usual_seconds(interactions);
    {
      WorkProgress::Piece piece(progress, expected, work.left_after(last));
      if (bouncer_) {
        bounce_in_batches(batch, children, piece);
      } else {
        bounce_one_by_one(batch, work.own_before(first, last), children, piece);
      }
    }
    const double brought = seconds_of_child * static_cast<double>(children.size() - had);
    progress.correct(work.take_own(first, last, brought + usual_seconds(interactions) - before) - expected);
    if (children.size() >= batch_children) bounce_children(last);
    first = last;
  }
  bounce_children(list.size());
}

void Bounces::bounce_one_by_one(std::span<const TubeGroup> groups, std::span<const double> work_before,
                                TubeParts& children, Progress& progress) {
  const std::size_t tasks = (groups.size() + elements_per_task - 1) / elements_per_task;
  std::atomic<double> done{0};
  std::vector<std::vector<Tube>> produced(tasks);
  tbb::parallel_for(std::size_t{0}, tasks, [&](std::size_t task) {
    progress.throw_if_cancelled();
    ThreadState& state = states_.local();
    const std::size_t begin = task * elements_per_task, end = std::min(groups.size(), begin + elements_per_task);
    for (std::size_t g = begin; g < end; ++g) {
      if (environment_.points.is_tile(groups[g].element)) {
        scattering_.take_in(groups[g]);
        bounce_tile(groups[g], FollowedTo::all, state, produced[task]);
      } else {
        bounce_edge(groups[g], FollowedTo::all, state, produced[task]);
      }
    }
    const double more = (work_before[end] - work_before[begin]) / (work_before.back() - work_before.front());
    progress.advance(done.fetch_add(more) + more);
  });
  for (std::vector<Tube>& part : produced) children.add(std::move(part));
}

std::size_t Bounces::end_of_batch(std::span<const TubeGroup> groups, std::size_t first) const {
  std::size_t last = first;
  for (std::size_t estimate = 0; last < groups.size() && estimate < batch_children; ++last) {
    const TubeGroup& group = groups[last];
    const std::size_t per_tube =
        environment_.points.is_edge(group.element) ? environment_.visibility.row_length(group.element) / lit_of_row : 2;
    estimate += group.tubes.size() * per_tube;
  }
  return last;
}

void Bounces::read_useful_row(std::uint32_t element, int interactions, bool edges, RowReader& reader) const {
  if (environment_.points.tiles_are_targets()) {
    if (edges) {
      reader.read_row(environment_.visibility, element, LaunchPhase::bounces);
    } else {
      reader.read_tiles_of_row(environment_.visibility, element, LaunchPhase::bounces);
    }
    return;
  }
  const int left = environment_.options.max_bounces - interactions;
  const auto next_to_receivers = environment_.reach.next_to_receivers(element);
  if (left <= 0) {
    reader.row.clear();
  } else if (left == 1 && next_to_receivers) {
    reader.row.assign(next_to_receivers->begin(), next_to_receivers->end());
  } else {
    reader.read_row(environment_.visibility, element, LaunchPhase::bounces);
    std::erase_if(reader.row, [&](std::uint32_t member) { return !setting_.is_in_reach(member, interactions); });
  }
}

void Bounces::go_on(const Outgoing& outgoing, std::uint32_t element, std::vector<Tube>& children) {
  RaysOfThread rays(*this, &arrivals_.of_thread(), children);
  tesseray::go_on(outgoing, element, rays);
}

namespace {

// The fewest interactions that any of some tubes has had.
int least_interactions(std::span<const Tube* const> tubes) {
  int least = most_bounces;
  for (const Tube* tube : tubes) least = std::min(least, tube->interactions());
  return least;
}

}  // namespace

Bounces::Onward Bounces::onward_of(const TubeGroup& arrived) const {
  const int reflected = environment_.points.is_tile(arrived.element) ? 1 : 0;
  Onward onward;
  for (const Tube* const tube : arrived.tubes) {
    if (tube->chain.is_scattered()) {
      const bool goes_on = tube->interactions() == 0;
      return {goes_on, goes_on};
    }
    const int reflections = tube->reflections + reflected, diffractions = tube->diffractions + 1 - reflected;
    onward.at_edges |= limits_.may_diffract(reflections, diffractions);
    onward.at_tiles |= limits_.may_reflect(reflections, diffractions) || limits_.may_scatter(reflections, diffractions);
  }
  return onward;
}

std::span<const std::uint32_t> Bounces::read_row_for(const TubeGroup& arrived, FollowedTo members, Onward onward,
                                                     RowReader& reader) const {
  if (members == FollowedTo::receivers) {
    reader.row.clear();
    return environment_.receiver_rows.seen_from(arrived.element);
  }
  if (arrived.tubes.front()->chain.is_scattered()) return read_row_of_scattered(arrived, reader);
  read_useful_row(arrived.element, least_interactions(arrived.tubes) + 1, onward.at_edges, reader);
  return environment_.receiver_rows.seen_from(arrived.element);
}

std::span<const std::uint32_t> Bounces::read_row_of_scattered(const TubeGroup& arrived, RowReader& reader) const {
  const TargetPoints& points = environment_.points;
  const Tube& tube = *arrived.tubes.front();
  const bool is_last = tube.interactions() > 0;
  if (is_last) {
    reader.row.clear();
    if (points.tiles_are_targets())
      reader.read_tiles_of_row(environment_.visibility, arrived.element, LaunchPhase::then_two);
    return environment_.receiver_rows.seen_from(arrived.element);
  }
  const bool to_edges = setting_.goes_on_at_edge(tube.chain.after, arrived.element);
  if (!to_edges && points.tiles_are_targets()) {
    reader.read_tiles_of_row(environment_.visibility, arrived.element, LaunchPhase::then_two);
  } else {
    read_useful_row(arrived.element, environment_.options.max_bounces - 1, true, reader);
    std::erase_if(reader.row, [&](std::uint32_t member) { return points.is_edge(member) != to_edges; });
  }
  return {};
}

void Bounces::bounce_tile(const TubeGroup& arrived, FollowedTo members, ThreadState& state,
                          std::vector<Tube>& children) const {
  const std::uint32_t tile_number = arrived.element;
  const Tile& tile = environment_.tiling.tiles[tile_number];
  const TileFrame frame(tile);
  const TargetPointsView& points = environment_.points.view();
  RaysOfThread rays(*this, state.arrivals, children);
  bool laid_out = false;
  for (const Tube* const tube_pointer : arrived.tubes) {
    const Tube& tube = *tube_pointer;
    if (!tube.chain.is_scattered() && !limits_.may_reflect(tube.reflections, tube.diffractions)) continue;
    IntervalBounds bounds;
    if (!reflection_bounds(tube.source, tile, frame, bounds)) continue;
    if (!laid_out) {
      const Onward onward = onward_of(arrived);
      const std::span<const std::uint32_t> receivers = read_row_for(arrived, members, onward, state);
      lay_out_tile_row(environment_.points, frame, tile_number, state.row, receivers, onward.any(), state.layout,
                       state.intervals);
      laid_out = true;
    }
    state.find(bounds, phase_of(tube));
    const VirtualSource image = mirrored(tube.source, tile.centroid, tile.normal);
    if (image.is_edge()) {
      const EdgeImage edge(image, frame);
      std::erase_if(state.hits, [&](std::uint32_t hit) { return !reaches(edge, points, state.intervals.target[hit]); });
    }
    for (const std::uint32_t hit : state.hits) reflect(tube, tile, image, state.intervals.target[hit], rays);
  }
}

void Bounces::bounce_edge(const TubeGroup& arrived, FollowedTo members, ThreadState& state,
                          std::vector<Tube>& children) const {
  const std::uint32_t edge_number = arrived.element - environment_.points.tile_count();
  const EdgeSegment& edge = environment_.tiling.edges[edge_number];
  const Wedge wedge = view_.wedge_of(edge);
  const std::span<const std::uint32_t> receivers = read_row_for(arrived, members, onward_of(arrived), state);
  lay_out_edge_row(environment_.tiling, environment_.points, edge_number, state.row, receivers, state.layout,
                   state.intervals);
  RaysOfThread rays(*this, state.arrivals, children);
  for (const Tube* const tube : arrived.tubes) {
    const TubeAtEdge at_edge(*tube, wedge, view_.environment);
    if (!at_edge.incidence.in_air()) continue;
    state.find(edge_bounds(edge, tube->source.point), phase_of(*tube));
    for (const std::uint32_t hit : state.hits) diffract(at_edge, state.intervals.target[hit], rays);
  }
}

}  // namespace tesseray
