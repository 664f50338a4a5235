// SPDX-License-Identifier: GPL-3.0-or-later
// Heights above the ground of receivers and of measurements, as the fields and the points of a source tell of them.
#pragma once

#include <ogr_feature.h>
#include <ogr_geometry.h>

#include <array>
#include <string_view>

namespace tesseray {

inline constexpr std::array receiver_height_aliases =
    std::to_array<std::string_view>({"receiverheight", "rxheight", "height", "agl", "heightagl", "antennaheight"});

inline bool has_own_z(const OGRFeature& feature) {
  const OGRGeometry* geometry = feature.GetGeometryRef();
  OGREnvelope3D box;
  if (geometry == nullptr || !geometry->Is3D()) return false;
  geometry->getEnvelope(&box);
  return box.MaxZ != 0;
}

}  // namespace tesseray
