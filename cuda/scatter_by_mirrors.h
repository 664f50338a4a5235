// SPDX-License-Identifier: GPL-3.0-or-later
// Power that tiles scatter and other tiles mirror: the kernel's body. After weigh_sources,
//
// 1. prepare_at_mirror: the image of each source and what it asks targets with, a thread per source;
// 2. reflect_to_targets: a thread per tile of the row adds up what all sources bring to it, in their order.
#pragma once

#include <cstdint>

#include "core/propagation/rows/point_intervals.h"
#include "cuda/scatter_batch.h"

namespace tesseray {

// False when nothing comes of the sources.
template <class Block>
TESSERAY_HD bool prepare_at_mirror(const Block& block, RowMemory& memory, const ScatterBatch& batch,
                                   const RowBatch::Row& row, std::uint32_t count) {
  const LaunchView& launch = batch.scattering.launch;
  const Tile& tile = launch.environment.tiles[row.element];
  const TileFrame frame(tile);
  block.once([&] { memory.any_source = 0; });
  block.for_each(count, [&](std::uint32_t s) {
    ScatteringSource& source = batch.sources[row.first_member + s];
    const Vec3 origin = launch.environment.points.reference(source.tile), coordinates = frame.coordinates(origin);
    SourceAtMirror prepared;
    if (pass_vegetation(launch, row.element, source) && coordinates.z > 0) {
      prepared = {mirrored(origin, tile.centroid, tile.normal), tile_bounds(coordinates), true};
      block.raise(memory.any_source, 1);
    }
    batch.at_mirrors[row.first_member + s] = prepared;
  });
  return block.settled(memory.any_source) != 0;
}

template <class Together, class Block>
TESSERAY_HD void reflect_to_targets(const Block& block, RowMemory& memory, const ScatterBatch& batch,
                                    const RowBatch::Row& row, std::uint32_t source_count) {
  const ScatteringView& scattering = batch.scattering;
  const LaunchView& launch = scattering.launch;
  const TargetPointsView& points = launch.environment.points;
  const TileFrame frame(launch.environment.tiles[row.element]);
  const bool from_ground = points.is_ground(row.element);
  const std::uint32_t member_count = row.end_member - row.first_member;
  block.once([&] { memory.count = 0; });
  block.for_each(member_count, [&](std::uint32_t m) {
    const auto reflect_to = [&](std::uint32_t, std::uint32_t target) {
      const std::uint32_t number = target & RowTarget::number_mask;
      const Vec3 point = points.arrival(number);
      const PointIntervals intervals = intervals_at_tile(frame, point.x, point.y, point.z);
      DiffuseSum sum;
      std::uint32_t joined = 0;
      for (std::uint32_t s = 0; s < source_count; ++s) {
        const SourceAtMirror& at_mirror = batch.at_mirrors[row.first_member + s];
        if (!at_mirror.is_lit || !is_hit(intervals, at_mirror.bounds, true)) continue;
        ++joined;
        const ScatteringSource& source = batch.sources[row.first_member + s];
        const Vec3 way = point - at_mirror.image;
        const double length_m = norm(way);
        const Vec3 direction = (1.0 / length_m) * way;
        const double density =
            mirrored_density(scattering, source.tile, source.share, row.element, direction, length_m);
        if (!(density > 0)) continue;
        const DiffuseTarget at_target =
            standing_for(source.stands_for,
                         diffuse_target(scattering, number, direction, launch.vegetation_between(row.element, number)));
        add_diffuse(scattering.power(source.tile, AfterScattering::reflection), density, length_m, at_target, sum);
      }
      if (joined > 0) block.claim(memory.count, joined);
      if (sum.rays > 0) batch.sums[number].add(sum, typename Together::Adder{batch.locks + number});
    };
    for_targets_of_tile(points, from_ground, batch.members[row.first_member + m], false, reflect_to);
  });
  count_pairs(block, memory, batch, source_count, member_count);
}

// REQUIRES: r < batch.row_count, rows of tiles.
template <class Together, class Block>
TESSERAY_HD void reflect_row(const Block& block, RowMemory& memory, const ScatterBatch& batch, std::uint32_t r) {
  const RowBatch::Row row = batch.rows[r];
  const std::uint32_t sources = weigh_sources(block, memory, batch, row, AfterScattering::reflection);
  if (sources == 0 || !prepare_at_mirror(block, memory, batch, row, sources)) return;
  reflect_to_targets<Together>(block, memory, batch, row, sources);
}

}  // namespace tesseray
