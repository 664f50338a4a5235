// SPDX-License-Identifier: GPL-3.0-or-later
// A CRS as rows of gpkg_spatial_ref_sys describe it.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>

#include "core/scene/scene.h"

class OGRSpatialReference;

namespace tesseray {

struct ReferenceSystem {
  std::string name;
  std::string organization;     // "EPSG", or "NONE" for a CRS of the user's own
  std::int32_t code = 0;        // 0 for "NONE"
  std::string definition;       // WKT1, or "undefined" when WKT1 cannot express it
  std::string definition_wkt2;  // WKT 2:2015, for the CRS WKT extension
};

// That of the file `target`. REQUIRES: frame.crs_wkt is not empty. Throws Error(invalid_input) when PROJ cannot read
// it.
std::unique_ptr<OGRSpatialReference> read_reference_system(const LocalFrame& frame,
                                                           const std::filesystem::path& target);
ReferenceSystem describe_reference_system(const LocalFrame& frame, const std::filesystem::path& target);

}  // namespace tesseray
