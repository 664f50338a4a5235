// SPDX-License-Identifier: GPL-3.0-or-later
// Reflection and diffraction of tubes, element by element.
#include <tbb/parallel_for.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <numeric>
#include <optional>
#include <utility>

#include "core/base/parallel.h"
#include "core/propagation/launching/bounces.h"
#include "core/propagation/launching/launch_forecast.h"
#include "core/propagation/tubes/bounced_rays.h"

namespace tesseray {
namespace {

constexpr std::size_t elements_per_task = 16;

// Calls visit(g) for each of the groups, by all threads.
template <class Visit>
void for_each_group(std::span<const TubeGroup> groups, const Visit& visit) {
  constexpr std::size_t groups_per_block = 1024;
  parallel_blocks(groups.size(), groups_per_block, no_progress(), [&](std::size_t begin, std::size_t end) {
    for (std::size_t g = begin; g < end; ++g) visit(g);
  });
}

// How much is before each of the groups, and after the last, as a part of all.
template <class AmountOf>
std::vector<double> parts_before(std::span<const TubeGroup> groups, const AmountOf& amount_of) {
  std::vector<double> before(groups.size() + 1, 0.0);
  for_each_group(groups, [&](std::size_t g) { before[g + 1] = amount_of(groups[g]); });
  std::partial_sum(before.begin(), before.end(), before.begin());
  const double all = before.back();
  for (double& part : before) part /= all;
  return before;
}

// Of the work of a level: a row is laid out once, and tubes are tested against its members, of which those diffracted
// hit many.
std::vector<double> work_before(std::span<const TubeGroup> groups, const TargetPoints& points,
                                const Visibility& visibility) {
  constexpr double laying_out = 8, reflecting = 0.8, diffracting = 3;  // a member of the row, ns
  return parts_before(groups, [&](const TubeGroup& group) {
    const double per_tube = points.is_edge(group.element) ? diffracting : reflecting;
    const auto members = static_cast<double>(visibility.row_length(group.element) + 1);
    return members * (laying_out + per_tube * static_cast<double>(group.tubes.size()));
  });
}

// Of the time of all that comes of a level, about, over that of a tube which a tile reflects: what an edge segment
// diffracts brings little more when it may be diffracted no more. Of the first level the segments that come first bring
// most, which tubes at tiles, that come before them, stand for.
std::vector<double> children_before(std::span<const TubeGroup> groups, int level, bool drawn,
                                    const TargetPoints& points, const Visibility& visibility) {
  const double of_member = drawn ? (level == 0 ? 0.0026 : 0.00016) : (level == 0 ? 0.1 : 0.0016);
  return parts_before(groups, [&](const TubeGroup& group) {
    const auto tubes = static_cast<double>(group.tubes.size());
    return points.is_edge(group.element) ? tubes * of_member * (visibility.row_length(group.element) + 1) : tubes;
  });
}

// What of all entries of tiles' rows tubes are tested against at edge segments, each tube counted.
double edge_pairs(std::span<const TubeGroup> groups, const TargetPoints& points, const Visibility& visibility) {
  std::vector<double> pairs(groups.size());
  for_each_group(groups, [&](std::size_t g) {
    const TubeGroup& group = groups[g];
    if (!points.is_edge(group.element)) return;
    pairs[g] = static_cast<double>(group.tubes.size()) * visibility.row_length(group.element);
  });
  return std::accumulate(pairs.begin(), pairs.end(), 0.0);
}

// How many children the groups of a level bring about: at first as many as there may be, from then on twice what those
// before them brought, since most tubes are too weak to go on. Tiles and edge segments, which differ much in that, are
// never in one batch; and batches grow eightfold at most, since later ones may bring more.
class ExpectedChildren {
 public:
  ExpectedChildren(std::span<const TubeGroup> groups, const TargetPoints& points, const Visibility& visibility)
      : groups_(groups), points_(points), most_(groups.size()) {
    for_each_group(groups, [&](std::size_t g) { most_[g] = most_of(groups[g], visibility); });
  }

  // The groups from `first` on that bring about so many children.
  std::size_t end_of_batch(std::size_t first, std::size_t children) const {
    const bool at_edge = is_at_edge(first);
    std::size_t last = first;
    for (double expected = 0; last < groups_.size() && expected < static_cast<double>(children); ++last) {
      if (is_at_edge(last) != at_edge) break;
      expected += share_[at_edge ? 1 : 0] * most_[last];
    }
    return last;
  }
  void learn(std::size_t first, std::size_t end, std::size_t children) {
    constexpr double margin = 2, least = 1.0 / 8;
    double& share = share_[is_at_edge(first) ? 1 : 0];
    const auto begin = most_.begin();
    const double most =
        std::accumulate(begin + static_cast<std::ptrdiff_t>(first), begin + static_cast<std::ptrdiff_t>(end), 0.0);
    share = std::max(margin * static_cast<double>(children) / most, least * share);
  }

