// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/visibility/sight_grid.h"

#include <algorithm>
#include <cmath>

namespace tesseray {

namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr std::int64_t max_blocks = std::int64_t{1} << 18;

bool is_flat_roof(const Element& element) { return element.kind == Element::Kind::tile && element.axis.z == 1; }

// A height that the terrain does not fall below over a rectangle; −∞ where the rectangle leaves the terrain.
double lowest_terrain(const OcclusionView& occlusion, const Rectangle& box) {
  const HeightPyramidView& grid = occlusion.terrain_grid;
  if (grid.columns == 0) return -infinity;
  const double x0 = (box.min.x - grid.origin.x) / grid.step_x, x1 = (box.max.x - grid.origin.x) / grid.step_x;
  const double y0 = (box.min.y - grid.origin.y) / grid.step_y, y1 = (box.max.y - grid.origin.y) / grid.step_y;
  if (x0 < 0 || y0 < 0 || x1 > grid.columns || y1 > grid.rows) return -infinity;
  float lowest = std::numeric_limits<float>::infinity();
  for (std::int64_t j = static_cast<std::int64_t>(std::floor(y0)); j <= static_cast<std::int64_t>(std::ceil(y1)); ++j) {
    for (std::int64_t i = static_cast<std::int64_t>(std::floor(x0)); i <= static_cast<std::int64_t>(std::ceil(x1));
         ++i) {
      lowest = std::min(lowest, occlusion.terrain_height_m[j * occlusion.terrain_columns + i]);
    }
  }
  return static_cast<double>(lowest);
}

}  // namespace

void SightBounds::extend(Vec3 p) {
  box.extend(p.xy());
  bottom_z = std::min(bottom_z, p.z);
  top_z = std::max(top_z, p.z);
}

void SightBounds::extend(const SightBounds& other) {
  if (!other.box.empty()) {
    box.extend(other.box.min);
    box.extend(other.box.max);
  }
  bottom_z = std::min(bottom_z, other.bottom_z);
  top_z = std::max(top_z, other.top_z);
}

SightGrid::SightGrid(const OcclusionView& occlusion, const std::vector<Element>& elements) {
  lay_out(elements);
  sort_elements(elements);
  sort_parts(occlusion);
  bound_cells(occlusion);
}

void SightGrid::lay_out(const std::vector<Element>& elements) {
  Rectangle box;
  for (const Element& element : elements) box.extend(element.point.xy());
  if (box.empty()) box = {{0, 0}, {0, 0}};
  const auto blocks = [&](double extent) { return static_cast<std::int64_t>(extent / (cell_m_ * block_cells)) + 1; };
  const double width = box.max.x - box.min.x, depth = box.max.y - box.min.y;
  while (blocks(width) * blocks(depth) > max_blocks) cell_m_ *= 2;
  origin_ = box.min;
  block_columns_ = static_cast<std::int32_t>(blocks(width));
  block_rows_ = static_cast<std::int32_t>(blocks(depth));
}

std::int32_t SightGrid::column_of(double x) const {
  return static_cast<std::int32_t>(std::clamp(std::floor((x - origin_.x) / cell_m_), 0.0, columns() - 1.0));
}

std::int32_t SightGrid::row_of(double y) const {
  return static_cast<std::int32_t>(std::clamp(std::floor((y - origin_.y) / cell_m_), 0.0, rows() - 1.0));
}

std::size_t SightGrid::cell_of(Vec2 p) const { return cell(column_of(p.x), row_of(p.y)); }

Rectangle SightGrid::cell_square(std::int32_t low_i, std::int32_t low_j, std::int32_t high_i,
                                 std::int32_t high_j) const {
  return {origin_ + cell_m_ * Vec2{static_cast<double>(low_i), static_cast<double>(low_j)},
          origin_ + cell_m_ * Vec2{high_i + 1.0, high_j + 1.0}};
}

