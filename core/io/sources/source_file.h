// SPDX-License-Identifier: GPL-3.0-or-later
// Whether the file that a source names can be read at all, before GDAL is asked for what it holds.
#pragma once

#include <string>

namespace tesseray {

// Throws Error("unreadable_file") when `dataset` is a path that may not be read.
void require_permission_to_read(const std::string& dataset);
// Throws Error("file_not_found") when `dataset` is a path where nothing is.
void require_file(const std::string& dataset, const std::string& parameter);

}  // namespace tesseray
