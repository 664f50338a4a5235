// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/io/results/open_ground.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <optional>
#include <queue>
#include <tuple>
#include <utility>

#include "core/scene/ground_plan/polygon.h"

namespace tesseray {
namespace {

constexpr std::int32_t no_tile = -1, to_be_found = -2;
// A tile's middle this near to a wall may lie on either side of it: by rounding on the wall itself, and the environment
// leaves out what is thinner.
constexpr double at_wall_m = 0.1;

// The cells of the ground, of which tiles are all or a part.
struct CellsOfGround {
  PixelGrid grid;
  std::vector<std::uint8_t> is_cut;  // by cell: its tile is a part of it

  Rectangle area() const {
    return {{grid.west, grid.north - grid.rows * grid.step_m}, {grid.west + grid.columns * grid.step_m, grid.north}};
  }
};

// Far more than the rounding of coordinates and far less than what cells are cut by, in sides.
constexpr double rounded_sides = 0.01;

// The first line of a lattice at or before `low`: one of them is at `line`.
double first_line(double line, double low, double step_m) {
  return line - std::ceil((line - low) / step_m - rounded_sides) * step_m;
}

CellsOfGround cells_of(const GroundRaster& raster, const PathLossLayer& path_loss) {
  std::vector<Rectangle> tiles;
  Rectangle all;
  double side_m = 0;
  for (const std::int64_t id : raster.tile_ids) {
    const Rectangle tile = plan_of(path_loss, id);
    all.extend(tile.min);
    all.extend(tile.max);
    side_m = std::max({side_m, tile.max.x - tile.min.x, tile.max.y - tile.min.y});
    tiles.push_back(tile);
  }
  // Tiles as wide, and as high, as their cells show where the cells' sides are.
  const double least_m = (1 - rounded_sides) * side_m;
  Vec2 corner = all.min;
  for (const Rectangle& tile : tiles) {
    if (tile.max.x - tile.min.x > least_m) corner.x = tile.min.x;
    if (tile.max.y - tile.min.y > least_m) corner.y = tile.min.y;
  }
  const auto count = [side_m](double length_m) {
    return static_cast<int>(std::ceil(length_m / side_m - rounded_sides));
  };
  CellsOfGround cells;
  cells.grid = {.west = first_line(corner.x, all.min.x, side_m), .north = 0, .step_m = side_m};
  const double south = first_line(corner.y, all.min.y, side_m);
  cells.grid.columns = count(all.max.x - cells.grid.west);
  cells.grid.rows = count(all.max.y - south);
  cells.grid.north = south + cells.grid.rows * side_m;
  cells.is_cut.resize(cells.grid.pixels());
  for (const Rectangle& tile : tiles) {
    const Vec2 size = tile.max - tile.min;
    if (std::min(size.x, size.y) > least_m) continue;
    if (const auto cell = cells.grid.pixel_at(0.5 * (tile.min + tile.max))) cells.is_cut[*cell] = 1;
  }
  return cells;
}

constexpr int all_places = 5;

// How many of all_places have a footprint over them, by cell: its middle, and beside that to all sides.
std::vector<std::uint8_t> covered_places(const PixelGrid& cells, const std::vector<Rings>& footprints) {
  std::vector<std::uint8_t> covered(cells.pixels());
  for (const Vec2 beside :
       {Vec2{}, {at_wall_m, at_wall_m}, {at_wall_m, -at_wall_m}, {-at_wall_m, at_wall_m}, {-at_wall_m, -at_wall_m}}) {
    PixelGrid moved = cells;
    moved.west += beside.x;
    moved.north += beside.y;
    const std::vector<std::uint8_t> is_built = built_pixels(moved, footprints);
    for (std::size_t cell = 0; cell < covered.size(); ++cell) covered[cell] += is_built[cell];
  }
  return covered;
}

class OpenGround {
 public:
  OpenGround(GroundRaster& raster, CellsOfGround cells, const std::vector<Rings>& footprints)
      : raster_(raster), cells_(std::move(cells)), covered_places_(covered_places(cells_.grid, footprints)) {
    choose_pixels(built_pixels(raster, footprints));
  }

  void find_tiles() {
    for (std::size_t pixel = 0; pixel < raster_.pixels(); ++pixel) {
      if (raster_.tile_of_pixel[pixel] >= 0) ask_neighbours(pixel, 0);
    }
    while (!ways_.empty()) {
      const auto [steps, tile, pixel] = ways_.top();
      ways_.pop();
      if (raster_.tile_of_pixel[pixel] != to_be_found) continue;
      raster_.tile_of_pixel[pixel] = tile;
      ask_neighbours(pixel, steps);
    }
    for (std::int32_t& tile : raster_.tile_of_pixel) {
      if (tile == to_be_found) tile = no_tile;
    }
  }

 private:
  using Way = std::tuple<int, std::int32_t, std::size_t>;  // steps, tile, pixel that it leads to

  void choose_pixels(const std::vector<std::uint8_t>& is_built) {
    std::size_t pixel = 0;
    for (int row = 0; row < raster_.rows; ++row) {
      for (int column = 0; column < raster_.columns; ++column, ++pixel) {
        std::int32_t& tile = raster_.tile_of_pixel[pixel];
        const std::optional<std::size_t> cell = cells_.grid.pixel_at(
            {raster_.west + (column + 0.5) * raster_.step_m, raster_.north - (row + 0.5) * raster_.step_m});
        const int covered = cell ? covered_places_[*cell] : 0;
        const bool is_cut = cell && cells_.is_cut[*cell];
        if (is_built[pixel] && (covered < all_places || is_cut)) tile = no_tile;
        if (!is_built[pixel] && (covered > 0 || is_cut) && tile == no_tile) tile = to_be_found;
      }
    }
  }

  // From a pixel that has a tile, which is so many steps away.
  void ask_neighbours(std::size_t pixel, int steps) {
    if ((steps + 1) * raster_.step_m > 2 * cells_.grid.step_m) return;
    const auto columns = static_cast<std::size_t>(raster_.columns);
    const std::size_t column = pixel % columns;
    const auto ask = [&](bool is_there, std::size_t neighbour) {
      if (is_there && raster_.tile_of_pixel[neighbour] == to_be_found) {
        ways_.emplace(steps + 1, raster_.tile_of_pixel[pixel], neighbour);
      }
    };
    ask(column > 0, pixel - 1);
    ask(column + 1 < columns, pixel + 1);
    ask(pixel >= columns, pixel - columns);
    ask(pixel + columns < raster_.pixels(), pixel + columns);
  }

  GroundRaster& raster_;
  CellsOfGround cells_;
  std::vector<std::uint8_t> covered_places_;  // per cell
  std::priority_queue<Way, std::vector<Way>, std::greater<>> ways_;
};

}  // namespace

void show_open_ground(GroundRaster& raster, const PathLossLayer& path_loss, const std::vector<Rings>& footprints) {
  const CellsOfGround cells = cells_of(raster, path_loss);
  // Without buildings nothing tells how far the ground goes beside tiles that are parts of cells.
  const bool is_any_near = std::any_of(footprints.begin(), footprints.end(), [area = cells.area()](const Rings& rings) {
    return touch(bounds(rings), area);
  });
  if (is_any_near) OpenGround(raster, cells, footprints).find_tiles();
}

}  // namespace tesseray
