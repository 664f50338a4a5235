// SPDX-License-Identifier: GPL-3.0-or-later
#include "cuda/device_scene.h"

#include <cstddef>

namespace tesseray {

template <class Item>
void DeviceScene::copy(const Item*& items, std::size_t count) {
  if (items == nullptr) return;
  const DeviceArray<std::byte>& array = arrays_.emplace_back(std::as_bytes(std::span(items, count)));
  items = reinterpret_cast<const Item*>(array.data());
}

void DeviceScene::copy(HeightPyramidView& pyramid) {
  std::int32_t rows = pyramid.rows;
  for (int level = 0; level < pyramid.levels; ++level) {
    copy(pyramid.max_height_m[level],
         static_cast<std::size_t>(rows) * static_cast<std::size_t>(pyramid.level_columns[level]));
    rows = (rows + (1 << pyramid_shift) - 1) >> pyramid_shift;
  }
}

DeviceScene::DeviceScene(const SightSceneView& host) : view_(host) {
  OcclusionView& solid = view_.occlusion;
  const std::size_t cells =
      host.occlusion.wall_offsets == nullptr
          ? 0
          : static_cast<std::size_t>(solid.prism_grid.columns) * static_cast<std::size_t>(solid.prism_grid.rows);
  // The sizes of lists are the ends of their last cells.
  const auto end_of = [cells](const std::uint32_t* offsets) { return cells == 0 ? 0 : std::size_t{offsets[cells]}; };
  copy(solid.walls, end_of(host.occlusion.wall_offsets));
  copy(solid.part_items, end_of(host.occlusion.part_offsets));
  copy(solid.raised_items, end_of(host.occlusion.raised_offsets));
  copy(solid.wall_offsets, cells + 1);
  copy(solid.part_offsets, cells + 1);
  copy(solid.raised_offsets, cells + 1);
  copy(solid.parts, solid.part_count);
  copy(solid.outlines, solid.side_count);
  copy(solid.prism_grid);
  copy(solid.terrain_height_m,
       static_cast<std::size_t>(solid.terrain_columns) * static_cast<std::size_t>(solid.terrain_grid.rows + 1));
  copy(solid.terrain_grid);
  const auto columns = static_cast<std::size_t>(host.columns), rows = static_cast<std::size_t>(host.rows);
  copy(view_.blocks, static_cast<std::size_t>(host.block_columns) * static_cast<std::size_t>(host.block_rows));
  copy(view_.elements, host.element_count);
  copy(view_.parts, columns * rows == 0 ? 0 : std::size_t{host.cells[columns * rows - 1].end_part});
  copy(view_.part_bounds, solid.part_count);
  copy(view_.cells, columns * rows);
}

}  // namespace tesseray
