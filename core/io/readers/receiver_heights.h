// SPDX-License-Identifier: GPL-3.0-or-later
// Heights of receivers and of measurements, as the points of a source tell of them.
#pragma once

#include <ogr_feature.h>
#include <ogr_geometry.h>

namespace tesseray {

inline bool has_own_z(const OGRFeature& feature) {
  const OGRGeometry* geometry = feature.GetGeometryRef();
  OGREnvelope3D box;
  if (geometry == nullptr || !geometry->Is3D()) return false;
  geometry->getEnvelope(&box);
  return box.MaxZ != 0;
}

}  // namespace tesseray
