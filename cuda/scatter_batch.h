// SPDX-License-Identifier: GPL-3.0-or-later
// Scattered power by a batch of rows: what the kernels' bodies have in common. A block of threads takes the tiles of an
// element's row, by the CPU's own functions and in its steps (core/propagation/launching/scattered_power.cpp). Where
// the power goes on, the first is here: weigh_sources, which tiles of the row send enough to the element, and a sample
// that stands for all of them. The others are in scatter_by_edges.h and scatter_by_mirrors.h; scatter_last.h has power
// that ends.
//
// Draws by chance have only operations that are rounded on their own, so that what is drawn is the same on every
// machine. What arrives is summed in whole numbers, so that no order of threads changes the sums.
#pragma once

#include <cstdint>
#include <memory>
#include <span>

#include "core/base/infinity.h"
#include "core/propagation/rows/weighted_sample.h"
#include "core/propagation/scattering/lit_cotangents.h"
#include "core/propagation/scattering/row_scatterer.h"
#include "cuda/ordered_selection.h"

namespace tesseray {

// A scattering tile, prepared for all targets past an edge segment.
struct SourceAtEdge {
  DiffuseEdgeSource source;
  DiffuseEdgePower sent;
  SourceAboutEdge about_edge;      // for draws; without power where nothing is left of the source
  float upper_u = 0, lower_u = 0;  // IntervalBounds
};

// The same for all targets that a tile may mirror it to.
struct SourceAtMirror {
  Vec3 image;
  IntervalBounds bounds;
  bool is_lit = false;  // the tile mirrors it at all
};

// Owns nothing. Working space has room for each member of the batch; a row's begins at its first member.
struct ScatterBatch {
  ScatteringView scattering;
  const RowBatch::Row* rows = nullptr;
  std::uint32_t row_count = 0;
  const std::uint32_t* members = nullptr;
  double* weights = nullptr;                // what each member sends to the element; 0: not enough
  ScatteringSource* weighed = nullptr;      // the members that send enough
  ScatteringSource* sources = nullptr;      // those of them that are drawn
  SourceAtEdge* at_edges = nullptr;         // of the sources, at edge segments
  SourceAtMirror* at_mirrors = nullptr;     // of the sources, at tiles
  DiffuseSum* rays = nullptr;               // of each source, where they end
  std::uint32_t* candidates = nullptr;      // for targets
  float* estimates = nullptr;               // of the candidates
  std::uint32_t* targets = nullptr;         // those of them that are drawn
  float* stand_for = nullptr;               // of the targets
  ScatteredSums* scattered_sums = nullptr;  // by tile
  ArrivalSums* sums = nullptr;              // by tile
  std::uint32_t* locks = nullptr;           // one per tile, 0 while nobody has it
  PairCounts* counts = nullptr;
};

// What the threads of a block share. Without initial values, which shared memory cannot have.
struct RowMemory {
  SelectionMemory selection;
  std::int32_t lit_marks[LitCotangents::buckets];
  float next_lit[LitCotangents::buckets];              // LitCotangents::next_places()
  std::uint32_t count;                                 // of what is left after a draw, or of pairs
  std::int32_t any_source;                             // not 0: there is one that may reach a target
  double gain_at_edge, distance_to_edge_m;             // ScatteredAtEdge
  float boundary_versines[BoundaryVersines::buckets];  // of all sources of an edge
  float lanes[estimate_lanes];                         // of the sum of estimates
  WeakItems weak[weight_lanes];
  double threshold;
};

// What a tile sends from its centroid to a point, per unit of its power.
TESSERAY_HD inline RadiatedRay radiated_to(const ScatteringView& scattering, AfterScattering after, std::uint32_t tile,
                                           Vec3 point) {
  const ScatteringColumnsView& columns = scattering.columns;
  const double flat = scattering.model == ScatteringModel::reciprocal ? 0.0 : 1.0;
  const Vec3 way = point - scattering.launch.environment.points.reference(tile);
  RadiatedRay ray = radiated(way, columns.normals[tile], columns.areas_m2[tile],
                             columns.reflectances + columns.table_begin[tile], flat);
  if (scattering.directive_lobes != nullptr) {
    ray.density = diffuse_intensity(scattering, tile, ray.direction, after) / (ray.length_m * ray.length_m);
  }
  return ray;
}

// The power that a tile scatters to an element from which it goes on; 0 where that is less than the threshold.
TESSERAY_HD inline double weight_at(const ScatteringView& scattering, AfterScattering after, std::uint32_t tile,
                                    std::uint32_t element) {
  const ScatteringColumnsView& columns = scattering.columns;
  const LinkView& link = scattering.launch.link;
  const Vec3 here = scattering.launch.environment.points.reference(element);
  const float scale = strength_scale(asked_at_elements(scattering));
  if (!(estimated_radiated(scattering.scatterers_of(after)[tile], scale, columns.rough(here)) >= 1)) return 0;
  const double density = radiated_to(scattering, after, tile, here).density;
  const double gain = link.unit_gain * scattering.power(tile, after).power * density;
  return gain >= link.least_gain ? gain : 0;
}

// The weight from which on sources are kept for certain, when about `most` are.
template <class Block>
TESSERAY_HD double threshold_of(const Block& block, RowMemory& memory, const ScatteringSource* sources,
                                std::uint32_t count, std::size_t most) {
  double threshold = infinity;
  for (int turn = 0; turn < threshold_turns; ++turn) {
    block.for_each(weight_lanes, [&](std::uint32_t lane) {
      WeakItems weak{0, 0};
      for (std::uint32_t s = lane; s < count; s += weight_lanes) weak.add(sources[s].weight, threshold);
      memory.weak[lane] = weak;
    });
    block.once([&] { memory.threshold = next_threshold(memory.weak, most, threshold); });
    const double next = block.settled(memory.threshold);
    if (next == threshold) break;
    threshold = next;
  }
  return threshold;
}

// Leaves about `most` of the sources, as thin_by_weight() does: in `left`. Returns how many.
template <class Block>
TESSERAY_HD std::uint32_t thin_sources(const Block& block, RowMemory& memory, const ScatteringSource* sources,
                                       std::uint32_t count, std::size_t most, std::uint64_t seed,
                                       ScatteringSource* left) {
  if (most == 0 || count <= most) {
    block.for_each(count, [&](std::uint32_t s) { left[s] = sources[s]; });
    return count;
  }
  const double threshold = threshold_of(block, memory, sources, count, most);
  return draw_in_order(
      block, memory.selection, count, seed,
      [&](std::uint32_t s) { return chances_by_weight(sources[s].weight, threshold); },
      [&](std::uint32_t place, std::uint32_t s) {
        ScatteringSource source = sources[s];
        if (source.weight < threshold) source.stands_for *= threshold / source.weight;
        left[place] = source;
      });
}

// Returns how many sources there are. By a block of threads (thread_block.h), as all that take one.
template <class Block>
TESSERAY_HD std::uint32_t weigh_sources(const Block& block, RowMemory& memory, const ScatterBatch& batch,
                                        const RowBatch::Row& row, AfterScattering after) {
  const std::uint32_t* const members = batch.members + row.first_member;
  double* const weights = batch.weights + row.first_member;
  ScatteringSource* const weighed = batch.weighed + row.first_member;
  const std::uint32_t count = row.first_beside - row.first_member;
  block.for_each(count,
                 [&](std::uint32_t m) { weights[m] = weight_at(batch.scattering, after, members[m], row.element); });
  const std::uint32_t found = select_in_order(
      block, memory.selection, count, [&](std::uint32_t m) { return weights[m] > 0; },
      [&](std::uint32_t place, std::uint32_t m) {
        weighed[place] = {members[m], weights[m]};
      });
  const bool at_tile = batch.scattering.launch.environment.points.is_tile(row.element);
  return thin_sources(block, memory, weighed, found, sources_for_all(batch.scattering.pruning, after, at_tile),
                      row.element, batch.sources + row.first_member);
}

// What vegetation leaves of a source's power at an element; a source of which it leaves too little has no weight
// afterwards. False for those.
TESSERAY_HD inline bool pass_vegetation(const LaunchView& launch, std::uint32_t element, ScatteringSource& source) {
  const double vegetation = launch.vegetation_between(element, source.tile), left = vegetation * vegetation;
  source.share *= left;
  if (source.weight * left >= launch.link.least_gain) return true;
  source.weight = 0;
  return false;
}

// Draws targets of `count` numbers with the batch's estimates, which count times `scale`, in their order (draw_evenly).
// Returns how many.
template <class Block>
TESSERAY_HD std::uint32_t draw_targets(const Block& block, RowMemory& memory, const ScatterBatch& batch,
                                       const RowBatch::Row& row, const std::uint32_t* numbers, std::uint32_t count,
                                       float scale) {
  const float* const estimates = batch.estimates + row.first_member;
  std::uint32_t* const targets = batch.targets + row.first_member;
  float* const stand_for = batch.stand_for + row.first_member;
  return draw_in_order(
      block, memory.selection, count, row.element,
      [&](std::uint32_t k) { return chances_by_estimate(scale * estimates[k]); },
      [&](std::uint32_t place, std::uint32_t k) {
        targets[place] = numbers[k];
        stand_for[place] = standing_for_estimate(scale * estimates[k]);
      });
}

// Adds to the batch's counts what a row of so many sources and targets had. REQUIRES: memory.count pairs were joined.
template <class Block>
TESSERAY_HD void count_pairs(const Block& block, const RowMemory& memory, const ScatterBatch& batch,
                             std::uint32_t sources, std::uint32_t targets) {
  block.once([&] {
    block.claim_of_all(batch.counts->looked_at, std::uint64_t{sources} * targets);
    block.claim_of_all(batch.counts->joined, memory.count);
  });
}

// How much is worked out at once.
struct ScatterCapacity {
  std::uint32_t rows = 4096, members = 1u << 19;

  // At least what the row of any element of an environment needs.
  ScatterCapacity at_least(const TargetPointsView& points) const;
  RowLimits limits() const { return {rows, members}; }
};

// Runs the kernels' bodies on the host: what tests hold against the CPU's own way. Keeps the view.
std::unique_ptr<RowScatterer> make_host_row_scatterer(const EnvironmentView& environment,
                                                      const ScatterCapacity& capacity);

}  // namespace tesseray
