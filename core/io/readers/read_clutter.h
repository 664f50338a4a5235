// SPDX-License-Identifier: GPL-3.0-or-later
// What covers the ground, by classes, from a raster or from polygons.
#pragma once

#include <string>
#include <vector>

#include "core/base/progress.h"
#include "core/io/readers/footprints.h"
#include "core/io/sources/source_crs.h"
#include "core/scene/raw_scene.h"

namespace tesseray {

// The first band's values as classes: called as the band's categories are, where it has any, else by their codes. A
// pixel without a value has no class. Its own pixels where they are a grid of the environment, else the class at the
// middle of cells as large. A ballpark operation into the raster's CRS is an issue. Throws Error for a raster that is
// elsewhere, or whose values are no classes.
RawClutter read_clutter_raster(const std::string& file, const Crs& environment, const CrsRule& rule,
                               const Rectangle& area, std::vector<Issue>& issues, Progress& progress);

// Polygons with their class in a field, found by alias where `class_field` is empty. Those without a class are left
// out, with an issue.
RawClutter read_clutter_areas(FootprintLayer& layer, const std::string& class_field, Progress& progress);

}  // namespace tesseray
