// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/io/results/coverage_raster.h"

#include <gdal_alg.h>
#include <gdal_priv.h>
#include <ogr_geometry.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>

#include "core/base/error.h"
#include "core/io/sources/gdal_session.h"
#include "core/io/sources/memory_file.h"

namespace tesseray {
namespace {

constexpr float no_data = -9999.0F;
constexpr double most_coverage_pixels = 1 << 28;
// What tells our rasters from others.
constexpr char software_item[] = "TIFFTAG_SOFTWARE", software[] = "Tesseray";

// What GDAL is asked for, and what to do where it fails. `target`: the file that the raster goes to; none before it is
// written.
struct Step {
  const char *failed, *hint;
};
constexpr char less_pixels[] = "choose a greater RESOLUTION";
constexpr char less_or_report[] =
    "choose a greater RESOLUTION; if it stays, report it with the version of GDAL (gdalinfo --version)";
constexpr Step making{"the raster cannot be made", less_pixels};
constexpr Step rasterizing{"the polygons cannot be rasterized", less_or_report};
constexpr Step reading_back{"the raster cannot be read", less_or_report};
constexpr Step filling{"the raster cannot be filled", less_or_report};
constexpr Step choosing_format{"this GDAL cannot write cloud-optimized GeoTIFF",
                               "use GDAL 3.1 or later, with the driver COG among 'gdalinfo --formats'"};
constexpr Step writing{"the raster cannot be written", less_or_report};

[[noreturn]] void fail(const GdalSession& session, const Step& step, const std::filesystem::path& target = {}) {
  session.refuse_for_memory();
  const std::string why = session.last_failure().empty() ? "" : " (" + session.last_failure() + ")";
  throw Error(ErrorKind::invalid_input, "raster_failed", step.failed + why, step.hint, {.file = target.string()});
}

Rectangle bounds_of(const PathLossLayer& path_loss, const std::vector<std::int64_t>& ids) {
  Rectangle box;
  for (const std::int64_t id : ids) {
    const Rectangle tile = plan_of(path_loss, id);
    box.extend(tile.min);
    box.extend(tile.max);
  }
  return box;
}

using Polygons = std::vector<std::unique_ptr<OGRPolygon>>;

template <class Points>
std::unique_ptr<OGRLinearRing> ring_of(const Points& points, Vec2 origin) {
  auto ring = std::make_unique<OGRLinearRing>();
  for (const auto& point : points) ring->addPoint(point.x + origin.x, point.y + origin.y);
  ring->closeRings();
  return ring;
}

std::unique_ptr<OGRPolygon> polygon_of(const TileCorners& tile, Vec2 origin) {
  auto shape = std::make_unique<OGRPolygon>();
  shape->addRingDirectly(ring_of(tile.corners, origin).release());
  return shape;
}

std::unique_ptr<OGRPolygon> polygon_of(const Rings& rings) {
  auto shape = std::make_unique<OGRPolygon>();
  for (const Ring& ring : rings) shape->addRingDirectly(ring_of(ring, {}).release());
  return shape;
}

GDALDatasetUniquePtr memory_raster(const PixelGrid& grid, int bands, GDALDataType type, const GdalSession& session,
                                   const std::filesystem::path& target = {}) {
  GDALDriver* driver = GetGDALDriverManager()->GetDriverByName("MEM");
  GDALDatasetUniquePtr dataset(driver->Create("", grid.columns, grid.rows, bands, type, nullptr));
  if (dataset == nullptr) fail(session, making, target);
  double transform[6] = {grid.west, grid.step_m, 0, grid.north, 0, -grid.step_m};
  dataset->SetGeoTransform(transform);
  return dataset;
}

// The pixels whose centres lie in a polygon get its value, the others `elsewhere`.
template <class Value>
std::vector<Value> burned(const PixelGrid& grid, GDALDataType type, const Polygons& polygons,
                          const std::vector<double>& values, double elsewhere) {
  GdalSession session;
  const GDALDatasetUniquePtr dataset = memory_raster(grid, 1, type, session);
  dataset->GetRasterBand(1)->Fill(elsewhere);
  std::vector<OGRGeometryH> handles;
  for (const auto& polygon : polygons) handles.push_back(OGRGeometry::ToHandle(polygon.get()));
  int band = 1;
  if (GDALRasterizeGeometries(GDALDataset::ToHandle(dataset.get()), 1, &band, static_cast<int>(handles.size()),
                              handles.data(), nullptr, nullptr, values.data(), nullptr, nullptr, nullptr) != CE_None) {
    fail(session, rasterizing);
  }
  std::vector<Value> pixels(grid.pixels());
  if (dataset->GetRasterBand(1)->RasterIO(GF_Read, 0, 0, grid.columns, grid.rows, pixels.data(), grid.columns,
                                          grid.rows, type, 0, 0, nullptr) != CE_None) {
    fail(session, reading_back);
  }
  return pixels;
}

// GDAL writes blocks of all bands together, whole ones however small the raster is.
int block_side(const PixelGrid& grid, std::size_t bands) {
  constexpr double most_values = 1 << 22;                        // of a block
  constexpr int least_side = 128, greatest_side = 512, of = 16;  // what GDAL takes for such a file
  const int wanted = std::min(static_cast<int>(std::sqrt(most_values / static_cast<double>(bands))),
                              std::max(grid.columns, grid.rows) + of - 1);
  return std::clamp(wanted / of * of, least_side, greatest_side);
}

int CPL_STDCALL report(double fraction, const char* /*message*/, void* progress) {
  auto& to = *static_cast<Progress*>(progress);
  to.advance(fraction);
  return to.is_cancelled() ? FALSE : TRUE;
}

void fill_band(const GroundRaster& raster, const RasterBand& band, GDALRasterBand& to, const GdalSession& session,
               const std::filesystem::path& target) {
  to.SetDescription(band.name.c_str());
  to.SetUnitType(band.unit.c_str());
  to.SetNoDataValue(static_cast<double>(no_data));
  std::vector<float> row(static_cast<std::size_t>(raster.columns));
  for (int j = 0; j < raster.rows; ++j) {
    const std::int32_t* tiles = raster.tile_of_pixel.data() + static_cast<std::size_t>(j) * row.size();
    for (std::size_t i = 0; i < row.size(); ++i) {
      const float value = tiles[i] < 0 ? no_data : band.values[static_cast<std::size_t>(tiles[i])];
      row[i] = std::isnan(value) ? no_data : value;
    }
    if (to.RasterIO(GF_Write, 0, j, raster.columns, 1, row.data(), raster.columns, 1, GDT_Float32, 0, 0, nullptr) !=
        CE_None) {
      fail(session, filling, target);
    }
  }
}

}  // namespace

std::optional<std::size_t> PixelGrid::pixel_at(Vec2 place) const {
  const double column = std::floor((place.x - west) / step_m), row = std::floor((north - place.y) / step_m);
  if (column < 0 || row < 0 || column >= columns || row >= rows) return std::nullopt;
  return static_cast<std::size_t>(row) * static_cast<std::size_t>(columns) + static_cast<std::size_t>(column);
}

PixelGrid ground_grid(const PathLossLayer& path_loss, double step_m) {
  const Rectangle box = bounds_of(path_loss, ground_tiles(path_loss));
  PixelGrid grid{.west = std::floor(box.min.x / step_m) * step_m,
                 .north = std::ceil(box.max.y / step_m) * step_m,
                 .step_m = step_m};
  const double columns = std::ceil((box.max.x - grid.west) / step_m);
  const double rows = std::ceil((grid.north - box.min.y) / step_m);
  if (columns * rows > most_coverage_pixels) {
    throw Error(ErrorKind::invalid_input, "too_many_pixels",
                "the raster would have " + std::to_string(static_cast<std::int64_t>(columns * rows)) + " pixels",
                "choose a greater RESOLUTION");
  }
  grid.columns = static_cast<int>(columns);
  grid.rows = static_cast<int>(rows);
  return grid;
}

GroundRaster rasterize_ground(const PathLossLayer& path_loss, const PixelGrid& grid) {
  GroundRaster raster{grid, ground_tiles(path_loss), {}};
  Polygons shapes;
  std::vector<double> numbers;
  for (std::size_t t = 0; t < raster.tile_ids.size(); ++t) {
    shapes.push_back(polygon_of(path_loss.outlines.at(raster.tile_ids[t]), path_loss.frame.origin));
    numbers.push_back(static_cast<double>(t));
  }
  raster.tile_of_pixel = burned<std::int32_t>(grid, GDT_Int32, shapes, numbers, -1);
  // Parts of cells in alleys are narrower than pixels as wide as cells.
  for (std::size_t t = 0; t < raster.tile_ids.size(); ++t) {
    const Rectangle plan = plan_of(path_loss, raster.tile_ids[t]);
    const std::optional<std::size_t> pixel = grid.pixel_at(0.5 * (plan.min + plan.max));
    if (pixel && raster.tile_of_pixel[*pixel] < 0) raster.tile_of_pixel[*pixel] = static_cast<std::int32_t>(t);
  }
  return raster;
}

std::vector<std::uint8_t> built_pixels(const PixelGrid& grid, const std::vector<Rings>& footprints) {
  Polygons shapes;
  for (const Rings& rings : footprints) shapes.push_back(polygon_of(rings));
  return burned<std::uint8_t>(grid, GDT_Byte, shapes, std::vector<double>(shapes.size(), 1), 0);
}

std::uint64_t ground_raster_bytes(const PixelGrid& grid, std::size_t bands) {
  // Values; the file that is made of them in memory; its overviews, and what GDAL has read of the values.
  constexpr std::uint64_t of_values = 3;
  // As they are read, put together and compressed.
  constexpr std::uint64_t blocks = 4;
  const auto side = static_cast<std::uint64_t>(block_side(grid, bands));
  return sizeof(float) * bands * (of_values * grid.pixels() + blocks * side * side);
}

void write_ground_raster(const GroundRaster& raster, const std::vector<RasterBand>& bands, const LocalFrame& frame,
                         const FileTarget& target, Progress& progress) {
  GdalSession session;
  progress.begin_stage("writing");
  const GDALDatasetUniquePtr filled =
      memory_raster(raster, static_cast<int>(bands.size()), GDT_Float32, session, target.file);
  if (!frame.crs_wkt.empty()) filled->SetProjection(frame.crs_wkt.c_str());
  filled->SetMetadataItem(software_item, software);
  for (std::size_t b = 0; b < bands.size(); ++b) {
    progress.throw_if_cancelled();
    fill_band(raster, bands[b], *filled->GetRasterBand(static_cast<int>(b) + 1), session, target.file);
  }
  GDALDriver* driver = GetGDALDriverManager()->GetDriverByName("COG");
  if (driver == nullptr) fail(session, choosing_format, target.file);
  // Overviews take single pixels: a mean of decibels, or over no-data, would be no prediction.
  const std::string block_size = "BLOCKSIZE=" + std::to_string(block_side(raster, bands.size()));
  const char* options[] = {"COMPRESS=DEFLATE", "PREDICTOR=YES", "OVERVIEW_RESAMPLING=NEAREST", block_size.c_str(),
                           nullptr};
  const MemoryFile memory(".tif");
  GDALDatasetUniquePtr written(
      driver->CreateCopy(memory.name().c_str(), filled.get(), TRUE, const_cast<char**>(options), report, &progress));
  progress.throw_if_cancelled();
  if (written == nullptr) fail(session, writing, target.file);
  session.forget();
  written.reset();
  if (!session.last_failure().empty()) fail(session, writing, target.file);
  StagedFile staged(target);
  staged.write(0, memory.bytes());
  staged.flush();
  staged.require_untaken();
  std::error_code ignored;
  for (const char* const suffix : {".aux.xml", ".ovr", ".msk"}) {
    std::filesystem::remove(staged.target().string() + suffix, ignored);
  }
  staged.publish();
}

bool may_be_ground_raster(const std::filesystem::path& file) {
  const GdalSession session;
  const GDALDatasetUniquePtr dataset(GDALDataset::Open(file.c_str(), GDAL_OF_RASTER));
  if (dataset == nullptr) return true;
  const char* const found = dataset->GetMetadataItem(software_item);
  return found != nullptr && std::string_view(found) == software;
}

}  // namespace tesseray
