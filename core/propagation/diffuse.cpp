// SPDX-License-Identifier: GPL-3.0-or-later
// Diffuse scattering by the Effective Roughness model, summed in power (docs/physics.md §7).
//
// What all tubes bring to a tile is one number per tile, so that scattering as the last interaction is a product of
// the (sparse) visibility relation with a vector: each target gathers from the row of the tiles that it sees. One
// further reflection or diffraction is searched for like a tube's, with the scattering tile as a point source.
#include <algorithm>
#include <cmath>

#include "core/base/parallel.h"
#include "core/base/units.h"
#include "core/physics/scattering.h"
#include "core/propagation/launch.h"
#include "core/propagation/scattering_lobes.h"
#include "core/propagation/tile_parts.h"
#include "core/propagation/weighted_sample.h"

namespace tesseray {

namespace {

constexpr std::size_t rows_per_block = 32;

}  // namespace

void Launch::keep_scattered_way(std::uint32_t number, std::uint32_t tile, ElementsAfterScattering by,
                                double gain_factor, double length_m, ThreadState& state, bool cross_polarized) const {
  if (!scattered_rays_.wanted() || !environment_.points.is_receiver(number)) return;
  scattered_rays_.add({number - environment_.points.element_count(), tile, by, gain_factor, length_m, cross_polarized},
                      state.scattered_ways);
}

void Launch::prepare_diffuse() {
  if (!limits_.may_scatter(0, 0)) return;
  const std::size_t kinds = after_scattering_kinds(environment_.options.max_after_scattering);
  diffuse_.resize(environment_.points.tile_count(), kinds);
  columns_ = ScatteringColumns(environment_.scene, environment_.tiling, environment_.points, link_);
  if (environment_.options.wideband) diffuse_departures_.resize(diffuse_.size() * kinds);
  if (const int exponent = environment_.options.scattering_lobe_exponent; exponent > 0) {
    directive_lobes_.resize(diffuse_.size() * kinds * lobe_coefficients(exponent));
  }
  scattering_view_ = {.launch = view_,
                      .columns = columns_.view(),
                      .model = environment_.options.scattering_model,
                      .cross_polarization = environment_.options.cross_polarization,
                      .received_fraction = link_.received_fraction(),
                      .kinds = kinds,
                      .powers = diffuse_.data(),
                      .lobe_exponent = environment_.options.scattering_lobe_exponent,
                      .directive_lobes = directive_lobes_.empty() ? nullptr : directive_lobes_.data()};
}

double Launch::reflectance(const Tile& tile, double cosine) const {
  return columns_.reflectances().at(surface_material(environment_.scene, tile), cosine);
}

double Launch::reflectance_at_incidence(const Tile& tile, double cosine) const {
  switch (environment_.options.scattering_model) {
    case ScatteringModel::incident:
      break;
    case ScatteringModel::reflected:
      return reflectance(tile, cosine);
    case ScatteringModel::reciprocal:
      return std::sqrt(reflectance(tile, cosine));
  }
  return 1;
}

double Launch::pattern_near_m(const Tile& tile) const {
  constexpr double sides = 40;  // it is seen under 1.4° from there
  return link_.has_pattern() ? sides * tile.side_m() : 0.0;
}

bool Launch::is_pattern_near(std::uint32_t element) const {
  const TargetPoints& points = environment_.points;
  return points.is_tile(element) &&
         norm(points.reference(element) - transmitter_.position) < pattern_near_m(environment_.tiling.tiles[element]);
}

Launch::DiffuseIncidence Launch::diffuse_incidence(const Tube& tube, const Tile& tile) const {
  const double cosine = -dot(tube.direction, tile.normal);
  if (!(cosine > 0)) return {};
  const auto gain = static_cast<double>(tube.departure_gain);
  double power = tube.path_gain / link_.unit_gain() * cosine;
  const Vec3 from = tube.source.point;
  // Over the tile, of what comes from a point with a gain along each way, at 1 m.
  const auto mean = [&](double near_m, const auto& gain_along) {
    return mean_seen_from(from, tile, near_m, [&](Vec3 point) {
      const Vec3 way = point - from;
      const double squared = squared_norm(way);
      return gain_along(way) * std::max(0.0, -dot(way, tile.normal)) / (squared * std::sqrt(squared));
    });
  };
  const auto alike = [](Vec3) { return 1.0; };
  // To what comes straight from the antenna each part of the tile has its own angle, as to a receiver.
  const auto taken_along = [&](Vec3 way) {
    return reflectance_at_incidence(tile, std::max(0.0, -dot(way, tile.normal) / norm(way)));
  };
  const bool is_straight = tube.chain.length == 0 && !tube.source.is_edge();
  const double attenuation = tube.attenuation * tube.attenuation;
  if (is_straight && is_pattern_near(tube.element)) {
    const double near_m = pattern_near_m(tile), seen = mean(near_m, alike);
    if (!(seen > 0)) return {};
    const double without_pattern = gain > 0 ? squared_norm(tube.strength) / gain : 1.0;
    const auto sent = [&](Vec3 way) { return link_.transmit_gain(normalized(way)); };
    const double taken = mean(near_m, [&](Vec3 way) { return sent(way) * taken_along(way); });
    return {without_pattern * taken * attenuation, mean(near_m, sent) / seen};
  }
  if (const double near_m = columns_.near_m(tube.element); tube.source.is_edge()) {
    power *= nearness_of_edge(leg_to(tube.source, tile.centroid).from - tile.centroid, tile, near_m);
  } else if (norm(tile.centroid - from) < near_m) {
    power = squared_norm(tube.strength) * attenuation;
    if (is_straight) return {power * mean(near_m, taken_along), gain};
    power *= mean(near_m, alike);
  }
  power *= reflectance_at_incidence(tile, cosine);
  return {power, gain};
}

void Launch::add_directive_lobe(const Tube& tube, std::uint32_t tile_number, AfterScattering after, double power) {
  const int exponent = environment_.options.scattering_lobe_exponent;
  const Vec3 normal = environment_.tiling.tiles[tile_number].normal;
  const double all_around = directive_lobe_integral(exponent, -dot(tube.direction, normal));
  const std::size_t coefficients = lobe_coefficients(exponent);
  const std::span lobes(&directive_lobes_[diffuse_.place(tile_number, after) * coefficients], coefficients);
  add_lobe(exponent, power / all_around, mirrored(tube.direction, normal), lobes);
}

void Launch::gather_scattered(std::uint32_t number, std::span<const std::uint32_t> row, ThreadState& state) const {
  const Vec3 target = environment_.points.arrival(number);
  find_scattering(AfterScattering::nothing, number, row, state);
  const std::vector<std::uint32_t>& tiles = state.drawn.numbers;
  if (tiles.empty()) return;
  radiate(AfterScattering::nothing, tiles, target, state.radiated);
  DiffuseSum sum;
  for (std::size_t i = 0; i < tiles.size(); ++i) {
    const std::uint32_t tile = tiles[i];
    const double length = state.radiated.length_m[i];
    const double all =
        length < columns_.near_m(tile) ? diffuse_density(scattering_view_, tile, target) : state.radiated.density[i];
    if (!(all > 0)) continue;
    const double density = all * static_cast<double>(state.drawn.stand_for[i]);
    const Vec3 direction{state.radiated.x[i], state.radiated.y[i], state.radiated.z[i]};
    const DiffuseTarget at_target =
        diffuse_target_of_tile(scattering_view_, number, tile, direction, length, vegetation_between(tile, number));
    add_diffuse(diffuse_.at(tile, AfterScattering::nothing), density, length, at_target, sum);
    add_wideband(tile, AfterScattering::nothing, density, length, at_target, number, direction, state);
    keep_scattered_way(number, tile, nothing_after, density * at_target.gain_factor, length, state);
  }
  state.cost[LaunchPhase::scattering].contributions += tiles.size();
  state.sums[sum_index(number)].add(sum);
}

void Launch::radiate(AfterScattering after, std::span<const std::uint32_t> tiles, Vec3 point,
                     RadiatedRays& rays) const {
  const bool reciprocal = environment_.options.scattering_model == ScatteringModel::reciprocal;
  columns_.radiate(tiles, reciprocal, point, rays);
  if (directive_lobes_.empty()) return;
  for (std::size_t i = 0; i < tiles.size(); ++i) {
    rays.density[i] =
        diffuse_intensity(tiles[i], {rays.x[i], rays.y[i], rays.z[i]}, after) / (rays.length_m[i] * rays.length_m[i]);
  }
}

void Launch::scatter_last(Progress& progress) {
  const PhaseClock clock(cost_[LaunchPhase::scattering]);
  const TargetPoints& points = environment_.points;
  if (scatterer_) {
    scatter_last_in_batches(progress);
  } else {
    parallel_blocks(points.target_tile_count(), rows_per_block, progress, [&](std::size_t begin, std::size_t end) {
      ThreadState& state = states_.local();
      for (auto tile = static_cast<std::uint32_t>(begin); tile < end; ++tile) {
        read_tiles_of_row(tile, LaunchPhase::scattering, state);
        gather_scattered(tile, state.row, state);
      }
    });
  }
  parallel_blocks(points.receiver_count(), rows_per_block, progress, [&](std::size_t begin, std::size_t end) {
    ThreadState& state = states_.local();
    for (auto r = static_cast<std::uint32_t>(begin); r < end; ++r) {
      const std::uint32_t number = points.element_count() + r;
      gather_scattered(number, environment_.receiver_rows.row(r), state);
    }
  });
}

void Launch::prepare_scatterers() {
  scatterers_.resize(diffuse_.kinds() * diffuse_.size());
  for (std::size_t after = 0; after < diffuse_.kinds(); ++after) {
    for (std::uint32_t t = 0; t < diffuse_.size(); ++t) {
      const double power = diffuse_.at(t, static_cast<AfterScattering>(after)).power;
      // Lambert's lobe is 1/π at most, and reflectances are 1 at most; a little more for rounding.
      const double gain = link_.unit_gain() * power * columns_.scattering_area_m2(t) / pi * 1.001;
      scatterers_[after * diffuse_.size() + t] = columns_.scatterer(t, static_cast<float>(gain));
    }
  }
  scattering_view_.scatterers = scatterers_.data();
}

bool Launch::has_power(AfterScattering after) const {
  if (static_cast<std::size_t>(after) >= diffuse_.kinds()) return false;
  const std::span<const RoughScatterer> of_tiles = scatterers(after);
  return std::any_of(of_tiles.begin(), of_tiles.end(), [](const RoughScatterer& tile) { return tile.strength > 0; });
}

void Launch::find_scattering(AfterScattering after, std::uint32_t number, std::span<const std::uint32_t> row,
                             ThreadState& state) const {
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
  for (std::size_t i = 0; i < tiles.size(); ++i) {
    if (state.estimates[i] >= 1) state.drawn.numbers.push_back(tiles[i]);
  }
}

void Launch::find_sources(AfterScattering after, std::uint32_t element, ThreadState& state) const {
  const Vec3 here = environment_.points.reference(element);
  find_scattering(after, element, state.row, state);
  const std::vector<std::uint32_t>& tiles = state.drawn.numbers;
  state.sources.clear();
  if (tiles.empty()) return;
  radiate(after, tiles, here, state.radiated);
  for (std::size_t i = 0; i < tiles.size(); ++i) {
    const double gain = link_.unit_gain() * diffuse_.at(tiles[i], after).power * state.radiated.density[i];
    if (gain >= link_.least_gain()) state.sources.push_back({tiles[i], gain, 1.0});
  }
  const std::size_t most = sources_for_all(pruning_, after, environment_.points.is_tile(element));
  state.sources.resize(thin_by_weight(
      state.sources, most, element, [](const ScatteringSource& source) { return source.weight; },
      [](ScatteringSource& source, double times) { source.share *= times; }));
  // Vegetation comes after the draw, which has no need of it.
  std::erase_if(state.sources, [&](ScatteringSource& source) {
    const double vegetation = vegetation_between(element, source.tile), left = vegetation * vegetation;
    source.share *= left;
    return source.weight * left < link_.least_gain();
  });
}

void Launch::scatter_then_reflect(Progress& progress) {
  const PhaseClock clock(cost_[LaunchPhase::then_reflection]);
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

void Launch::reflect_diffuse(std::uint32_t mirror, FollowedTo members, ThreadState& state) {
  if (!can_arrive_from(mirror)) return;
  const TargetPoints& points = environment_.points;
  const Tile& tile = environment_.tiling.tiles[mirror];
  const TileFrame frame(tile);
  read_tiles_of_row(mirror, LaunchPhase::then_reflection, state);
  find_sources(AfterScattering::reflection, mirror, state);
  bool laid_out = false;
  for (const ScatteringSource& lit : state.sources) {
    const DiffusePower& source = diffuse_.at(lit.tile, AfterScattering::reflection);
    const Vec3 origin = points.reference(lit.tile);
    const Vec3 coordinates = frame.coordinates(origin);
    if (!(coordinates.z > 0)) continue;
    if (!laid_out) {
      lay_out_tile_row(points, frame, mirror, diffuse_targets_of_row(members, state),
                       environment_.receiver_rows.seen_from(mirror), false, state.layout, state.intervals);
      state.diffuse_sums.clear(state.intervals.size());
      laid_out = true;
    }
    state.hits.clear();
    find_hits(state.intervals, tile_bounds(coordinates), state.search, state.hits);
    count_hits(LaunchPhase::then_reflection, state);
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
      const DiffuseTarget at_target =
          diffuse_target(scattering_view_, number, direction, vegetation_between(mirror, number));
      add_diffuse(source, density, length, at_target, state.diffuse_sums.of(hit));
      keep_scattered_way(number, lit.tile, {mirror, no_index}, density * at_target.gain_factor, length, state);
      add_wideband(lit.tile, AfterScattering::reflection, density, length, at_target, number, direction, state);
    }
  }
  if (laid_out) add_diffuse_sums(state);
}

void Launch::scatter_then_diffract(Progress& progress) {
  const PhaseClock clock(cost_[LaunchPhase::then_diffraction]);
  if (scatterer_) {
    diffract_in_batches(progress);
    return;
  }
  parallel_blocks(environment_.points.edge_count(), rows_per_block, progress, [&](std::size_t begin, std::size_t end) {
    ThreadState& state = states_.local();
    for (auto e = static_cast<std::uint32_t>(begin); e < end; ++e) diffract_diffuse(e, FollowedTo::all, state);
  });
}

void Launch::lay_out_diffuse_edge_row(std::uint32_t edge_number, const Wedge& wedge, FollowedTo followed_to,
                                      ThreadState& state) const {
  const TargetPoints& points = environment_.points;
  const std::uint32_t element = points.tile_count() + edge_number;
  LitCotangents lit;
  for (const ScatteringSource& source : state.sources) {
    lit.add(edge_bounds(environment_.tiling.edges[edge_number], points.reference(source.tile)));
  }
  columns_.find_lit_past_edge(diffuse_targets_of_row(followed_to, state), environment_.tiling.edges[edge_number], lit,
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
                          straight_distances_.data(), state.numbers);
  state.drawn.stand_for.resize(state.numbers.size(), 1.0f);
  state.observers_stand_for.clear();
  for (const std::uint32_t i : state.observers.order()) state.observers_stand_for.push_back(state.drawn.stand_for[i]);
  state.diffracted.clear(state.numbers.size());
  if (!diffuse_departures_.empty()) state.beam_departures.assign(state.numbers.size(), {});
  columns_.receive(state.observers.numbers(), environment_.tiling.edges[edge_number].midpoint, state.received);
}

DiffuseTarget Launch::diffracted_target(const EdgeSegment& edge, std::uint32_t element, std::size_t place,
                                        const ThreadState& state) const {
  const std::uint32_t number = state.observers.numbers()[place];
  const ReceivedRay ray{state.received.look_x[place], state.received.look_y[place], state.received.factor[place]};
  return tesseray::diffracted_target(scattering_view_, edge, number, ray, vegetation_between(element, number),
                                     state.observers_stand_for[place]);
}

void Launch::diffract_diffuse(std::uint32_t edge_number, FollowedTo members, ThreadState& state) {
  const TargetPoints& points = environment_.points;
  const EdgeSegment& edge = environment_.tiling.edges[edge_number];
  const std::uint32_t element = points.tile_count() + edge_number;
  if (!can_arrive_from(element)) return;
  const Wedge wedge = view_.wedge_of(edge);
  read_tiles_of_row(element, LaunchPhase::then_diffraction, state);
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
    const DiffuseEdgePower sent = edge_power(diffuse_.at(lit.tile, AfterScattering::diffraction), lit.share);
    diffract_diffuse_power(at_edge, sent, state.observers, bounds, state.search, state.diffracted);
    PhaseCost& cost = state.cost[LaunchPhase::then_diffraction];
    cost.tests += state.observers.size();
    cost.contributions += state.search.blocks.size() * interval_block;
    if (diffuse_departures_.empty() && !scattered_rays_.wanted()) continue;
    // What this source alone brings.
    state.diffracted_once.clear(state.observers.size());
    diffract_diffuse_power(at_edge, {.power = 1, .rays = 1}, state.observers, bounds, state.search,
                           state.diffracted_once);
    if (!diffuse_departures_.empty()) keep_diffracted_departures(lit, state);
    if (scattered_rays_.wanted()) keep_diffracted_ways(lit, edge, element, state);
  }
  if (laid_out) add_diffracted_beams(edge, element, state);
}

