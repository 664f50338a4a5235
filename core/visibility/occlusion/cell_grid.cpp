// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/visibility/occlusion/cell_grid.h"

namespace tesseray {

CellGrid make_cell_grid(const Rectangle& box, double step_m, std::int64_t max_cells, std::int32_t multiple) {
  CellGrid grid;
  grid.step_m = step_m;
  if (box.empty()) return grid;
  const auto cells = [&](double extent) {
    const std::int64_t needed = static_cast<std::int64_t>(extent / grid.step_m) + 2;
    return (needed + multiple - 1) / multiple * multiple;
  };
  const double width = box.max.x - box.min.x, depth = box.max.y - box.min.y;
  while (cells(width) * cells(depth) > max_cells) grid.step_m *= 2;
  grid.columns = static_cast<std::int32_t>(cells(width));
  grid.rows = static_cast<std::int32_t>(cells(depth));
  grid.origin = box.min - 0.5 * Vec2{grid.step_m, grid.step_m};
  return grid;
}

CellLists make_cell_lists(std::size_t cells,
                          const std::vector<std::pair<std::uint32_t, std::uint32_t>>& cell_and_item) {
  CellLists lists;
  lists.offsets.assign(cells + 1, 0);
  for (const auto& [cell, item] : cell_and_item) ++lists.offsets[cell + 1];
  for (std::size_t cell = 0; cell < cells; ++cell) lists.offsets[cell + 1] += lists.offsets[cell];
  lists.items.resize(cell_and_item.size());
  std::vector<std::uint32_t> next(lists.offsets.begin(), lists.offsets.end() - 1);
  for (const auto& [cell, item] : cell_and_item) lists.items[next[cell]++] = item;
  return lists;
}

}  // namespace tesseray
