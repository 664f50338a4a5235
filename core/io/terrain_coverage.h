// SPDX-License-Identifier: GPL-3.0-or-later
// The terrain grid as a GeoPackage tiled gridded coverage (OGC 17-066r1), which QGIS shows as a raster. Its tiles are
// 32-bit float TIFFs without loss, so heights come back with the same bits.
#pragma once

#include <cstdint>
#include <filesystem>
#include <vector>

#include "core/scene/scene.h"

namespace tesseray {

inline constexpr char terrain_table[] = "terrain";

// A whole GeoPackage with nothing but the coverage; it has no reference system yet.
std::vector<unsigned char> encode_terrain(const Terrain& terrain, Vec2 origin);

// The heights, row by row from the south. Throws Error(invalid_input) when there is no coverage of that size.
std::vector<float> read_terrain_heights(const std::filesystem::path& file, std::uint32_t columns, std::uint32_t rows);

}  // namespace tesseray
