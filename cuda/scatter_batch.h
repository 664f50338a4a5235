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
  double* weights = nullptr;  // what each member sends to the element; 0: not enough
  ScatteringSource* sources = nullptr;
  SourceAtEdge* at_edges = nullptr;      // of the sources, at edge segments
  SourceAtMirror* at_mirrors = nullptr;  // of the sources, at tiles
  DiffuseSum* rays = nullptr;            // of each source, where they end
  std::uint32_t* targets = nullptr;
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

// Returns how many sources there are. By a block of threads (thread_block.h), as all that take one.
template <class Block>
TESSERAY_HD std::uint32_t weigh_sources(const Block& block, RowMemory& memory, const ScatterBatch& batch,
                                        const RowBatch::Row& row, AfterScattering after) {
  const std::uint32_t* const members = batch.members + row.first_member;
  double* const weights = batch.weights + row.first_member;
  ScatteringSource* const sources = batch.sources + row.first_member;
  const std::uint32_t count = row.end_member - row.first_member;
  block.for_each(count,
                 [&](std::uint32_t m) { weights[m] = weight_at(batch.scattering, after, members[m], row.element); });
  const std::uint32_t found = select_in_order(
      block, memory.selection, count, [&](std::uint32_t m) { return weights[m] > 0; },
      [&](std::uint32_t place, std::uint32_t m) {
        sources[place] = {members[m], weights[m]};
      });
  const bool at_tile = batch.scattering.launch.environment.points.is_tile(row.element);
  block.once([&] {
    memory.count = static_cast<std::uint32_t>(thin_by_weight(
        std::span(sources, found), sources_for_all(batch.scattering.pruning, after, at_tile), row.element,
        [](const ScatteringSource& source) { return source.weight; },
        [](ScatteringSource& source, double times) { source.stands_for *= times; }));
  });
  return block.settled(memory.count);
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

// Leaves of `count` numbers those that are drawn (draw_evenly), in their order in `drawn`, which may be `numbers`, and
// returns how many. `estimates`, which count times `scale`, has theirs before, and for how many each that is left
// stands afterwards.
template <class Block>
TESSERAY_HD std::uint32_t draw(const Block& block, RowMemory& memory, std::uint32_t count, float scale,
                               std::uint64_t seed, const std::uint32_t* numbers, std::uint32_t* drawn,
                               float* estimates) {
  block.once([&] {
    std::uint32_t kept = 0;
    draw_evenly(
        count, seed, [&](std::size_t k) { return scale * estimates[k]; },
        [&](std::size_t k, float times) {
          drawn[kept] = numbers[k];
          estimates[kept++] = times;
        });
    memory.count = kept;
  });
  return block.settled(memory.count);
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
