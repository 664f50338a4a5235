// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <filesystem>
#include <vector>

namespace tesseray {

// The paths of what is in a folder, in any order: none where it is not there or may not be read, and those before the
// failure where reading it fails on the way, of which a loop over a directory_iterator throws.
std::vector<std::filesystem::path> entries_of(const std::filesystem::path& folder);

}  // namespace tesseray