 private:
  bool is_at_edge(std::size_t group) const { return points_.is_edge(groups_[group].element); }
  double most_of(const TubeGroup& group, const Visibility& visibility) const {
    // A diffracted tube lights one in so many members of its row, or fewer.
    constexpr double lit_of_row = 8, of_tile = 2;
    const double per_tube =
        points_.is_edge(group.element) ? 1 + visibility.row_length(group.element) / lit_of_row : of_tile;
    return static_cast<double>(group.tubes.size()) * per_tube;
  }

  std::span<const TubeGroup> groups_;
  const TargetPoints& points_;
  std::vector<double> most_;  // by group
  double share_[2] = {1, 1};  // of that, at tiles, at edge segments
};

}  // namespace

// Whose rays bounced_rays.h follows: this launch's, on one thread.
class Bounces::RaysOfThread {
 public:
  // Without a state no ray may arrive.
  RaysOfThread(const Bounces& bounces, ThreadState* state, std::vector<Tube>& children)
      : bounces_(bounces), state_(state), children_(children) {}

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
    const bool is_to_follow = is_followed(view().environment.points, ending.chain, number);
    ++state_->arrived_rays;
    if (is_to_follow) ++state_->followed_rays;
    if (state_->arrivals == nullptr) return;
    if (!is_to_follow) return bounces_.arrive(ending, number, *state_->arrivals);
    const LeftOfRay left = bounces_.follow(ending, number, state_->in_any_order);
    if (!(left.amplitude > 0)) return;
    HeldRay ray(ending, number);
    ray.keep(left);
    bounces_.arrive(ray.ending(), number, *state_->arrivals);
  }
  Tube& new_child() { return children_.emplace_back(); }

 private:
  const Bounces& bounces_;
  ThreadState* state_;
  std::vector<Tube>& children_;
};

Bounces::Bounces(const LaunchSetting& setting, const FirstLevelRecord& record, const RooftopWaves& waves,
                 LaunchArrivals& arrivals, ScatteringTiles& scattering, const Pruning& pruning, double row_entries)
    : setting_(setting),
      environment_(setting.environment),
      link_(setting.link),
      limits_(setting.limits),
      arrivals_(arrivals),
      scattering_(scattering),
      pruning_(pruning),
      row_entries_(row_entries),
      roofs_before_walls_(setting, waves),
      ray_legs_(environment_, setting.transmitter, record.view, &roofs_before_walls_),
      view_(record.view),
      states_([this] { return ThreadState(&arrivals_.of_thread()); }) {}

LaunchCost Bounces::cost() const {
  LaunchCost cost;
  for (const ThreadState& state : states_) cost.merge(state.cost);
  for (const BatchState& state : batch_states_) cost.merge(state.cost);
  return cost;
}

void Bounces::arrive(const RayEnding& ending, std::uint32_t number, ThreadArrivals& arrivals) const {
  if (ending.chain.is_scattered()) {
    scattering_.arrive(ending, number, arrivals);
  } else {
    arrivals_.arrive(ending, number, arrivals);
  }
}

LeftOfRay Bounces::follow(const RayEnding& ending, std::uint32_t number, RaysInAnyOrder& in_any_order) const {
  constexpr LeftOfRay nothing{.amplitude = 0};
  const std::optional<RayLegs::FreeRay> ray = ray_legs_.follow(ending, number);
  if (!ray) return nothing;
  const LeftOfRay& left = ray->left_at_wall;
  if (!ray->in_any_order) return left;
  if (ray->comes_as_drawn) {
    in_any_order.arrived.push_back(*ray->in_any_order);
    return left;
  }
  in_any_order.waiting.push_back({*ray->in_any_order, HeldRay(ending, number)});
  in_any_order.waiting.back().held.keep(left);
  return nothing;
}

void Bounces::arrive_in_other_orders() {
  std::vector<const RaysInAnyOrder*> of_threads;
  for (const ThreadState& state : states_) of_threads.push_back(&state.in_any_order);
  for (const WaitingRay& waiting : not_arrived(of_threads)) {
    arrive(waiting.held.ending(), waiting.held.number, arrivals_.of_thread());
  }
}

