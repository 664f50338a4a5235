// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/io/readers/read_terrain.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "core/io/readers/footprints.h"
#include "core/io/sources/height_raster.h"

namespace tesseray {
namespace {

constexpr float no_height = std::numeric_limits<float>::quiet_NaN();
constexpr double most_nodes = 4e8;

Error no_height_here(const HeightRaster& raster) {
  return {ErrorKind::invalid_input, "dem_elsewhere", "the DEM has no height where the buildings are",
          "check the CRS of both, or give a DEM of the place", raster.place()};
}

// The raster's heights around an area of its own CRS.
struct Cutout {
  PixelWindow window;
  std::vector<float> metres;  // row by row as in the file

  float at(int column, int row) const {
    return metres[static_cast<std::size_t>(row) * static_cast<std::size_t>(window.columns) +
                  static_cast<std::size_t>(column)];
  }
};

Cutout cut_out(const HeightRaster& raster, const Rectangle& area, std::vector<Issue>& issues, Progress& progress) {
  Cutout cutout{raster.window_around(raster.to_pixels(area)), {}};
  if (cutout.window.empty()) throw no_height_here(raster);
  HeightRaster::Heights heights = raster.read(cutout.window, progress);
  const bool has_none =
      std::all_of(heights.metres.begin(), heights.metres.end(), [](float h) { return std::isnan(h); });
  if (has_none && heights.implausible == 0) throw no_height_here(raster);
  const std::string implausible = std::to_string(heights.implausible) +
                                  (heights.implausible == 1 ? " height of the DEM is" : " heights of the DEM are") +
                                  " beyond any of land (−500 to 9,000 m)";
  if (has_none) {
    throw Error(ErrorKind::invalid_input, "implausible_terrain",
                implausible + ", and there are no others where the buildings are",
                "correct the DEM's unit, scale and offset, or give one that has heights there", raster.place());
  }
  if (heights.implausible > 0) {
    issues.push_back(layer_issue(Issue::Action::dropped, "implausible_terrain", implausible + ": taken as no-data",
                                 raster.place().file));
  }
  cutout.metres = std::move(heights.metres);
  return cutout;
}

// The pixel centres themselves as nodes.
RawTerrain own_nodes(const HeightRaster& raster, const Cutout& cutout) {
  const PixelWindow& window = cutout.window;
  const int south_row = raster.has_first_row_in_south() ? 0 : window.rows - 1;
  RawTerrain terrain;
  terrain.south_west = raster.to_crs({window.column + 0.5, window.row + south_row + 0.5});
  terrain.step_x = raster.across().x;
  terrain.step_y = std::abs(raster.down().y);
  terrain.columns = static_cast<std::uint32_t>(window.columns);
  terrain.rows = static_cast<std::uint32_t>(window.rows);
  terrain.height_m.reserve(cutout.metres.size());
  for (int row = 0; row < window.rows; ++row) {
    const int from = raster.has_first_row_in_south() ? row : window.rows - 1 - row;
    for (int column = 0; column < window.columns; ++column) terrain.height_m.push_back(cutout.at(column, from));
  }
  return terrain;
}

// Bilinear between pixel centres. NaN where the nearest pixel has no height or the point is outside of the raster;
// neighbours without a height have no weight.
float height_at(const Cutout& cutout, Vec2 pixel) {
  const PixelWindow& window = cutout.window;
  const double x = pixel.x - window.column - 0.5, y = pixel.y - window.row - 0.5;
  if (!(x >= -0.5 && y >= -0.5 && x <= window.columns - 0.5 && y <= window.rows - 0.5)) return no_height;
  const auto clamped = [](double value, int size) { return std::clamp(static_cast<int>(value), 0, size - 1); };
  if (std::isnan(cutout.at(clamped(std::floor(x + 0.5), window.columns), clamped(std::floor(y + 0.5), window.rows)))) {
    return no_height;
  }
  const double left = std::floor(x), top = std::floor(y);
  double sum = 0, weights = 0;
  for (const Vec2 corner : {Vec2{0, 0}, Vec2{1, 0}, Vec2{0, 1}, Vec2{1, 1}}) {
    const double column = left + corner.x, row = top + corner.y;
    const double weight = (1.0 - std::abs(x - column)) * (1.0 - std::abs(y - row));
    const float height = cutout.at(clamped(column, window.columns), clamped(row, window.rows));
    if (weight <= 0 || std::isnan(height)) continue;
    sum += weight * static_cast<double>(height);
    weights += weight;
  }
  return weights > 0 ? static_cast<float>(sum / weights) : no_height;
}

// The nodes of the environment's grid at multiples of `step_m` that surround the area, without heights.
RawTerrain grid_around(const Rectangle& area, double step_m, const HeightRaster& raster) {
  const double first_x = std::floor(area.min.x / step_m), first_y = std::floor(area.min.y / step_m);
  const double columns = std::ceil(area.max.x / step_m) - first_x + 1;
  const double rows = std::ceil(area.max.y / step_m) - first_y + 1;
  if (columns * rows > most_nodes) {
    throw Error(ErrorKind::invalid_input, "dem_too_large",
                "the DEM's pixels are too small for an area of this size: there would be " +
                    std::to_string(static_cast<std::int64_t>(columns * rows)) + " heights",
                "give EXTENT, or a coarser DEM", raster.place());
  }
  RawTerrain terrain;
  terrain.south_west = {first_x * step_m, first_y * step_m};
  terrain.step_x = terrain.step_y = step_m;
  terrain.columns = static_cast<std::uint32_t>(columns);
  terrain.rows = static_cast<std::uint32_t>(rows);
  terrain.height_m.assign(static_cast<std::size_t>(terrain.columns) * terrain.rows, no_height);
  return terrain;
}

// Pixel coordinates of nodes: exact on a lattice of every 16th node, bilinear between. Over 16 nodes of a step s
// the way between two projections bends by less than (16 s)² / (8 · 6,371 km): 2e-4 steps at 30 m.
class NodePixels {
 public:
  NodePixels(const RawTerrain& terrain, const HeightRaster& raster, const PointTransform& to_raster)
      : columns_((terrain.columns - 1) / stride + 2) {
    const std::uint32_t rows = (terrain.rows - 1) / stride + 2;
    for (std::uint32_t row = 0; row < rows; ++row) {
      for (std::uint32_t column = 0; column < columns_; ++column) {
        pixels_.push_back(terrain.south_west + Vec2{stride * column * terrain.step_x, stride * row * terrain.step_y});
      }
    }
    to_raster.apply(pixels_);
    for (Vec2& point : pixels_) point = raster.to_pixel(point);
  }

