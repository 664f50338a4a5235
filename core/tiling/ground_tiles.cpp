// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/tiling/ground_tiles.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <string>

#include "core/base/error.h"
#include "core/base/parallel.h"
#include "core/base/units.h"
#include "core/scene/issue_text.h"
#include "core/tiling/edges.h"
#include "core/tiling/open_part.h"
#include "core/tiling/tile_id.h"
#include "core/tiling/walls.h"

namespace tesseray {
namespace {

// Cells are numbered from the CRS's origin on.
[[noreturn]] void refuse_coordinates(const Scene& scene, const TilingOptions& options) {
  const Vec2 low = scene.extent.min + scene.frame.origin, high = scene.extent.max + scene.frame.origin;
  const double farthest = std::max({-low.x, -low.y, high.x, high.y});
  const double least_side_m = farthest / static_cast<double>(most_cells_from_origin);
  const double least_area_m2 = std::ceil(100 * least_side_m * least_side_m) / 100;
  throw Error(
      ErrorKind::invalid_input, "coordinates_too_large",
      "at x " + std::to_string(std::llround(high.x)) + ", y " + std::to_string(std::llround(high.y)) +
          " ground tiles of " + square_metres(options.tile_area_m2) + " cannot be numbered",
      "give a TILE_AREA of at least " + square_metres(least_area_m2) +
          ", or a CRS with smaller coordinates, such as a UTM zone: some have the number of their zone in them");
}

GroundGrid ground_grid(const Scene& scene, const TilingOptions& options) {
  GroundGrid grid;
  grid.side_m = std::sqrt(options.tile_area_m2);
  grid.origin = scene.frame.origin;
  if (scene.extent.empty()) return grid;
  // Cell c is in when its centre (c + ½)·side is.
  const auto first = [&](double low) { return std::ceil(low / grid.side_m - 0.5); };
  const auto last = [&](double high) { return std::floor(high / grid.side_m - 0.5); };
  const Vec2 low{first(scene.extent.min.x + grid.origin.x), first(scene.extent.min.y + grid.origin.y)};
  const Vec2 high{last(scene.extent.max.x + grid.origin.x), last(scene.extent.max.y + grid.origin.y)};
  if (high.x < low.x || high.y < low.y) return grid;
  const double cells = (high.x - low.x + 1) * (high.y - low.y + 1);
  constexpr double most_cells = 1e9;
  if (!(cells <= most_cells)) {
    throw Error(ErrorKind::resources, "too_many_ground_tiles",
                "the extent of " + std::to_string(scene.extent.max.x - scene.extent.min.x) + " m × " +
                    std::to_string(scene.extent.max.y - scene.extent.min.y) + " m has too many ground tiles of " +
                    std::to_string(options.tile_area_m2) + " m²",
                "give a smaller EXTENT or a larger TILE_AREA; one feature far from all others can also be the cause");
  }
  const auto cell = [](double c) { return static_cast<std::int64_t>(c); };
  if (!is_numbered_cell(cell(low.x), cell(low.y)) || !is_numbered_cell(cell(high.x), cell(high.y))) {
    refuse_coordinates(scene, options);
  }
  grid.first_column = cell(low.x);
  grid.first_row = cell(low.y);
  grid.columns = static_cast<std::uint32_t>(high.x - low.x + 1);
  grid.rows = static_cast<std::uint32_t>(high.y - low.y + 1);
  return grid;
}

// Of a cell, what prisms leave open of it.
std::optional<CellPart> open_part_of_cell(const Terrain& terrain, const PrismIndex& index, Vec2 corner, double side_m) {
  return open_part([&](Vec2 in_sides) {
    const Vec2 place = corner + side_m * in_sides;
    return !is_in_solid(index, at_height(place, terrain.height_at(place) + probe_lift_m));
  });
}

// The tile of a part of a cell: through the surface at its centre, as steep as the cell's corners on the whole. A small
// part's own corners would have the noise of the terrain's model in their slope.
Tile ground_tile(const Terrain& terrain, const GroundGrid& grid, std::uint32_t column, std::uint32_t row,
                 const CellPart& part) {
  const double side = grid.side_m;
  const Vec2 corner = grid.corner(column, row);
  const double sw = terrain.height_at(corner), se = terrain.height_at(corner + Vec2{side, 0});
  const double nw = terrain.height_at(corner + Vec2{0, side}), ne = terrain.height_at(corner + Vec2{side, side});
  const double slope_x = 0.5 * ((se - sw) + (ne - nw)) / side, slope_y = 0.5 * ((nw - sw) + (ne - se)) / side;
  const Vec2 centre = corner + side * part.middle(), half = (0.5 * side) * part.size();

  Tile tile;
  tile.id = ground_tile_id(grid.first_column + column, grid.first_row + row);
  tile.kind = SurfaceKind::ground;
  tile.centroid = {centre.x, centre.y, terrain.height_at(centre)};
  tile.normal = normalized(Vec3{-slope_x, -slope_y, 1});
  tile.half_u = {half.x, 0, half.x * slope_x};
  tile.half_v = {0, half.y, half.y * slope_y};
  return tile;
}

// The side between two neighbouring tiles as an edge: its face on either side goes from the middle of the side to the
// tile's centroid. Seen along from → to, the 0-face is on the left: then the air is above.
EdgeSegment ridge(const Terrain& terrain, Vec2 from, Vec2 to, const Vec3& left, const Vec3& right) {
  const Vec2 middle = 0.5 * (from + to);
  EdgeSegment edge;
  edge.kind = EdgeKind::terrain;
  edge.midpoint = {middle.x, middle.y, terrain.height_at(middle)};
  const Vec2 run = to - from;
  const Vec3 side{run.x, run.y, terrain.height_at(to) - terrain.height_at(from)};
  edge.length_m = norm(side);
  edge.direction = (1.0 / edge.length_m) * side;
  const auto tangent = [&edge](const Vec3& centroid) {
    const Vec3 away = centroid - edge.midpoint;
    return normalized(away - dot(away, edge.direction) * edge.direction);
  };
  set_faces(edge, tangent(left), tangent(right));
  return edge;
}

}  // namespace

TiledGround tile_ground(const Scene& scene, const PrismIndex& index, const TilingOptions& options, Progress& progress) {
  TiledGround ground;
  ground.grid = ground_grid(scene, options);
  const GroundGrid& grid = ground.grid;
  std::vector<std::vector<Tile>> rows(grid.rows);
  parallel_blocks(grid.rows, 8, progress, [&](std::size_t begin, std::size_t end) {
    for (std::size_t row = begin; row < end; ++row) {
      const auto of_row = static_cast<std::uint32_t>(row);
      for (std::uint32_t column = 0; column < grid.columns; ++column) {
        const Vec2 corner = grid.corner(column, of_row);
        const auto part = open_part_of_cell(scene.terrain, index, corner, grid.side_m);
        if (part) rows[row].push_back(ground_tile(scene.terrain, grid, column, of_row, *part));
      }
    }
  });

  ground.tile_at.assign(static_cast<std::size_t>(grid.columns) * grid.rows, no_index);
  std::size_t count = 0;
  for (const std::vector<Tile>& row : rows) count += row.size();
  ground.tiles.reserve(count);
  for (std::size_t row = 0; row < rows.size(); ++row) {
    for (const Tile& tile : rows[row]) {
      const auto column = static_cast<std::size_t>((tile.centroid.x - grid.corner(0, 0).x) / grid.side_m);
      ground.tile_at[row * grid.columns + column] = static_cast<std::uint32_t>(ground.tiles.size());
      ground.tiles.push_back(tile);
    }
  }
  return ground;
}

std::vector<EdgeSegment> find_ridges(const Scene& scene, const PrismIndex& index, const TiledGround& ground,
                                     const TilingOptions& options) {
  const GroundGrid& grid = ground.grid;
  const double least_angle = radians(options.ridge_angle_deg);
  std::vector<EdgeSegment> ridges;
  const auto add = [&](EdgeSegment edge, std::uint32_t tile_a, std::uint32_t tile_b, std::int64_t id) {
    if (edge.wedge_angle <= least_angle || index.prism_at(edge.midpoint + probe_lift_m * bisector(edge)) >= 0) return;
    edge.id = id;
    edge.tile_a = tile_a;
    edge.tile_b = tile_b;
    ridges.push_back(edge);
  };
  for (std::uint32_t row = 0; row < grid.rows; ++row) {
    for (std::uint32_t column = 0; column < grid.columns; ++column) {
      const std::size_t cell = static_cast<std::size_t>(row) * grid.columns + column;
      const std::uint32_t here = ground.tile_at[cell];
      if (here == no_index) continue;
      const Tile& tile = ground.tiles[here];
      const std::uint32_t east = column + 1 < grid.columns ? ground.tile_at[cell + 1] : no_index;
      const std::uint32_t north = row + 1 < grid.rows ? ground.tile_at[cell + grid.columns] : no_index;
      if (east != no_index) {
        add(ridge(scene.terrain, grid.corner(column + 1, row), grid.corner(column + 1, row + 1), tile.centroid,
                  ground.tiles[east].centroid),
            here, east, ridge_id(tile.id, RidgeSide::east));
      }
      if (north != no_index) {
        add(ridge(scene.terrain, grid.corner(column + 1, row + 1), grid.corner(column, row + 1), tile.centroid,
                  ground.tiles[north].centroid),
            here, north, ridge_id(tile.id, RidgeSide::north));
      }
    }
  }
  return ridges;
}

}  // namespace tesseray
