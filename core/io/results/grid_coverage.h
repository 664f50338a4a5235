// SPDX-License-Identifier: GPL-3.0-or-later
// Grids of an environment as GeoPackage tiled gridded coverages (OGC 17-066r1), which QGIS shows as rasters. Their
// tiles are 32-bit float TIFFs without loss, so values come back with the same bits.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "core/scene/scene.h"

namespace tesseray {

inline constexpr char terrain_table[] = "terrain";
inline constexpr char clutter_table[] = "clutter";

struct GridCoverage {
  std::string table, description;
  Vec2 south_west;  // the centre of the first cell, CRS coordinates
  double step_x = 0, step_y = 0;
  std::uint32_t columns = 0, rows = 0;
  std::vector<float> values;  // row by row from the south
};

// The heights at the terrain's nodes, which are the centres of cells.
GridCoverage terrain_coverage(const Terrain& terrain, Vec2 origin);
// The numbers of the classes. REQUIRES: clutter that is there.
GridCoverage clutter_coverage(const Clutter& clutter, Vec2 origin);

// A whole GeoPackage with nothing but the coverages; it has no reference system yet.
std::vector<unsigned char> encode_coverages(const std::vector<GridCoverage>& coverages);

// The values, row by row from the south. Throws Error(invalid_input) when there is no coverage of that size.
std::vector<float> read_coverage(const std::filesystem::path& file, const std::string& table, std::uint32_t columns,
                                 std::uint32_t rows);

}  // namespace tesseray