void SightGrid::sort_elements(const std::vector<Element>& elements) {
  const std::size_t cells = static_cast<std::size_t>(columns()) * static_cast<std::size_t>(rows());
  std::vector<std::uint32_t> cell_of_element(elements.size()), order(elements.size());
  first_.assign(cells + 1, 0);
  for (std::size_t e = 0; e < elements.size(); ++e) {
    cell_of_element[e] = static_cast<std::uint32_t>(cell_of(elements[e].point.xy()));
    order[e] = static_cast<std::uint32_t>(e);
    ++first_[cell_of_element[e] + 1];
  }
  for (std::size_t cell = 0; cell < cells; ++cell) first_[cell + 1] += first_[cell];
  std::sort(order.begin(), order.end(), [&](std::uint32_t a, std::uint32_t b) {
    if (cell_of_element[a] != cell_of_element[b]) return cell_of_element[a] < cell_of_element[b];
    const bool roof_a = is_flat_roof(elements[a]), roof_b = is_flat_roof(elements[b]);
    if (roof_a != roof_b) return roof_b;
    if (elements[a].point.z != elements[b].point.z) return elements[a].point.z > elements[b].point.z;
    return a < b;
  });
  elements_.reserve(elements.size());
  for (const std::uint32_t e : order) elements_.push_back(elements[e]);
  first_roof_.resize(cells);
  for (std::size_t cell = 0; cell < cells; ++cell) {
    std::uint32_t roof = first_[cell];
    while (roof < first_[cell + 1] && !is_flat_roof(elements_[roof])) ++roof;
    first_roof_[cell] = roof;
  }
}

void SightGrid::sort_parts(const OcclusionView& occlusion) {
  const std::size_t cells = static_cast<std::size_t>(columns()) * static_cast<std::size_t>(rows());
  std::vector<std::pair<std::uint32_t, std::uint32_t>> cell_and_part;
  part_bounds_.resize(occlusion.part_count);
  for (std::uint32_t k = 0; k < occlusion.part_count; ++k) {
    const FlatPart& part = occlusion.parts[k];
    for (std::uint32_t side = part.first_side; side < part.end_side; ++side) {
      part_bounds_[k].extend(occlusion.outlines[side].p);
    }
    // What is below a raised part can be seen: such parts hide nothing for certain.
    if (part.bottom_z > -infinity || part_bounds_[k].empty()) continue;
    const Vec2 centre = 0.5 * (part_bounds_[k].min + part_bounds_[k].max);
    cell_and_part.emplace_back(static_cast<std::uint32_t>(cell_of(centre)), k);
  }
  std::sort(cell_and_part.begin(), cell_and_part.end());
  first_part_.assign(cells + 1, 0);
  for (const auto& [cell, part] : cell_and_part) {
    ++first_part_[cell + 1];
    parts_.push_back(part);
  }
  for (std::size_t cell = 0; cell < cells; ++cell) first_part_[cell + 1] += first_part_[cell];
}

void SightGrid::bound_cells(const OcclusionView& occlusion) {
  cell_bounds_.resize(static_cast<std::size_t>(columns()) * static_cast<std::size_t>(rows()));
  block_bounds_.resize(static_cast<std::size_t>(block_columns_) * static_cast<std::size_t>(block_rows_));
  for (SightBounds& block : block_bounds_) block.lowest_terrain_z = infinity;
  for (std::int32_t j = 0; j < rows(); ++j) {
    for (std::int32_t i = 0; i < columns(); ++i) {
      const std::size_t at = cell(i, j);
      SightBounds& bounds = cell_bounds_[at];
      for (std::uint32_t e = first_[at]; e < first_[at + 1]; ++e) {
        bounds.extend(elements_[e].point);
        bounds.extend(elements_[e].anchor);
      }
      for (const std::uint32_t part : parts(at)) {
        const Vec2 centre = 0.5 * (part_bounds_[part].min + part_bounds_[part].max);
        bounds.extend(Vec3{centre.x, centre.y, occlusion.parts[part].top_z});
      }
      bounds.lowest_terrain_z = lowest_terrain(occlusion, cell_square(i, j, i, j));
      SightBounds& block =
          block_bounds_[static_cast<std::size_t>(j / block_cells) * static_cast<std::size_t>(block_columns_) +
                        static_cast<std::size_t>(i / block_cells)];
      block.extend(bounds);
      block.lowest_terrain_z = std::min(block.lowest_terrain_z, bounds.lowest_terrain_z);
    }
  }
}

}  // namespace tesseray
