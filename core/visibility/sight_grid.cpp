// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/visibility/sight_grid.h"

#include <algorithm>
#include <cmath>

#include "core/scene/polygon.h"

namespace tesseray {

namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr double cell_m = 24.0;
constexpr std::int64_t max_cells = std::int64_t{1} << 22;

using CellAndItem = std::vector<std::pair<std::uint32_t, std::uint32_t>>;

bool is_flat_roof(const Element& element) { return element.kind == Element::Kind::tile && element.axis.z == 1; }

CellGrid grid_over(const OcclusionView& occlusion, const std::vector<Element>& elements) {
  Rectangle box;
  for (const Element& element : elements) box.extend(element.point.xy());
  for (std::uint32_t side = 0; side < occlusion.side_count; ++side) box.extend(occlusion.outlines[side].p);
  if (box.empty()) box = {{0, 0}, {0, 0}};
  return make_cell_grid(box, cell_m, max_cells, SightGrid::block_cells);
}

// A height that the terrain does not fall below over a rectangle; −∞ where the rectangle leaves the terrain.
double lowest_terrain(const OcclusionView& occlusion, const Rectangle& box) {
  const HeightPyramidView& grid = occlusion.terrain_grid;
  if (grid.columns == 0) return -infinity;
  const double x0 = (box.min.x - grid.origin.x) / grid.step_x, x1 = (box.max.x - grid.origin.x) / grid.step_x;
  const double y0 = (box.min.y - grid.origin.y) / grid.step_y, y1 = (box.max.y - grid.origin.y) / grid.step_y;
  if (x0 < 0 || y0 < 0 || x1 > grid.columns || y1 > grid.rows) return -infinity;
  float lowest = std::numeric_limits<float>::infinity();
  const auto low_i = static_cast<std::int64_t>(x0), high_i = static_cast<std::int64_t>(std::ceil(x1));
  const auto low_j = static_cast<std::int64_t>(y0), high_j = static_cast<std::int64_t>(std::ceil(y1));
  for (std::int64_t j = low_j; j <= high_j; ++j) {
    for (std::int64_t i = low_i; i <= high_i; ++i) {
      lowest = std::min(lowest, occlusion.terrain_height_m[j * occlusion.terrain_columns + i]);
    }
  }
  return static_cast<double>(lowest);
}

Vec2 centre_of(const Rectangle& box) { return 0.5 * (box.min + box.max); }

}  // namespace

void SightBounds::extend_targets(Vec3 p) {
  target_box.extend(p.xy());
  target_bottom_z = std::min(target_bottom_z, p.z);
  target_top_z = std::max(target_top_z, p.z);
}

void SightBounds::extend(const SightBounds& other) {
  if (!other.target_box.empty()) {
    target_box.extend(other.target_box.min);
    target_box.extend(other.target_box.max);
  }
  target_bottom_z = std::min(target_bottom_z, other.target_bottom_z);
  target_top_z = std::max(target_top_z, other.target_top_z);
  occluder_top_z = std::max(occluder_top_z, other.occluder_top_z);
  lowest_terrain_z = std::min(lowest_terrain_z, other.lowest_terrain_z);
  top_z = std::max(top_z, other.top_z);
  square.extend(other.square.min);
  square.extend(other.square.max);
}

SightGrid::SightGrid(const OcclusionView& occlusion, const std::vector<Element>& elements)
    : cells_(grid_over(occlusion, elements)) {
  sort_elements(elements);
  sort_occluders(occlusion);
  bound_cells(occlusion);
  bound_blocks();
}

void SightGrid::sort_elements(const std::vector<Element>& elements) {
  std::vector<std::uint32_t> cell_of_element(elements.size()), order(elements.size());
  first_.assign(cells_.size() + 1, 0);
  for (std::size_t e = 0; e < elements.size(); ++e) {
    cell_of_element[e] = static_cast<std::uint32_t>(cells_.index(elements[e].point.xy()));
    order[e] = static_cast<std::uint32_t>(e);
    ++first_[cell_of_element[e] + 1];
  }
  for (std::size_t cell = 0; cell < cells_.size(); ++cell) first_[cell + 1] += first_[cell];
  std::sort(order.begin(), order.end(), [&](std::uint32_t a, std::uint32_t b) {
    if (cell_of_element[a] != cell_of_element[b]) return cell_of_element[a] < cell_of_element[b];
    const bool roof_a = is_flat_roof(elements[a]), roof_b = is_flat_roof(elements[b]);
    if (roof_a != roof_b) return roof_b;
    if (elements[a].point.z != elements[b].point.z) return elements[a].point.z > elements[b].point.z;
    return a < b;
  });
  elements_.reserve(elements.size());
  for (const std::uint32_t e : order) elements_.push_back(elements[e]);
  first_roof_.resize(cells_.size());
  for (std::size_t cell = 0; cell < cells_.size(); ++cell) {
    std::uint32_t roof = first_[cell];
    while (roof < first_[cell + 1] && !is_flat_roof(elements_[roof])) ++roof;
    first_roof_[cell] = roof;
  }
}

