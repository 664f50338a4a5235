// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/io/sources/height_raster.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <string_view>

#include "core/io/sources/text_values.h"
#include "core/scene/elevation_range.h"

namespace tesseray {
namespace {

constexpr double most_heights = 4e8;

// Metres per unit of a vertical unit's name, as GDAL and PROJ write them; 0 for others.
double metres_per(const std::string& unit) {
  constexpr double us_survey_foot_m = 1200.0 / 3937.0;
  struct Length {
    double metres;
    std::string_view names;  // each between spaces
  };
  constexpr std::array<Length, 9> lengths = {{{1, " m metre meter metres meters "},
                                              {0.001, " mm millimetre millimeter millimetres millimeters "},
                                              {0.01, " cm centimetre centimeter centimetres centimeters "},
                                              {0.1, " dm decimetre decimeter decimetres decimeters "},
                                              {1000, " km kilometre kilometer kilometres kilometers "},
                                              {0.3048, " ft foot feet "},
                                              {us_survey_foot_m, " ussurveyfoot ussurveyfeet usft footussurvey ftus "},
                                              {0.9144, " yd yard yards "},
                                              {1.8288, " fath fathom fathoms "}}};
  const std::string plain = " " + plain_name(unit) + " ";
  const auto* found = std::find_if(lengths.begin(), lengths.end(),
                                   [&](const Length& l) { return l.names.find(plain) != std::string_view::npos; });
  return found == lengths.end() ? 0 : found->metres;
}

}  // namespace

HeightRaster::HeightRaster(const std::string& dem, const CrsRule& rule) : LocatedRaster(dem, "DEM", rule) {
  require_heights();
}

void HeightRaster::require_heights() const {
  if (GDALDataTypeIsComplex(band().GetRasterDataType()) != 0) {
    throw error("not_heights", "the raster's values are complex numbers", "give a raster of heights");
  }
  if (band().GetColorTable() != nullptr) {
    throw error("not_heights", "the raster's values are colours of a palette", "give a raster of heights");
  }
}

double HeightRaster::metres_by_crs() const {
  const OGRSpatialReference* reference = dataset().GetSpatialRef();
  return reference == nullptr || reference->IsCompound() == 0 ? 0 : reference->GetTargetLinearUnits("VERT_CS");
}

double HeightRaster::metres_per_value() const {
  for (const double metres : {metres_per(band().GetUnitType()), metres_by_crs()}) {
    if (metres > 0) return metres;
  }
  return 1;
}

std::string HeightRaster::unknown_unit() const {
  std::string unit = band().GetUnitType();
  const bool is_told = metres_per(unit) > 0 || metres_by_crs() > 0;
  return is_told || plain_name(unit).empty() ? "" : unit;
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
  const auto columns = static_cast<std::size_t>(window.columns);
  const auto rows = static_cast<std::size_t>(window.rows);
  if (static_cast<double>(columns) * static_cast<double>(rows) > most_heights) {
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
    read_row(window, row, values.data(), valid.data());
    float* const metres = heights.metres.data() + static_cast<std::size_t>(row) * columns;
    for (std::size_t i = 0; i < columns; ++i) {
      const double height = values[i] * factor + offset;
      if (valid[i] == 0 || std::isnan(height)) continue;
      if (height < lowest_ground_m || height > highest_ground_m) {
        ++heights.implausible;
      } else {
        metres[i] = static_cast<float>(height);
      }
    }
  }
  return heights;
}

}  // namespace tesseray
