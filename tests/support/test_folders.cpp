// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/support/test_folders.h"

namespace tesseray::testing {

std::filesystem::path source_folder() { return TESSERAY_SOURCE_DIR; }

std::filesystem::path shared_folder() { return source_folder() / ".." / "shared"; }

}  // namespace tesseray::testing