  Vec2 at(std::uint32_t column, std::uint32_t row) const {
    const std::size_t corner = static_cast<std::size_t>(row / stride) * columns_ + column / stride;
    const double x = static_cast<double>(column % stride) / stride, y = static_cast<double>(row % stride) / stride;
    const Vec2 south = (1 - x) * pixels_[corner] + x * pixels_[corner + 1];
    const Vec2 north = (1 - x) * pixels_[corner + columns_] + x * pixels_[corner + columns_ + 1];
    return (1 - y) * south + y * north;
  }

 private:
  static constexpr std::uint32_t stride = 16;
  std::uint32_t columns_;
  std::vector<Vec2> pixels_;
};

RawTerrain resampled(const HeightRaster& raster, const Cutout& cutout, const Crs& environment, const Rectangle& area,
                     const Rectangle& raster_area, Progress& progress) {
  const PointTransform to_environment(raster.crs(), environment, raster_area);
  const PointTransform to_raster(environment, raster.crs(), area);
  const double side_m = raster.pixel_side_m(to_environment, raster_area.middle());
  if (!std::isfinite(side_m) || side_m <= 0) throw no_height_here(raster);
  // On the scene's coordinate grid, so that the scene takes the nodes as they are.
  const double step_m = std::max(coordinate_step_m, snapped(side_m));
  RawTerrain terrain = grid_around(area, step_m, raster);
  const NodePixels pixels(terrain, raster, to_raster);
  for (std::uint32_t row = 0; row < terrain.rows; ++row) {
    progress.throw_if_cancelled();
    float* const heights = terrain.height_m.data() + static_cast<std::size_t>(row) * terrain.columns;
    for (std::uint32_t column = 0; column < terrain.columns; ++column) {
      heights[column] = height_at(cutout, pixels.at(column, row));
    }
  }
  if (std::all_of(terrain.height_m.begin(), terrain.height_m.end(), [](float h) { return std::isnan(h); })) {
    throw no_height_here(raster);
  }
  return terrain;
}

}  // namespace

RawTerrain read_terrain(const std::string& dem, const Crs& environment, const CrsRule& rule, const Rectangle& area,
                        std::vector<Issue>& issues, Progress& progress) {
  const HeightRaster raster(dem, rule);
  raster.check_metres(area.middle());
  if (raster.bands() > 1) {
    issues.push_back(
        layer_issue(Issue::Action::assumed, "several_bands",
                    "the DEM has " + std::to_string(raster.bands()) + " bands: the first is taken as heights",
                    raster.place().file));
  }
  if (const std::string unit = raster.unknown_unit(); !unit.empty()) {
    issues.push_back(layer_issue(Issue::Action::assumed, "unknown_unit",
                                 "the DEM's unit \"" + unit + "\" is not known: its heights are taken as metres",
                                 raster.place().file));
  }
  const PointTransform to_raster(environment, raster.crs(), area);
  if (const std::string caveat = to_raster.caveat(); !caveat.empty()) {
    issues.push_back(layer_issue(Issue::Action::assumed, "unknown_datum_shift", caveat, raster.place().file));
  }
  const Rectangle raster_area = raster.area_of(to_raster, area);
  if (raster_area.empty()) throw no_height_here(raster);
  const Cutout cutout = cut_out(raster, raster_area, issues, progress);
  RawTerrain terrain = raster.is_in(environment) ? own_nodes(raster, cutout)
                                                 : resampled(raster, cutout, environment, area, raster_area, progress);
  terrain.source = raster.place().file;
  if (terrain.columns >= 2 && terrain.rows >= 2) return terrain;
  throw Error(ErrorKind::invalid_input, "dem_too_small", "the DEM has less than 2 × 2 heights in the area",
              "give a DEM that covers the buildings with smaller pixels", raster.place());
}

}  // namespace tesseray
