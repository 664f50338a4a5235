// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/tiling/building_tiles.h"

#include <algorithm>
#include <cmath>

#include "core/tiling/minimum_rectangle.h"
#include "core/tiling/open_part.h"
#include "core/tiling/subdivision.h"

namespace tesseray {
namespace {

// For what stands before walls and cuts them into strips, each with a row of its own at least.
constexpr std::uint64_t spare_rows = 16;

// A roof whose grid has no tile gets one if its free part is at least this much of a tile.
constexpr double least_roof_part = 0.25;
constexpr std::uint32_t finer = 5;  // how much finer the free part is then searched

// The cells of a roof: those of the smallest rectangle around it, row by row.
class RoofGrid {
 public:
  RoofGrid(const Ring& ring, double side_m)
      : box_(minimum_rectangle(ring)),
        columns_(subdivisions(box_.length_u, side_m)),
        rows_(subdivisions(box_.length_v, side_m)) {}

  RoofGrid finer(std::uint32_t times) const {
    RoofGrid grid = *this;
    grid.columns_ *= times;
    grid.rows_ *= times;
    return grid;
  }

  std::uint64_t cells() const { return std::uint64_t{columns_} * rows_; }
  double cell_m2() const { return box_.length_u / columns_ * (box_.length_v / rows_); }
  // Of a cell; in its sides from its first corner on.
  Vec2 place(std::uint64_t cell, Vec2 in_sides) const {
    const double u = (static_cast<double>(cell % columns_) + in_sides.x) / columns_ - 0.5;
    const double v = (static_cast<double>(cell / columns_) + in_sides.y) / rows_ - 0.5;
    return box_.centre + u * box_.length_u * box_.u + v * box_.length_v * box_.v;
  }
  // So many sides of a cell.
  Vec2 along_u(double sides) const { return sides * (box_.length_u / columns_) * box_.u; }
  Vec2 along_v(double sides) const { return sides * (box_.length_v / rows_) * box_.v; }

 private:
  OrientedRectangle box_;
  std::uint32_t columns_, rows_;
};

// Fills a PrismTiles.
class PrismTiler {
 public:
  PrismTiler(const Scene& scene, const PrismIndex& index, std::uint32_t prism, const PrismWalls& walls,
             const TilingOptions& options)
      : scene_(scene),
        index_(index),
        prism_index_(prism),
        prism_(scene.prisms[prism]),
        walls_(walls),
        options_(options),
        side_m_(std::sqrt(options.tile_area_m2)) {}

  PrismTiles run() {
    result_.counts.walls_too_small = walls_.walls_too_small;
    for (const Wall& wall : walls_.walls) {
      const std::uint32_t begin = size();
      tile_wall(wall);
      count_covered(wall);
      result_.wall_tiles.push_back({begin, size()});
    }
    const std::uint32_t begin = size();
    tile_roof();
    result_.roof_tiles = {begin, size()};
    return std::move(result_);
  }

 private:
  std::uint32_t size() const { return static_cast<std::uint32_t>(result_.tiles.size()); }

  void tile_wall(const Wall& wall) {
    const WallSlots slots = wall_slots(wall, prism_.top_z - prism_.bottom_z, options_);
    for (std::uint32_t r = wall.rectangles_begin; r < wall.rectangles_end;) {
      // The rectangles above each other, whose rows are counted from the highest down.
      std::uint32_t above = r + 1;
      while (above < wall.rectangles_end && walls_.rectangles[above].u == walls_.rectangles[r].u) ++above;
      std::uint64_t row = 0;
      for (std::uint32_t i = above; i-- > r;) row = tile_rectangle(wall, walls_.rectangles[i], slots, row);
      r = above;
    }
    next_slot_ += slots.count();
  }

