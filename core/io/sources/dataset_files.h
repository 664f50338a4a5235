// SPDX-License-Identifier: GPL-3.0-or-later
// Which files are read for a dataset.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace tesseray {

// True when the text is a path of this machine rather than a connection string or a virtual path of GDAL.
bool is_local_path(const std::string& dataset);

// Of "GPKG:city.gpkg" and "GPKG:city.gpkg:terrain", as GDAL calls them: the file, and the table or "".
struct GeoPackageParts {
  std::string file, table;
};
std::optional<GeoPackageParts> parts_of_geopackage(const std::string& dataset);

// Of a GeoPackage's table the GeoPackage, of a virtual raster or layer, whatever it is called, also the files that it
// shows, as far as it or GDAL tells. [] for a database server and for what cannot be opened.
std::vector<std::filesystem::path> files_of_dataset(const std::string& dataset);

// Whether GDAL opens the file as a raster. Its failures are collected as others are.
bool is_raster(const std::string& dataset);

// What to give in place of a ZIP file of this machine, which GDAL opens by another name: "give
// /vsizip/city.zip/roofs.shp".
// "" for any other.
std::string hint_for_zip(const std::string& dataset);

}  // namespace tesseray
