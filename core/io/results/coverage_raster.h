// SPDX-License-Identifier: GPL-3.0-or-later
// Predictions on the ground as a raster: a cloud-optimized GeoTIFF with a band per transmitter.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "core/base/progress.h"
#include "core/base/staged_file.h"
#include "core/io/results/path_loss_layer.h"
#include "core/scene/scene.h"

namespace tesseray {

// Square pixels, row by row from the north-west.
struct PixelGrid {
  double west = 0, north = 0, step_m = 0;  // of the corner, CRS coordinates
  int columns = 0, rows = 0;

  std::size_t pixels() const { return static_cast<std::size_t>(columns) * static_cast<std::size_t>(rows); }
  // The number of the pixel in which a place of the CRS lies; nothing outside the grid.
  std::optional<std::size_t> pixel_at(Vec2 place) const;
};

// The numbers of a raster's pixels, one per ground tile or −1.
struct GroundRaster : PixelGrid {
  std::vector<std::int64_t> tile_ids;  // of the numbers
  std::vector<std::int32_t> tile_of_pixel;
};

struct RasterBand {
  std::string name, unit;
  std::vector<float> values;  // per number of a tile; NaN where there is none
};

// Pixels of `step_m`, whose corners are at multiples of it, over the ground tiles of a path_loss layer of polygons.
// Throws Error(invalid_input) for a layer without polygons of ground, or with more than 2²⁸ pixels.
PixelGrid ground_grid(const PathLossLayer& path_loss, double step_m);

// Each pixel of the layer's ground_grid takes the tile in which its centre lies; one that is in none, the first with
// its middle in the pixel.
GroundRaster rasterize_ground(const PathLossLayer& path_loss, const PixelGrid& grid);

// The pixels, 1 or 0, whose centres lie on a footprint. Footprints are in CRS coordinates.
std::vector<std::uint8_t> built_pixels(const PixelGrid& grid, const std::vector<Rings>& footprints);

// What write_ground_raster holds at most while it writes so many bands.
std::uint64_t ground_raster_bytes(const PixelGrid& grid, std::size_t bands);

// Writes beside `target` and renames when complete. No-data is −9999. Statistics and overviews that others have put
// beside an earlier file of the name are removed with it. Throws Error(resources) when the disk is full.
void write_ground_raster(const GroundRaster& raster, const std::vector<RasterBand>& bands, const LocalFrame& frame,
                         const FileTarget& target, Progress& progress);

// Whether a file is a raster that write_ground_raster wrote, or none that can be read.
bool may_be_ground_raster(const std::filesystem::path& file);

}  // namespace tesseray