  // Returns the row below the rectangle's lowest.
  std::uint64_t tile_rectangle(const Wall& wall, const ExposedRectangle& rectangle, const WallSlots& slots,
                               std::uint64_t row) {
    const std::uint32_t columns = subdivisions(rectangle.u.length(), side_m_);
    if (!rectangle.is_tiled) {
      if (rectangle.above_ground().length() <= 0) {
        result_.counts.wall_tiles_under_ground += columns * subdivisions(rectangle.z.length(), side_m_);
      }
      return row;
    }
    const Interval z = rectangle.above_ground();
    const std::uint32_t rows = subdivisions(z.length(), side_m_);
    const double du = rectangle.u.length() / columns, dz = z.length() / rows;
    for (std::uint32_t c = 0; c < columns; ++c) {
      const double u = rectangle.u.low + (c + 0.5) * du;
      const Vec2 foot = wall.start + u * wall.direction;
      const double ground_z = scene_.terrain.height_at(foot + probe_lift_m * wall.normal);
      for (std::uint32_t k = 0; k < rows; ++k) {
        const double centre_z = z.high - (k + 0.5) * dz;
        if (ground_z >= centre_z) {
          ++result_.counts.wall_tiles_under_ground;
          continue;
        }
        Tile tile = new_tile(SurfaceKind::wall, wall_id(slots, u, row + k));
        tile.centroid = at_height(foot, centre_z);
        tile.normal = at_height(wall.normal, 0);
        tile.half_u = at_height((0.5 * du) * wall.direction, 0);
        tile.half_v = {0, 0, 0.5 * dz};
        tile.material = prism_.material;
        result_.tiles.push_back(tile);
      }
    }
    return row + rows;
  }

  std::int64_t wall_id(const WallSlots& slots, double u, std::uint64_t row) {
    return slots.has_row(row) ? static_cast<std::int64_t>(next_slot_ + slots.slot(u, row)) : --last_without_slot_;
  }

  // Tiles that the whole wall would have had where other prisms cover it.
  void count_covered(const Wall& wall) {
    const double height = prism_.top_z - prism_.bottom_z;
    const std::uint32_t columns = subdivisions(wall.length_m, side_m_), rows = subdivisions(height, side_m_);
    const auto first = walls_.rectangles.begin() + wall.rectangles_begin;
    const auto last = walls_.rectangles.begin() + wall.rectangles_end;
    if (last - first == 1 && first->u.length() == wall.length_m && first->z.length() == height) return;
    for (std::uint32_t c = 0; c < columns; ++c) {
      for (std::uint32_t r = 0; r < rows; ++r) {
        const double u = (c + 0.5) * wall.length_m / columns, z = prism_.bottom_z + (r + 0.5) * height / rows;
        const bool is_exposed = std::any_of(first, last, [&](const ExposedRectangle& e) {
          return u >= e.u.low && u <= e.u.high && z >= e.z.low && z <= e.z.high;
        });
        if (!is_exposed) ++result_.counts.wall_tiles_covered;
      }
    }
  }

  void tile_roof() {
    const RoofGrid grid(prism_.rings.front(), side_m_);
    const std::uint32_t begin = size();
    std::vector<std::uint64_t> cut_cells;  // with something else at their middles
    for (std::uint64_t cell = 0; cell < grid.cells(); ++cell) {
      const Vec2 p = grid.place(cell, CellPart{}.middle());
      const bool is_on_roof = contains(prism_.rings, p);
      if (is_on_roof && !is_covered(p)) {
        add_roof_tile(grid, p, CellPart{}.size(), cell);
      } else {
        cut_cells.push_back(cell);
        if (is_on_roof) ++result_.counts.roof_tiles_covered;
      }
    }
    if (size() == begin) {
      tile_small_roof(grid);
    } else {
      for (const std::uint64_t cell : cut_cells) tile_part(grid, cell);
    }
    next_slot_ += grid.cells() + 1;
  }

  void tile_part(const RoofGrid& grid, std::uint64_t cell) {
    const auto part = open_part([&](Vec2 in_sides) { return is_free(grid.place(cell, in_sides)); });
    if (part) add_roof_tile(grid, grid.place(cell, part->middle()), part->size(), cell);
  }