void Bounces::bounce_first(TubeParts tubes, std::function<void(double)> foretold, Progress& progress) {
  foretold_ = std::move(foretold);
  if (environment_.tube_bouncer != nullptr) {
    bouncer_ = environment_.tube_bouncer->start(view_);
    if (pruning_.roulette > 0) bouncer_->know_before(arrivals_.gain_sums());
  }
  bounce(std::move(tubes), 0, progress);
  take_bounced();
  bouncer_.reset();
  foretold_ = {};
  if (!expected_ns_) return;
  sampled_over_done_ = *expected_ns_ / done_ns_;
  expected_ns_.reset();
  progress.advance(1);
}

void Bounces::bounce(TubeParts tubes, int level, Progress& progress) {
  if (tubes.size() == 0) return;
  // The more rays have arrived, the more of the others are known to be weak.
  prepare_roulette();
  TubesOfLevel at_level{.level = level, .tubes = static_cast<double>(tubes.size())};
  std::optional<TubeGroups> groups(std::in_place, std::move(tubes), pruning_.tubes);
  const std::span<const TubeGroup> list = groups->list();
  count_by_interactions(list);
  at_level.edge_pairs = edge_pairs(list, environment_.points, environment_.visibility);
  at_level.row_entries = row_entries_;
  const double own_share = own_share_of(at_level, environment_.options, pruning_);
  const auto done_when = [&](double own, double by_children) {
    return own_share * own + (1 - own_share) * by_children;
  };
  // What is done of all that is expected is told as such, on whatever level.
  const auto part = [&](double begin, double end) {
    return expected_ns_ ? PartOfStage(progress, 0, 1) : PartOfStage(progress, begin, end);
  };
  const std::vector<double> work = work_before(list, environment_.points, environment_.visibility);
  const std::vector<double> brought =
      children_before(list, level, pruning_.roulette > 0, environment_.points, environment_.visibility);
  // Of the children that there may be before they bounce, this part may be brought at once, however near they are.
  constexpr std::size_t least_part = 4;
  const std::size_t most_children = environment_.options.tubes_of_level;
  double passed_on = 0;  // the part of the children that have been bounced
  TubeParts children;
  ExpectedChildren expected(list, environment_.points, environment_.visibility);
  for (std::size_t first = 0; first < list.size();) {
    progress.throw_if_cancelled();
    const std::size_t before = children.size();
    const std::size_t last =
        expected.end_of_batch(first, std::max(most_children - before, most_children / least_part + 1));
    PartOfStage own = part(done_when(work[first], passed_on), done_when(work[last], passed_on));
    const std::span<const TubeGroup> batch = list.subspan(first, last - first);
    if (bouncer_) {
      bounce_in_batches(batch, children, own);
    } else {
      bounce_one_by_one(batch, std::span(work).subspan(first, batch.size() + 1), children, own);
    }
    expected.learn(first, last, children.size() - before);
    if (children.size() >= most_children) {
      groups->drop_before(last);
      foretell(children, brought[last], progress);
      PartOfStage of_children = part(done_when(work[last], passed_on), done_when(work[last], brought[last]));
      bounce(std::exchange(children, {}), level + 1, of_children);
      passed_on = brought[last];
    }
    first = last;
  }
  groups.reset();  // before their last children bounce
  foretell(children, 1, progress);
  PartOfStage of_children = part(done_when(1, passed_on), 1);
  bounce(std::move(children), level + 1, of_children);
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
    state.children.clear();
    double ns = 0;
    for (std::size_t g = begin; g < end; ++g) {
      if (environment_.points.is_tile(groups[g].element)) scattering_.take_in(groups[g]);
      const GroupWork work = bounce_group(groups[g], state, state.children);
      ns += work.row_ns() + work.rays_ns();
    }
    // What grew one by one has room for up to twice as many; tubes wait in as much memory as they need.
    produced[task].assign(state.children.begin(), state.children.end());
    const double done_ns = done_ns_.fetch_add(ns) + ns;
    if (expected_ns_) {
      progress.advance(std::min(1.0, done_ns / *expected_ns_));
      return;
    }
    const double more = (work_before[end] - work_before[begin]) / (work_before.back() - work_before.front());
    progress.advance(done.fetch_add(more) + more);
  });
  for (std::vector<Tube>& part : produced) children.add(std::move(part));
}

