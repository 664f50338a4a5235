// SPDX-License-Identifier: GPL-3.0-or-later
// Steps d to i of paper 000, III.E: reflection and diffraction of tubes, element by element.
#include <tbb/parallel_for.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <utility>

#include "core/propagation/bounced_rays.h"
#include "core/propagation/launch.h"

namespace tesseray {
namespace {

// A batch of elements may bring about this many children, by estimate, before they are bounced in turn: the memory
// that one level takes. The same for any number of threads.
constexpr std::size_t batch_children = std::size_t{1} << 20;
constexpr std::size_t elements_per_task = 16;
// A diffracted tube lights one in so many members of its row, or fewer.
constexpr std::size_t lit_of_row = 8;

// Of the time of the tubes of one level and all that come of them, what they take themselves, for the progress (means
// of docs/benchmarks/propagation.md).
double own_share_of(int level, const RayLaunchingOptions& options, const Pruning& pruning) {
  if (level + 1 >= options.max_bounces) return 1;
  if (level > 2) return 0.97;  // few rays may go on
  const auto l = static_cast<std::size_t>(level);
  if (options.max_diffractions > 1) {
    const bool few_go_on = pruning.roulette >= pruning_for(many_in_sight).roulette;
    return few_go_on ? std::array{0.16, 0.58, 0.96}[l] : std::array{0.08, 0.41, 0.96}[l];
  }
  if (options.max_bounces == 2) return 0.56;
  return options.max_bounces == 3 ? std::array{0.35, 0.56, 1.0}[l] : std::array{0.3, 0.45, 0.66}[l];
}

// The part of the work, about, that is done before each of the groups, and after the last: a row is laid out once, and
// tubes are tested against its members, of which those diffracted hit many.
std::vector<double> work_before(std::span<const TubeGroup> groups, const TargetPoints& points,
                                const Visibility& visibility) {
  constexpr double laying_out = 8, reflecting = 0.8, diffracting = 5.5;  // a member of the row, ns
  std::vector<double> work{0};
  for (const TubeGroup& group : groups) {
    const double per_tube = points.is_edge(group.element) ? diffracting : reflecting;
    const auto members = static_cast<double>(visibility.row_length(group.element) + 1);
    work.push_back(work.back() + members * (laying_out + per_tube * static_cast<double>(group.tubes.size())));
  }
  const double all = work.back();
  for (double& part : work) part /= all;
  return work;
}

}  // namespace

// Whose rays bounced_rays.h follows: this launch's, on one thread.
class Launch::RaysOfThread {
 public:
  RaysOfThread(Launch& launch, ThreadState& state, std::vector<Tube>& children)
      : launch_(launch), state_(state), children_(children) {}

  const LaunchView& view() const { return launch_.view_; }
  Link::Departure departure(const InteractionChain& chain, Vec3 direction) const {
    return chain.is_scattered() ? launch_.scattered_departure(chain, direction) : launch_.link_.depart(direction);
  }
  ComplexVec3 reflected(const InteractionChain& chain, const ComplexVec3& incident, Vec3 incidence,
                        const Tile& tile) const {
    return chain.is_scattered() ? launch_.reflected_diffuse(incident, incidence, tile)
                                : specularly_reflected(launch_.view_, incident, incidence, tile);
  }
  double vegetation_between(std::uint32_t element, std::uint32_t number) const {
    return launch_.vegetation_between(element, number);
  }
  bool may_go_on(const InteractionChain& chain, std::uint32_t element, int reflections, int diffractions) const {
    return launch_.may_go_on(chain, element, reflections, diffractions);
  }
  void arrive(const RayEnding& ending, std::uint32_t number) { launch_.arrive(ending, number, state_); }
  Tube& new_child() { return children_.emplace_back(); }

