// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/io/terrain_coverage.h"

#include <cpl_vsi.h>
#include <gdal_priv.h>

#include <memory>
#include <random>
#include <string>

#include "core/base/error.h"
#include "core/io/gdal_session.h"

namespace tesseray {

namespace {

// GeoPackage rasters run from the north, scene terrains from the south.
bool transfer(GDALDataset& dataset, GDALRWFlag direction, float* from_south, std::uint32_t columns,
              std::uint32_t rows) {
  const auto width = static_cast<int>(columns);
  GDALRasterBand* band = dataset.GetRasterBand(1);
  for (std::uint32_t row = 0; row < rows; ++row) {
    float* line = from_south + static_cast<std::size_t>(rows - 1 - row) * columns;
    if (band->RasterIO(direction, 0, static_cast<int>(row), width, 1, line, width, 1, GDT_Float32, 0, 0, nullptr) !=
        CE_None) {
      return false;
    }
  }
  return true;
}

}  // namespace

std::vector<unsigned char> encode_terrain(const Terrain& terrain, Vec2 origin) {
  GdalSession session;
  std::random_device random;
  const std::string memory_file = "/vsimem/tesseray-terrain-" + std::to_string(random()) + ".gpkg";
  const auto fail = [&session] {
    throw Error(ErrorKind::internal, "terrain_coverage", "the terrain cannot be written: " + session.last_failure());
  };
  const std::string table = std::string("RASTER_TABLE=") + terrain_table;
  const char* const options[] = {table.c_str(), "TILE_FORMAT=TIFF",
                                 "RASTER_DESCRIPTION=Terrain heights at the grid's nodes, m", nullptr};
  GDALDriver* driver = GetGDALDriverManager()->GetDriverByName("GPKG");
  std::unique_ptr<GDALDataset> dataset(
      driver == nullptr ? nullptr
                        : driver->Create(memory_file.c_str(), static_cast<int>(terrain.columns),
                                         static_cast<int>(terrain.rows), 1, GDT_Float32, const_cast<char**>(options)));
  if (!dataset) fail();
  // Nodes are pixel centres.
  double transform[6] = {origin.x + terrain.south_west.x - 0.5 * terrain.step_x,
                         terrain.step_x,
                         0,
                         origin.y + terrain.south_west.y + (terrain.rows - 0.5) * terrain.step_y,
                         0,
                         -terrain.step_y};
  std::vector<float> heights = terrain.height_m;
  if (dataset->SetGeoTransform(transform) != CE_None ||
      !transfer(*dataset, GF_Write, heights.data(), terrain.columns, terrain.rows)) {
    fail();
  }
  dataset.reset();
  vsi_l_offset size = 0;
  GByte* bytes = VSIGetMemFileBuffer(memory_file.c_str(), &size, TRUE);
  if (bytes == nullptr) fail();
  std::vector<unsigned char> geopackage(bytes, bytes + size);
  VSIFree(bytes);
  return geopackage;
}

std::vector<float> read_terrain_heights(const std::filesystem::path& file, std::uint32_t columns, std::uint32_t rows) {
  GdalSession session;
  const std::string source = "GPKG:" + file.string() + ":" + terrain_table;
  const std::unique_ptr<GDALDataset> dataset(GDALDataset::Open(source.c_str(), GDAL_OF_RASTER | GDAL_OF_READONLY));
  const auto fail = [&](const std::string& why) {
    throw Error(ErrorKind::invalid_input, "bad_environment",
                "the terrain of the environment cannot be read (" + why + ")",
                "make the environment anew with tileenvironment", {.file = file.string(), .layer = terrain_table});
  };
  if (!dataset) fail(session.last_failure());
  if (dataset->GetRasterXSize() != std::int64_t{columns} || dataset->GetRasterYSize() != std::int64_t{rows}) {
    fail("it has another size than the environment says");
  }
  std::vector<float> heights(static_cast<std::size_t>(columns) * rows);
  if (!transfer(*dataset, GF_Read, heights.data(), columns, rows)) fail(session.last_failure());
  return heights;
}

}  // namespace tesseray
