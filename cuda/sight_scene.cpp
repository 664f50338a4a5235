// SPDX-License-Identifier: GPL-3.0-or-later
#include "cuda/sight_scene.h"

#include <algorithm>
#include <string>

#include "core/base/error.h"
#include "core/base/infinity.h"
#include "cuda/sight_block_memory.h"

namespace tesseray {
namespace {

// SightGrid's heights count from a reference in single precision.
SightSquare absolute(const SquareBounds& bounds, const SightGrid& grid) {
  const double error_m = static_cast<double>(grid.margins().height_m);
  const auto above = [&](float z) { return rounded_up(static_cast<double>(z) + grid.reference_z() + error_m); };
  const auto below = [&](float z) { return -rounded_up(error_m - static_cast<double>(z) - grid.reference_z()); };
  return {above(bounds.top_z), above(bounds.target_top_z), below(bounds.terrain_low_z)};
}

}  // namespace

void require_searchable(std::uint64_t elements) {
  if (elements <= SightBlockMemory::most_elements) return;
  throw Error(ErrorKind::resources, "gpu_elements",
              std::to_string(elements) + " tiles and edge segments are more than the search of the GPU takes, " +
                  std::to_string(SightBlockMemory::most_elements),
              "use --device cpu, or make the EXTENT smaller or the TILE_AREA larger");
}

SightSceneArrays::SightSceneArrays(const OcclusionView& occlusion, const std::vector<Element>& elements) {
  require_searchable(elements.size());
  const SightGrid grid(occlusion, elements);
  view_.occlusion = occlusion;
  view_.origin = grid.corner(0, 0);
  view_.cell_m = grid.cell_m();
  view_.columns = grid.columns();
  view_.rows = grid.rows();
  view_.block_columns = grid.block_columns();
  view_.block_rows = grid.block_rows();
  view_.top_z = -infinity_f;
  part_bounds_.resize(occlusion.part_count);
  for (std::int32_t j = 0; j < grid.rows(); ++j) {
    for (std::int32_t i = 0; i < grid.columns(); ++i) {
      const SquareBounds& bounds = grid.cell(grid.cell_index(i, j));
      SightCell& cell = cells_.emplace_back();
      cell.square = absolute(bounds, grid);
      const auto add_elements = [&](std::uint32_t begin, std::uint32_t end) {
        for (std::uint32_t k = begin; k < end; ++k) {
          elements_.push_back(elements[grid.elements()[k / lanes].number[k % lanes]]);
        }
        return static_cast<std::uint32_t>(elements_.size());
      };
      cell.first_element = static_cast<std::uint32_t>(elements_.size());
      cell.first_roof = add_elements(bounds.first_element, bounds.end_element);
      cell.end_element = add_elements(bounds.first_roof, bounds.end_roof);
      cell.first_part = static_cast<std::uint32_t>(parts_.size());
      for (std::uint32_t k = bounds.first_part; k < bounds.end_part; ++k) {
        parts_.push_back(grid.centred_part(k).part);
        part_bounds_[parts_.back()] = grid.centred_part(k).bounds;
      }
      cell.end_part = static_cast<std::uint32_t>(parts_.size());
      view_.top_z = std::max(view_.top_z, cell.square.top_z);
    }
  }
  for (std::int32_t j = 0; j < grid.block_rows(); ++j) {
    for (std::int32_t i = 0; i < grid.block_columns(); ++i) {
      blocks_.push_back(absolute(grid.block(grid.block_index(i, j)), grid));
    }
  }
}

SightSceneView SightSceneArrays::view() const {
  SightSceneView view = view_;
  view.cells = cells_.data();
  view.blocks = blocks_.data();
  view.elements = elements_.data();
  view.element_count = static_cast<std::uint32_t>(elements_.size());
  view.parts = parts_.data();
  view.part_bounds = part_bounds_.data();
  return view;
}

}  // namespace tesseray
