// SPDX-License-Identifier: GPL-3.0-or-later
// What stands at a path already, before anything is written there: whose tables a database has, and what its runs tell.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace tesseray {

enum class FileContent { absent, geopackage, sqlite, other };
FileContent content_of(const std::filesystem::path& file);
// A GeoPackage, or another database of SQLite.
bool is_database(const std::filesystem::path& file);
// By its name.
bool is_spatialite(const std::filesystem::path& file);
// True when the GeoPackage or SpatiaLite database has a table of that name. Throws Error(invalid_input) when it cannot
// be opened for writing.
bool has_layer(const std::filesystem::path& file, const std::string& layer);
// The database's tables that no run of Tesseray wrote, but those that belong to the format, by name. Throws
// Error(invalid_input) when it cannot be read.
std::vector<std::string> tables_of_others(const std::filesystem::path& file);
// Throws Error(invalid_input) where it has any, which whoever replaces the whole file would lose.
void require_nothing_of_others(const std::filesystem::path& file);
// Whether it has a table of that name among those.
bool is_of_others(const std::filesystem::path& file, const std::string& layer);
// The layers of a GeoPackage or SpatiaLite database that runs made from a prediction (Layer::made_from_predictions), as
// the last run that wrote each tells. Throws Error(invalid_input) when it cannot be read.
std::vector<std::string> layers_made_from_predictions(const std::filesystem::path& file);

}  // namespace tesseray