 private:
  Launch& launch_;
  ThreadState& state_;
  std::vector<Tube>& children_;
};

void DiffusePower::add(double ray_power, double departure_gain, double ray_length_m) {
  power += ray_power;
  basic += ray_power / std::max(departure_gain, 1e-6);
  length += ray_power * ray_length_m;
  squared_length += ray_power * ray_length_m * ray_length_m;
  first_length_m = rays == 0 ? ray_length_m : std::min(first_length_m, ray_length_m);
  ++rays;
}

void Launch::bounce(TubeParts tubes, int level, Progress& progress) {
  if (tubes.size() == 0) return;
  // The more rays have arrived, the more of the others are known to be weak.
  prepare_roulette();
  const TubeGroups groups(std::move(tubes), pruning_.tubes);
  const std::span<const TubeGroup> list = groups.list();
  for (const TubeGroup& group : list) {
    for (const Tube* tube : group.tubes) {
      const int scatterings = tube->chain.is_scattered() ? 1 : 0;
      ++tubes_by_interactions_[static_cast<std::size_t>(tube->interactions() + scatterings)];
    }
  }
  const double own_share = own_share_of(level, environment_.options, pruning_);
  const auto done_when = [&](double own, double by_children) {
    return own_share * own + (1 - own_share) * by_children;
  };
  const std::vector<double> work = work_before(list, environment_.points, environment_.visibility);
  double passed_on = 0;  // the part of the work of which the children have been bounced
  TubeParts children;
  for (std::size_t first = 0; first < list.size();) {
    progress.throw_if_cancelled();
    const std::size_t last = end_of_batch(list, first);
    PartOfStage own(progress, done_when(work[first], passed_on), done_when(work[last], passed_on));
    const std::span<const TubeGroup> batch = list.subspan(first, last - first);
    if (bouncer_) {
      bounce_in_batches(batch, children, own);
    } else {
      bounce_one_by_one(batch, std::span(work).subspan(first, batch.size() + 1), children, own);
    }
    if (children.size() >= batch_children) {
      PartOfStage of_children(progress, done_when(work[last], passed_on), done_when(work[last], work[last]));
      bounce(std::exchange(children, {}), level + 1, of_children);
      passed_on = work[last];
    }
    first = last;
  }
  PartOfStage of_children(progress, done_when(1, passed_on), 1);
  bounce(std::move(children), level + 1, of_children);
}

void Launch::bounce_one_by_one(std::span<const TubeGroup> groups, std::span<const double> work_before,
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
        collect_diffuse(groups[g]);
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

std::size_t Launch::end_of_batch(std::span<const TubeGroup> groups, std::size_t first) const {
  std::size_t last = first;
  for (std::size_t estimate = 0; last < groups.size() && estimate < batch_children; ++last) {
    const TubeGroup& group = groups[last];
    const std::size_t per_tube =
        environment_.points.is_edge(group.element) ? environment_.visibility.row_length(group.element) / lit_of_row : 2;
    estimate += group.tubes.size() * per_tube;
  }
  return last;
}

void Launch::read_row(std::uint32_t element, LaunchPhase phase, RowReader& reader) const {
  environment_.visibility.read_row(element, reader.row);
  count_row(phase, reader);
}

void Launch::read_useful_row(std::uint32_t element, int interactions, bool edges, RowReader& reader) const {
  if (environment_.points.tiles_are_targets()) {
    if (edges) {
      read_row(element, LaunchPhase::bounces, reader);
    } else {
      read_tiles_of_row(element, LaunchPhase::bounces, reader);
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
    read_row(element, LaunchPhase::bounces, reader);
    std::erase_if(reader.row, [&](std::uint32_t member) { return !is_in_reach(member, interactions); });
  }
}

bool Launch::may_do_anything(std::uint32_t element, int reflections, int diffractions) const {
  return is_in_reach(element, reflections + diffractions) &&
         tesseray::may_do_anything(view_, element, reflections, diffractions);
}

bool Launch::may_go_on(const InteractionChain& chain, std::uint32_t element, int reflections, int diffractions) const {
  if (!chain.is_scattered()) return may_do_anything(element, reflections, diffractions);
  const int had = reflections + diffractions;
  if (had != 1) return had == 0;
  return environment_.points.is_edge(element) == goes_on_at_edge(chain.after, chain.last()) &&
         is_in_reach(element, environment_.options.max_bounces - 1);
}

void Launch::go_on(const Outgoing& outgoing, std::uint32_t element, ThreadState& state, std::vector<Tube>& children) {
  RaysOfThread rays(*this, state, children);
  tesseray::go_on(outgoing, element, rays);
}

void Launch::collect_diffuse(const Tube& tube, std::uint32_t tile_number) {
  const Tile& tile = environment_.tiling.tiles[tile_number];
  const auto [power, gain] = diffuse_incidence(tube, tile);
  if (!(power > 0)) return;
  unsigned may_follow = 0;
  for (std::size_t kind = 0; kind < (tube.chain.over_rooftops ? 1 : diffuse_.kinds()); ++kind) {
    const auto after = static_cast<AfterScattering>(kind);
    if (!limits_.may_scatter(after, tube.reflections, tube.diffractions)) continue;
    may_follow |= 1u << kind;
    diffuse_.at(tile_number, after).add(power, gain, tube.length_m);
    if (environment_.options.scattering_lobe_exponent > 0) add_directive_lobe(tube, tile_number, after, power);
    collect_departures(tube, tile_number, power, after);
  }
  if (scattered_rays_.wanted()) {
    scattered_rays_.add(tile_number, {power, tube.length_m, tube.chain, static_cast<std::uint8_t>(may_follow)});
  }
}

void Launch::collect_diffuse(const TubeGroup& arrived) {
  for (const Tube* const tube : arrived.tubes) {
    if (tube->chain.is_scattered() || !limits_.may_scatter(tube->reflections, tube->diffractions)) continue;
    collect_diffuse(*tube, arrived.element);
  }
}

namespace {

// The fewest interactions that any of some tubes has had.
int least_interactions(std::span<const Tube* const> tubes) {
  int least = most_bounces;
  for (const Tube* tube : tubes) least = std::min(least, tube->interactions());
  return least;
}

}  // namespace

Launch::Onward Launch::onward_of(const TubeGroup& arrived) const {
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

std::span<const std::uint32_t> Launch::read_row_for(const TubeGroup& arrived, FollowedTo members, Onward onward,
                                                    RowReader& reader) const {
  if (members == FollowedTo::receivers) {
    reader.row.clear();
    return environment_.receiver_rows.seen_from(arrived.element);
  }
  if (arrived.tubes.front()->chain.is_scattered()) return read_row_of_scattered(arrived, reader);
  read_useful_row(arrived.element, least_interactions(arrived.tubes) + 1, onward.at_edges, reader);
  return environment_.receiver_rows.seen_from(arrived.element);
}

void Launch::bounce_tile(const TubeGroup& arrived, FollowedTo members, ThreadState& state,
                         std::vector<Tube>& children) {
  const std::uint32_t tile_number = arrived.element;
  const Tile& tile = environment_.tiling.tiles[tile_number];
  const TileFrame frame(tile);
  const TargetPointsView& points = environment_.points.view();
  RaysOfThread rays(*this, state, children);
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
    state.hits.clear();
    find_hits(state.intervals, bounds, state.search, state.hits);
    count_hits(phase_of(tube), state);
    const VirtualSource image = mirrored(tube.source, tile.centroid, tile.normal);
    if (image.is_edge()) {
      const EdgeImage edge(image, frame);
      std::erase_if(state.hits, [&](std::uint32_t hit) { return !reaches(edge, points, state.intervals.target[hit]); });
    }
    for (const std::uint32_t hit : state.hits) reflect(tube, tile, image, state.intervals.target[hit], rays);
  }
}

void Launch::bounce_edge(const TubeGroup& arrived, FollowedTo members, ThreadState& state,
                         std::vector<Tube>& children) {
  const std::uint32_t edge_number = arrived.element - environment_.points.tile_count();
  const EdgeSegment& edge = environment_.tiling.edges[edge_number];
  const Wedge wedge = view_.wedge_of(edge);
  const std::span<const std::uint32_t> receivers = read_row_for(arrived, members, onward_of(arrived), state);
  lay_out_edge_row(environment_.tiling, environment_.points, edge_number, state.row, receivers, state.layout,
                   state.intervals);
  RaysOfThread rays(*this, state, children);
  for (const Tube* const tube : arrived.tubes) {
    const TubeAtEdge at_edge(*tube, wedge, view_.environment);
    if (!at_edge.incidence.in_air()) continue;
    state.hits.clear();
    find_hits(state.intervals, edge_bounds(edge, tube->source.point), state.search, state.hits);
    count_hits(phase_of(*tube), state);
    for (const std::uint32_t hit : state.hits) diffract(at_edge, state.intervals.target[hit], rays);
  }
}

}  // namespace tesseray
