// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/io/height_raster.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "core/io/text_values.h"

namespace tesseray {
namespace {

// Land lies between −430 m and 8,850 m, ocean floors down to −11,000 m.
constexpr double lowest_m = -12000.0, greatest_m = 10000.0;
constexpr double most_heights = 4e8;

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

double HeightRaster::metres_per_value() const {
  const double by_band = metres_per(band().GetUnitType());
  if (by_band > 0) return by_band;
  const OGRSpatialReference* reference = dataset().GetSpatialRef();
  if (reference == nullptr || reference->IsCompound() == 0) return 1;
  const double by_crs = reference->GetTargetLinearUnits("VERT_CS");
  return by_crs > 0 ? by_crs : 1;
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
