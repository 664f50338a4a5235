// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/io/height_raster.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/io/text_values.h"

namespace tesseray {
namespace {

// Land lies between −430 m and 8,850 m, ocean floors down to −11,000 m.
constexpr double lowest_m = -12000.0, greatest_m = 10000.0;
constexpr double most_pixels = 4e8;

// Metres per unit of a vertical unit's name; 0 for names that say nothing.
double metres_per(const std::string& unit) {
  constexpr double us_survey_foot_m = 1200.0 / 3937.0;
  constexpr std::array<Unit, 13> units = {{{"m", 1},
                                           {"metre", 1},
                                           {"meter", 1},
                                           {"metres", 1},
                                           {"meters", 1},
                                           {"ft", 0.3048},
                                           {"foot", 0.3048},
                                           {"feet", 0.3048},
                                           {"ussurveyfoot", us_survey_foot_m},
                                           {"ussurveyfeet", us_survey_foot_m},
                                           {"usft", us_survey_foot_m},
                                           {"footussurvey", us_survey_foot_m},
                                           {"ftus", us_survey_foot_m}}};
  const std::string plain = plain_name(unit);
  const auto* found = std::find_if(units.begin(), units.end(), [&](const Unit& u) { return u.name == plain; });
  return found == units.end() ? 0 : found->factor;
}

}  // namespace

HeightRaster::HeightRaster(const std::string& dem, const CrsRule& rule) : file_(dem) {
  require_file(dem, "DEM");
  dataset_.reset(GDALDataset::Open(dem.c_str(), GDAL_OF_RASTER | GDAL_OF_READONLY));
  if (dataset_ == nullptr) {
    throw error(
        "unreadable_file",
        "this cannot be read as a raster" + (gdal_.last_failure().empty() ? "" : " (" + gdal_.last_failure() + ")"),
        "give a raster as DEM, and check that the file is complete");
  }
  require_heights();
  locate(rule);
}

Error HeightRaster::error(const std::string& code, const std::string& message, const std::string& hint) const {
  return {ErrorKind::invalid_input, code, message, hint, place()};
}

void HeightRaster::require_heights() const {
  if (bands() == 0) {
    throw error("no_band", "the raster has no band of its own", "name one of its subdatasets, as gdalinfo lists them");
  }
  if (GDALDataTypeIsComplex(band().GetRasterDataType()) != 0) {
    throw error("not_heights", "the raster's values are complex numbers", "give a raster of heights");
  }
  if (band().GetColorTable() != nullptr) {
    throw error("not_heights", "the raster's values are colours of a palette", "give a raster of heights");
  }
}

void HeightRaster::locate(const CrsRule& rule) {
  if (dataset_->GetGeoTransform(geo_transform_.data()) != CE_None) {
    throw error("no_georeference", "the raster does not say where it lies",
                "bring its world file along, or georeference it (control points have to be applied: gdalwarp)");
  }
  if (GDALInvGeoTransform(geo_transform_.data(), inverse_.data()) == 0) {
    throw error("no_georeference", "the raster's pixels have no size", "georeference it anew");
  }
  crs_ = source_crs(Crs::of(dataset_->GetSpatialRef()), rule, place());
  check_coordinates(crs_, bounds(), place());
}

double HeightRaster::metres_per_value() const {
  const double by_band = metres_per(band().GetUnitType());
  if (by_band > 0) return by_band;
  const OGRSpatialReference* reference = dataset_->GetSpatialRef();
  if (reference == nullptr || reference->IsCompound() == 0) return 1;
  const double by_crs = reference->GetTargetLinearUnits("VERT_CS");
  return by_crs > 0 ? by_crs : 1;
}

Vec2 HeightRaster::to_crs(Vec2 pixel) const {
  const std::array<double, 6>& g = geo_transform_;
  return {g[0] + pixel.x * g[1] + pixel.y * g[2], g[3] + pixel.x * g[4] + pixel.y * g[5]};
}

Vec2 HeightRaster::to_pixel(Vec2 point) const {
  const std::array<double, 6>& g = inverse_;
  return {g[0] + point.x * g[1] + point.y * g[2], g[3] + point.x * g[4] + point.y * g[5]};
}

Rectangle HeightRaster::bounds() const {
  Rectangle box;
  for (const double column : {0.0, static_cast<double>(columns())}) {
    for (const double row : {0.0, static_cast<double>(rows())}) box.extend(to_crs({column, row}));
  }
  return box;
}

bool HeightRaster::has_axes_along_grid() const {
  return geo_transform_[2] == 0 && geo_transform_[4] == 0 && geo_transform_[1] > 0;
}

PixelWindow HeightRaster::window_around(const Rectangle& pixels) const {
  const auto width = static_cast<double>(columns()), height = static_cast<double>(rows());
  if (pixels.max.x < 0 || pixels.max.y < 0 || pixels.min.x > width || pixels.min.y > height) return {};
  const auto clamped = [](double centre, double size) { return static_cast<int>(std::clamp(centre, 0.0, size - 1.0)); };
  PixelWindow window;
  window.column = clamped(std::floor(pixels.min.x - 0.5), width);
  window.row = clamped(std::floor(pixels.min.y - 0.5), height);
  window.columns = clamped(std::ceil(pixels.max.x - 0.5), width) - window.column + 1;
  window.rows = clamped(std::ceil(pixels.max.y - 0.5), height) - window.row + 1;
  return window;
}

HeightRaster::Heights HeightRaster::read(const PixelWindow& window, Progress& progress) const {
  const GdalSession gdal;
  const auto columns = static_cast<std::size_t>(window.columns);
  const auto rows = static_cast<std::size_t>(window.rows);
  if (static_cast<double>(columns) * static_cast<double>(rows) > most_pixels) {
    throw error("dem_too_large", "the DEM has " + std::to_string(columns * rows) + " heights in the area",
                "give EXTENT, or a coarser DEM");
  }
  const double unit_m = metres_per_value();
  const double factor = band().GetScale() * unit_m, offset = band().GetOffset() * unit_m;
  Heights heights;
  heights.metres.assign(columns * rows, std::numeric_limits<float>::quiet_NaN());
  std::vector<double> values(columns);
  std::vector<GByte> valid(columns);
  for (int row = 0; row < window.rows; ++row) {
    progress.throw_if_cancelled();
    const auto read_row = [&](GDALRasterBand& from, void* to, GDALDataType type) {
      const CPLErr failed = from.RasterIO(GF_Read, window.column, window.row + row, window.columns, 1, to,
                                          window.columns, 1, type, 0, 0, nullptr);
      if (failed != CE_None) {
        throw error("unreadable_file", "the raster cannot be read to its end (" + gdal.last_failure() + ")",
                    "check that the file is complete");
      }
    };
    read_row(band(), values.data(), GDT_Float64);
    read_row(*band().GetMaskBand(), valid.data(), GDT_Byte);
    float* const metres = heights.metres.data() + static_cast<std::size_t>(row) * columns;
    for (std::size_t i = 0; i < columns; ++i) {
      const double height = values[i] * factor + offset;
      if (valid[i] == 0 || std::isnan(height)) continue;
      if (height < lowest_m || height > greatest_m) {
        ++heights.implausible;
      } else {
        metres[i] = static_cast<float>(height);
      }
    }
  }
  return heights;
}

}  // namespace tesseray
