// SPDX-License-Identifier: GPL-3.0-or-later
#include <limits>
#include <memory>
#include <utility>
#include <vector>

#include "core/io/results/result_layers.h"
#include "core/io/results/styles.h"

namespace tesseray {

namespace {

using enum ColumnType;

struct CutRow {
  const char* cut = nullptr;
  CutPoint point;
  double gain_dbi = std::numeric_limits<double>::quiet_NaN();
};

}  // namespace

Layer antenna_pattern_layer(const std::string& name, const AntennaFile& antenna) {
  const auto rows = std::make_shared<std::vector<CutRow>>();
  const auto add = [&](const char* cut, const std::vector<CutPoint>& points) {
    for (const CutPoint& point : points) {
      CutRow row{cut, point};
      if (antenna.gain_dbi) row.gain_dbi = *antenna.gain_dbi - point.attenuation_db;
      rows->push_back(row);
    }
  };
  add("horizontal", antenna.horizontal);
  add("vertical", antenna.vertical);
  std::vector<Field<CutRow>> fields = {
      {{"cut", text, "horizontal (clockwise from the boresight) or vertical (down from the horizon)"},
       [](const CutRow& row) { return Value::text(row.cut); }},
      {{"angle_deg", real, "Angle in the cut, degrees"},
       [](const CutRow& row) { return Value::real(row.point.angle_deg); }},
      {{"attenuation_db", real, "Attenuation below the maximum, dB"},
       [](const CutRow& row) { return Value::real(row.point.attenuation_db); }},
      {{"gain_dbi", real, "Gain over an isotropic antenna, dBi; NULL where the file gives no gain"},
       [](const CutRow& row) { return Value::real(row.gain_dbi); }},
  };
  Layer layer{.name = name, .description = "The two cuts of an antenna's pattern"};
  layer.styles = styles::antenna_pattern();
  return with_rows<CutRow>(std::move(layer), {}, rows->size(), [rows](std::size_t i) { return (*rows)[i]; },
                           std::move(fields), {});
}

}  // namespace tesseray
