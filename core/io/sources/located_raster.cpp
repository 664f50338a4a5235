// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/io/sources/located_raster.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "core/io/sources/dataset_files.h"
#include "core/io/sources/source_file.h"

namespace tesseray {

LocatedRaster::LocatedRaster(const std::string& file, const std::string& parameter, const CrsRule& rule) : file_(file) {
  require_file(file, parameter);
  dataset_.reset(GDALDataset::Open(file.c_str(), GDAL_OF_RASTER | GDAL_OF_READONLY));
  if (dataset_ == nullptr) {
    gdal_.refuse_locked(file);
    const std::string why = without_passwords_of(file, gdal_.last_failure());
    const std::string hint = hint_for_zip(file);
    throw error("unreadable_file", "this cannot be read as a raster" + (why.empty() ? "" : " (" + why + ")"),
                hint.empty() ? "give a raster as " + parameter + ", and check that the file is complete" : hint);
  }
  if (bands() == 0) {
    throw error("no_band", "the raster has no band of its own", "name one of its subdatasets, as gdalinfo lists them");
  }
  locate(rule);
}

Error LocatedRaster::error(const std::string& code, const std::string& message, const std::string& hint) const {
  return {ErrorKind::invalid_input, code, message, hint, place()};
}

void LocatedRaster::locate(const CrsRule& rule) {
  if (dataset_->GetGeoTransform(geo_transform_.data()) != CE_None) {
    throw error("no_georeference", "the raster does not say where it lies",
                "bring its world file along, or georeference it (control points have to be applied: gdalwarp)");
  }
  if (GDALInvGeoTransform(geo_transform_.data(), inverse_.data()) == 0) {
    throw error("no_georeference", "the raster's pixels have no size", "georeference it anew");
  }
  crs_ = source_crs(Crs::of(dataset_->GetSpatialRef()), rule, place());
  const Rectangle box = bounds();
  check_coordinates(crs_, box, place());
  constexpr double around_globe_degrees = 359;
  has_longitudes_ = crs_.is_geographic() && box.max.x - box.min.x < around_globe_degrees;
  middle_longitude_ = box.middle().x;
}

double LocatedRaster::turns_to_middle(double longitude) const {
  constexpr double turn_degrees = 360;
  return has_longitudes_ ? turn_degrees * std::round((middle_longitude_ - longitude) / turn_degrees) : 0.0;
}

Rectangle LocatedRaster::area_of(const PointTransform& to_raster, const Rectangle& area) const {
  Rectangle there = to_raster.bounds(area);
  if (!has_longitudes_ || !std::isfinite(there.min.x + there.max.x)) return there;
  // Across the 180th meridian it ends, by GDAL, before it begins.
  if (there.max.x < there.min.x) there.max.x += 360;
  const double turns = turns_to_middle(there.middle().x);
  there.min.x += turns;
  there.max.x += turns;
  return there;
}

Vec2 LocatedRaster::to_crs(Vec2 pixel) const {
  const std::array<double, 6>& g = geo_transform_;
  return {g[0] + pixel.x * g[1] + pixel.y * g[2], g[3] + pixel.x * g[4] + pixel.y * g[5]};
}

Vec2 LocatedRaster::to_pixel(Vec2 point) const {
  const std::array<double, 6>& g = inverse_;
  point.x += turns_to_middle(point.x);
  return {g[0] + point.x * g[1] + point.y * g[2], g[3] + point.x * g[4] + point.y * g[5]};
}

Rectangle LocatedRaster::bounds() const {
  Rectangle box;
  for (const double column : {0.0, static_cast<double>(columns())}) {
    for (const double row : {0.0, static_cast<double>(rows())}) box.extend(to_crs({column, row}));
  }
  return box;
}

Rectangle LocatedRaster::to_pixels(const Rectangle& area) const {
  Rectangle box;
  for (const double x : {area.min.x, area.max.x}) {
    for (const double y : {area.min.y, area.max.y}) box.extend(to_pixel({x, y}));
  }
  return box;
}

void LocatedRaster::check_metres(Vec2 middle) const {
  if (crs_.empty()) check_local_metres(Crs::of(dataset_->GetSpatialRef()), middle, place());
}

bool LocatedRaster::is_in(const Crs& environment) const {
  if (geo_transform_[2] != 0 || geo_transform_[4] != 0 || geo_transform_[1] <= 0) return false;
  const Rectangle box = bounds();
  const PointTransform transform(crs_, environment, box);
  const std::array<Vec2, 5> places = {box.min, box.max, Vec2{box.min.x, box.max.y}, Vec2{box.max.x, box.min.y},
                                      box.middle()};
  return std::all_of(places.begin(), places.end(), [&](Vec2 p) { return norm(transform(p) - p) < 0.001; });
}

double LocatedRaster::pixel_side_m(const PointTransform& to_environment, Vec2 middle) const {
  const Vec2 here = to_environment(middle);
  return std::min(norm(to_environment(middle + across()) - here), norm(to_environment(middle + down()) - here));
}

void LocatedRaster::read_row(const PixelWindow& window, int row, double* values, GByte* is_valid) const {
  const GdalSession gdal;
  const auto read = [&](GDALRasterBand& from, void* to, GDALDataType type) {
    const CPLErr failed = from.RasterIO(GF_Read, window.column, window.row + row, window.columns, 1, to, window.columns,
                                        1, type, 0, 0, nullptr);
    if (failed != CE_None) {
      gdal.refuse_locked_meanwhile(file_);
      throw error("unreadable_file",
                  "the raster cannot be read to its end (" + without_passwords_of(file_, gdal.last_failure()) + ")",
                  "check that the file is complete");
    }
  };
  read(band(), values, GDT_Float64);
  read(*band().GetMaskBand(), is_valid, GDT_Byte);
}

}  // namespace tesseray