void SightGrid::sort_occluders(const OcclusionView& occlusion) {
  CellAndItem walls, raised, centred;
  part_bounds_.resize(occlusion.part_count);
  for (std::uint32_t k = 0; k < occlusion.part_count; ++k) {
    const FlatPart& part = occlusion.parts[k];
    Rectangle& box = part_bounds_[k];
    for (std::uint32_t side = part.first_side; side < part.end_side; ++side) {
      const WallSide& wall = occlusion.outlines[side];
      box.extend(wall.p);
      for_cells_near(cells_, wall.p, wall.q, [&](std::int32_t i, std::int32_t j) {
        walls.emplace_back(static_cast<std::uint32_t>(cells_.index(i, j)), side);
      });
    }
    if (box.empty()) continue;
    if (part.bottom_z == -infinity) {
      centred.emplace_back(static_cast<std::uint32_t>(cells_.index(centre_of(box))), k);
      continue;
    }
    for (std::int32_t j = cells_.row(box.min.y); j <= cells_.row(box.max.y); ++j) {
      for (std::int32_t i = cells_.column(box.min.x); i <= cells_.column(box.max.x); ++i) {
        raised.emplace_back(static_cast<std::uint32_t>(cells_.index(i, j)), k);
      }
    }
  }
  sort_walls(occlusion, make_cell_lists(cells_.size(), walls));
  raised_parts_ = make_cell_lists(cells_.size(), raised);
  centred_parts_ = make_cell_lists(cells_.size(), centred);
}

void SightGrid::sort_walls(const OcclusionView& occlusion, const CellLists& walls) {
  walls_.reserve(walls.items.size());
  for (const std::uint32_t side : walls.items) walls_.push_back({occlusion.outlines[side], side});
  first_wall_ = walls.offsets;
  for (std::size_t cell = 0; cell < cells_.size(); ++cell) {
    std::stable_sort(walls_.begin() + first_wall_[cell], walls_.begin() + first_wall_[cell + 1],
                     [](const CellWall& a, const CellWall& b) { return a.wall.top_z > b.wall.top_z; });
  }
}

void SightGrid::bound_cells(const OcclusionView& occlusion) {
  cell_bounds_.resize(cells_.size());
  for (std::int32_t j = 0; j < cells_.rows; ++j) {
    for (std::int32_t i = 0; i < cells_.columns; ++i) {
      const std::size_t cell = cells_.index(i, j);
      SightBounds& bounds = cell_bounds_[cell];
      for (std::uint32_t e = first_[cell]; e < first_[cell + 1]; ++e) {
        bounds.extend_targets(elements_[e].point);
        bounds.extend_targets(elements_[e].anchor);
      }
      double& top_z = bounds.occluder_top_z;
      if (!walls(cell).empty()) top_z = walls(cell).front().wall.top_z;
      for (const std::uint32_t part : raised_parts(cell)) top_z = std::max(top_z, occlusion.parts[part].top_z);
      for (const std::uint32_t part : centred_parts(cell)) top_z = std::max(top_z, occlusion.parts[part].top_z);
      bounds.square = grown(cells_.square(i, j, i, j), cell_padding_m);
      bounds.lowest_terrain_z = lowest_terrain(occlusion, bounds.square);
      bounds.top_z = std::max({bounds.target_top_z, bounds.occluder_top_z, bounds.lowest_terrain_z});
    }
  }
}

void SightGrid::bound_blocks() {
  block_bounds_.resize(static_cast<std::size_t>(block_columns()) * static_cast<std::size_t>(block_rows()));
  for (std::int32_t j = 0; j < cells_.rows; ++j) {
    for (std::int32_t i = 0; i < cells_.columns; ++i) {
      block_bounds_[static_cast<std::size_t>(j / block_cells) * static_cast<std::size_t>(block_columns()) +
                    static_cast<std::size_t>(i / block_cells)]
          .extend(cell_bounds_[cells_.index(i, j)]);
    }
  }
}

}  // namespace tesseray
