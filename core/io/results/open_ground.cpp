// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/io/results/open_ground.h"

#include <cmath>
#include <functional>
#include <queue>
#include <tuple>

namespace tesseray {
namespace {

constexpr std::int32_t no_tile = -1, to_be_found = -2;
// A tile's middle this near to a wall may lie on either side of it: by rounding on the wall itself, and the environment
// leaves out what is thinner.
constexpr double at_wall_m = 0.1;

// The cells of the ground as a grid, whose tiles are those that no building covers the middle of.
PixelGrid cells_of(const GroundRaster& raster, const PathLossLayer& path_loss) {
  Rectangle box, cell;
  for (const std::int64_t id : raster.tile_ids) {
    cell = {};
    for (const Vec3& corner : path_loss.outlines.at(id).corners) cell.extend(corner.xy() + path_loss.frame.origin);
    box.extend(cell.min);
    box.extend(cell.max);
  }
  const double side_m = cell.max.x - cell.min.x;
  return {.west = box.min.x,
          .north = box.max.y,
          .step_m = side_m,
          .columns = static_cast<int>(std::lround((box.max.x - box.min.x) / side_m)),
          .rows = static_cast<int>(std::lround((box.max.y - box.min.y) / side_m))};
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
  OpenGround(GroundRaster& raster, const PixelGrid& cells, const std::vector<Rings>& footprints)
      : raster_(raster), cells_(cells), covered_places_(covered_places(cells, footprints)) {
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
        const int covered = covered_places_around(column, row);
        if (is_built[pixel] && covered < all_places) tile = no_tile;
        if (!is_built[pixel] && covered > 0 && tile == no_tile) tile = to_be_found;
      }
    }
  }

  // Of the cell in which a pixel's centre lies; none outside the grid.
  int covered_places_around(int column, int row) const {
    const double east_m = raster_.west + (column + 0.5) * raster_.step_m - cells_.west;
    const double south_m = cells_.north - raster_.north + (row + 0.5) * raster_.step_m;
    const double cell_column = std::floor(east_m / cells_.step_m), cell_row = std::floor(south_m / cells_.step_m);
    if (cell_column < 0 || cell_row < 0 || cell_column >= cells_.columns || cell_row >= cells_.rows) return 0;
    return covered_places_[static_cast<std::size_t>(cell_row) * static_cast<std::size_t>(cells_.columns) +
                           static_cast<std::size_t>(cell_column)];
  }

  // From a pixel that has a tile, which is so many steps away.
  void ask_neighbours(std::size_t pixel, int steps) {
    if ((steps + 1) * raster_.step_m > 2 * cells_.step_m) return;
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
  PixelGrid cells_;
  std::vector<std::uint8_t> covered_places_;  // per cell
  std::priority_queue<Way, std::vector<Way>, std::greater<>> ways_;
};

}  // namespace

void show_open_ground(GroundRaster& raster, const PathLossLayer& path_loss, const std::vector<Rings>& footprints) {
  OpenGround(raster, cells_of(raster, path_loss), footprints).find_tiles();
}

}  // namespace tesseray
