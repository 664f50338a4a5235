// SPDX-License-Identifier: GPL-3.0-or-later
// A terrain model from any raster that GDAL reads, on a grid of the environment CRS.
#pragma once

#include <string>
#include <vector>

#include "core/base/progress.h"
#include "core/io/sources/crs.h"
#include "core/io/sources/source_crs.h"
#include "core/scene/raw_scene.h"

namespace tesseray {

// Reads what covers `area` (environment CRS), and a cell around it. A raster in the environment's CRS with north up
// gives its own nodes, the pixel centres, bit for bit; others are resampled bilinearly at about their own resolution.
// No-data is NaN; scale, offset and feet are applied. Throws Error when the raster cannot be used or has no height
// in the area; what was assumed is issues.
RawTerrain read_terrain(const std::string& dem, const Crs& environment, const CrsRule& rule, const Rectangle& area,
                        std::vector<Issue>& issues, Progress& progress);

}  // namespace tesseray
