// SPDX-License-Identifier: GPL-3.0-or-later
// A raster and where it lies.
#pragma once

#include <gdal_priv.h>

#include <array>
#include <string>

#include "core/io/sources/crs.h"
#include "core/io/sources/gdal_session.h"
#include "core/io/sources/passwords.h"
#include "core/io/sources/source_crs.h"

namespace tesseray {

// A rectangle of pixels; rows count from the first of the file.
struct PixelWindow {
  int column = 0, row = 0, columns = 0, rows = 0;
  bool empty() const { return columns <= 0 || rows <= 0; }
};

class LocatedRaster {
 public:
  // `parameter`: what the raster was given as, for messages ("DEM"). Throws Error when there is no such raster, or none
  // with a known place.
  LocatedRaster(const std::string& file, const std::string& parameter, const CrsRule& rule);

  const Crs& crs() const { return crs_; }  // none in local metres
  ErrorPlace place() const { return {.file = without_password(file_)}; }
  int columns() const { return dataset_->GetRasterXSize(); }
  int rows() const { return dataset_->GetRasterYSize(); }
  int bands() const { return dataset_->GetRasterCount(); }
  Rectangle bounds() const;
  // An area of another CRS in the raster's, with longitudes as it counts them: on from 180° or from 0 to 360°. Empty
  // where the transform does not lead there, or where both ends of a raster around the globe would be needed.
  Rectangle area_of(const PointTransform& to_raster, const Rectangle& area) const;

  // Pixel coordinates count from the corner of the first pixel; pixel (0, 0) has its centre at (0.5, 0.5). Longitudes
  // may be whole turns off.
  Vec2 to_crs(Vec2 pixel) const;
  Vec2 to_pixel(Vec2 point) const;
  Rectangle to_pixels(const Rectangle& area) const;
  bool has_first_row_in_south() const { return geo_transform_[5] > 0; }
  // Vectors of one pixel to the right and down.
  Vec2 across() const { return {geo_transform_[1], geo_transform_[4]}; }
  Vec2 down() const { return {geo_transform_[2], geo_transform_[5]}; }

  // In local metres: throws Error where those of the raster's own CRS are others there. `middle`: of what is read of
  // it.
  void check_metres(Vec2 middle) const;
  // True when the raster's grid is one of the environment: columns run along x and rows along y, and the way between
  // the CRSs moves no corner by 1 mm.
  bool is_in(const Crs& environment) const;
  // The shorter side of a pixel at `middle`, a place in the raster's CRS, in metres of the environment.
  // REQUIRES: a transform from the raster's CRS. NaN where the transform does not lead.
  double pixel_side_m(const PointTransform& to_environment, Vec2 middle) const;

 protected:
  GDALRasterBand& band() const { return *dataset_->GetRasterBand(1); }
  GDALDataset& dataset() const { return *dataset_; }
  Error error(const std::string& code, const std::string& message, const std::string& hint) const;
  // One row of the window: values of the first band, and which of them are there.
  void read_row(const PixelWindow& window, int row, double* values, GByte* is_valid) const;

 private:
  void locate(const CrsRule& rule);
  // Whole turns from a longitude to the raster's middle, degrees; 0 in other CRSs, and around the globe.
  double turns_to_middle(double longitude) const;

  GdalSession gdal_;
  std::string file_;
  GDALDatasetUniquePtr dataset_;
  Crs crs_;
  bool has_longitudes_ = false;  // of a part of the globe
  double middle_longitude_ = 0;
  std::array<double, 6> geo_transform_{}, inverse_{};  // GDAL's order: x = [0] + column·[1] + row·[2], y = [3] + …
};

}  // namespace tesseray
