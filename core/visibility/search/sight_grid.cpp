// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/visibility/search/sight_grid.h"

#include <tbb/parallel_for.h>
#include <tbb/parallel_invoke.h>
#include <tbb/parallel_sort.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <unordered_map>

#include "core/base/infinity.h"
#include "core/scene/ground_plan/polygon.h"

namespace tesseray {

namespace {

constexpr double cell_side_m = 32.0;
constexpr std::int64_t max_cells = std::int64_t{1} << 22;
// Pieces of walls reach so far beyond their cells: more than the rounding of whoever asks what lies in which cell.
constexpr double overlap_m = 2 * cell_padding_m;

bool is_flat_roof(const Element& element) { return element.kind == Element::Kind::tile && element.axis.z == 1; }

CellGrid grid_over(const OcclusionView& occlusion, const std::vector<Element>& elements) {
  Rectangle box;
  for (const Element& element : elements) box.extend(element.point.xy());
  for (std::uint32_t side = 0; side < occlusion.side_count; ++side) box.extend(occlusion.outlines[side].p);
  if (box.empty()) box = {{0, 0}, {0, 0}};
  return make_cell_grid(box, cell_side_m, max_cells, SightGrid::block_cells);
}

// The terrain's nodes whose triangles may lie over a rectangle; none where that is off the terrain.
struct TerrainNodes {
  std::int64_t low_i = 0, high_i = -1, low_j = 0, high_j = -1;
  bool covers = false;  // the rectangle lies on the terrain

