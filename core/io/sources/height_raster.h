// SPDX-License-Identifier: GPL-3.0-or-later
// The first band of a raster as heights in metres.
#pragma once

#include <string>
#include <vector>

#include "core/base/progress.h"
#include "core/io/sources/located_raster.h"

namespace tesseray {

class HeightRaster : public LocatedRaster {
 public:
  // Throws Error when there is no such raster, or none of heights with a known place.
  HeightRaster(const std::string& dem, const CrsRule& rule);

  // The pixels whose centres surround a box of pixel coordinates, as far as the raster goes; maybe empty.
  PixelWindow window_around(const Rectangle& pixels) const;

  struct Heights {
    std::vector<float> metres;    // row by row as in the file; NaN where there is none
    std::size_t implausible = 0;  // heights beyond any of land, taken for no-data that nobody declared
  };
  // Scale, offset, unit and no-data applied.
  Heights read(const PixelWindow& window, Progress& progress) const;
  // The name of a unit that is not known, for which heights are read as metres; "" where there is none.
  std::string unknown_unit() const;

 private:
  void require_heights() const;
  double metres_by_crs() const;  // of a vertical CRS; 0 without one
  double metres_per_value() const;
};

}  // namespace tesseray
