// SPDX-License-Identifier: GPL-3.0-or-later
// Power that tiles scatter to a target where it ends: the kernel's body.
//
// 1. draw_scattering: which tiles of the target's row are asked, those that bring little drawn by chance;
// 2. scatter_to_target: the ray of each of them, a thread per tile; one thread adds them up in their order.
#pragma once

#include <cstdint>

#include "cuda/scatter_batch.h"

namespace tesseray {

// Returns how many tiles there are: they are in batch.targets, for how many each stands in batch.stand_for.
template <class Block>
TESSERAY_HD std::uint32_t draw_scattering(const Block& block, RowMemory& memory, const ScatterBatch& batch,
                                          const RowBatch::Row& row) {
  const ScatteringView& scattering = batch.scattering;
  const RoughScatterer* const scatterers = scattering.scatterers_of(AfterScattering::nothing);
  const std::uint32_t* const members = batch.members + row.first_member;
  float* const estimates = batch.estimates + row.first_member;
  const std::uint32_t count = row.first_beside - row.first_member;
  const RoughPoint here = scattering.columns.rough(scattering.launch.environment.points.arrival(row.element));
  const double asked = asked_at_target(scattering, row.element);
  const float scale = strength_scale(asked);
  block.for_each(count,
                 [&](std::uint32_t m) { estimates[m] = estimated_radiated(scatterers[members[m]], scale, here); });
  float to_share = 1;
  if (asked > 0) {
    block.for_each(estimate_lanes,
                   [&](std::uint32_t lane) { memory.lanes[lane] = lane_of_estimates(estimates, count, lane); });
    to_share = scale_to_share(memory.lanes, scattering.pruning.of_all_scattered);
  }
  return draw_targets(block, memory, batch, row, members, count, to_share);
}

template <class Together, class Block>
TESSERAY_HD void scatter_to_target(const Block& block, RowMemory& memory, const ScatterBatch& batch,
                                   const RowBatch::Row& row, std::uint32_t source_count) {
  constexpr AfterScattering after = AfterScattering::nothing;
  const ScatteringView& scattering = batch.scattering;
  const Vec3 target = scattering.launch.environment.points.arrival(row.element);
  DiffuseSum* const rays = batch.rays + row.first_member;
  block.for_each(source_count, [&](std::uint32_t s) {
    const std::uint32_t tile = batch.targets[row.first_member + s];
    const RadiatedRay ray = radiated_to(scattering, after, tile, target);
    const bool is_near = ray.length_m < scattering.columns.near_m[tile];
    const double density = is_near ? diffuse_density(scattering, tile, target).of_all : ray.density;
    DiffuseSum sum;
    if (density > 0) {
      const DiffuseTarget at_target =
          standing_for(static_cast<double>(batch.stand_for[row.first_member + s]),
                       diffuse_target_of_tile(scattering, row.element, tile, ray.direction, ray.length_m,
                                              scattering.launch.vegetation_between(row.element, tile)));
      add_diffuse(scattering.power(tile, after), density, ray.length_m, at_target, sum);
    }
    rays[s] = sum;
  });
  block.once([&] {
    DiffuseSum sum;
    for (std::uint32_t s = 0; s < source_count; ++s) sum.add(rays[s]);
    if (sum.rays > 0) batch.sums[row.element].add(sum, typename Together::Adder{batch.locks + row.element});
    memory.count = source_count;
  });
  count_pairs(block, memory, batch, row.first_beside - row.first_member, 1);
}

// REQUIRES: r < batch.row_count, rows of tiles.
template <class Together, class Block>
TESSERAY_HD void gather_row(const Block& block, RowMemory& memory, const ScatterBatch& batch, std::uint32_t r) {
  const RowBatch::Row row = batch.rows[r];
  const std::uint32_t sources = draw_scattering(block, memory, batch, row);
  scatter_to_target<Together>(block, memory, batch, row, sources);
}

}  // namespace tesseray
