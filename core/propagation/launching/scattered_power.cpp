// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/propagation/launching/scattered_power.h"

#include <algorithm>

#include "core/base/parallel.h"
#include "core/base/units.h"
#include "core/propagation/rows/weighted_sample.h"
#include "core/propagation/scattering/lit_cotangents.h"

namespace tesseray {
namespace {

constexpr std::size_t rows_per_block = 32, tiles_per_block = 4096;

// Those of the places of members to which beams come, in their order. Written without a branch: which they are cannot
// be foretold.
void find_reached(const EdgeBeams& beams, std::span<const std::uint32_t> places, std::vector<std::uint32_t>& reached) {
  reached.resize(places.size());
  std::size_t count = 0;
  for (const std::uint32_t place : places) {
    reached[count] = place;
    count += beams.rays[place] > 0 ? 1 : 0;
  }
  reached.resize(count);
}

// Calls found(i) for each estimate of 1 and more, ascending. Few of them are: most blocks have none.
template <class Found>
void for_strong(std::span<const float> estimates, const Found& found) {
  constexpr std::size_t block = 32;
  for (std::size_t begin = 0; begin < estimates.size(); begin += block) {
    const std::size_t end = std::min(begin + block, estimates.size());
    std::uint32_t strong = 0;
    for (std::size_t i = begin; i < end; ++i) strong |= estimates[i] >= 1 ? 1u : 0u;
    if (strong == 0) continue;
    for (std::size_t i = begin; i < end; ++i) {
      if (estimates[i] >= 1) found(i);
    }
  }
}

}  // namespace

std::uint64_t ScatteredPower::bytes_per_tile(const RayLaunchingOptions& options) {
  if (options.max_scatterings == 0) return 0;
  const std::uint64_t per_kind = sizeof(RoughScatterer) + sizeof(double);
  return after_scattering_kinds(options.max_after_scattering) * per_kind + sizeof(float);
}

ScatteredPower::ScatteredPower(const LaunchSetting& setting, LaunchArrivals& arrivals,
                               const ScatteringTiles& scattering, const Pruning& pruning)
    : setting_(setting),
      environment_(setting.environment),
      link_(setting.link),
      arrivals_(arrivals),
      scattering_(scattering),
      columns_(scattering.columns()),
      diffuse_(scattering.powers()),
      pruning_(pruning),
      scattering_view_(scattering.view()),
      states_([this] { return ThreadState(arrivals_.of_thread()); }) {
  scattering_view_.pruning = pruning_;
  prepare_scatterers();
  prepare_scattered_draw();
  if (environment_.row_scatterer != nullptr) scatterer_ = environment_.row_scatterer->start(scattering_view_);
}

LaunchCost ScatteredPower::cost() const {
  LaunchCost cost;
  for (const ThreadState& state : states_) cost.merge(state.cost);
  for (const BatchState& state : batch_states_) cost.merge(state.cost);
  return cost;
}

void ScatteredPower::gather_scattered(std::uint32_t number, std::span<const std::uint32_t> row, SeenFrom seen_from,
                                      ThreadState& state) const {
  const Vec3 target = environment_.points.arrival(number);
  find_scattering(AfterScattering::nothing, number, row, state);
  const std::vector<std::uint32_t>& tiles = state.drawn.numbers;
  if (tiles.empty()) return;
  scattering_.radiate(AfterScattering::nothing, tiles, target, state.radiated);
  DiffuseSum sum;
  for (std::size_t i = 0; i < tiles.size(); ++i) {
    const std::uint32_t tile = tiles[i];
    const double length = state.radiated.length_m[i];
    const DiffuseDensity densities = length < columns_.near_m(tile) ? diffuse_density(scattering_view_, tile, target)
                                                                    : DiffuseDensity{state.radiated.density[i]};
    const double density = densities.of_all;
    if (!(density > 0)) continue;
    const Vec3 direction{state.radiated.x[i], state.radiated.y[i], state.radiated.z[i]};
    // Asked from the target, one row of the pairs says all; of what its own point sees there is none.
    const double vegetation = seen_from == SeenFrom::middle
                                  ? setting_.vegetation_between(number, tile)
                                  : setting_.vegetation.amplitude(environment_.points.reference(tile), target);
    const DiffuseTarget at_target =
        standing_for(static_cast<double>(state.drawn.stand_for[i]),
                     diffuse_target_of_tile(scattering_view_, number, tile, direction, length, vegetation));
    const double by_ground = reflected_below(scattering_view_, number, direction);
    const double by_ground_of_all = by_ground * scattering_.beyond_limits_of_all(tile, densities);
    add_diffuse(diffuse_.with_ground(tile, AfterScattering::nothing, by_ground_of_all), density, length, at_target,
                sum);
    scattering_.add_wideband(tile, AfterScattering::nothing, density, by_ground_of_all, length, at_target, number,
                             direction, state.arrivals);
    scattering_.keep_straight_way(number, tile, densities, at_target.gain_factor, by_ground, length, state.arrivals);
  }
  state.cost[LaunchPhase::scattering].contributions += tiles.size();
  state.arrivals.sums[setting_.sum_index(number)].add(sum);
}

void ScatteredPower::scatter_last(Progress& progress) {
  PartOfStage to_tiles(progress, 0, 0.8), beside_rows(progress, 0.8, 0.95), to_receivers(progress, 0.95, 1);
  scatter_to_tiles(to_tiles);
  scatter_beside_rows(beside_rows);
  const TargetPoints& points = environment_.points;
  parallel_blocks(points.receiver_count(), rows_per_block, to_receivers, [&](std::size_t begin, std::size_t end) {
    ThreadState& state = states_.local();
    for (auto r = static_cast<std::uint32_t>(begin); r < end; ++r) {
      const std::uint32_t number = points.element_count() + r;
      gather_scattered(number, environment_.receiver_rows.row(r), SeenFrom::point, state);
    }
  });
}

void ScatteredPower::scatter_to_tiles(Progress& progress) {
  if (scatterer_) return scatter_last_in_batches(progress);
  parallel_blocks(environment_.points.target_tile_count(), rows_per_block, progress,
                  [&](std::size_t begin, std::size_t end) {
                    ThreadState& state = states_.local();
                    for (auto tile = static_cast<std::uint32_t>(begin); tile < end; ++tile) {
                      state.read_tiles_of_row(environment_.visibility, tile, LaunchPhase::scattering);
                      gather_scattered(tile, state.row, SeenFrom::middle, state);
                    }
                  });
}

void ScatteredPower::scatter_beside_rows(Progress& progress) {
  const SightOverGround& sight = environment_.sight_over_ground;
  parallel_blocks(sight.ground_tiles(), rows_per_block, progress, [&](std::size_t begin, std::size_t end) {
    ThreadState& state = states_.local();
    for (auto tile = static_cast<std::uint32_t>(begin); tile < end; ++tile) {
      gather_scattered(tile, sight.beside_row(tile), SeenFrom::point, state);
    }
  });
}

void ScatteredPower::prepare_scatterers() {
  scatterers_.resize(diffuse_.kinds() * diffuse_.size());
  gains_.resize(scatterers_.size());
  for (std::size_t kind = 0; kind < diffuse_.kinds(); ++kind) {
    const auto after = static_cast<AfterScattering>(kind);
    parallel_blocks(diffuse_.size(), tiles_per_block, no_progress(), [&](std::size_t begin, std::size_t end) {
      for (auto t = static_cast<std::uint32_t>(begin); t < end; ++t) {
        const std::size_t place = diffuse_.place(t, after);
        gains_[place] = link_.unit_gain() * diffuse_.at(t, after).power;
        // Lambert's lobe is 1/π at most, and reflectances are 1 at most; a little more for rounding.
        const double most = gains_[place] * columns_.scattering_area_m2(t) / pi * 1.001;
        scatterers_[place] = columns_.scatterer(t, static_cast<float>(most));
      }
    });
  }
  scattering_view_.scatterers = scatterers_.data();
}

bool ScatteredPower::has_power(AfterScattering after) const {
  if (static_cast<std::size_t>(after) >= diffuse_.kinds()) return false;
  const std::span<const RoughScatterer> of_tiles = scatterers(after);
  return std::any_of(of_tiles.begin(), of_tiles.end(), [](const RoughScatterer& tile) { return tile.strength > 0; });
}

void ScatteredPower::find_scattering(AfterScattering after, std::uint32_t number, std::span<const std::uint32_t> row,
                                     SourceFinder& state) const {
  const TargetPoints& points = environment_.points;
  const auto end = std::lower_bound(row.begin(), row.end(), points.tile_count());  // a receiver's has edges, too
  const std::span<const std::uint32_t> tiles(row.begin(), end);
  const bool ends = after == AfterScattering::nothing;
  const double asked = ends ? asked_at_target(scattering_view_, number) : asked_at_elements(scattering_view_);
  const float scale = strength_scale(asked);
  columns_.estimate(tiles, scatterers(after), ends ? points.arrival(number) : points.reference(number), scale,
                    state.estimates);
  if (ends) {
    const float to_share = asked > 0 ? scale_to_share(state.estimates, pruning_.of_all_scattered) : 1.0f;
    draw_evenly(tiles, state.estimates, to_share, number, state.drawn);
    return;
  }
  state.drawn.numbers.clear();
  for_strong(state.estimates, [&](std::size_t i) { state.drawn.numbers.push_back(tiles[i]); });
}

void ScatteredPower::find_sources(AfterScattering after, std::uint32_t element, SourceFinder& state) const {
  const Vec3 here = environment_.points.reference(element);
  find_scattering(after, element, state.row, state);
  const std::vector<std::uint32_t>& tiles = state.drawn.numbers;
  state.sources.clear();
  if (tiles.empty()) return;
  scattering_.radiate(after, tiles, here, state.radiated);
  for (std::size_t i = 0; i < tiles.size(); ++i) {
    const double weight = gain(tiles[i], after) * state.radiated.density[i];
    if (weight >= link_.least_gain()) state.sources.push_back({tiles[i], weight});
  }
  const std::size_t most = sources_for_all(pruning_, after, environment_.points.is_tile(element));
  state.sources.resize(thin_by_weight(
      state.sources, most, element, [](const ScatteringSource& source) { return source.weight; },
      [](ScatteringSource& source, double times) { source.stands_for *= times; }));
  // Vegetation comes after the draw, which has no need of it.
  std::erase_if(state.sources, [&](ScatteringSource& source) {
    const double vegetation = setting_.vegetation_between(element, source.tile), left = vegetation * vegetation;
    source.share *= left;
    return source.weight * left < link_.least_gain();
  });
}

void ScatteredPower::scatter_then_reflect(Progress& progress) {
  if (scatterer_) {
    reflect_in_batches(progress);
    return;
  }
  parallel_blocks(environment_.points.tile_count(), rows_per_block, progress, [&](std::size_t begin, std::size_t end) {
    ThreadState& state = states_.local();
    for (auto tile = static_cast<std::uint32_t>(begin); tile < end; ++tile) {
      reflect_diffuse(tile, FollowedTo::all, state);
    }
  });
}

void ScatteredPower::reflect_diffuse(std::uint32_t mirror, FollowedTo members, ThreadState& state) const {
  if (!setting_.can_arrive_from(mirror)) return;
  const TargetPoints& points = environment_.points;
  const Tile& tile = environment_.tiling.tiles[mirror];
  const TileFrame frame(tile);
  const bool is_ground = points.is_ground(mirror);
  state.read_tiles_of_row(environment_.visibility, mirror, LaunchPhase::then_reflection);
  find_sources(AfterScattering::reflection, mirror, state);
  state.before_mirror.clear();
  IntervalBounds of_all = IntervalBounds::none();
  for (const ScatteringSource& lit : state.sources) {
    const Vec3 coordinates = frame.coordinates(points.reference(lit.tile));
    if (!(coordinates.z > 0)) continue;
    state.before_mirror.push_back({lit, tile_bounds(coordinates)});
    of_all.extend(state.before_mirror.back().bounds);
  }
  if (state.before_mirror.empty()) return;
  const std::span<const std::uint32_t> targets = diffuse_targets(mirror, members, state);
  lay_out_tile_row(points, frame, mirror, targets, {environment_.receiver_rows.seen_from(mirror), {}}, false, of_all,
                   state.layout, state.intervals);
  state.diffuse_sums.clear(state.intervals.size());
  for (const auto& [lit, bounds] : state.before_mirror) {
    const Vec3 origin = points.reference(lit.tile);
    state.find(bounds, LaunchPhase::then_reflection);
    const Vec3 image = mirrored(origin, tile.centroid, tile.normal);
    for (const std::uint32_t hit : state.hits) {
      const std::uint32_t target = state.intervals.target[hit];
      if ((target & RowTarget::arrives) == 0) continue;
      const std::uint32_t number = target & RowTarget::number_mask;
      const Vec3 way = points.arrival(number) - image;
      const double length = norm(way);
      const Vec3 direction = (1.0 / length) * way;
      const double density = mirrored_density(scattering_view_, lit.tile, lit.share, mirror, direction, length);
      if (!(density > 0)) continue;
      const DiffuseTarget at_target = standing_for(
          lit.stands_for,
          diffuse_target(scattering_view_, number, direction, setting_.vegetation_between(mirror, number)));
      const double by_ground = is_ground ? 0 : reflected_below(scattering_view_, number, direction);
      const DiffusePower source = diffuse_.with_ground(lit.tile, AfterScattering::reflection, by_ground);
      add_diffuse(source, density, length, at_target, state.diffuse_sums.of(hit));
      scattering_.keep_way(number, lit.tile, {mirror, no_index}, density * at_target.gain_factor, by_ground, length,
                           state.arrivals);
      scattering_.add_wideband(lit.tile, AfterScattering::reflection, density, by_ground, length, at_target, number,
                               direction, state.arrivals);
    }
  }
  add_diffuse_sums(state);
}

std::span<const std::uint32_t> ScatteredPower::diffuse_targets(std::uint32_t element, FollowedTo members,
                                                               ThreadState& state) const {
  if (members != FollowedTo::all || !environment_.points.tiles_are_targets()) return {};
  const std::span<const std::uint32_t> beside = environment_.sight_over_ground.seen_from(element);
  state.row.insert(state.row.end(), beside.begin(), beside.end());
  return state.row;
}

void ScatteredPower::scatter_then_diffract(Progress& progress) {
  prepare_scattered_draw();
  if (scatterer_) {
    diffract_in_batches(progress);
    return;
  }
  parallel_blocks(environment_.points.edge_count(), rows_per_block, progress, [&](std::size_t begin, std::size_t end) {
    ThreadState& state = states_.local();
    for (auto e = static_cast<std::uint32_t>(begin); e < end; ++e) diffract_diffuse(e, FollowedTo::all, state);
  });
}

void ScatteredPower::lay_out_diffuse_edge_row(std::uint32_t edge_number, const Wedge& wedge, FollowedTo followed_to,
                                              ThreadState& state) const {
  const TargetPoints& points = environment_.points;
  const std::uint32_t element = points.tile_count() + edge_number;
  LitCotangents lit;
  for (const ScatteringSource& source : state.sources) {
    lit.add(edge_bounds(environment_.tiling.edges[edge_number], points.reference(source.tile)));
  }
  columns_.find_lit_past_edge(diffuse_targets(element, followed_to, state), environment_.tiling.edges[edge_number], lit,
                              state.lit_marks, state.lit);
  const std::span<const std::uint32_t> members = state.lit;
  if (known_gains_.empty()) {
    state.numbers.assign(members.begin(), members.end());
    state.drawn.stand_for.assign(members.size(), 1.0f);
  } else {
    draw_observers(environment_.tiling.edges[edge_number], members, element, state);
    state.numbers = state.drawn.numbers;
  }
  for (const std::uint32_t receiver : environment_.receiver_rows.seen_from(element)) {
    state.numbers.push_back(points.element_count() + receiver);
  }
  state.observers.lay_out(wedge, environment_.tiling.edges[edge_number], points.coordinates(),
                          setting_.straight_distances.data(), state.numbers);
  state.drawn.stand_for.resize(state.numbers.size(), 1.0f);
  state.observers_stand_for.clear();
  for (const std::uint32_t i : state.observers.order()) state.observers_stand_for.push_back(state.drawn.stand_for[i]);
  state.diffracted.clear(state.numbers.size());
  state.beyond_limits.clear(goes_on_beyond_limits(element) ? state.numbers.size() : 0);
  if (!scattering_.know_departures()) return;
  state.beam_departures.clear(state.numbers.size());
  state.beam_arrivals.clear(state.numbers.size());
}

DiffuseTarget ScatteredPower::diffracted_target(const EdgeSegment& edge, std::uint32_t element, std::size_t place,
                                                Vec3 direction, const ThreadState& state) const {
  const std::uint32_t number = state.observers.numbers()[place];
  return tesseray::diffracted_target(scattering_view_, edge, number, direction,
                                     setting_.vegetation_between(element, number), state.observers_stand_for[place]);
}

void ScatteredPower::diffract_diffuse(std::uint32_t edge_number, FollowedTo members, ThreadState& state) const {
  const TargetPoints& points = environment_.points;
  const EdgeSegment& edge = environment_.tiling.edges[edge_number];
  const std::uint32_t element = points.tile_count() + edge_number;
  if (!setting_.can_arrive_from(element)) return;
  const Wedge wedge = setting_.view.wedge_of(edge);
  state.read_tiles_of_row(environment_.visibility, element, LaunchPhase::then_diffraction);
  find_sources(AfterScattering::diffraction, element, state);
  bool laid_out = false;
  for (const ScatteringSource& lit : state.sources) {
    const DiffuseEdgeSource at_edge = diffuse_edge_source(scattering_view_, wedge, edge, lit.tile);
    if (!at_edge.in_air) continue;
    if (!laid_out) {
      lay_out_diffuse_edge_row(edge_number, wedge, members, state);
      laid_out = true;
    }
    const IntervalBounds bounds = edge_bounds(edge, points.reference(lit.tile));
    const DiffuseEdgePower sent = edge_power(diffuse_.at(lit.tile, AfterScattering::diffraction), lit);
    diffract_diffuse_power(at_edge, sent, state.observers, bounds, state.search, state.diffracted);
    PhaseCost& cost = state.cost[LaunchPhase::then_diffraction];
    cost.tests += state.observers.size();
    cost.contributions += state.search.blocks.size() * interval_block;
    if (goes_on_beyond_limits(element)) {
      const DiffusePower rest = diffuse_.beyond_limits(lit.tile, AfterScattering::diffraction);
      diffract_diffuse_power(at_edge, edge_power(rest, lit), state.observers, bounds, state.search,
                             state.beyond_limits);
    }
    if (scattering_.know_departures()) {
      state.beam_departures.add(lit.share * lit.stands_for,
                                scattering_.departures_of(lit.tile, AfterScattering::diffraction), state.diffracted,
                                state.search);
      state.beam_arrivals.add(at_edge, static_cast<double>(sent.power), state.observers, state.diffracted,
                              state.search);
    }
    if (scattering_.rays().wanted()) keep_diffracted_ways(lit, edge, element, state);
  }
  if (laid_out) add_diffracted_beams(edge, element, state);
}

void ScatteredPower::keep_diffracted_ways(const ScatteringSource& source, const EdgeSegment& edge,
                                          std::uint32_t element, ThreadState& state) const {
  for (const std::uint32_t block : state.search.blocks) {
    const std::size_t begin = std::size_t{block} * interval_block;
    const std::size_t end = std::min(begin + interval_block, state.observers.size());
    for (std::size_t place = begin; place < end; ++place) {
      const auto of_source = static_cast<double>(state.diffracted.pair_density[place]);
      if (!(of_source > 0)) continue;
      const std::uint32_t number = state.observers.numbers()[place];
      const Vec3 keller_point =
          edge.midpoint + static_cast<double>(state.diffracted.pair_keller_z[place]) * edge.direction;
      const Vec3 direction = normalized(environment_.points.arrival(number) - keller_point);
      const double gain_factor = diffracted_target(edge, element, place, direction, state).gain_factor;
      scattering_.keep_way(number, source.tile, {element, no_index}, source.share * of_source * gain_factor,
                           reflected_from_edge(edge, number),
                           static_cast<double>(state.diffracted.pair_length_m[place]), state.arrivals);
    }
  }
}

void ScatteredPower::add_diffuse_sums(ThreadState& state) const {
  state.diffuse_sums.for_each([&](std::uint32_t member, const DiffuseSum& sum) {
    state.arrivals.sums[setting_.sum_index(state.intervals.target[member] & RowTarget::number_mask)].add(sum);
  });
}

bool ScatteredPower::goes_on_beyond_limits(std::uint32_t element) const {
  return static_cast<std::size_t>(AfterScattering::reflection_and_diffraction) < diffuse_.kinds() &&
         !environment_.receiver_rows.seen_from(element).empty();
}

double ScatteredPower::reflected_from_edge(const EdgeSegment& edge, std::uint32_t number) const {
  if (!environment_.points.is_receiver(number)) return 0;
  return reflected_below(scattering_view_, number, normalized(environment_.points.arrival(number) - edge.midpoint));
}

DiffuseEdgeSum ScatteredPower::beam_at_target(const EdgeSegment& edge, std::uint32_t element, std::size_t place,
                                              const ThreadState& state) const {
  DiffuseEdgeSum beam = state.diffracted.at(place);
  const double by_ground = reflected_from_edge(edge, state.observers.numbers()[place]);
  if (!(by_ground > 0)) return beam;
  beam.add(static_cast<float>(by_ground), goes_on_beyond_limits(element) ? state.beyond_limits.at(place) : beam);
  return beam;
}

void ScatteredPower::add_diffracted_beams(const EdgeSegment& edge, std::uint32_t element, ThreadState& state) const {
  const EdgeBeams& beams = state.diffracted;
  const std::span<const std::uint32_t> numbers = state.observers.numbers();
  // By number: what is known of neighbours lies side by side in memory.
  find_reached(beams, state.observers.places(), state.reached);
  // Sums are too long for that, and come from memory one after the other otherwise.
  constexpr std::size_t ahead = 8;
  for (std::size_t i = 0; i < state.reached.size(); ++i) {
    if (i + ahead < state.reached.size()) {
      __builtin_prefetch(&state.arrivals.scattered_sums[setting_.sum_index(numbers[state.reached[i + ahead]])], 1);
    }
    const std::uint32_t place = state.reached[i], number = numbers[place];
    const DiffuseEdgeSum beam = beam_at_target(edge, element, place, state);
    const DiffractedWays ways(edge, environment_.points.arrival(number), beam);
    const DiffuseTarget target = diffracted_target(edge, element, place, normalized(ways.sum), state);
    const std::size_t index = setting_.sum_index(number);
    add_scattered(sum_of(beam, ways, target), state.arrivals.scattered_sums[index], state.arrivals.sums[index]);
    add_wideband(edge, place, beam, ways, target, state);
  }
}

}  // namespace tesseray
