// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/io/results/grid_coverage.h"

#include <gdal_priv.h>

#include <memory>
#include <string>

#include "core/base/error.h"
#include "core/io/sources/gdal_session.h"
#include "core/io/sources/memory_file.h"

namespace tesseray {

namespace {

// GeoPackage rasters run from the north, grids of a scene from the south.
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

// Adds a coverage to the file, which is made with the first one.
void write_coverage(const GridCoverage& coverage, const std::string& file, bool is_first) {
  GdalSession session;
  const auto fail = [&] {
    throw Error(ErrorKind::internal, "grid_coverage",
                "the grid '" + coverage.table + "' cannot be written: " + session.last_failure());
  };
  const std::string table = "RASTER_TABLE=" + coverage.table,
                    description = "RASTER_DESCRIPTION=" + coverage.description;
  const char* const options[] = {table.c_str(), "TILE_FORMAT=TIFF", description.c_str(),
                                 is_first ? nullptr : "APPEND_SUBDATASET=YES", nullptr};
  GDALDriver* driver = GetGDALDriverManager()->GetDriverByName("GPKG");
  GDALDatasetUniquePtr dataset(driver == nullptr ? nullptr
                                                 : driver->Create(file.c_str(), static_cast<int>(coverage.columns),
                                                                  static_cast<int>(coverage.rows), 1, GDT_Float32,
                                                                  const_cast<char**>(options)));
  if (!dataset) fail();
  double transform[6] = {coverage.south_west.x - 0.5 * coverage.step_x,
                         coverage.step_x,
                         0,
                         coverage.south_west.y + (coverage.rows - 0.5) * coverage.step_y,
                         0,
                         -coverage.step_y};
  std::vector<float> values = coverage.values;
  if (dataset->SetGeoTransform(transform) != CE_None ||
      !transfer(*dataset, GF_Write, values.data(), coverage.columns, coverage.rows)) {
    fail();
  }
  // The last tiles are written as it closes, which tells of a failure by a message alone.
  dataset.reset();
  if (!session.last_failure().empty()) fail();
}

}  // namespace

GridCoverage terrain_coverage(const Terrain& terrain, Vec2 origin) {
  return {.table = terrain_table,
          .description = "Terrain heights at the grid's nodes, m",
          .south_west = origin + terrain.south_west,
          .step_x = terrain.step_x,
          .step_y = terrain.step_y,
          .columns = terrain.columns,
          .rows = terrain.rows,
          .values = terrain.height_m};
}

GridCoverage clutter_coverage(const Clutter& clutter, Vec2 origin) {
  return {.table = clutter_table,
          .description = "Clutter: numbers of the table clutter_classes; 0 for none",
          .south_west = origin + clutter.south_west + 0.5 * Vec2{clutter.step_x, clutter.step_y},
          .step_x = clutter.step_x,
          .step_y = clutter.step_y,
          .columns = clutter.columns,
          .rows = clutter.rows,
          .values = {clutter.cells.begin(), clutter.cells.end()}};
}

std::vector<unsigned char> encode_coverages(const std::vector<GridCoverage>& coverages) {
  const MemoryFile file(".gpkg");
  for (const GridCoverage& coverage : coverages) {
    write_coverage(coverage, file.name(), &coverage == &coverages.front());
  }
  const auto bytes = file.bytes();
  if (bytes.empty()) throw Error(ErrorKind::internal, "grid_coverage", "the grids cannot be written");
  return {bytes.begin(), bytes.end()};
}

std::vector<float> read_coverage(const std::filesystem::path& file, const std::string& table, std::uint32_t columns,
                                 std::uint32_t rows) {
  GdalSession session;
  // By an option: in "GPKG:file:table" a colon or a quotation mark in the file's name would mean something.
  const std::string option = "TABLE=" + table;
  const char* const drivers[] = {"GPKG", nullptr};
  const char* const options[] = {option.c_str(), nullptr};
  const GDALDatasetUniquePtr dataset(
      GDALDataset::Open(file.c_str(), GDAL_OF_RASTER | GDAL_OF_READONLY, drivers, options));
  const auto fail = [&](const std::string& why) {
    throw Error(ErrorKind::invalid_input, "bad_environment",
                "the " + table + " of the environment cannot be read (" + why + ")",
                "make the environment anew with tileenvironment", {.file = file.string(), .layer = table});
  };
  if (!dataset) fail(session.last_failure());
  if (dataset->GetRasterXSize() != std::int64_t{columns} || dataset->GetRasterYSize() != std::int64_t{rows}) {
    fail("it has another size than the environment says");
  }
  std::vector<float> values(static_cast<std::size_t>(columns) * rows);
  if (!transfer(*dataset, GF_Read, values.data(), columns, rows)) fail(session.last_failure());
  return values;
}

}  // namespace tesseray
