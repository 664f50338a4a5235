// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/propagation/rooftops/rooftop_profiles.h"

#include <algorithm>
#include <utility>

#include "core/base/infinity.h"
#include "core/propagation/rooftops/roof_sides.h"

namespace tesseray {

namespace {

constexpr double cell_m = 32.0;
constexpr std::int64_t most_cells = std::int64_t{1} << 22;

// How high the terrain is at most, by block (TerrainBlocksView).
std::vector<float> highest_of_blocks(const TerrainView& terrain, const TerrainBlocksView& blocks) {
  constexpr std::uint32_t side = TerrainBlocksView::side;
  std::vector<float> highest(std::size_t{blocks.columns} * blocks.rows, -infinity_f);
  for (std::uint32_t row = 0; row < terrain.rows; ++row) {
    for (std::uint32_t column = 0; column < terrain.columns; ++column) {
      const float height = terrain.height_m[std::size_t{row} * terrain.columns + column];
      // Nodes on a border belong to the blocks on either side.
      for (std::uint32_t j = (row > 0 ? row - 1 : 0) / side; j <= row / side && j < blocks.rows; ++j) {
        for (std::uint32_t i = (column > 0 ? column - 1 : 0) / side; i <= column / side && i < blocks.columns; ++i) {
          float& of_block = highest[std::size_t{j} * blocks.columns + i];
          of_block = std::max(of_block, height);
        }
      }
    }
  }
  return highest;
}

}  // namespace

RooftopProfiles::RooftopProfiles(const Scene& scene, const PrismIndex& index)
    : RooftopProfiles(scene, index, BelowParts::air) {}

RooftopProfiles::RooftopProfiles(const Scene& scene, const PrismIndex& index, BelowParts below) {
  take_terrain(scene);
  // A building's own material is that of its walls.
  view_.roof_material = scene.default_materials.roof;
  RoofSides roofs = find_roof_sides(scene, index, below);
  take_sides(roofs.sides);
  roof_of_prism_ = std::move(roofs.roof_of_prism);
  parts_in_air_ = std::move(roofs.parts_in_air);
}

void RooftopProfiles::take_terrain(const Scene& scene) {
  const std::vector<float>& ground = scene.terrain.height_m;
  view_.terrain = scene.terrain.view();
  view_.terrain_blocks = {TerrainBlocksView::count(view_.terrain.columns),
                          TerrainBlocksView::count(view_.terrain.rows)};
  highest_of_block_ = highest_of_blocks(view_.terrain, view_.terrain_blocks);
  view_.terrain_blocks.highest_m = highest_of_block_.data();
  view_.ground_material = scene.default_materials.ground;
  view_.highest_ground_m =
      ground.empty() ? -infinity : static_cast<double>(*std::max_element(ground.begin(), ground.end()));
}

void RooftopProfiles::take_sides(const std::vector<RoofSide>& sides) {
  if (sides.empty()) return;
  Rectangle box;
  for (const RoofSide& side : sides) {
    box.extend(side.begin);
    box.extend(side.begin + side.along);
  }
  const CellGrid grid = make_cell_grid(box, cell_m, most_cells);
  std::vector<std::pair<std::uint32_t, std::uint32_t>> cell_and_side;
  top_of_cell_.assign(grid.size(), -infinity);
  for (std::size_t s = 0; s < sides.size(); ++s) {
    const RoofSide& side = sides[s];
    for_cells_near(grid, side.begin, side.begin + side.along, [&](std::int32_t i, std::int32_t j) {
      const std::size_t cell = grid.index(i, j);
      cell_and_side.emplace_back(static_cast<std::uint32_t>(cell), static_cast<std::uint32_t>(s));
      top_of_cell_[cell] = std::max(top_of_cell_[cell], side.top_z);
    });
  }
  const CellLists lists = make_cell_lists(grid.size(), cell_and_side);
  first_of_cell_ = lists.offsets;
  for (const std::uint32_t s : lists.items) {
    const RoofSide& side = sides[s];
    begin_x_.push_back(side.begin.x);
    begin_y_.push_back(side.begin.y);
    along_x_.push_back(side.along.x);
    along_y_.push_back(side.along.y);
    before_x_.push_back(side.before.x);
    before_y_.push_back(side.before.y);
    after_x_.push_back(side.after.x);
    after_y_.push_back(side.after.y);
    top_z_.push_back(side.top_z);
    material_.push_back(side.material);
    roof_.push_back(side.roof);
  }
  view_.grid = grid;
  view_.sides = {begin_x_.data(),  begin_y_.data(),  along_x_.data(), along_y_.data(),
                 before_x_.data(), before_y_.data(), after_x_.data(), after_y_.data(),
                 top_z_.data(),    material_.data(), roof_.data()};
  view_.side_count = static_cast<std::uint32_t>(material_.size());
  view_.first_of_cell = first_of_cell_.data();
  view_.top_of_cell = top_of_cell_.data();
}

}  // namespace tesseray