void Bounces::count_by_interactions(std::span<const TubeGroup> groups) {
  constexpr std::size_t groups_per_block = 256;
  std::array<std::atomic<std::uint64_t>, most_bounces + 1> counts{};
  parallel_blocks(groups.size(), groups_per_block, no_progress(), [&](std::size_t begin, std::size_t end) {
    std::array<std::uint64_t, most_bounces + 1> of_block{};
    for (const TubeGroup& group : groups.subspan(begin, end - begin)) {
      for (const Tube* tube : group.tubes) {
        const int scatterings = tube->chain.is_scattered() ? 1 : 0;
        ++of_block[static_cast<std::size_t>(tube->interactions() + scatterings)];
      }
    }
    for (std::size_t i = 0; i < counts.size(); ++i) counts[i] += of_block[i];
  });
  for (std::size_t i = 0; i < counts.size(); ++i) tubes_by_interactions_[i] += counts[i];
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
  RaysOfThread rays(*this, nullptr, children);
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

TargetsBesideRow Bounces::read_row_for(const TubeGroup& arrived, FollowedTo members, Onward onward,
                                       RowReader& reader) const {
  if (members == FollowedTo::receivers) {
    reader.row.clear();
    return {environment_.receiver_rows.seen_from(arrived.element), {}};
  }
  if (arrived.tubes.front()->chain.is_scattered()) return read_row_of_scattered(arrived, reader);
  read_useful_row(arrived.element, least_interactions(arrived.tubes) + 1, onward.at_edges, reader);
  return environment_.targets_beside_row(arrived.element);
}

TargetsBesideRow Bounces::read_row_of_scattered(const TubeGroup& arrived, RowReader& reader) const {
  const TargetPoints& points = environment_.points;
  const Tube& tube = *arrived.tubes.front();
  const bool is_last = tube.interactions() > 0;
  if (is_last) {
    reader.row.clear();
    if (points.tiles_are_targets())
      reader.read_tiles_of_row(environment_.visibility, arrived.element, LaunchPhase::then_two);
    return environment_.targets_beside_row(arrived.element);
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
  RaysOfThread rays(*this, &state, children);
  state.reflected.clear();
  IntervalBounds of_all = IntervalBounds::none();
  for (const Tube* const tube : arrived.tubes) {
    if (!tube->chain.is_scattered() && !limits_.may_reflect(tube->reflections, tube->diffractions)) continue;
    IntervalBounds bounds;
    if (!reflection_bounds(view_, *tube, tile, frame, bounds)) continue;
    state.reflected.push_back({tube, bounds});
    of_all.extend(bounds);
  }
  if (state.reflected.empty()) return;
  const Onward onward = onward_of(arrived);
  const TargetsBesideRow beside = read_row_for(arrived, members, onward, state);
  lay_out_tile_row(environment_.points, frame, tile_number, state.row, beside, onward.any(), of_all, state.layout,
                   state.intervals);
  for (const auto& [tube_pointer, bounds] : state.reflected) {
    const Tube& tube = *tube_pointer;
    state.find(bounds, phase_of(tube));
    const VirtualSource image = mirrored(tube.source, tile.centroid, tile.normal);
    if (image.is_edge()) {
      const EdgeImage edge = edge_image(view_, tube, image, tile, frame);
      std::erase_if(state.hits, [&](std::uint32_t hit) { return !reaches(edge, points, state.intervals.target[hit]); });
    }
    for (const std::uint32_t hit : state.hits) reflect(tube, tile, image, state.intervals.target[hit], rays);
  }
}

void Bounces::leave_out_surely_not_drawn(const TubeAtEdge& at_edge, ThreadState& state) const {
  const Tube& tube = at_edge.tube;
  const RoughDraw draw(at_edge, view_.link.wave_number);
  const std::size_t left_out = std::erase_if(state.hits, [&](std::uint32_t hit) {
    const std::uint32_t target = state.intervals.target[hit];
    const PointPastEdge point = point_past_edge(at_edge.edge, target_past_edge(environment_.points.view(), target));
    return is_surely_not_drawn(view_, draw, tube.chain, tube.element, point, target & RowTarget::number_mask);
  });
  state.cost[phase_of(tube)].contributions -= left_out;
}

void Bounces::bounce_edge(const TubeGroup& arrived, FollowedTo members, ThreadState& state,
                          std::vector<Tube>& children) const {
  const std::uint32_t edge_number = arrived.element - environment_.points.tile_count();
  const EdgeSegment& edge = environment_.tiling.edges[edge_number];
  const Wedge wedge = view_.wedge_of(edge);
  const TargetsBesideRow beside = read_row_for(arrived, members, onward_of(arrived), state);
  lay_out_edge_row(environment_.tiling, environment_.points, edge_number, state.row, beside, state.layout,
                   state.intervals);
  const bool draws = view_.roulette_gain != nullptr;
  RaysOfThread rays(*this, &state, children);
  for (const Tube* const tube : arrived.tubes) {
    const TubeAtEdge at_edge(*tube, wedge, view_);
    if (!at_edge.incidence.in_air()) continue;
    state.find(edge_bounds(edge, tube->source.point), phase_of(*tube));
    if (draws) leave_out_surely_not_drawn(at_edge, state);
    for (const std::uint32_t hit : state.hits) diffract(at_edge, state.intervals.target[hit], rays);
  }
}

}  // namespace tesseray
