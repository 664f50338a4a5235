// SPDX-License-Identifier: GPL-3.0-or-later
// Power that tiles scatter and edge segments diffract: the kernel's body. After weigh_sources,
//
// 1. prepare_at_edge: what each source is to the edge (edge_observer.h), a thread per source;
// 2. find_targets_past_edge: which tiles of the row some source may light past the edge, and a sample of these, too;
// 3. diffract_to_targets: a thread per target adds up what all sources bring to it, in their order.
#pragma once

#include <cmath>
#include <cstdint>
#include <span>

#include "core/propagation/rows/point_intervals.h"
#include "cuda/scatter_batch.h"

namespace tesseray {

// False when nothing comes of the sources.
template <class Block>
TESSERAY_HD bool prepare_at_edge(const Block& block, RowMemory& memory, const ScatterBatch& batch,
                                 const RowBatch::Row& row, std::uint32_t count) {
  const ScatteringView& scattering = batch.scattering;
  const LaunchView& launch = scattering.launch;
  const EdgeSegment& edge = launch.environment.edge(row.element);
  const Wedge wedge = launch.wedge_of(edge);
  block.once([&] { memory.any_source = 0; });
  block.for_each(count, [&](std::uint32_t s) {
    ScatteringSource& source = batch.sources[row.first_member + s];
    SourceAtEdge prepared;
    if (pass_vegetation(launch, row.element, source)) {
      const IntervalBounds bounds = edge_bounds(edge, launch.environment.points.reference(source.tile));
      prepared.source = diffuse_edge_source(scattering, wedge, edge, source.tile);
      prepared.sent = edge_power(scattering.power(source.tile, AfterScattering::diffraction), source);
      prepared.about_edge = source_about_edge(launch.environment.points, edge, source);
      prepared.upper_u = bounds.upper_u;
      prepared.lower_u = bounds.lower_u;
      if (prepared.source.in_air) block.raise(memory.any_source, 1);
    }
    batch.at_edges[row.first_member + s] = prepared;
  });
  return block.settled(memory.any_source) != 0;
}

// BoundaryVersines of the sources, a thread per bucket.
template <class Block>
TESSERAY_HD void average_boundary_versines(const Block& block, RowMemory& memory, const ScatterBatch& batch,
                                           const RowBatch::Row& row, std::uint32_t source_count) {
  const SourceAtEdge* const sources = batch.at_edges + row.first_member;
  const DirectionAboutEdge twice_exterior =
      BoundaryVersines::twice_exterior(batch.scattering.launch.environment.edge(row.element).wedge_angle);
  block.for_each(BoundaryVersines::buckets, [&](std::uint32_t b) {
    const DirectionAboutEdge middle = BoundaryVersines::direction(b);
    float power = 0, over_versines = 0;
    for (std::uint32_t s = 0; s < source_count; ++s) {
      over_versines += BoundaryVersines::power_over_versine(sources[s].about_edge, middle, twice_exterior);
      power += sources[s].about_edge.power;
    }
    memory.boundary_versines[b] = power / over_versines;
  });
}

// Returns how many targets there are.
template <class Block>
TESSERAY_HD std::uint32_t find_targets_past_edge(const Block& block, RowMemory& memory, const ScatterBatch& batch,
                                                 const RowBatch::Row& row, std::uint32_t source_count) {
  const ScatteringView& scattering = batch.scattering;
  const ScatteringColumnsView& columns = scattering.columns;
  const TargetPointsView& points = scattering.launch.environment.points;
  const EdgeSegment& edge = scattering.launch.environment.edge(row.element);
  const std::span<const ScatteringSource> sources(batch.sources + row.first_member, source_count);
  constexpr std::uint32_t buckets = LitCotangents::buckets;
  block.for_each(buckets, [&](std::uint32_t b) { memory.lit_marks[b] = 0; });
  block.for_each(source_count, [&](std::uint32_t s) {
    if (!(sources[s].weight > 0)) return;
    const auto lit = LitCotangents::lit_by(edge_bounds(edge, points.reference(sources[s].tile)));
    for (std::int32_t b = lit.first; b <= lit.last; ++b) block.raise(memory.lit_marks[b], 1);
  });
  block.once([&] { LitCotangents::find_next_places(memory.lit_marks, memory.next_lit); });

  const std::uint32_t* const members = batch.members + row.first_member;
  const bool draws = scattering.known_gains != nullptr;
  std::uint32_t* const candidates = (draws ? batch.candidates : batch.targets) + row.first_member;
  const RoughPoint at = columns.rough(edge.midpoint);
  const RoughPoint direction = rough_point(edge.direction);
  const auto half_length = static_cast<float>(0.5 * edge.length_m);
  const std::uint32_t found = select_in_order(
      block, memory.selection, row.end_member - row.first_member,
      [&](std::uint32_t m) {
        return may_be_lit(columns.targets[members[m]] - at, direction, half_length, memory.next_lit);
      },
      [&](std::uint32_t place, std::uint32_t m) { candidates[place] = members[m]; });
  if (!draws) {
    block.for_each(found, [&](std::uint32_t t) { batch.stand_for[row.first_member + t] = 1.0f; });
    return found;
  }

  block.once([&] {
    const ScatteredAtEdge at_edge = scattered_at_edge(points, edge.midpoint, sources);
    memory.gain_at_edge = at_edge.gain;
    memory.distance_to_edge_m = at_edge.distance_m;
  });
  average_boundary_versines(block, memory, batch, row, source_count);
  const RoughEdge rough_edge(edge, {memory.gain_at_edge, memory.distance_to_edge_m},
                             1 / scattering.pruning.then_diffracted, scattering.launch.link.wave_number);
  block.for_each(found, [&](std::uint32_t t) {
    const std::uint32_t tile = candidates[t];
    batch.estimates[row.first_member + t] = estimated_past_edge(
        columns.targets[tile] - at, scattering.known_gains[tile], rough_edge, memory.boundary_versines);
  });
  return draw_targets(block, memory, batch, row, candidates, found, 1.0f);
}

template <class Together, class Block>
TESSERAY_HD void diffract_to_targets(const Block& block, RowMemory& memory, const ScatterBatch& batch,
                                     const RowBatch::Row& row, std::uint32_t source_count, std::uint32_t target_count) {
  const ScatteringView& scattering = batch.scattering;
  const LaunchView& launch = scattering.launch;
  const EdgeSegment& edge = launch.environment.edge(row.element);
  const ObservedFaces faces(launch.wedge_of(edge), edge);
  const SourceAtEdge* const sources = batch.at_edges + row.first_member;
  block.once([&] { memory.count = 0; });
  block.for_each(target_count, [&](std::uint32_t t) {
    const std::uint32_t number = batch.targets[row.first_member + t];
    const Vec3 point = launch.environment.points.arrival(number);
    const EdgeObserver observer = observer_at(place_about(edge, point.x, point.y, point.z), faces);
    const auto straight_m = static_cast<float>(launch.straight_distances[number]);
    DiffuseEdgeSum beam;
    std::uint32_t joined = 0;
    for (std::uint32_t s = 0; s < source_count; ++s) {
      const SourceAtEdge& source = sources[s];
      if (!source.source.in_air) continue;
      if (!(observer.first_u <= source.upper_u && observer.last_u > source.lower_u)) continue;
      const ObserverFrame& frame = source.source.from_other_face ? observer.from_n : observer.from_0;
      beam.add(pair_at_edge(source.source, observer.z, observer.rho, observer.rise, observer.in_air, frame),
               source.sent, straight_m);
      ++joined;
    }
    if (joined > 0) block.claim(memory.count, joined);
    if (beam.rays == 0) return;
    const DiffractedWays ways(edge, point, beam);
    const DiffuseTarget target =
        diffracted_target(scattering, edge, number, normalized(ways.sum),
                          launch.vegetation_between(row.element, number), batch.stand_for[row.first_member + t]);
    add_scattered(sum_of(beam, ways, target), batch.scattered_sums[number], batch.sums[number],
                  typename Together::Adder{batch.locks + number});
  });
  count_pairs(block, memory, batch, source_count, target_count);
}

// REQUIRES: r < batch.row_count, rows of edge segments.
template <class Together, class Block>
TESSERAY_HD void diffract_row(const Block& block, RowMemory& memory, const ScatterBatch& batch, std::uint32_t r) {
  const RowBatch::Row row = batch.rows[r];
  const std::uint32_t sources = weigh_sources(block, memory, batch, row, AfterScattering::diffraction);
  if (sources == 0 || !prepare_at_edge(block, memory, batch, row, sources)) return;
  const std::uint32_t targets = find_targets_past_edge(block, memory, batch, row, sources);
  diffract_to_targets<Together>(block, memory, batch, row, sources, targets);
}

}  // namespace tesseray
