// SPDX-License-Identifier: GPL-3.0-or-later
// Scattered power by way of a batch of edge segments: the kernel's body, by the CPU's own functions. A block of threads
// takes an edge and goes through the CPU's steps (core/propagation/diffuse.cpp):
//
// 1. weigh_sources: which tiles of the row send enough to the edge, and a sample that stands for all of them;
// 2. prepare_sources: what each of them is to the edge (edge_observer.h), a thread per source;
// 3. find_targets: which tiles of the row some source may light past the edge, and of these a sample, too;
// 4. diffract_to_targets: a thread per target adds up what all sources bring to it, in their order.
//
// Steps 1 and 3 without vegetation have only operations that are rounded on their own, so that what is drawn by chance
// is the same on every machine. What arrives is summed in whole numbers, so that no order of threads changes the sums.
#pragma once

#include <cmath>
#include <cstdint>
#include <memory>
#include <span>

#include "core/propagation/lit_cotangents.h"
#include "core/propagation/point_intervals.h"
#include "core/propagation/row_scatterer.h"
#include "core/propagation/weighted_sample.h"
#include "cuda/ordered_selection.h"

namespace tesseray {

// A scattering tile, prepared for all targets.
struct PreparedSource {
  DiffuseEdgeSource at_edge;
  DiffuseEdgePower sent;
  float upper_u = 0, lower_u = 0;  // IntervalBounds
};

// Owns nothing. Working space has room for each member of the batch; a row's begins at its first member.
struct ScatterBatch {
  ScatteringView scattering;
  const RowBatch::Row* rows = nullptr;
  std::uint32_t row_count = 0;
  const std::uint32_t* members = nullptr;
  double* weights = nullptr;  // what each member sends to the element; 0: not enough
  ScatteringSource* sources = nullptr;
  PreparedSource* prepared = nullptr;
  std::uint32_t* targets = nullptr;
  float* stand_for = nullptr;               // of the targets
  ScatteredSums* scattered_sums = nullptr;  // by tile
  ArrivalSums* sums = nullptr;              // by tile
  std::uint32_t* locks = nullptr;           // one per tile, 0 while nobody has it
  PairCounts* counts = nullptr;
};

// What the threads of a block share.
struct RowMemory {
  SelectionMemory selection;
  std::int32_t lit_before[LitCotangents::buckets + 1];  // LitCotangents::marked_before()
  std::uint32_t count;                                  // of what is left after a draw, or of pairs
  std::int32_t any_in_air;
  ScatteredAtEdge at_edge;
};

// The power that a tile scatters to an element from which it goes on; 0 where that is less than the threshold.
TESSERAY_HD inline double weight_at(const ScatteringView& scattering, AfterScattering after, std::uint32_t tile,
                                    std::uint32_t element) {
  const ScatteringColumnsView& columns = scattering.columns;
  const LinkView& link = scattering.launch.link;
  const TargetPointsView& points = scattering.launch.environment.points;
  const Vec3 here = points.reference(element);
  const RoughPoint way = columns.sources.way(columns.sources.rough(here), tile);
  const float scale = strength_scale(asked_at_elements(scattering));
  if (!(estimated_radiated(scattering.strengths_of(after)[tile], scale, way) >= 1)) return 0;
  const double flat = scattering.model == ScatteringModel::reciprocal ? 0.0 : 1.0;
  const RadiatedRay ray = radiated(here - points.reference(tile), columns.normals[tile], columns.areas_m2[tile],
                                   columns.reflectances + columns.table_begin[tile], flat);
  const double density =
      scattering.directive_lobes == nullptr
          ? ray.density
          : diffuse_intensity(scattering, tile, ray.direction, after) / (ray.length_m * ray.length_m);
  const double gain = link.unit_gain * scattering.power(tile, after).power * density;
  return gain >= link.least_gain ? gain : 0;
}

// Returns how many sources there are. By a block of threads (thread_block.h), as all below.
template <class Block>
TESSERAY_HD std::uint32_t weigh_sources(const Block& block, RowMemory& memory, const ScatterBatch& batch,
                                        const RowBatch::Row& row) {
  constexpr AfterScattering after = AfterScattering::diffraction;
  const std::uint32_t* const members = batch.members + row.first_member;
  double* const weights = batch.weights + row.first_member;
  ScatteringSource* const sources = batch.sources + row.first_member;
  const std::uint32_t count = row.end_member - row.first_member;
  block.for_each(count,
                 [&](std::uint32_t m) { weights[m] = weight_at(batch.scattering, after, members[m], row.element); });
  const std::uint32_t found = select_in_order(
      block, memory.selection, count, [&](std::uint32_t m) { return weights[m] > 0; },
      [&](std::uint32_t place, std::uint32_t m) {
        sources[place] = {members[m], weights[m], 1.0};
      });
  block.once([&] {
    memory.count = static_cast<std::uint32_t>(thin_by_weight(
        std::span(sources, found), sources_for_all(batch.scattering.pruning, after, false), row.element,
        [](const ScatteringSource& source) { return source.weight; },
        [](ScatteringSource& source, double times) { source.share *= times; }));
  });
  return block.settled(memory.count);
}

// False when nothing comes of them. Sources of which vegetation leaves too little have no weight afterwards.
template <class Block>
TESSERAY_HD bool prepare_sources(const Block& block, RowMemory& memory, const ScatterBatch& batch,
                                 const RowBatch::Row& row, std::uint32_t count) {
  const ScatteringView& scattering = batch.scattering;
  const LaunchView& launch = scattering.launch;
  const EdgeSegment& edge = launch.environment.edge(row.element);
  const Wedge wedge = launch.wedge_of(edge);
  block.once([&] { memory.any_in_air = 0; });
  block.for_each(count, [&](std::uint32_t s) {
    ScatteringSource& source = batch.sources[row.first_member + s];
    PreparedSource prepared;
    const double vegetation = launch.vegetation_between(row.element, source.tile), left = vegetation * vegetation;
    source.share *= left;
    if (source.weight * left < launch.link.least_gain) {
      source.weight = 0;
    } else {
      const IntervalBounds bounds = edge_bounds(edge, launch.environment.points.reference(source.tile));
      prepared.at_edge = diffuse_edge_source(scattering, wedge, edge, source.tile);
      prepared.sent = edge_power(scattering.power(source.tile, AfterScattering::diffraction), source.share);
      prepared.upper_u = bounds.upper_u;
      prepared.lower_u = bounds.lower_u;
      if (prepared.at_edge.in_air) block.raise(memory.any_in_air, 1);
    }
    batch.prepared[row.first_member + s] = prepared;
  });
  return block.settled(memory.any_in_air) != 0;
}

// Returns how many targets there are.
template <class Block>
TESSERAY_HD std::uint32_t find_targets(const Block& block, RowMemory& memory, const ScatterBatch& batch,
                                       const RowBatch::Row& row, std::uint32_t source_count) {
  const ScatteringView& scattering = batch.scattering;
  const ScatteringColumnsView& columns = scattering.columns;
  const TargetPointsView& points = scattering.launch.environment.points;
  const EdgeSegment& edge = scattering.launch.environment.edge(row.element);
  const std::span<const ScatteringSource> sources(batch.sources + row.first_member, source_count);
  constexpr std::uint32_t buckets = LitCotangents::buckets;
  block.for_each(buckets + 1, [&](std::uint32_t b) { memory.lit_before[b] = 0; });
  block.for_each(source_count, [&](std::uint32_t s) {
    if (!(sources[s].weight > 0)) return;
    const auto lit = LitCotangents::lit_by(edge_bounds(edge, points.reference(sources[s].tile)));
    for (std::int32_t b = lit.first; b <= lit.last; ++b) block.raise(memory.lit_before[b + 1], 1);
  });
  block.once([&] {
    for (std::uint32_t b = 0; b < buckets; ++b) memory.lit_before[b + 1] += memory.lit_before[b];
  });

  const std::uint32_t* const members = batch.members + row.first_member;
  std::uint32_t* const targets = batch.targets + row.first_member;
  float* const stand_for = batch.stand_for + row.first_member;
  const RoughPoint at = columns.targets.rough(edge.midpoint);
  const RoughPoint direction{static_cast<float>(edge.direction.x), static_cast<float>(edge.direction.y),
                             static_cast<float>(edge.direction.z)};
  const auto half_length = static_cast<float>(0.5 * edge.length_m);
  const std::uint32_t found = select_in_order(
      block, memory.selection, row.end_member - row.first_member,
      [&](std::uint32_t m) {
        return lit_buckets_along(columns.targets.way(at, members[m]), direction, half_length, memory.lit_before) > 0;
      },
      [&](std::uint32_t place, std::uint32_t m) { targets[place] = members[m]; });
  if (scattering.known_gains == nullptr) {
    block.for_each(found, [&](std::uint32_t t) { stand_for[t] = 1.0f; });
    return found;
  }

  block.once([&] { memory.at_edge = scattered_at_edge(points, edge.midpoint, sources); });
  const auto scale = static_cast<float>(memory.at_edge.gain * (1 / scattering.pruning.then_diffracted));
  const auto source_m = static_cast<float>(memory.at_edge.distance_m);
  const auto wave_number = static_cast<float>(scattering.launch.link.wave_number);
  block.for_each(found, [&](std::uint32_t t) {
    const std::uint32_t tile = targets[t];
    stand_for[t] =
        estimated_past_edge(columns.targets.way(at, tile), scattering.known_gains[tile], scale, source_m, wave_number);
  });
  block.once([&] {
    std::uint32_t kept = 0;
    draw_evenly(
        found, row.element, [&](std::size_t t) { return stand_for[t]; },
        [&](std::size_t t, float times) {
          targets[kept] = targets[t];
          stand_for[kept++] = times;
        });
    memory.count = kept;
  });
  return block.settled(memory.count);
}

template <class Together, class Block>
TESSERAY_HD void diffract_to_targets(const Block& block, RowMemory& memory, const ScatterBatch& batch,
                                     const RowBatch::Row& row, std::uint32_t source_count, std::uint32_t target_count) {
  const ScatteringView& scattering = batch.scattering;
  const ScatteringColumnsView& columns = scattering.columns;
  const LaunchView& launch = scattering.launch;
  const EdgeSegment& edge = launch.environment.edge(row.element);
  const ObservedFaces faces(launch.wedge_of(edge), edge);
  const PreparedSource* const sources = batch.prepared + row.first_member;
  block.once([&] { memory.count = 0; });
  block.for_each(target_count, [&](std::uint32_t t) {
    const std::uint32_t number = batch.targets[row.first_member + t];
    const Vec3 point = launch.environment.points.arrival(number);
    const EdgeObserver observer = observer_at(place_about(edge, point.x, point.y, point.z), faces);
    const auto straight_m = static_cast<float>(launch.straight_distances[number]);
    EdgeBeam beam;
    std::uint32_t joined = 0;
    for (std::uint32_t s = 0; s < source_count; ++s) {
      const PreparedSource& source = sources[s];
      if (!source.at_edge.in_air) continue;
      if (!(observer.first_u <= source.upper_u && observer.last_u > source.lower_u)) continue;
      const ObserverFrame& frame = source.at_edge.from_other_face ? observer.from_n : observer.from_0;
      beam.add(pair_at_edge(source.at_edge, observer.z, observer.rho, observer.in_air, frame), source.sent, straight_m);
      ++joined;
    }
    if (joined > 0) block.claim(memory.count, joined);
    if (beam.rays == 0) return;
    const ReceivedRay ray = received(point - edge.midpoint, columns.normals[number], columns.ground_reflection[number],
                                     columns.reflectances + columns.table_begin[number]);
    const DiffuseTarget target =
        diffracted_target(scattering, edge, number, ray, launch.vegetation_between(row.element, number),
                          batch.stand_for[row.first_member + t]);
    const DiffuseSum sum = sum_of(beam, target);
    const typename Together::Adder adder{batch.locks + number};
    if (ScatteredSums::takes(sum)) {
      batch.scattered_sums[number].add(sum, adder);
    } else {
      batch.sums[number].add(sum, adder);
    }
  });
  block.once([&] {
    block.claim_of_all(batch.counts->looked_at, std::uint64_t{source_count} * target_count);
    block.claim_of_all(batch.counts->joined, memory.count);
  });
}

// REQUIRES: r < batch.row_count, rows of edge segments.
template <class Together, class Block>
TESSERAY_HD void diffract_row(const Block& block, RowMemory& memory, const ScatterBatch& batch, std::uint32_t r) {
  const RowBatch::Row row = batch.rows[r];
  const std::uint32_t sources = weigh_sources(block, memory, batch, row);
  if (sources == 0 || !prepare_sources(block, memory, batch, row, sources)) return;
  const std::uint32_t targets = find_targets(block, memory, batch, row, sources);
  diffract_to_targets<Together>(block, memory, batch, row, sources, targets);
}

// How much is worked out at once.
struct ScatterCapacity {
  std::uint32_t rows = 4096, members = 1u << 19;

  // At least what the row of any element of an environment needs.
  ScatterCapacity at_least(const TargetPointsView& points) const;
  RowLimits limits() const { return {rows, members}; }
};

// Runs the kernel's body on the host: what tests hold against the CPU's own way. Keeps the view.
std::unique_ptr<RowScatterer> make_host_row_scatterer(const EnvironmentView& environment,
                                                      const ScatterCapacity& capacity);

}  // namespace tesseray