  bool none() const { return high_i < low_i; }
};

TerrainNodes nodes_around(const HeightPyramidView& grid, const Rectangle& box) {
  if (grid.columns == 0) return {};
  const double x0 = (box.min.x - grid.origin.x) / grid.step_x, x1 = (box.max.x - grid.origin.x) / grid.step_x;
  const double y0 = (box.min.y - grid.origin.y) / grid.step_y, y1 = (box.max.y - grid.origin.y) / grid.step_y;
  if (x1 < 0 || y1 < 0 || x0 > grid.columns || y0 > grid.rows) return {};
  const auto node = [](double at, std::int32_t count) {
    return static_cast<std::int64_t>(std::clamp(at, 0.0, static_cast<double>(count)));
  };
  return {.low_i = node(std::floor(x0), grid.columns),
          .high_i = node(std::ceil(x1), grid.columns),
          .low_j = node(std::floor(y0), grid.rows),
          .high_j = node(std::ceil(y1), grid.rows),
          .covers = x0 >= 0 && y0 >= 0 && x1 <= grid.columns && y1 <= grid.rows};
}

// The heights between which the terrain lies over a rectangle; low is −∞ where the rectangle leaves the terrain, high
// where there is none.
Interval terrain_heights(const OcclusionView& occlusion, const TerrainNodes& nodes) {
  float low = infinity_f, high = -low;
  for (std::int64_t j = nodes.low_j; j <= nodes.high_j; ++j) {
    for (std::int64_t i = nodes.low_i; i <= nodes.high_i; ++i) {
      const float height = occlusion.terrain_height_m[j * occlusion.terrain_columns + i];
      low = std::min(low, height);
      high = std::max(high, height);
    }
  }
  return {nodes.covers ? static_cast<double>(low) : -infinity, static_cast<double>(high)};
}

// The mean of what the terrain rises over its nodes.
Vec2 mean_gradient(const OcclusionView& occlusion, const TerrainNodes& nodes) {
  const auto height = [&](std::int64_t i, std::int64_t j) {
    return static_cast<double>(occlusion.terrain_height_m[j * occlusion.terrain_columns + i]);
  };
  const std::int64_t columns = nodes.high_i - nodes.low_i, rows = nodes.high_j - nodes.low_j;
  Vec2 rise;
  for (std::int64_t j = nodes.low_j; j <= nodes.high_j; ++j) rise.x += height(nodes.high_i, j) - height(nodes.low_i, j);
  for (std::int64_t i = nodes.low_i; i <= nodes.high_i; ++i) rise.y += height(i, nodes.high_j) - height(i, nodes.low_j);
  const HeightPyramidView& grid = occlusion.terrain_grid;
  const auto over = [](double sum, std::int64_t steps, std::int64_t lines, double step) {
    return steps > 0 ? sum / (static_cast<double>(steps * lines) * step) : 0;
  };
  return {over(rise.x, columns, rows + 1, grid.step_x), over(rise.y, rows, columns + 1, grid.step_y)};
}

// Over the nodes, from a corner on.
TerrainPlane plane_over(const OcclusionView& occlusion, const TerrainNodes& nodes, Vec2 corner, double reference_z) {
  TerrainPlane plane;
  if (nodes.none()) return plane;
  const Vec2 mean = mean_gradient(occlusion, nodes);
  plane.gradient_x = static_cast<float>(mean.x);
  plane.gradient_y = static_cast<float>(mean.y);
  const HeightPyramidView& grid = occlusion.terrain_grid;
  double top = -infinity;
  for (std::int64_t j = nodes.low_j; j <= nodes.high_j; ++j) {
    for (std::int64_t i = nodes.low_i; i <= nodes.high_i; ++i) {
      const Vec2 place = grid.origin + Vec2{static_cast<double>(i) * grid.step_x, static_cast<double>(j) * grid.step_y};
      const double height = static_cast<double>(occlusion.terrain_height_m[j * occlusion.terrain_columns + i]);
      top = std::max(top, height - reference_z - dot(plane.gradient(), place - corner));
    }
  }
  plane.top_z = rounded_up(top);
  return plane;
}

// For each wall whether another part on the ground covers its outer side up to its top, along the same two corners.
std::vector<bool> covered_walls(const OcclusionView& occlusion) {
  struct Ends {
    Vec2 p, q;
    bool operator==(const Ends&) const = default;
  };
  const auto hash = [](const Ends& ends) {
    std::size_t mixed = 0;
    for (const double number : {ends.p.x, ends.p.y, ends.q.x, ends.q.y}) {
      mixed = (mixed ^ std::hash<double>{}(number)) * 0x9E3779B97F4A7C15u;
    }
    return mixed ^ mixed >> 32;
  };
  std::unordered_map<Ends, double, decltype(hash)> highest_top(occlusion.side_count, hash);
  for (std::uint32_t side = 0; side < occlusion.side_count; ++side) {
    const WallSide& wall = occlusion.outlines[side];
    if (wall.bottom_z > -infinity) continue;
    double& top = highest_top.try_emplace({wall.p, wall.q}, wall.top_z).first->second;
    top = std::max(top, wall.top_z);
  }
  std::vector<bool> is_covered(occlusion.side_count, false);
  for (std::uint32_t side = 0; side < occlusion.side_count; ++side) {
    const WallSide& wall = occlusion.outlines[side];
    const auto other = highest_top.find({wall.q, wall.p});
    is_covered[side] = other != highest_top.end() && other->second >= wall.top_z;
  }
  return is_covered;
}

}  // namespace

void SquareBounds::extend(const SquareBounds& other) {
  top_z = std::max(top_z, other.top_z);
  target_top_z = std::max(target_top_z, other.target_top_z);
  wall_top_z = std::max(wall_top_z, other.wall_top_z);
  terrain_top_z = std::max(terrain_top_z, other.terrain_top_z);
  terrain_low_z = std::min(terrain_low_z, other.terrain_low_z);
  has_raised_part = has_raised_part || other.has_raised_part;
}

SightGrid::SightGrid(const OcclusionView& occlusion, const std::vector<Element>& elements, ElementRange targets)
    : cells_(grid_over(occlusion, elements)), cell_bounds_(cells_.size()) {
  whole_ = square(0, 0, columns() - 1, rows() - 1);
  double lowest = infinity, highest = -infinity;
  for (const Element& element : elements) {
    lowest = std::min(lowest, element.point.z);
    highest = std::max(highest, element.point.z);
  }
  if (lowest <= highest) reference_z_ = 0.5 * (lowest + highest);
  for (std::uint32_t side = 0; side < occlusion.side_count; ++side) {
    highest = std::max(highest, occlusion.outlines[side].top_z);
  }
  margins_ = SightMargins::of_grid(block_m(), highest > reference_z_ ? highest - reference_z_ : 0);
  for (std::int32_t j = 0; j < block_rows(); ++j) {
    for (std::int32_t i = 0; i < block_columns(); ++i) {
      block_corners_.push_back(corner(i * block_cells, j * block_cells));
    }
  }
  tbb::parallel_invoke([&] { place_elements(elements, targets); }, [&] { place_walls(occlusion); },
                       [&] { place_parts(occlusion); });
  bound_terrain(occlusion);
  bound_blocks();
}

void SightGrid::place_elements(const std::vector<Element>& elements, ElementRange targets) {
  // Two lists for each cell, the second of its flat roofs.
  std::vector<std::pair<std::uint32_t, std::uint32_t>> list_and_element;
  list_and_element.reserve(elements.size());
  const std::uint32_t end = std::min(targets.end, static_cast<std::uint32_t>(elements.size()));
  for (std::uint32_t e = targets.begin; e < end; ++e) {
    if (elements[e].is_inside) continue;
    const Vec3 p = elements[e].point;
    list_and_element.emplace_back(2 * cell_index(column(p.x), row(p.y)) + (is_flat_roof(elements[e]) ? 1 : 0), e);
  }
  CellLists lists = make_cell_lists(2 * cells_.size(), list_and_element);
  std::uint32_t groups = 0;
  for (std::size_t cell = 0; cell < cells_.size(); ++cell) {
    const auto lay_out = [&](std::size_t list, std::uint32_t& first, std::uint32_t& end) {
      const std::uint32_t count = lists.offsets[list + 1] - lists.offsets[list];
      first = groups * lanes;
      end = first + count;
      groups += (count + lanes - 1) / lanes;
    };
    lay_out(2 * cell, cell_bounds_[cell].first_element, cell_bounds_[cell].end_element);
    lay_out(2 * cell + 1, cell_bounds_[cell].first_roof, cell_bounds_[cell].end_roof);
  }
  elements_.resize(groups);
  tbb::parallel_for(std::uint32_t{0}, static_cast<std::uint32_t>(cells_.size()), [&](std::uint32_t cell) {
    SquareBounds& bounds = cell_bounds_[cell];
    const auto place = [&](std::size_t list, std::uint32_t first) {
      const auto items =
          std::span(lists.items).subspan(lists.offsets[list], lists.offsets[list + 1] - lists.offsets[list]);
      std::sort(items.begin(), items.end(), [&](std::uint32_t a, std::uint32_t b) {
        return elements[a].point.z != elements[b].point.z ? elements[a].point.z > elements[b].point.z : a < b;
      });
      for (const std::uint32_t item : items) place_element(elements[item], cell, first++);
      if (items.empty()) return Interval{infinity, -infinity};
      return Interval{elements[items.back()].point.z, elements[items.front()].point.z};
    };
    const Interval others = place(2 * cell, bounds.first_element), roofs = place(2 * cell + 1, bounds.first_roof);
    bounds.target_top_z = height(std::max(others.high, roofs.high));
    bounds.roof_top_z = height(roofs.high);
    bounds.roof_low_z = height(roofs.low);
  });
}

void SightGrid::place_element(const Element& element, std::uint32_t cell, std::uint32_t at) {
  ElementGroup& group = elements_[at / lanes];
  const std::uint32_t lane = at % lanes;
  const Vec2 p = element.point.xy() - block_corner(cell);
  const Vec3 normal = element.kind == Element::Kind::tile ? element.axis : Vec3{};
  group.x[lane] = static_cast<float>(p.x);
  group.y[lane] = static_cast<float>(p.y);
  group.z[lane] = height(element.point.z);
  group.nx[lane] = static_cast<float>(normal.x);
  group.ny[lane] = static_cast<float>(normal.y);
  group.nz[lane] = static_cast<float>(normal.z);
  group.number[lane] = element.number;
}

// Calls visit(cell, from, to) for the pieces into which the cells' sides cut a wall.
template <class Visit>
void SightGrid::for_each_piece(const WallSide& wall, const Visit& visit) const {
  const Vec2 along = wall.q - wall.p;
  std::vector<double> cuts = {0, 1};
  const auto add_cuts = [&](double start, double delta, double origin, std::int32_t count) {
    if (delta == 0) return;
    const double a = (start - origin) / cells_.step_m, b = (start + delta - origin) / cells_.step_m;
    const auto first = static_cast<std::int32_t>(std::clamp(std::floor(std::min(a, b)), 0.0, count * 1.0));
    const auto last = static_cast<std::int32_t>(std::clamp(std::ceil(std::max(a, b)), 0.0, count * 1.0));
    for (std::int32_t k = first; k <= last; ++k) {
      const double t = (origin + k * cells_.step_m - start) / delta;
      if (t > 0 && t < 1) cuts.push_back(t);
    }
  };
  add_cuts(wall.p.x, along.x, cells_.origin.x, cells_.columns);
  add_cuts(wall.p.y, along.y, cells_.origin.y, cells_.rows);
  std::sort(cuts.begin(), cuts.end());
  const double overlap = overlap_m / norm(along);
  for (std::size_t k = 0; k + 1 < cuts.size(); ++k) {
    if (cuts[k] == cuts[k + 1]) continue;
    const Vec2 middle = wall.p + 0.5 * (cuts[k] + cuts[k + 1]) * along;
    visit(cell_index(column(middle.x), row(middle.y)), std::max(0.0, cuts[k] - overlap),
          std::min(1.0, cuts[k + 1] + overlap));
  }
}

void SightGrid::place_walls(const OcclusionView& occlusion) {
  struct Piece {
    std::uint32_t cell = 0, side = 0;
    double from = 0, to = 1;
  };
  std::vector<Piece> pieces;
  const std::vector<bool> is_covered = covered_walls(occlusion);
  for (std::uint32_t side = 0; side < occlusion.side_count; ++side) {
    if (is_covered[side]) continue;
    for_each_piece(occlusion.outlines[side], [&](std::uint32_t cell, double from, double to) {
      pieces.push_back({cell, side, from, to});
    });
  }
  tbb::parallel_sort(pieces.begin(), pieces.end(), [&](const Piece& a, const Piece& b) {
    if (a.cell != b.cell) return a.cell < b.cell;
    const double top_a = occlusion.outlines[a.side].top_z, top_b = occlusion.outlines[b.side].top_z;
    if (top_a != top_b) return top_a > top_b;
    return a.side != b.side ? a.side < b.side : a.from < b.from;
  });
  std::uint32_t end = 0;
  for (std::size_t k = 0; k < pieces.size(); ++k) {
    const Piece& piece = pieces[k];
    SquareBounds& bounds = cell_bounds_[piece.cell];
    if (k == 0 || piece.cell != pieces[k - 1].cell) {
      bounds.first_wall = end = static_cast<std::uint32_t>(walls_.size()) * wall_lanes;
    }
    if (end == walls_.size() * wall_lanes) walls_.emplace_back();
    WallPieces& group = walls_.back();
    const std::uint32_t lane = end % wall_lanes;
    const WallSide& wall = occlusion.outlines[piece.side];
    const Vec2 along = wall.q - wall.p, p = wall.p + piece.from * along - block_corner(piece.cell);
    group.x[lane] = static_cast<float>(p.x);
    group.y[lane] = static_cast<float>(p.y);
    group.along_x[lane] = static_cast<float>((piece.to - piece.from) * along.x);
    group.along_y[lane] = static_cast<float>((piece.to - piece.from) * along.y);
    group.bottom_z[lane] = wall.bottom_z == -infinity ? -1e9F : height(wall.bottom_z);
    group.top_z[lane] = height(wall.top_z);
    bounds.end_wall = ++end;
    bounds.wall_top_z = std::max(bounds.wall_top_z, group.top_z[lane]);
  }
}

void SightGrid::place_parts(const OcclusionView& occlusion) {
  std::vector<std::pair<std::uint32_t, std::uint32_t>> centred;
  std::vector<Rectangle> boxes(occlusion.part_count);
  for (std::uint32_t k = 0; k < occlusion.part_count; ++k) {
    const FlatPart& part = occlusion.parts[k];
    Rectangle& box = boxes[k];
    for (std::uint32_t side = part.first_side; side < part.end_side; ++side) box.extend(occlusion.outlines[side].p);
    if (box.empty()) continue;
    const std::uint32_t cell = cell_index(column(box.middle().x), row(box.middle().y));
    centred.emplace_back(cell, k);
    cell_bounds_[cell].top_z = std::max(cell_bounds_[cell].top_z, height(part.top_z));
    if (part.bottom_z == -infinity) continue;
    for (std::int32_t j = row(box.min.y); j <= row(box.max.y); ++j) {
      for (std::int32_t i = column(box.min.x); i <= column(box.max.x); ++i) {
        cell_bounds_[cell_index(i, j)].has_raised_part = true;
      }
    }
  }
  const CellLists lists = make_cell_lists(cells_.size(), centred);
  for (std::size_t cell = 0; cell < cells_.size(); ++cell) {
    cell_bounds_[cell].first_part = lists.offsets[cell];
    cell_bounds_[cell].end_part = lists.offsets[cell + 1];
  }
  for (const std::uint32_t k : lists.items) {
    const FlatPart& part = occlusion.parts[k];
    const auto first_corner = static_cast<std::uint32_t>(corners_.size());
    corners_.push_back(occlusion.outlines[part.first_side].p);
    for (std::uint32_t side = part.first_side; side < part.end_exterior; ++side) {
      corners_.push_back(occlusion.outlines[side].q);
    }
    parts_.push_back(
        {boxes[k], part.bottom_z, part.top_z, k, first_corner, static_cast<std::uint32_t>(corners_.size())});
  }
}

void SightGrid::bound_terrain(const OcclusionView& occlusion) {
  terrain_planes_.resize(cell_bounds_.size());
  tbb::parallel_for(std::int32_t{0}, rows(), [&](std::int32_t j) {
    for (std::int32_t i = 0; i < columns(); ++i) {
      const std::uint32_t cell = cell_index(i, j);
      SquareBounds& bounds = cell_bounds_[cell];
      const TerrainNodes nodes = nodes_around(occlusion.terrain_grid, grown(square(i, j, i, j), cell_padding_m));
      const Interval heights = terrain_heights(occlusion, nodes);
      terrain_planes_[cell] = plane_over(occlusion, nodes, corner(i, j), reference_z_);
      bounds.terrain_low_z = height(heights.low);
      bounds.terrain_top_z = height(heights.high);
      bounds.top_z = std::max({bounds.top_z, bounds.target_top_z, bounds.wall_top_z, bounds.terrain_top_z});
    }
  });
}

void SightGrid::bound_blocks() {
  block_bounds_.resize(block_corners_.size());
  for (std::size_t cell = 0; cell < cell_bounds_.size(); ++cell) {
    block_bounds_[cell / cells_per_block].extend(cell_bounds_[cell]);
    cell_tops_.push_back(cell_bounds_[cell].top_z);
  }
  for (const SquareBounds& bounds : block_bounds_) block_tops_.push_back(bounds.top_z);
}

}  // namespace tesseray
