// SPDX-License-Identifier: GPL-3.0-or-later
// Inputs as users write them: "roofs.shp", "city.gpkg|layername=roofs", "PG:dbname=…", "/vsizip/…".
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "core/base/progress.h"
#include "core/io/results/result_writer.h"

namespace tesseray {

// True unless the text is a connection string or one of GDAL's virtual files.
bool is_plain_path(const std::string& source);
// The file of a source, without "|layername=…" and the like.
std::filesystem::path path_of_source(const std::string& source);
// The layer, or the GeoPackage's raster, that a source names, or "".
std::string layer_of_source(const std::string& source);

// Size and hash of a source's files, for the run's record, without passwords: of a shapefile all of its, of a database
// its log of changes, too, of a virtual raster or layer what it shows, too, and of what lies in an archive the whole of
// it. A source that is no file, a folder, or cannot be read to its end has size 0 and no hash.
RunRecord::Input fingerprint(const std::string& source, const Progress& progress);

}  // namespace tesseray
