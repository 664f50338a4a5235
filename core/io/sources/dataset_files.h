// SPDX-License-Identifier: GPL-3.0-or-later
// Which files are read for a dataset.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace tesseray {

// True when the text is a path of this machine rather than a connection string or a virtual path of GDAL.
bool is_local_path(const std::string& dataset);

// As far as GDAL tells: of "GPKG:city.gpkg:terrain" the GeoPackage, of a virtual raster or layer also the files that it
// shows. [] for a database server and for what cannot be opened.
std::vector<std::filesystem::path> files_of_dataset(const std::string& dataset);

// What to give in place of a ZIP file of this machine, which GDAL opens by another name: "give
// /vsizip/city.zip/roofs.shp".
// "" for any other.
std::string hint_for_zip(const std::string& dataset);

}  // namespace tesseray
