// SPDX-License-Identifier: GPL-3.0-or-later
// Reads back the path losses of a result, and finds out which a file has.
#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "core/base/progress.h"
#include "core/io/results/path_loss_layer.h"

namespace tesseray {

// `used`: the fields that must be there besides those of every path loss. `before_rows`, if any, may refuse to read so
// much. Throws Error(invalid_input) that names the field and the feature where one is missing or holds what it cannot,
// and where a transmitter has two rows of a tile.
PathLossLayer read_path_loss(const std::string& source, Outlines outlines, Progress& progress,
                             const std::vector<std::string>& used = {"received_power_dbm"},
                             const std::function<void(const PathLossSize&)>& before_rows = {});

// What read_path_loss reads of the source. Throws Error(invalid_input) where it is not clear which.
PathLossNames path_loss_names(const std::string& source);

// All of a GeoPackage or SpatiaLite database.
std::vector<PathLossNames> path_losses_in(const std::filesystem::path& file);

}  // namespace tesseray