void Launch::keep_diffracted_ways(const ScatteringSource& source, const EdgeSegment& edge, std::uint32_t element,
                                  ThreadState& state) const {
  const EdgeBeams& once = state.diffracted_once;
  for (std::size_t place = 0; place < state.observers.size(); ++place) {
    if (once.rays[place] == 0) continue;
    const std::uint32_t number = state.observers.numbers()[place];
    const double density = source.share * static_cast<double>(once.power[place]);
    keep_scattered_way(number, source.tile, {element, no_index},
                       density * diffracted_target(edge, element, place, state).gain_factor,
                       static_cast<double>(once.first_excess_m[place]) + straight_distance(number), state);
  }
}

void Launch::add_diffuse_sums(ThreadState& state) {
  state.diffuse_sums.for_each([&](std::uint32_t member, const DiffuseSum& sum) {
    state.sums[sum_index(state.intervals.target[member] & RowTarget::number_mask)].add(sum);
  });
}

void Launch::add_diffracted_beams(const EdgeSegment& edge, std::uint32_t element, ThreadState& state) {
  const EdgeBeams& beams = state.diffracted;
  for (std::size_t place = 0; place < state.observers.size(); ++place) {
    if (beams.rays[place] == 0) continue;
    const DiffuseTarget target = diffracted_target(edge, element, place, state);
    const std::size_t index = sum_index(state.observers.numbers()[place]);
    add_scattered(sum_of(beams.at(place), target), state.scattered_sums[index], state.sums[index]);
    add_wideband(edge, static_cast<std::uint32_t>(place), target, state.observers.numbers()[place], state);
  }
}

}  // namespace tesseray
