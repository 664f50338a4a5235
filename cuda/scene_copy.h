// SPDX-License-Identifier: GPL-3.0-or-later
// All arrays that a view of a scene points to, with their sizes: what must be copied to another memory.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "core/propagation/rooftops/rooftop_scene_view.h"
#include "core/propagation/scattering/scattering_view.h"
#include "core/propagation/tubes/launch_view.h"
#include "cuda/sight_scene.h"

namespace tesseray {

// Calls replace(pointer, count) for each array of a pyramid; the pointer may be changed.
template <class Replace>
void for_each_array(HeightPyramidView& pyramid, const Replace& replace) {
  std::int32_t rows = pyramid.rows;
  for (int level = 0; level < pyramid.levels; ++level) {
    replace(pyramid.max_height_m[level],
            static_cast<std::size_t>(rows) * static_cast<std::size_t>(pyramid.level_columns[level]));
    rows = (rows + (1 << pyramid_shift) - 1) >> pyramid_shift;
  }
}

// The same for a scene. REQUIRES: what the pointers point to can be read until the call ends.
template <class Replace>
void for_each_array(SightSceneView& view, const Replace& replace) {
  const SightSceneView host = view;
  const auto product = [](std::int32_t a, std::int32_t b) {
    return static_cast<std::size_t>(a) * static_cast<std::size_t>(b);
  };
  OcclusionView& solid = view.occlusion;
  const std::size_t cells = product(solid.prism_grid.columns, solid.prism_grid.rows);
  // The sizes of lists by cell are the ends of their last cells.
  replace(solid.walls, std::size_t{host.occlusion.wall_offsets[cells]});
  replace(solid.part_items, std::size_t{host.occlusion.part_offsets[cells]});
  replace(solid.raised_items, std::size_t{host.occlusion.raised_offsets[cells]});
  replace(solid.wall_offsets, cells + 1);
  replace(solid.part_offsets, cells + 1);
  replace(solid.raised_offsets, cells + 1);
  replace(solid.parts, std::size_t{solid.part_count});
  replace(solid.outlines, std::size_t{solid.side_count});
  for_each_array(solid.prism_grid, replace);
  if (solid.terrain_height_m != nullptr) {
    replace(solid.terrain_height_m, solid.terrain_columns * (static_cast<std::size_t>(solid.terrain_grid.rows) + 1));
  }
  for_each_array(solid.terrain_grid, replace);
  const std::size_t squares = product(host.columns, host.rows);
  replace(view.blocks, product(host.block_columns, host.block_rows));
  replace(view.elements, std::size_t{host.element_count});
  replace(view.parts, squares == 0 ? 0 : std::size_t{host.cells[squares - 1].end_part});
  replace(view.part_bounds, std::size_t{solid.part_count});
  replace(view.cells, squares);
}

// The same for what vertical planes cut.
template <class Replace>
void for_each_array(RooftopSceneView& view, const Replace& replace) {
  const std::size_t cells = view.side_count > 0 ? view.grid.size() : 0;
  RoofSidesView& sides = view.sides;
  for (const double** column : {&sides.begin_x, &sides.begin_y, &sides.along_x, &sides.along_y, &sides.before_x,
                                &sides.before_y, &sides.after_x, &sides.after_y, &sides.top_z}) {
    replace(*column, std::size_t{view.side_count});
  }
  replace(sides.material, std::size_t{view.side_count});
  replace(sides.roof, std::size_t{view.side_count});
  replace(view.first_of_cell, cells > 0 ? cells + 1 : 0);
  replace(view.top_of_cell, cells);
  replace(view.terrain.height_m, std::size_t{view.terrain.columns} * view.terrain.rows);
  const TerrainBlocksView& blocks = view.terrain_blocks;
  replace(view.terrain_blocks.highest_m, std::size_t{blocks.columns} * blocks.rows);
}

// The same for an environment.
template <class Replace>
void for_each_array(EnvironmentView& view, const Replace& replace) {
  const std::size_t elements = view.points.element_count();
  replace(view.points.points, view.points.point_count());
  replace(view.points.tiles_on_ground, std::size_t{view.points.tile_count});
  replace(view.tiles, std::size_t{view.points.tile_count});
  replace(view.normals_around, std::size_t{view.points.tile_count});
  replace(view.ground_heights, elements);
  replace(view.edges, std::size_t{view.points.edge_count});
  replace(view.edge_runs, std::size_t{view.points.edge_count});
  replace(view.receiver_grounds, std::size_t{view.points.receiver_count});
  if (view.vegetation_pairs.offsets == nullptr) return;
  replace(view.vegetation_pairs.members, std::size_t{view.vegetation_pairs.offsets[elements]});
  replace(view.vegetation_pairs.offsets, elements + 1);
}

// The same for one transmitter's launch, but for its environment.
template <class Replace>
void for_each_array(LaunchView& view, const Replace& replace) {
  const TargetPointsView& points = view.environment.points;
  const std::size_t numbers = std::size_t{points.element_count()} + points.receiver_count;
  replace(view.link.surfaces, view.link.surface_count);
  for (std::span<const CutPoint>* cut : {&view.link.transmit_cuts.horizontal, &view.link.transmit_cuts.vertical}) {
    const CutPoint* angles = cut->data();
    replace(angles, cut->size());
    *cut = {angles, cut->size()};
  }
  replace(view.straight_distances, numbers);
  if (view.roulette_gain != nullptr) replace(view.roulette_gain, std::size_t{points.element_count()});
  if (view.reached_over_rooftops != nullptr) replace(view.reached_over_rooftops, numbers);
  if (view.past_corners != nullptr) replace(view.past_corners, numbers);
  if (view.left_along_edges == nullptr) return;
  replace(view.left_along_edges, std::size_t{view.left_along_edge_count});
  replace(view.left_at_places, std::size_t{view.left_at_place_count});
}

// The same for what it scatters.
template <class Replace>
void for_each_array(ScatteringView& view, const Replace& replace) {
  for_each_array(view.launch, replace);
  const TargetPointsView& points = view.launch.environment.points;
  const std::size_t tiles = points.tile_count, numbers = std::size_t{points.element_count()} + points.receiver_count;
  ScatteringColumnsView& columns = view.columns;
  replace(columns.targets, tiles);
  replace(columns.near_m, tiles);
  replace(columns.areas_m2, tiles);
  replace(columns.reflectances, columns.reflectance_count);
  replace(columns.normals, numbers);
  replace(columns.table_begin, numbers);
  replace(columns.ground_reflection, numbers);
  replace(view.powers, tiles * view.kinds);
  replace(view.scatterers, tiles * view.kinds);
  if (view.directive_lobes != nullptr) {
    replace(view.directive_lobes, tiles * view.kinds * lobe_coefficients(view.lobe_exponent));
  }
  if (view.known_gains != nullptr) replace(view.known_gains, tiles);
}

}  // namespace tesseray