  // One tile for the free part of a roof that the grid missed: a narrow or angled roof, or what a tower leaves of it.
  void tile_small_roof(const RoofGrid& grid) {
    const RoofGrid fine = grid.finer(finer);
    std::vector<Vec2> free;
    Vec2 middle;
    for (std::uint64_t cell = 0; cell < fine.cells(); ++cell) {
      const Vec2 p = fine.place(cell, CellPart{}.middle());
      if (!is_free(p)) continue;
      free.push_back(p);
      middle = middle + p;
    }
    if (free.empty()) {
      // Too narrow for the search, or wholly covered: only the former leaves something out.
      if (!is_covered(interior_point(prism_.rings))) ++result_.counts.roofs_without_tile;
      return;
    }
    middle = (1.0 / static_cast<double>(free.size())) * middle;
    const double free_area = fine.cell_m2() * static_cast<double>(free.size());
    if (free_area < least_roof_part * options_.tile_area_m2) {
      ++result_.counts.roofs_without_tile;
      return;
    }
    const Vec2 p = *std::min_element(free.begin(), free.end(), [middle](Vec2 a, Vec2 b) {
      return dot(a - middle, a - middle) < dot(b - middle, b - middle);
    });
    // As large as the free part, with the proportions of the rectangle's cells.
    const double scale = std::sqrt(std::min(1.0, free_area / grid.cell_m2()));
    add_roof_tile(grid, p, {scale, scale}, grid.cells());
  }

  bool is_free(Vec2 p) const { return contains(prism_.rings, p) && !is_covered(p); }

  // Under another prism or under the ground.
  bool is_covered(Vec2 p) const {
    const Vec3 lifted = at_height(p, prism_.top_z + probe_lift_m);
    return is_in_solid(index_, lifted) || scene_.terrain.height_at(p) >= lifted.z;
  }

  // `size`: in sides of a cell.
  void add_roof_tile(const RoofGrid& grid, Vec2 p, Vec2 size, std::uint64_t slot) {
    Tile tile = new_tile(SurfaceKind::roof, static_cast<std::int64_t>(next_slot_ + slot));
    tile.centroid = at_height(p, prism_.top_z);
    tile.normal = {0, 0, 1};
    tile.half_u = at_height(grid.along_u(0.5 * size.x), 0);
    tile.half_v = at_height(grid.along_v(0.5 * size.y), 0);
    result_.tiles.push_back(tile);
  }

  Tile new_tile(SurfaceKind kind, std::int64_t id) const {
    Tile tile;
    tile.id = id;
    tile.kind = kind;
    tile.prism = prism_index_;
    return tile;
  }

  const Scene& scene_;
  const PrismIndex& index_;
  const std::uint32_t prism_index_;
  const Prism& prism_;
  const PrismWalls& walls_;
  const TilingOptions& options_;
  const double side_m_;
  PrismTiles result_;
  std::uint64_t next_slot_ = 0;
  std::int64_t last_without_slot_ = 0;
};

}  // namespace

WallSlots wall_slots(const Wall& wall, double height_m, const TilingOptions& options) {
  const double side_m = std::sqrt(options.tile_area_m2);
  // No tile, and no edge segment, is narrower than a column: each has a column of its own.
  WallSlots slots;
  slots.column_m = 0.999 * std::max(touch_m, std::min(wall.least_width_m(options), 0.75 * side_m));
  slots.columns = static_cast<std::uint64_t>(wall.length_m / slots.column_m) + 1;
  slots.rows = static_cast<std::uint64_t>(std::ceil(height_m / side_m)) + spare_rows;
  return slots;
}

std::uint64_t slot_count(const Prism& prism, const std::vector<Wall>& walls, const TilingOptions& options) {
  const double side_m = std::sqrt(options.tile_area_m2);
  std::uint64_t count = RoofGrid(prism.rings.front(), side_m).cells() + 1;
  for (const Wall& wall : walls) count += wall_slots(wall, prism.top_z - prism.bottom_z, options).count();
  return count;
}

PrismTiles tile_prism(const Scene& scene, const PrismIndex& index, std::uint32_t prism, const PrismWalls& walls,
                      const TilingOptions& options) {
  return PrismTiler(scene, index, prism, walls, options).run();
}

}  // namespace tesseray
