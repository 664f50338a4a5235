// SPDX-License-Identifier: GPL-3.0-or-later
// The first band of a raster as heights in metres.
#pragma once

#include <gdal_priv.h>

#include <array>
#include <string>
#include <vector>

#include "core/base/progress.h"
#include "core/io/crs.h"
#include "core/io/gdal_session.h"
#include "core/io/vector_source.h"

namespace tesseray {

// A rectangle of pixels; rows count from the first of the file.
struct PixelWindow {
  int column = 0, row = 0, columns = 0, rows = 0;
  bool empty() const { return columns <= 0 || rows <= 0; }
};

class HeightRaster {
 public:
  // Throws Error when there is no such raster, or none of heights with a known place.
  HeightRaster(const std::string& dem, const CrsRule& rule);

  const Crs& crs() const { return crs_; }  // none in local metres
  ErrorPlace place() const { return {.file = file_}; }
  int columns() const { return dataset_->GetRasterXSize(); }
  int rows() const { return dataset_->GetRasterYSize(); }
  int bands() const { return dataset_->GetRasterCount(); }
  Rectangle bounds() const;

  // Pixel coordinates count from the corner of the first pixel; pixel (0, 0) has its centre at (0.5, 0.5).
  Vec2 to_crs(Vec2 pixel) const;
  Vec2 to_pixel(Vec2 point) const;
  // Columns run along x and rows along y, as in a map with north up, or upside down.
  bool has_axes_along_grid() const;
  bool has_first_row_in_south() const { return geo_transform_[5] > 0; }
  // Vectors of one pixel to the right and down.
  Vec2 across() const { return {geo_transform_[1], geo_transform_[4]}; }
  Vec2 down() const { return {geo_transform_[2], geo_transform_[5]}; }

  // The pixels whose centres surround a box of pixel coordinates, as far as the raster goes; maybe empty.
  PixelWindow window_around(const Rectangle& pixels) const;

  struct Heights {
    std::vector<float> metres;    // row by row as in the file; NaN where there is none
    std::size_t implausible = 0;  // heights beyond any on Earth, taken for no-data that nobody declared
  };
  // Scale, offset, unit and no-data applied.
  Heights read(const PixelWindow& window, Progress& progress) const;

 private:
  GDALRasterBand& band() const { return *dataset_->GetRasterBand(1); }
  void require_heights() const;
  void locate(const CrsRule& rule);
  double metres_per_value() const;
  Error error(const std::string& code, const std::string& message, const std::string& hint) const;

  GdalSession gdal_;
  std::string file_;
  GDALDatasetUniquePtr dataset_;
  Crs crs_;
  std::array<double, 6> geo_transform_{}, inverse_{};  // GDAL's order: x = [0] + column·[1] + row·[2], y = [3] + …
};

}  // namespace tesseray
